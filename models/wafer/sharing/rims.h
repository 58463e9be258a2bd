// The borders between strips (Strip, plan.h): what crosses them is kept until the cycle is
// complete, then the neighbour takes it. Every effect lies at least one cycle ahead, so this is early
// enough, and strips of a cycle may be stepped at the same time (strips.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/wafer/plan/plan.h"
#include "models/wafer/units/units.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

struct Blocks;

/// A wavelet or a credit on its way to the neighbouring strip.
struct Crossing {
  link::Wavelet wavelet;  ///< for a credit only its color is set
  Cycle due = 0;
  std::uint32_t x = 0;  ///< column
  bool credit = false;
};

/// The two borders of a strip. A way across one is named by side, column and color (Ref::Kind::kRim);
/// both strips give it the same column and color.
class Rims {
 public:
  explicit Rims(const Strip& strip);

  /// Whether a strip of the same wafer lies at `side`, NORTH or SOUTH.
  bool has(Direction side) const { return !ways_[number(side)].empty(); }
  Ref way(Direction side, int x, Color color) const {
    return {Ref::Kind::kRim, number(side) * ways_in_a_row_ + column(x) + color.value()};
  }
  /// Room behind the border, by column and color: what rooms_at() of the neighbour says. To be set
  /// before the strip is connected; 0: nobody receives there.
  void set_rooms(Direction side, const std::vector<std::uint16_t>& rooms);
  unsigned room(Ref way) const { return at(way).room; }
  /// Who sends across, and who receives what comes from there.
  Ref& sender(Ref way) { return at(way).sender; }
  Ref& receiver(Ref way) { return at(way).receiver; }

  void send(Ref way, const link::Wavelet& w, Cycle due);
  void send_credit(Ref way, Color color, Cycle due);
  /// What has crossed the border since the neighbour took it.
  std::vector<Crossing>& sent(Direction side) { return sent_[number(side)]; }
  /// Delivers what the neighbour at `side` sent, and empties it.
  void take(Direction side, std::vector<Crossing>& crossings, Blocks& blocks);

 private:
  struct Way {
    Ref sender;
    Ref receiver;
    std::uint16_t room = 0;
  };
  static std::uint32_t number(Direction side) { return side == Direction::kNorth ? 0 : 1; }
  static std::uint32_t column(int x) { return static_cast<std::uint32_t>(x) * kColorCount; }
  Way& at(Ref way) { return ways_[way.index() / ways_in_a_row_][way.index() % ways_in_a_row_]; }
  const Way& at(Ref way) const {
    return ways_[way.index() / ways_in_a_row_][way.index() % ways_in_a_row_];
  }

  const std::uint32_t ways_in_a_row_;
  std::array<std::vector<Way>, 2> ways_;  // by side, column and color; empty: no strip there
  std::array<std::vector<Crossing>, 2> sent_;
};

}  // namespace tessera::wafer
