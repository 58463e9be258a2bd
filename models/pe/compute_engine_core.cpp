#include "models/pe/compute_engine_core.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/observe/event_fields.h"
#include "models/pe/memory_checks.h"
#include "models/pe/stalls.h"
#include "models/pe/wait_account.h"

namespace tessera::pe {

static_assert(kMainThread == observe::kMainThread && kThreadCount == observe::kThreadCount,
              "events carry thread numbers");

namespace {

/// Priorities of microthreads and of the main thread on one scale (wse.md 4): the main thread
/// stands between two levels of microthreads, or on one of them.
constexpr unsigned level_of(Priority priority) {
  return 2 * static_cast<unsigned>(priority);
}
constexpr unsigned level_of(MainPriority priority) {
  return 1 + static_cast<unsigned>(priority);
}

}  // namespace

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image,
                                     const PeTiming& timing, PeQueues& queues, observe::Probe probe)
    : ComputeEngineCore(at, std::make_shared<const DecodedImage>(std::move(image), timing), queues,
                        probe) {}

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const DecodedImage> program,
                                     PeQueues& queues, observe::Probe probe)
    : vector_(program->image(), program->timing()), pe_(at, std::move(program), queues, probe) {}

// Steps 4 and 5, after the issue slot, which `issued` had.
ComputeEngineCore::Changes ComputeEngineCore::complete_and_pick(ThreadId issued, bool ran,
                                                                Cycle now) {
  // 4. An operation that this ended may complete at once.
  vector_.complete_operations(pe_, now);
  if (pe_.listeners != nullptr) tell_step(pe_, vector_.operations(), issued, now);
  // 5. Control wavelets that name no task go; the picker starts a task.
  const bool was_free = !pe_.main.runs();
  Runnables by_wavelet;
  const bool picks = was_free && !tasks_.launch_is_due(now);
  const bool dropped =
      pe_.has_open_channel() &&
      TaskUnit::take_heads(pe_, vector_.operations(), picks ? &by_wavelet : nullptr, now);
  config_.take_flushes(pe_, vector_.outputs(), now);
  const bool may_start =
      was_free && (!picks || !by_wavelet.empty() || pe_.tasks.has_runnable_local());
  const bool took_command = may_start && tasks_.pick(pe_, by_wavelet, ran, now);
  const bool picked = was_free && pe_.main.runs();
  // The task's wavelet may have been the last one of a queue.
  if (picked) config_.take_flushes(pe_, vector_.outputs(), now);
  if (!pe_.main.runs()) vector_.operations().rest();
  return {dropped || picked, took_command};
}

// After the issue slot.
[[gnu::always_inline]] inline Cycle ComputeEngineCore::end_step(const Candidate& chosen,
                                                                bool goes_on, bool ran, Cycle now) {
  const bool only_issued = pe_.main.runs() && !vector_.operations().has_finished(now) &&
                           is_quiet() && !pe_.has_open_channel();
  const Changes changes = only_issued ? Changes{} : complete_and_pick(chosen.thread, ran, now);
  const bool issues_next = wait_for_operands(now);
  const Cycle next = issues_next ? now + 1 : next_wake(chosen || changes.some, goes_on, now);
  if (pe_.waits != nullptr) {
    const bool ask = pe_.has_open_channel() || pe_.tasks.blocks_microthreads();
    vector_.account_waits(pe_, static_cast<bool>(chosen), chosen && next == now + 1, ask, now);
  }
  vector_.set_watched(0);
  const bool heads_stay = !pe_.has_open_channel() || (!changes.some && look_at_heads(now));
  plan_steps(only_issued || (heads_stay && is_quiet()), now);
  return changes.took_command ? now + 1 : next;  // others may wait for the picker
}

// `chosen`: who has the issue slot, if that is known. Then the steps before it find nothing.
Cycle ComputeEngineCore::step_all(Candidate chosen, Cycle now) {
  if (pe_.waits != nullptr) pe_.waits->prefetch();
  vector_.wake_up(pe_, now);
  bool used = false;
  try {
    const bool ran = pe_.main.runs();
    if (!chosen) {
      config_.take_teardowns(pe_.tasks, now);
      // 1. Operations whose time is over complete.
      vector_.complete_operations(pe_, now);
      // 2. FIFOs that are empty or full take their actions.
      vector_.take_fifo_actions(pe_, now);
      // 3. One candidate gets the issue slot.
      chosen = choose(now);
    }
    used = chosen && chosen.op == nullptr;
    const bool goes_on = chosen && issue(chosen, now);
    used = static_cast<bool>(chosen);
    return end_step(chosen, goes_on, ran, now);
  } catch (...) {  // the run ends in this cycle
    vector_.account_waits(pe_, used, false, false, now);
    throw;
  }
}

// A step in which nothing can happen but a group or an instruction of the main thread, which may issue one: the short
// way through step_all() for groups that are not the last one and for instructions that leave everything else as it is.
Cycle ComputeEngineCore::step_main(Cycle now) {
  const Operations& operations = vector_.operations();
  if (!pe_.main.runs() || operations.has_main_thread() || operations.has_finished(now) ||
      has_news(now))
    return step_all({}, now);
  if (pe_.waits != nullptr) pe_.waits->prefetch();
  if (!operations.empty()) {
    if (!main_is_first(now)) {
      if (Operation* const op = first_before_main(now)) return step_group(*op, now);
      assert(pe_.main.ready_at() <= now);  // or the step were before streams_until_
    } else if (pe_.waits != nullptr) {
      look_at_queues(now);
    }
  }
  vector_.set_last_issued(kMainThread);
  const DecodedInstruction& in = pe_.program->decoded(pe_.main.pc());
  if (in.quick == nullptr || (pe_.waits != nullptr && pe_.program->checks() != nullptr))
    return run_main(in, Progress::kNone, now);
  count_main(in, now);
  if (!in.quick(pe_, in, now)) return run_main(in, Progress::kCounted, now);
  if (pe_.main.pc() >= pe_.program->code_size())
    return run_main(in, Progress::kExecuted, now);  // fails
  if (!operations.empty() || pe_.waits != nullptr) return end_short_step(now);
  wait_for_operands_of(pe_.program->decoded(pe_.main.pc()));
  streams_until_ = pe_.main.ready_at();
  return streams_until_;
}

// What is left of the step of an instruction.
Cycle ComputeEngineCore::run_main(const DecodedInstruction& in, Progress progress, Cycle now) {
  try {
    if (progress == Progress::kNone) count_main(in, now);
    if (progress != Progress::kExecuted && !execute_main(in, now))
      return end_step({nullptr, 0, kMainThread}, false, true, now);
    require_instruction();
    return end_short_step(now);
  } catch (...) {  // the run ends in this cycle
    vector_.account_waits(pe_, true, false, false, now);
    throw;
  }
}

// After an instruction that has changed nothing but registers, DSRs, memory and where the program goes on.
[[gnu::noinline]] Cycle ComputeEngineCore::end_short_step(Cycle now) {
  const bool is_alone = vector_.operations().empty();
  wait_for_operands_of(pe_.program->decoded(pe_.main.pc()));
  const Cycle ready = pe_.main.ready_at();
  const bool issues_next = ready <= now + 1;
  const Cycle next = issues_next ? now + 1 : is_alone ? ready : next_wake(true, false, now);
  vector_.account_waits(pe_, true, next == now + 1, false, now);
  if (is_alone)
    streams_until_ = ready;
  else
    plan_steps(true, now);
  return next;
}

// Whether FIFOs, control wavelets that end operations, teardowns, flushes, blocked microthreads and
// listeners give a step nothing to do.
[[gnu::always_inline]] inline bool ComputeEngineCore::is_quiet() const {
  return !vector_.operations().may_end_early() && !pe_.tasks.blocks_microthreads() &&
         pe_.listeners == nullptr && !config_.is_busy() && !vector_.some_are_asked();
}

// Whether the same holds for wavelets on open channels, which tasks may take, until has_news(). complete_and_pick() has
// just looked at the oldest ones and left them where they are: while the main thread runs they stay there, because
// operations that could take them are not quiet.
[[gnu::noinline]] bool ComputeEngineCore::look_at_heads(Cycle now) {
  std::uint32_t open = 0;
  std::uint64_t channels = 0;
  for (const InputChannel& input : pe_.program->inputs()) {
    if ((input.channel & pe_.tasks.blocked()) != 0) continue;
    open |= 1U << input.queue.value();
    channels |= input.channel;
  }
  constexpr std::uint32_t kAll =
      (1U << kMaxQueues) - 1;  // a receiver has no bit (PeQueues::lacking)
  const std::uint32_t empty = pe_.queues.lacking(open & kAll, 0, now);
  const bool runs = pe_.main.runs();
  vector_.set_watched(runs ? empty : open);
  const Operations& operations = vector_.operations();
  return open <= kAll && (runs || empty == open) &&
         std::none_of(operations.begin(), operations.end(),
                      [channels](const Operation& op) { return (op.channels & channels) != 0; });
}

// Until when the steps of a quiet engine need no more than stream(), if nobody from outside interferes.
[[gnu::always_inline]] inline Cycle ComputeEngineCore::stream_end() const {
  const Operations& operations = vector_.operations();
  const bool runs = pe_.main.runs();
  if (!runs && pe_.tasks.has_runnable_local()) return 0;
  const Cycle wants_slot = operations.has_main_thread() ? kNever : pe_.main.ready_at();
  return std::min(operations.first_completion(), runs ? wants_slot : tasks_.next_launch());
}

// At the end of a step. `is_known`: the engine is quiet.
[[gnu::always_inline]] inline void ComputeEngineCore::plan_steps(bool is_known, Cycle now) {
  Operations& operations = vector_.operations();
  streams_until_ = is_known && !vector_.steps_fully() ? stream_end() : 0;
  if (now + 1 < streams_until_ && !operations.empty()) {
    const bool rotates = pe_.timing().issue == IssueRule::kRotation;
    operations.set_turn(rotates ? vector_.last_issued() + 1 : 0);
  }
}

// A step in which nothing can happen but a group of an operation, and not its last one.
Cycle ComputeEngineCore::stream(Cycle now) {
  if (has_news(now)) return step_all({}, now);
  vector_.wake_up(pe_, now);
  Operations& operations = vector_.operations();
  const std::uint32_t lacking = look_at_queues(now);
  Operation* const op =
      operations.have_one_level() ? first_ready(lacking, now) : highest_ready(lacking, now);
  if (op != nullptr) return step_group(*op, now);
  const Cycle next = next_wake(false, false, now);
  vector_.account_waits(pe_, false, false, false, now);
  return next;
}

// A step in which nothing can happen but a group of `op`, which may have it.
[[gnu::always_inline]] inline Cycle ComputeEngineCore::step_group(Operation& op, Cycle now) {
  const std::uint32_t elements = op.single ? 1 : group_size(pe_, op, now);
  if (op.ends_with(elements)) return step_all({&op, elements, op.thread}, now);  // it may complete
  vector_.set_last_issued(op.thread);
  if (pe_.timing().issue == IssueRule::kRotation) vector_.operations().set_turn_behind(&op);
  Cycle next = now + 1;
  try {
    if (!vector_.execute_inner_group(pe_, op, elements, now)) next = next_wake(true, false, now);
  } catch (...) {
    vector_.account_waits(pe_, false, false, false, now);
    throw;
  }
  vector_.account_waits(pe_, true, next == now + 1, false, now);
  return next;
}

// The operation that goes before an instruction of the main thread, which may issue.
[[gnu::noinline]] Operation* ComputeEngineCore::first_before_main(Cycle now) {
  Operations& operations = vector_.operations();
  const std::uint32_t lacking = look_at_queues(now);
  const bool rotates = pe_.timing().issue == IssueRule::kRotation;
  operations.set_turn(rotates ? vector_.last_issued() + 1 : 0);
  Operation* const op =
      operations.have_one_level() ? first_ready(lacking, now) : compare_ready(lacking, 0, now);
  if (op == nullptr) return nullptr;
  const unsigned main_level = level_of(pe_.tasks.main_priority(now));
  const unsigned level = level_of(op->priority);
  const ThreadId last = vector_.last_issued();
  const bool has_turn = !rotates || last == kMainThread || op->thread > last;
  return level > main_level || (level == main_level && has_turn) ? op : nullptr;
}

// The operation that choose_thread() would choose, where all have one priority. None has finished.
inline Operation* ComputeEngineCore::first_ready(std::uint32_t lacking, Cycle now) {
  Operations& operations = vector_.operations();
  const auto look_at = [&](Operation* from, Operation* to) {
    for (Operation* op = from; op != to; ++op) {
      if (op->due > now || op->lacks(lacking)) continue;
      if (op->single || group_size(pe_, *op, now) > 0) return op;
    }
    return static_cast<Operation*>(nullptr);
  };
  Operation* const turn = operations.turn();
  Operation* const op = look_at(turn, operations.end());
  return op != nullptr ? op : look_at(operations.begin(), turn);
}

// The same where they have several. That of the main thread need not be compared if it is above all.
Operation* ComputeEngineCore::highest_ready(std::uint32_t lacking, Cycle now) {
  Operations& operations = vector_.operations();
  if (!operations.has_main_thread()) return compare_ready(lacking, 0, now);
  Operation* const main = operations.of_main_thread();
  const unsigned level = level_of(pe_.tasks.main_priority(now));
  if (level > level_of(operations.highest()) && main->due <= now && !main->lacks(lacking) &&
      (main->single || group_size(pe_, *main, now) > 0))
    return main;
  return compare_ready(lacking, level, now);
}

// Not inlined: highest_ready(), which seldom gets here, would save its registers.
[[gnu::noinline]] Operation* ComputeEngineCore::compare_ready(std::uint32_t lacking,
                                                              unsigned main_level, Cycle now) {
  Operations& operations = vector_.operations();
  Operation* best = nullptr;
  unsigned best_level = 0;  // one above that of `best`
  const auto look_at = [&](Operation* from, Operation* to) {
    for (Operation* op = from; op != to; ++op) {
      if (op->due > now || op->lacks(lacking)) continue;
      const unsigned level = 1 + (op->thread == kMainThread ? main_level : level_of(op->priority));
      if (level <= best_level || (!op->single && group_size(pe_, *op, now) == 0)) continue;
      best = op;
      best_level = level;
    }
  };
  look_at(operations.turn(), operations.end());
  look_at(operations.begin(), operations.turn());
  return best;
}

// Nobody else asks for the issue slot.
inline ComputeEngineCore::Candidate ComputeEngineCore::choose_main(Cycle now) {
  if (!pe_.main.runs()) return {};
  require_instruction();
  if (pe_.main.ready_at() > now) return {};
  return {nullptr, 0, kMainThread};
}

// Whether the main thread, which has an instruction, goes before all microthreads.
[[gnu::always_inline]] inline bool ComputeEngineCore::main_is_first(Cycle now) const {
  return pe_.main.ready_at() <= now &&
         level_of(pe_.tasks.main_priority(now)) > level_of(vector_.operations().highest());
}

[[gnu::always_inline]] inline ComputeEngineCore::Candidate ComputeEngineCore::choose(Cycle now) {
  const Operations& operations = vector_.operations();
  if (operations.empty()) return choose_main(now);
  if (pe_.main.runs() && !operations.has_main_thread() && main_is_first(now)) {
    if (pe_.waits != nullptr) look_at_queues(now);
    require_instruction();
    return {nullptr, 0, kMainThread};
  }
  return choose_thread(now);
}

// Several may ask for the issue slot.
ComputeEngineCore::Candidate ComputeEngineCore::choose_thread(Cycle now) {
  Operations& operations = vector_.operations();
  const std::uint32_t lacking = look_at_queues(now);
  const bool open = pe_.has_open_channel();
  const bool main_issues = pe_.main.runs() && !operations.has_main_thread();
  const unsigned main_level = pe_.main.runs() ? level_of(pe_.tasks.main_priority(now)) : 0;
  const unsigned highest = std::max(main_level, level_of(operations.highest()));
  const bool rotates = pe_.timing().issue == IssueRule::kRotation;
  const unsigned first = rotates ? vector_.last_issued() + 1 : 0;
  Candidate best;
  unsigned best_level = 0;
  // Those after the last one first; whoever has the highest level need not be compared.
  const auto look_at = [&](Operation* from, const Operation* to) {
    for (Operation* op = from; op != to && best_level <= highest; ++op) {
      if (op->finishing || op->due > now || pe_.tasks.is_microthread_blocked(op->thread)) continue;
      if (op->lacks(lacking)) continue;
      const unsigned level = 1 + (op->thread == kMainThread ? main_level : level_of(op->priority));
      if (level <= best_level) continue;
      const std::uint32_t elements = op->single && !open ? 1 : group_size(pe_, *op, now);
      if (elements == 0) continue;
      best = {op, elements, op->thread};
      best_level = level;
    }
  };
  const auto look_at_main = [&] {
    if (!main_issues) return;
    require_instruction();
    if (pe_.main.ready_at() > now || 1 + main_level <= best_level) return;
    best = {nullptr, 0, kMainThread};
    best_level = 1 + main_level;
  };
  Operation* const behind = operations.behind(first);
  look_at(behind, operations.end());
  if (first <= kMainThread) look_at_main();
  look_at(operations.begin(), behind);
  if (first > kMainThread) look_at_main();
  return best;
}

// Returns whether the operation that got the slot has its next group in the next cycle.
[[gnu::always_inline]] inline bool ComputeEngineCore::issue(const Candidate& chosen, Cycle now) {
  vector_.set_last_issued(chosen.thread);
  if (chosen.op != nullptr) {
    const bool heads = heads_matter(pe_, *chosen.op);
    return vector_.execute_group(pe_, *chosen.op, chosen.elements, heads, now);
  }
  const DecodedInstruction& in = pe_.program->decoded(pe_.main.pc());
  count_main(in, now);
  execute_main(in, now);
  return false;
}

// The main thread has the issue slot for `in`.
[[gnu::always_inline]] inline void ComputeEngineCore::count_main(const DecodedInstruction& in,
                                                                 Cycle now) {
  const auto opcode = static_cast<unsigned>(in.instruction->op);
  pe_.probe.emit(now, observe::EventKind::kIssue, opcode | kMainThread << 8, in.pc);
  if (pe_.waits != nullptr) {
    pe_.waits->issue(in.pc, pe_.main.ready_at(), now);
    if (pe_.program->checks() != nullptr) pe_.program->checks()->issue(pe_, in, now);
  }
  pe_.main.issue(now);
}

// Returns whether it changed nothing but registers, DSRs, memory of the PE, and where its program goes on.
[[gnu::always_inline]] inline bool ComputeEngineCore::execute_main(const DecodedInstruction& in,
                                                                   Cycle now) {
  if (in.vector) {
    vector_.dispatch(pe_, in, now);
    return false;
  }
  if (in.op_class == OpClass::kConfig) {
    config_.execute(pe_, vector_, *in.instruction, now);
    return false;
  }
  if ((in.op_class == OpClass::kLoad || in.op_class == OpClass::kStore) &&
      config_.execute_access(pe_, vector_, *in.instruction, now))
    return false;
  const bool ends = scalar_.execute(pe_, in, now);
  if (ends) TaskUnit::end_task(pe_, now);
  return !ends && in.op_class != OpClass::kTaskControl;
}

void ComputeEngineCore::require_instruction() const {
  if (pe_.main.pc() < pe_.program->code_size()) return;
  pe_.fail(Illegal::kReturnAddress, pe_.main.pc(), "the program runs past its last instruction");
}

// The next instruction of the main thread issues when all that it names is ready. Returns whether that is
// in the next cycle.
[[gnu::always_inline]] inline bool ComputeEngineCore::wait_for_operands(Cycle now) {
  MainThread& main = pe_.main;
  if (!main.runs() || vector_.operations().has_main_thread()) return false;
  require_instruction();
  wait_for_operands_of(pe_.program->decoded(main.pc()));
  if (pe_.listeners != nullptr) tell_next(pe_, now);
  return main.ready_at() <= now + 1;
}

[[gnu::always_inline]] inline void
ComputeEngineCore::wait_for_operands_of(const DecodedInstruction& in) {
  pe_.main.wait_for(in.waits_for);
  for (const unsigned slot : in.dsrs) {
    const Dsr& dsr = pe_.dsrs[in.instruction->operands[slot]];
    pe_.main.wait_until(std::max(pe_.main.ready_at(), dsr.ready_at));
  }
}

// `acted`: something was issued, or wavelets were taken from a queue. `goes_on`: an operation has
// its next group in the next cycle.
Cycle ComputeEngineCore::next_wake(bool acted, bool goes_on, Cycle now) {
  Cycle next = kNever;
  const bool runs = pe_.main.runs();
  if (runs && !vector_.operations().has_main_thread()) {
    next = std::max(now + 1, pe_.main.ready_at());
  } else if (goes_on) {
    return now + 1;
  }
  if (!runs) next = std::max(now + 1, tasks_.next_launch());
  next = std::min(next, config_.next_teardown());
  return vector_.next_wake(pe_, acted, next, now);
}

}  // namespace tessera::pe
