// What a compute engine tells EngineState::listeners, which is not nullptr: its stalls (observe/stall.h), and where its main thread
// stands (observe/place_watch.h).
#pragma once

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

/// Tells of the operations that lack wavelets or room for a group in cycle `now`. `chosen` has the
/// issue slot.
void tell_step(const EngineState& pe, const Operations& operations, ThreadId chosen, Cycle now);
/// The group of `op` in cycle `now`, which has not moved anything yet, reads one bank twice.
void tell_bank_conflict(const EngineState& pe, const Operation& op, Cycle now);
/// The main thread, which is free for its next instruction, would issue it after cycle `now`.
void tell_next(const EngineState& pe, Cycle now);

}  // namespace tessera::pe
