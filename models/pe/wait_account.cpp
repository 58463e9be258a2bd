#include "models/pe/wait_account.h"

#include <algorithm>

#include "models/pe/readiness.h"

namespace tessera::pe {

using observe::OperationWaits;
using observe::WaitReason;

namespace {

std::uint32_t low(Cycle cycle) {
  return static_cast<std::uint32_t>(cycle);
}

std::uint32_t cycles_between(Cycle from, Cycle to) {
  return to > from ? low(to - from) : 0;
}

/// The lowest of `queues`, if there is one.
std::uint8_t lowest(unsigned queues) {
  return static_cast<std::uint8_t>(__builtin_ctz(queues | 1U << kMaxQueues));
}

/// Groups that `op` has had in issue slots of its own.
std::uint32_t groups_of(const EngineState& pe, const Operation& op) {
  if (op.asked) return pe.waits->thread(op.thread).groups;
  if (op.single_step && op.in_memory()) return 0;
  return op.single || op.width == 1 ? op.done : op.groups_of(op.done);
}

/// The cycle after the last group of `op`.
Cycle behind_last_group(const EngineState& pe, const Operation& op, bool conflict) {
  const unsigned slowdown = conflict ? pe.timing().read_conflict_factor : 1;
  return op.finishing ? op.due + 2 - Cycle{op.duration} * slowdown
                      : op.due + 1 - Cycle{op.interval} * slowdown;
}

bool conflict_was_last(const EngineState& pe, const Operation& op, std::uint32_t conflicts) {
  return conflicts > 0 &&
         pe.waits->conflicts(op.thread).last == low(behind_last_group(pe, op, true) - 1);
}

std::uint32_t conflicts_of(const EngineState& pe, const Operation& op) {
  return op.may_conflict ? pe.waits->conflicts(op.thread).count : 0;
}

/// What `op` waits for between its issue, its groups and its end.
WaitReason pace_of(const EngineState& pe, const Operation& op) {
  if (groups_of(pe, op) == 0) return WaitReason::kStart;
  return conflict_was_last(pe, op, conflicts_of(pe, op)) ? WaitReason::kBankConflict
                                                         : WaitReason::kInterval;
}

/// The cycles up to `to` were for `reason`.
void charge(EngineState& pe, const Operation& op, WaitReason reason, unsigned number, Cycle to) {
  OperationWaits& waits = pe.waits->thread(op.thread);
  if (to <= waits.since) return;
  pe.waits->add(
      {0, op.thread, op.pc(), reason, static_cast<std::uint8_t>(number), waits.since, to});
  waits.since = to;
}

/// What `op`, which is due, lacks in cycle `now` is what it has lacked since it was due, or since
/// another of its queues had what it lacked.
void count_lacked(Operation& op, std::uint32_t& cycles, Cycle now) {
  cycles += std::min(low(now - op.due), low(now) - op.waits.until);
  op.waits.until = low(now);
}

/// Queues `q` have what `op` lacked, or the account ends; it lacks `lacking` from now on. Where it lacks
/// a wavelet and room, it waits for the wavelet, as in wait_of().
void account_queues(Operation& op, std::uint32_t q, std::uint32_t lacking, Cycle now) {
  if ((q & op.needs_inputs) != 0) count_lacked(op, op.waits.wavelet, now);
  if ((q >> kMaxQueues & op.needs_outputs) != 0 && (lacking & op.needs_inputs) == 0)
    count_lacked(op, op.waits.room, now);
}

/// Cycles from `op`'s issue, which is not asked, until its first group was due.
std::uint32_t start_of(const EngineState& pe, const Operation& op) {
  if (op.in_memory()) return op.waits.until;
  return op.single_step ? 0 : std::max(pe.timing().vector_start, 1U) - 1;
}

/// The line gets what has been counted of `op` up to cycle `now`, its groups only if it `ends`. Returns
/// the cycle after it.
Cycle flush(EngineState& pe, Operation& op, std::uint32_t lacking, bool ends, Cycle now) {
  CountedWaits& waits = op.waits;
  const std::uint32_t groups = groups_of(pe, op);
  const Cycle paced = std::min(op.due, now);
  const auto since = [&waits](Cycle cycle, std::uint32_t known) {
    return static_cast<std::uint32_t>(
        std::max(static_cast<std::int32_t>(low(cycle) - waits.since - known), 0));
  };
  Cycle end = now;
  std::uint32_t start = 0;
  std::uint32_t interval = 0;
  std::uint32_t conflicts = 0;
  if (groups == 0) {
    start = since(paced, 0);
  } else {
    const std::uint32_t all = conflicts_of(pe, op);
    const bool last = conflict_was_last(pe, op, all);
    const std::uint32_t met = all - (last ? 1 : 0);
    const Cycle from = behind_last_group(pe, op, last);
    conflicts = met * (op.interval * pe.timing().read_conflict_factor - 1);
    interval = (groups - 1 - met) * (op.interval - 1);
    (last ? conflicts : interval) += cycles_between(from, paced);
    end = std::max(from, now);  // it may complete in the cycle of the group
  }
  if (groups > 0) start = start_of(pe, op);
  if (!op.finishing && op.due < now) account_queues(op, lacking, 0, now);
  const std::uint32_t known = groups + start + interval + conflicts + waits.wavelet + waits.room;
  pe.waits->lines().add(op.pc(), op.thread, lowest(op.inputs), lowest(op.outputs),
                        {ends ? groups : 0, start, interval, conflicts, waits.wavelet, waits.room,
                         since(end, known)});
  return end;
}

/// From cycle `now` on `op` is asked.
void begin_asking(EngineState& pe, Operation& op, std::uint32_t lacking, Cycle now) {
  const std::uint32_t groups = groups_of(pe, op);
  flush(pe, op, lacking, false, now);
  pe.waits->thread(op.thread) = {now, groups};
  pe.waits->conflicts(op.thread) = {};
  op.asked = true;
}

}  // namespace

void begin_waits(const EngineState& pe, Operation& op, Cycle now) {
  op.asked =
      pe.waits->is_told() || op.is_filter() || !(op.in_memory() || op.single) ||
      (op.needs_inputs & (op.needs_inputs - 1)) != 0 || op.zeroed_slot != 0 ||
      (!op.in_memory() && op.due != now + start_of(pe, op) + 1);  // started in a filled pipeline
  if (op.may_conflict) pe.waits->conflicts(op.thread) = {};
  const Cycle since = now + 1;
  if (op.asked) {
    pe.waits->thread(op.thread) = {since};
  } else {
    op.waits = {low(since), 0, 0, op.in_memory() ? cycles_between(since, op.due) : low(since)};
  }
}

void account_came(Operations& operations, std::uint32_t came, Cycle now) {
  for (Operation& op : operations) {
    if (op.due < now && !op.asked) account_queues(op, came, operations.lacking(), now);
  }
}

void settle_waits(EngineState& pe, const Operation& op, Cycle now) {
  const OperationWaits& waits = pe.waits->thread(op.thread);
  charge(pe, op, pace_of(pe, op), 0, std::min(op.due, now));
  charge(pe, op, waits.reason, waits.number, now);
}

void account_asked_group(EngineState& pe, const Operation& op, Cycle now) {
  settle_waits(pe, op, now);
  OperationWaits& waits = pe.waits->thread(op.thread);
  waits.since = now + 1;
  waits.reason = WaitReason::kTurn;
  ++waits.groups;
}

void account_conflict(EngineState& pe, const Operation& op, Cycle now) {
  observe::Conflicts& conflicts = pe.waits->conflicts(op.thread);
  ++conflicts.count;
  conflicts.last = low(now);
}

void finish_waits(EngineState& pe, Operation& op, std::uint32_t lacking, Cycle now) {
  Cycle end = now;
  if (op.asked) {
    settle_waits(pe, op, now);
    const OperationWaits& waits = pe.waits->thread(op.thread);
    pe.waits->lines().add(op.pc(), op.thread, WaitReason::kBusy, 0, waits.groups);
    end = std::max(now, waits.since);  // it may complete in the cycle of the group
  } else {
    end = flush(pe, op, lacking, true, now);
  }
  if (op.thread == kMainThread) pe.waits->start_main(op.pc(), end, WaitReason::kLatency);
}

bool ask_for_waits(EngineState& pe, Operations& operations, Cycle now) {
  bool some = false;
  for (Operation& op : operations) {
    some = some || op.asked;
    if (op.finishing || op.due > now) continue;
    if (!op.asked) {
      // What it waits for can now come and go.
      if (!pe.tasks.is_microthread_blocked(op.thread) && !heads_matter(pe, op)) continue;
      begin_asking(pe, op, operations.lacking(), now);
      some = true;
    }
    OperationWaits& asked = pe.waits->thread(op.thread);
    const OperationWait wait = wait_of(pe, op, now);
    if (wait.reason == asked.reason && wait.number == asked.number) continue;
    settle_waits(pe, op, now);
    asked.reason = wait.reason;
    asked.number = wait.number;
  }
  return some;
}

void account_tile(EngineState& pe, const Operations& operations, Cycle from, Cycle now) {
  const auto reason = [&] {
    const Operation* const main = operations.of_main_thread();
    if (pe.main.runs() && main == nullptr) return pe.waits->main_reason();
    if (const Operation* const op = main != nullptr ? main : operations.begin();
        op != operations.end()) {
      return op->finishing || op->due > now ? pace_of(pe, *op) : wait_of(pe, *op, now).reason;
    }
    if (pe.waits->host_until() > now) return WaitReason::kHost;
    if (pe.tasks.has_stuck()) return WaitReason::kTaskBlocked;
    return pe.has_open_channel() ? WaitReason::kTask : WaitReason::kIdle;
  };
  pe.waits->change(reason(), from);
}

void account_late_group(EngineState& pe, const Operation& op, Cycle group) {
  pe.waits->change(WaitReason::kBusy, group);
  if (op.due > group + 1) pe.waits->change(pace_of(pe, op), group + 1);
}

}  // namespace tessera::pe
