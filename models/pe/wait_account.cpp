#include "models/pe/wait_account.h"

#include <algorithm>

#include "models/pe/readiness.h"

namespace tessera::pe {

using observe::LackedCycles;
using observe::OperationWaits;
using observe::WaitReason;

namespace {

unsigned lowest(unsigned bits) {
  return static_cast<unsigned>(__builtin_ctz(bits));
}

std::uint32_t cycles_between(Cycle from, Cycle to) {
  return to > from ? static_cast<std::uint32_t>(to - from) : 0;
}

/// What `op` waits for between its issue, its groups and its end.
WaitReason pace_of(const OperationWaits& waits) {
  if (waits.busy == 0) return WaitReason::kStart;
  return waits.conflict ? WaitReason::kBankConflict : WaitReason::kInterval;
}

void put(EngineState& pe, const Operation& op, WaitReason reason, unsigned number,
         std::uint32_t cycles) {
  if (cycles == 0) return;
  pe.waits->lines().add(op.pc(), op.thread, reason, static_cast<std::uint8_t>(number), cycles);
}

/// The cycles up to `to` were for `reason`.
void charge(EngineState& pe, const Operation& op, WaitReason reason, unsigned number, Cycle to) {
  OperationWaits& waits = pe.waits->thread(op.thread);
  if (to <= waits.since) return;
  pe.waits->add(
      {0, op.thread, op.pc(), reason, static_cast<std::uint8_t>(number), waits.since, to});
  waits.since = to;
}

/// The cycle from which on `op` has had what it needs of queue `q`; `now`: it still has not.
Cycle came(const EngineState& pe, const Operation& op, unsigned q, Cycle now) {
  return pe.waits->lacks(q) ? now : op.due + pe.waits->waited_for(q, op.due);
}

/// What an operation that is not asked has lacked, the last source first as in wait_of().
void charge_queues(EngineState& pe, const Operation& op, Cycle now) {
  for (unsigned i = op.sources; i > 0 && op.needs_inputs != 0; --i) {
    if (op.cursors[i].kind != Cursor::Kind::kFabric) continue;
    const unsigned q = op.cursors[i].queue.value();
    charge(pe, op, WaitReason::kWavelet, q, came(pe, op, q, now));
  }
  if (op.needs_outputs == 0) return;
  const unsigned q = op.cursors[0].queue.value();
  charge(pe, op, WaitReason::kRoom, q, came(pe, op, kMaxQueues + q, now));
}

/// What an operation without a group since op.due has lacked up to cycle `now`.
void count_lacking(EngineState& pe, const Operation& op, Cycle now) {
  Cycle since = op.due;
  const auto count = [&](unsigned queue, std::uint32_t& cycles) {
    const Cycle there = came(pe, op, queue, now);
    cycles += cycles_between(since, there);
    since = std::max(since, there);
  };
  LackedCycles& lacked = pe.waits->lacked(op.thread);
  if (op.needs_inputs != 0) count(lowest(op.needs_inputs), lacked.wavelet);
  if (op.needs_outputs != 0) count(kMaxQueues + lowest(op.needs_outputs), lacked.room);
}

/// Groups that it has had.
std::uint32_t groups_of(const observe::TileWaits& tile, const Operation& op) {
  return tile.is_plain(op.thread) ? op.done : tile.thread(op.thread).busy;
}

/// The cycle behind the last group of `op`.
Cycle behind_last_group(const EngineState& pe, const Operation& op, const OperationWaits& waits) {
  const unsigned slowdown = waits.conflict ? pe.timing().read_conflict_factor : 1;
  return op.finishing ? op.due + 2 - Cycle{op.duration} * slowdown
                      : op.due + 1 - Cycle{op.interval} * slowdown;
}

/// The line gets what has been counted up to cycle `now`.
void flush(EngineState& pe, const Operation& op, Cycle now) {
  OperationWaits& waits = pe.waits->thread(op.thread);
  Cycle end = now;
  if (waits.busy == 0) {
    charge(pe, op, WaitReason::kStart, 0, std::min(op.due, now));
  } else {
    const Cycle from = behind_last_group(pe, op, waits);
    (waits.conflict ? waits.conflicts : waits.interval) +=
        cycles_between(from, std::min(op.due, now));
    end = std::max(from, now);  // it may complete in the cycle of the group
  }
  if (!op.finishing && op.due < now) count_lacking(pe, op, now);
  const LackedCycles& lacked = pe.waits->lacked(op.thread);
  const std::uint32_t known =
      groups_of(*pe.waits, op) + waits.interval + waits.conflicts + lacked.wavelet + lacked.room;
  put(pe, op, WaitReason::kTurn, 0, cycles_between(waits.since + known, end));
  put(pe, op, WaitReason::kInterval, 0, waits.interval);
  put(pe, op, WaitReason::kBankConflict, 0, waits.conflicts);
  if (lacked.wavelet > 0) put(pe, op, WaitReason::kWavelet, lowest(op.inputs), lacked.wavelet);
  if (lacked.room > 0) put(pe, op, WaitReason::kRoom, lowest(op.outputs), lacked.room);
  waits.since = now;
}

}  // namespace

void begin_waits(EngineState& pe, const Operation& op, Cycle now) {
  OperationWaits& waits = pe.waits->thread(op.thread) = OperationWaits();
  pe.waits->lacked(op.thread) = {};
  pe.waits->set_plain(op.thread, false);
  pe.waits->need(op.needs_inputs | std::uint32_t{op.needs_outputs} << kMaxQueues, now);
  waits.since = now + 1;
  // A listener hears of a wait in the cycle in which it ends.
  waits.asked = !op.in_memory() && (pe.waits->is_told() || !op.single);
  waits.at_once =
      waits.asked || pe.waits->is_told() || (op.needs_inputs & (op.needs_inputs - 1)) != 0;
  if (waits.asked) pe.waits->ask(op.thread, true);
}

void settle_waits(EngineState& pe, const Operation& op, Cycle now) {
  const OperationWaits& waits = pe.waits->thread(op.thread);
  charge(pe, op, pace_of(waits), 0, std::min(op.due, now));
  if (waits.asked)
    charge(pe, op, waits.reason, waits.number, now);
  else if (waits.since < now)
    charge_queues(pe, op, now);
  charge(pe, op, WaitReason::kTurn, 0, now);
}

void account_special_group(EngineState& pe, const Operation& op, bool conflict, Cycle now) {
  OperationWaits& waits = pe.waits->thread(op.thread);
  if (waits.at_once) {
    settle_waits(pe, op, now);
    waits.since = now + 1;
    waits.reason = WaitReason::kTurn;
  } else {
    if (waits.busy == 0) {
      charge(pe, op, WaitReason::kStart, 0, op.due);
      pe.waits->set_plain(op.thread, op.interval == 1 && !op.in_memory() && !op.is_filter());
    } else if (waits.conflict) {
      waits.conflicts += op.interval * pe.timing().read_conflict_factor - 1;
    } else {
      waits.interval += op.interval - 1;
    }
    count_queues(*pe.waits, op);
  }
  waits.conflict = conflict;
  ++waits.busy;
}

void finish_waits(EngineState& pe, const Operation& op, Cycle now) {
  OperationWaits& waits = pe.waits->thread(op.thread);
  if (waits.at_once) {
    settle_waits(pe, op, now);
  } else {
    flush(pe, op, now);
  }
  put(pe, op, WaitReason::kBusy, 0, groups_of(*pe.waits, op));
  if (waits.asked) pe.waits->ask(op.thread, false);
}

void ask_for_waits(EngineState& pe, const Operations& operations, Cycle now) {
  for (const Operation& op : operations) {
    if (op.finishing || op.due > now) continue;
    OperationWaits& waits = pe.waits->thread(op.thread);
    if (!waits.asked) {
      // What it waits for can now come and go.
      if (!pe.tasks.is_microthread_blocked(op.thread) && !heads_matter(pe, op)) continue;
      const std::uint32_t busy = groups_of(*pe.waits, op);
      waits.at_once ? settle_waits(pe, op, now) : flush(pe, op, now);
      const Cycle since = waits.since;
      waits = OperationWaits();
      waits.busy = busy;
      waits.since = since;
      waits.asked = waits.at_once = true;
      pe.waits->set_plain(op.thread, false);
      pe.waits->ask(op.thread, true);
    }
    const OperationWait wait = wait_of(pe, op, now);
    if (wait.reason == waits.reason && wait.number == waits.number) continue;
    settle_waits(pe, op, now);
    waits.reason = wait.reason;
    waits.number = wait.number;
  }
}

void account_tile(EngineState& pe, const Operations& operations, Cycle now) {
  const auto reason = [&] {
    const Operation* const main = operations.of_main_thread();
    if (pe.main.runs() && main == nullptr) return pe.waits->main_reason();
    if (const Operation* const op = main != nullptr ? main : operations.begin();
        op != operations.end()) {
      return op->finishing || op->due > now ? pace_of(pe.waits->thread(op->thread))
                                            : wait_of(pe, *op, now).reason;
    }
    if (pe.waits->host_until() > now) return WaitReason::kHost;
    if (pe.tasks.has_stuck()) return WaitReason::kTaskBlocked;
    return pe.has_open_channel() ? WaitReason::kTask : WaitReason::kIdle;
  };
  pe.waits->rest(reason(), now);
}

}  // namespace tessera::pe
