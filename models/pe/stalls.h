// Stalls of a compute engine for EngineState::stalls (observe/stall.h).
#pragma once

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

/// Tells of the operations that lack wavelets or room for a group in cycle `now`. `chosen` has the
/// issue slot.
void tell_stalls(const EngineState& pe, const Operations& operations, ThreadId chosen, Cycle now);
/// The group of `op` in cycle `now`, which has not moved anything yet, reads one bank twice.
void tell_bank_conflict(const EngineState& pe, const Operation& op, Cycle now);
/// The next instruction of the main thread, which would issue behind cycle `now`, waits for a DSR.
void tell_dsr_load(const EngineState& pe, Cycle now);

}  // namespace tessera::pe
