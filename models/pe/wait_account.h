// How a compute engine accounts what its threads wait for (docs/waits.md), while somebody reads it
// (EngineState::waits).
//
// What an operation has waited for is worked out when it gets the issue slot, from what is known then:
// its next group was due in some cycle, and each of its queues has had a wavelet or room since some
// cycle. What is left at its end was its turn. This holds because nobody takes from an operation
// what it has come to have. It does not hold for operations on FIFOs, on packed wavelets, with
// on_control, on an open channel or on a microthread that was blocked: they are asked in every step
// what they wait for. So are all where a listener is to hear of a wait when it ends.
#pragma once

#include <algorithm>

#include "models/observe/wait_book.h"
#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

static_assert(observe::kWaitMainThread == kMainThread, "waits carry thread numbers");

/// `op` has been issued in cycle `now`.
void begin_waits(EngineState& pe, const Operation& op, Cycle now);
/// What `op`, which has a group, lacked since it was due.
inline void count_queues(observe::TileWaits& tile, const Operation& op) {
  const auto lowest = [](unsigned bits) { return static_cast<unsigned>(__builtin_ctz(bits)); };
  std::uint32_t wavelet = 0;
  if (op.needs_inputs != 0) wavelet = tile.waited_for(lowest(op.needs_inputs), op.due);
  observe::LackedCycles& lacked = tile.lacked(op.thread);
  lacked.wavelet += wavelet;
  if (op.needs_outputs == 0) return;
  const std::uint32_t room = tile.waited_for(kMaxQueues + lowest(op.needs_outputs), op.due);
  lacked.room += std::max(room, wavelet) - wavelet;
}
void account_special_group(EngineState& pe, const Operation& op, bool conflict, Cycle now);
/// Before op.due changes: `op` has a group in cycle `now`, in the issue slot.
inline void account_group(EngineState& pe, const Operation& op, bool conflict, Cycle now) {
  observe::TileWaits& tile = *pe.waits;
  tile.use_slot(now);
  if (!tile.is_plain(op.thread)) return account_special_group(pe, op, conflict, now);
  count_queues(tile, op);
}
/// Accounts the waits of `op`, which is to be asked, up to cycle `now`.
void settle_waits(EngineState& pe, const Operation& op, Cycle now);
/// `op` completes in cycle `now`, or the run ends before it.
void finish_waits(EngineState& pe, const Operation& op, Cycle now);

/// At the end of a step: those that are asked tell what they wait for.
void ask_for_waits(EngineState& pe, const Operations& operations, Cycle now);
/// At the end of a step: what the tile waits for from now on, where its slot is not used.
void account_tile(EngineState& pe, const Operations& operations, Cycle now);

}  // namespace tessera::pe
