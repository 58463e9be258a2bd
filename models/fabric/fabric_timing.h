// Timing and sizes of the fabric as a preset gives them (platforms/wse/presets). All in cycles or
// wavelets.
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::fabric {

/// Who goes first when several wavelets want one port in one cycle: (input port, color) pairs an
/// output of the router, output queues the on-ramp. The sources do not document it (wse.md 1.11,
/// 12); the rule is therefore named in the config.
enum class Arbitration : std::uint8_t {
  kRoundRobin,  ///< round robin, per port; the winner becomes last
  kFixed,       ///< lowest color first, then WEST, EAST, SOUTH, NORTH, RAMP; lowest queue first
};

/// What happens when wavelets of one color land from two directions in one cycle, which the
/// documents leave undefined (wse.md 1.2).
enum class Coincidence : std::uint8_t {
  kIllegal,  ///< the run stops
  kMerge,    ///< both go on, in the order of `arbitration`
};
/// Which wording of the color swap holds (wse.md 1.6, wse.md 10 row 6), for an arrival on a color
/// whose partner alone is enabled.
enum class ColorSwap : std::uint8_t {
  kBoth,     ///< it appears on both colors
  kPartner,  ///< it appears on the partner only (older documents)
};
/// What a link between two routers stores while the router at its end is full.
enum class LinkStorage : std::uint8_t {
  kRegisters,  ///< a wavelet of each color in each of its hop_latency - 1 registers: longer links store more
  kNone,  ///< nothing: a wavelet on the way has room in the buffer of the router already
};
/// Report id of wavelets that land where a route of the layout has no output: they vanish.
inline constexpr const char* kSinkId = "/tessera/fabric/no_output";
/// Report id of the rule of `Coincidence`.
inline constexpr const char* kCoincidenceId = "/tessera/fabric/coincidence";

struct FabricTiming {
  unsigned hop_latency = 2;     ///< landing at a router to landing at its neighbour (wse.md 1.11)
  unsigned credit_latency = 1;  ///< wavelet leaves a buffer -> upstream may use the room
  /// Wavelets a router buffers per (input port, color), beside those in the registers of the path
  /// (input_room). A stream keeps one wavelet per cycle when buffer_depth > credit_latency.
  unsigned buffer_depth = 2;
  LinkStorage link_storage = LinkStorage::kRegisters;
  Arbitration arbitration = Arbitration::kRoundRobin;
  Coincidence coincidence = Coincidence::kMerge;
  ColorSwap color_swap = ColorSwap::kBoth;
  SwitchPositions switch_positions = SwitchPositions::kCumulative;
  unsigned on_ramp_latency = 3;   ///< leaves an output queue -> lands at the router
  unsigned off_ramp_latency = 3;  ///< leaves the router -> may be read from the input queue
  /// An on-ramp sends in so many cycles and pauses in one, the same for all tiles; 0: without pauses. Streams
  /// of WSE-3 silicon take 1.125 cycles a wavelet (wse_timing.md A3), of which the place is not known.
  unsigned ramp_run = 0;

  bool ramp_pauses(Cycle now) const { return ramp_run > 0 && now % (ramp_run + 1) == ramp_run; }

  // A path of n cycles has n - 1 registers that hold wavelets when the receiver is full, so a
  // sender may have as many wavelets on the way beyond what the receiver buffers. Links may have none.

  /// Wavelets of one color that input port `in` of a router takes: credits of the sender.
  unsigned input_room(Direction in) const {
    if (in == Direction::kRamp) return buffer_depth + on_ramp_latency - 1;
    return buffer_depth + (link_storage == LinkStorage::kRegisters ? hop_latency - 1 : 0);
  }
  /// Wavelets that the off-ramp and an input queue of `length` take: credits of the router.
  unsigned queue_room(unsigned length) const { return length + off_ramp_latency - 1; }
};

}  // namespace tessera::fabric
