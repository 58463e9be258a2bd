// Lock step: a RouterCore beside another router, cycle by cycle. Both get the same wavelets and
// credits; the first cycle in which they do not do the same is told in words, and the cycles before it
// can be written as a wave form. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/router_core.h"

namespace tessera::fabric {

/// What passed the pins of one direction of a router in one cycle.
struct PortCycle {
  std::optional<link::Wavelet> arrives;             ///< at the input
  std::optional<link::Wavelet> leaves;              ///< through the output
  std::array<std::uint8_t, kColorCount> freed{};    ///< places that the input gives back
  std::array<std::uint8_t, kColorCount> credits{};  ///< credits that come back to the output
};
using RouterCycle = std::array<PortCycle, kDirectionCount>;  ///< by index(Direction)

class LockStep {
 public:
  using Routes = std::vector<std::pair<Color, ColorRoute>>;
  /// Cycles that a wave form shows.
  static constexpr std::size_t kHistory = 64;

  /// Parameters as in RouterCore. What the core would refuse to do it merges.
  LockStep(TileCoord at, FabricTiming timing, const Routes& routes);
  void set_downstream_capacity(Direction out, Color color, unsigned credits) {
    core_.set_downstream_capacity(out, color, credits);
  }

  /// Takes what the other router did in cycle `now`, later than all before. Returns the first difference;
  /// empty: there is none. `ident` is not compared.
  std::string compare(Cycle now, const RouterCycle& seen);
  /// The next cycle in which the core does something without an arrival or a credit.
  Cycle next() const { return next_; }

  /// The last cycles as VCD: scope "module" as seen, scope "core" as expected.
  void write_vcd(std::ostream& out, std::uint64_t period_ps) const;

 private:
  struct Frame {
    Cycle cycle;
    RouterCycle seen, expected;
  };
  RouterCycle expect(Cycle now, const RouterCycle& seen);

  const TileCoord at_;
  RouterCore core_;
  Cycle next_ = kNever;
  std::deque<Frame> history_;
};

}  // namespace tessera::fabric
