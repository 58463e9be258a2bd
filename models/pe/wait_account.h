// How a compute engine accounts what its threads wait for (docs/waits.md), while somebody reads it
// (EngineState::waits).
//
// A group of an operation costs nothing here. When a queue gets what it lacked, the operation that is
// due has waited for it since it was due. The rest is known when the operation completes: the number
// of its groups, their interval, and the cycles from its issue on. What is left was its turn. This
// holds because nobody takes from an operation what it has come to have. It does not hold for
// operations on FIFOs, on packed wavelets, on several input queues, with on_control, for filters, on an
// open channel or on a microthread that was blocked: they are asked in every step what they wait for
// (Operation::asked). So are all where a listener is to hear of a wait when it ends, and those that clear
// their source.
#pragma once

#include "models/observe/wait_book.h"
#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

static_assert(observe::kWaitMainThread == kMainThread, "waits carry thread numbers");

/// `op` has been issued in cycle `now`. Decides whether it is asked.
void begin_waits(const EngineState& pe, Operation& op, Cycle now);
/// Some of the queues `came`, as in Operations::set_lacking, have what `operations` lacked before.
void account_came(Operations& operations, std::uint32_t came, Cycle now);
/// `op`, which is asked, has a group in cycle `now`.
void account_asked_group(EngineState& pe, const Operation& op, Cycle now);
/// The group of `op` in cycle `now` met a bank conflict.
void account_conflict(EngineState& pe, const Operation& op, Cycle now);
/// Before op.due changes: `op` has a group in cycle `now`.
inline void account_group(EngineState& pe, const Operation& op, bool conflict, Cycle now) {
  if (op.asked) account_asked_group(pe, op, now);
  if (conflict && pe.waits != nullptr) account_conflict(pe, op, now);
}
/// Accounts the waits of `op`, which is asked, up to cycle `now`.
void settle_waits(EngineState& pe, const Operation& op, Cycle now);
/// `op` completes in cycle `now`, or the run ends before it; `lacking` as Operations::lacking(). If it
/// was the main thread's, that waits for what follows.
void finish_waits(EngineState& pe, Operation& op, std::uint32_t lacking, Cycle now);

/// At the end of a step: those that are asked tell what they wait for. Returns whether there are any.
bool ask_for_waits(EngineState& pe, Operations& operations, Cycle now);
/// At the end of a step in which the slot is not used, and nobody has told so yet: what the tile waits
/// for from cycle `from` on.
void account_tile(EngineState& pe, const Operations& operations, Cycle from, Cycle now);
/// The main thread's operation `op` had a group in cycle `group`, in the issue slot; the engine slept.
void account_late_group(EngineState& pe, const Operation& op, Cycle group);

}  // namespace tessera::pe
