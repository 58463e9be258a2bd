#include "models/wafer/units/selection.h"

#include "models/wafer/units/blocks.h"

namespace tessera::wafer {

void Selection::number_units(const Blocks& blocks) {
  const std::vector<Pipe>& pipes = blocks.pipes.all();
  const std::vector<Slot>& slots = blocks.slots.all();
  Numbers next{};
  first_of_tile_.reserve(blocks.strip.tile_count() + 1);
  for (std::uint32_t place = blocks.strip.first_place; place < blocks.strip.end_place; ++place) {
    first_of_tile_.push_back(next);
    while (next[kPipes] < pipes.size() && pipes[next[kPipes]].place == place) ++next[kPipes];
    while (next[kSlots] < slots.size() && slots[next[kSlots]].place == place) ++next[kSlots];
    if (blocks.routers.index_at(place) != kNoIndex) ++next[kRouters];
    if (blocks.plan.image_of_tile[place] >= 0) ++next[kPes];
  }
  first_of_tile_.push_back(next);
}

void Selection::select(const Blocks& blocks, const Area& area) {
  all_ = false;
  for (Spans& spans : selected_) spans.clear();
  if (area.empty()) return;
  const auto width = static_cast<unsigned>(area.end_x - area.first_x);
  std::size_t tile = blocks.plan.place_of({area.first_x, area.first_y}) - blocks.strip.first_place;
  for (int y = area.first_y; y < area.end_y; ++y) {
    const Numbers& first = first_of_tile_[tile];
    const Numbers& end = first_of_tile_[tile + width];
    for (const Kind kind : {kPipes, kSlots, kRouters, kPes}) {
      if (first[kind] < end[kind]) selected_[kind].push_back({first[kind], end[kind]});
    }
    tile += static_cast<unsigned>(blocks.plan.width);
  }
}

Span Selection::units(const Blocks& blocks, Kind kind, const Area& row) const {
  const std::uint32_t first =
      blocks.plan.place_of({row.first_x, row.first_y}) - blocks.strip.first_place;
  const auto width = static_cast<unsigned>(row.end_x - row.first_x);
  return {first_of_tile_[first][kind], first_of_tile_[first + width][kind]};
}

}  // namespace tessera::wafer
