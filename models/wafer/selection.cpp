#include "models/wafer/selection.h"

#include "models/wafer/blocks.h"

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
  for (int y = area.first_y; y < area.end_y; ++y) {
    const std::uint32_t row = blocks.plan.place_of({0, y}) - blocks.strip.first_place;
    const Numbers& first = first_of_tile_[row + static_cast<unsigned>(area.first_x)];
    const Numbers& end = first_of_tile_[row + static_cast<unsigned>(area.end_x)];
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (first[kind] < end[kind]) selected_[kind].push_back({first[kind], end[kind]});
    }
  }
}

}  // namespace tessera::wafer
