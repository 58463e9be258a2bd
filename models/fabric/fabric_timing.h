// Timing and sizes of the fabric as a preset gives them (platforms/wse/presets). All in cycles or wavelets.
#pragma once

#include <cstdint>

namespace tessera::fabric {

/// Who goes first when several wavelets want one output port in one cycle. The sources do not document it
/// (wse.md 1.11, 12); the rule is therefore named in the config.
enum class Arbitration : std::uint8_t {
  kRoundRobin,  ///< round robin over (input port, color) pairs, per output port; the winner becomes last
  kFixed,       ///< lowest color first, then WEST, EAST, SOUTH, NORTH, RAMP
};

struct FabricTiming {
  unsigned hop_latency = 2;     ///< landing at a router to landing at its neighbour (wse.md 1.11)
  unsigned credit_latency = 1;  ///< wavelet leaves a buffer -> upstream may use the room
  /// Wavelets a router holds per (input port, color). A stream keeps one wavelet per cycle when
  /// buffer_depth >= hop_latency + credit_latency.
  unsigned buffer_depth = 3;
  Arbitration arbitration = Arbitration::kRoundRobin;
  unsigned on_ramp_latency = 3;   ///< leaves an output queue -> lands at the router
  unsigned off_ramp_latency = 3;  ///< leaves the router -> may be read from the input queue
};

}  // namespace tessera::fabric
