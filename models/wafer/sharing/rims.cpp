#include "models/wafer/sharing/rims.h"

#include "models/wafer/units/blocks.h"

namespace tessera::wafer {

Rims::Rims(const Strip& strip)
    : ways_in_a_row_(static_cast<std::uint32_t>(strip.plan.width) * kColorCount) {
  if (strip.first_row > 0) ways_[number(Direction::kNorth)].resize(ways_in_a_row_);
  if (strip.end_row < strip.plan.height) ways_[number(Direction::kSouth)].resize(ways_in_a_row_);
}

void Rims::set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) {
  std::vector<Way>& ways = ways_[number(side)];
  for (std::size_t i = 0; i < ways.size(); ++i) ways[i].room = rooms[i];
}

void Rims::send(Ref way, const link::Wavelet& w, Cycle due) {
  const std::uint32_t in_row = way.index() % ways_in_a_row_;
  sent_[way.index() / ways_in_a_row_].push_back({w, due, in_row / kColorCount, false});
}

void Rims::send_credit(Ref way, Color color, Cycle due) {
  link::Wavelet w;
  w.color = color;
  const std::uint32_t in_row = way.index() % ways_in_a_row_;
  sent_[way.index() / ways_in_a_row_].push_back({w, due, in_row / kColorCount, true});
}

void Rims::take(Direction side, std::vector<Crossing>& crossings, Blocks& blocks) {
  const std::vector<Way>& ways = ways_[number(side)];
  for (const Crossing& c : crossings) {
    const Way& way = ways[std::size_t{c.x} * kColorCount + c.wavelet.color.value()];
    if (c.credit) {
      blocks.give_credit(way.sender, c.wavelet.color, c.due);
    } else {
      blocks.deliver(way.receiver, c.wavelet, c.due);
    }
  }
  crossings.clear();
}

}  // namespace tessera::wafer
