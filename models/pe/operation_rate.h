// How many elements a DSD operation moves at a time, and in which cycles (reference wse.md 5.10, 6.2 to 6.4).
#pragma once

#include "models/pe/operation.h"
#include "models/pe/pe_timing.h"

namespace tessera::pe {

/// Sets `least`, `width`, `interval` and `duration` of `op`, whose cursors are set. A group has at most the elements that
/// the opcode (wse.md 6.3), the strides (6.2) and the SIMD modes (5.10) allow; a register takes one element (6.4).
/// Returns whether its interval has room for sources in banks that conflict: it counts both accesses to one bank where
/// `op` reads its destination and all elements lie there, or the unit is slower than the reads.
bool set_rate(Operation& op, const PeTiming& timing);

}  // namespace tessera::pe
