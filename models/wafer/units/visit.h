// How the state of a wafer is saved and restored (docs/checkpoints.md, models/state/archive.h).
//
// The state is that between two cycles, in the order of tiles and of the routes of a tile, without anything that
// depends on how the tiles are cut into strips, on the numbers of units or on the order in which they are stepped:
//  - a credit that is usable in the next cycle counts as usable, whether it was given early or not;
//  - the rings of buffers begin with the oldest wavelet;
//  - when pipes, slots and on-ramps are due follows from what they hold and what is on its way to them. Where the
//    wafer is due in the next cycle, those that hold something are stepped then: a step that finds nothing changes nothing.
#pragma once

#include <array>
#include <cstdint>

#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

/// What of each strip is saved one after the other.
enum class StateOf : std::uint8_t { kBuffers, kPes, kRouters };
inline constexpr std::array kStates = {StateOf::kBuffers, StateOf::kPes, StateOf::kRouters};

struct Visit {
  state::Archive& archive;
  Cycle next = 0;           ///< the first cycle that has not been stepped
  bool is_due = false;      ///< something is due in it
  bool has_idents = false;  ///< the archive has the serial numbers of wavelets
  bool has_waits = false;   ///< it has the accounts of waits of links
};

}  // namespace tessera::wafer
