// Messages on their way through one router: which output the message from each input has, and how much of it is still to come.
// A message keeps its output until its last wavelet has left, so that no other comes between. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tlm_ifaces/link/message_header.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::fabric {

/// Along the row first, then along the column: no cycle of messages can wait for each other.
inline Direction way_to(TileCoord to, TileCoord from) {
  if (to.x != from.x) return to.x > from.x ? Direction::kEast : Direction::kWest;
  if (to.y != from.y) return to.y > from.y ? Direction::kSouth : Direction::kNorth;
  return Direction::kRamp;
}

class Messages {
 public:
  /// The output of what waits at input `in` of the router of tile `here`; nothing: another message has it.
  DirectionSet output(Direction in, std::uint32_t payload, TileCoord here) const {
    const Way& own = ways_[index(in)];
    if (own.left > 0) return {own.out};
    const Direction out = way_to(link::message_header(payload).to, here);
    const bool is_taken = std::any_of(ways_.begin(), ways_.end(), [out](const Way& other) {
      return other.left > 0 && other.out == out;
    });
    return is_taken ? DirectionSet{} : DirectionSet{out};
  }
  /// A wavelet from `in` leaves through `out`. True: it is the last one of its message.
  bool leave(Direction in, Direction out, std::uint32_t payload) {
    Way& way = ways_[index(in)];
    if (way.left == 0) {
      way.left = static_cast<std::uint8_t>(link::message_header(payload).length);
      way.out = out;
    } else {
      --way.left;
    }
    return way.left == 0;
  }
  template <class Archive>
  void visit(Archive& archive) {
    for (Way& way : ways_) archive(way.out, way.left);
  }

 private:
  struct Way {
    Direction out = Direction::kRamp;
    std::uint8_t left = 0;  ///< wavelets to come; 0: there is no message
  };
  std::array<Way, kDirectionCount> ways_;
};

}  // namespace tessera::fabric
