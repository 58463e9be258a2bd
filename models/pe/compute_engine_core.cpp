// The cycle of the compute engine: who gets the issue slot (reference wse.md 4).
#include "models/pe/compute_engine_core.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/observe/event_fields.h"

namespace tessera::pe {

static_assert(kMainThread == observe::kMainThread && kThreadCount == observe::kThreadCount,
              "events carry thread numbers");

namespace {

/// Groups are not executed later than this, so that their events come before the sinks that put
/// events in order have closed their cycle (observe/sorted_sink.h).
constexpr Cycle kLongestDelay = 32768;

}  // namespace

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image,
                                     const PeTiming& timing, PeQueues& queues, observe::Probe probe)
    : ComputeEngineCore(at, std::make_shared<const DecodedImage>(std::move(image), timing), queues,
                        probe) {}

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const DecodedImage> program,
                                     PeQueues& queues, observe::Probe probe)
    : program_(std::move(program)), tasks_(program_->tasks(), timing().picker), queues_(queues),
      probe_(probe), sram_(&program_->memory()), dsrs_(program_->dsrs()), at_(at),
      blocked_microthreads_(image().blocked_microthreads), control_mask_(image().control_mask) {
  for (const InitialLoad& load : image().initial_loads) {
    dsrs_.load(load.dsr, image().dsds[load.dsd], load.config);
  }
  for (const Fifo& fifo : image().fifos) extras().fifos.emplace_back(fifo);
}

ComputeEngineCore::Extras& ComputeEngineCore::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

Cycle ComputeEngineCore::step(Cycle now) {
  catch_up(now);
  putting_off_ = false;
  const bool was_running = main_.runs();
  if (extras_ && !extras_->teardowns.empty()) take_teardowns(now);
  if (operations_.has_finished(now)) complete_operations(now);
  if (extras_ && !extras_->fifos.empty()) take_fifo_actions(now);
  const Candidate chosen = choose_thread(now);
  bool goes_on = false;
  if (chosen) {
    last_issued_ = static_cast<std::uint8_t>(chosen.thread);
    if (chosen.op == nullptr) {
      issue_main(now);
    } else {
      execute_group(*chosen.op, chosen.elements, now);
      goes_on = goes_on_at_once(*chosen.op, now);
      if (operations_.has_finished(now)) complete_operations(now);
    }
  }
  const bool was_free = !main_.runs();
  Runnables by_wavelet;
  const bool picks = was_free && !launch_is_due(now);
  const bool dropped = has_open_channel() && look_at_heads(picks ? &by_wavelet : nullptr, now);
  const bool flushing = is_flushing();
  if (flushing) take_flushes(now);
  if (was_free) pick_task(by_wavelet, was_running, now);
  const bool picked = was_free && main_.runs();
  if (flushing && picked) take_flushes(now);  // its wavelet may have been the last of a queue
  return next_wake(chosen || dropped || picked, goes_on, now);
}

void ComputeEngineCore::catch_up(Cycle now) {
  if (!putting_off_) return;
  Operation& op = *operations_.of_main_thread();
  while (op.due < now && op.left(op.width + 1U) > op.width) {
    execute_group(op, op.width, op.due);
    last_issued_ = kMainThread;
  }
}

void ComputeEngineCore::complete_operations(Cycle now) {
  operations_.remove_finished(now, [&](Operation& op) { complete(op, now); });
}

// wse.md 4: the main thread stands between the microthreads' levels, or on one of them.
unsigned ComputeEngineCore::main_level(Cycle now) const {
  const bool changed = extras_ && extras_->main_priority;
  const MainPriority level = changed ? extras_->main_priority->at(now) : image().main_priority;
  return 1 + static_cast<unsigned>(level);
}

ComputeEngineCore::Candidate ComputeEngineCore::choose_thread(Cycle now) {
  const std::uint32_t inputs = operations_.inputs();
  const std::uint32_t outputs = operations_.outputs();
  const std::uint32_t empty = inputs & ~queues_.readable(inputs, now);
  const std::uint32_t full = outputs & ~queues_.writable(outputs, now);
  const bool open = has_open_channel();
  const bool main_issues = main_.runs() && operations_.of_main_thread() == nullptr;
  const unsigned main_rank = main_.runs() ? main_level(now) : 0;
  const unsigned highest = std::max(main_rank, level_of(operations_.highest()));
  const unsigned first = timing().issue == IssueRule::kRotation ? last_issued_ + 1U : 0;
  Candidate best;
  unsigned best_level = 0;
  // Those behind the last one first; whoever has the highest level need not be compared.
  const auto look_at = [&](Operation* from, const Operation* to) {
    for (Operation* op = from; op != to && best_level <= highest; ++op) {
      if (op->finishing || op->due > now || is_blocked(op->thread)) continue;
      if (((op->needs_inputs & empty) | (op->needs_outputs & full)) != 0) continue;
      const unsigned level = 1 + (op->thread == kMainThread ? main_rank : level_of(op->priority));
      if (level <= best_level) continue;
      const std::uint32_t elements = op->single && !open ? 1 : group_size(*op, now);
      if (elements == 0) continue;
      best = {op, elements, op->thread};
      best_level = level;
    }
  };
  const auto look_at_main = [&] {
    if (!main_issues) return;
    require_instruction();
    if (main_.ready_at > now || 1 + main_rank <= best_level) return;
    best = {nullptr, 0, kMainThread};
    best_level = 1 + main_rank;
  };
  Operation* const behind = operations_.behind(first);
  look_at(behind, operations_.end());
  if (first <= kMainThread) look_at_main();
  look_at(operations_.begin(), behind);
  if (first > kMainThread) look_at_main();
  return best;
}

void ComputeEngineCore::require_instruction() const {
  if (main_.pc < program_->code_size()) return;
  fail(Illegal::kReturnAddress, main_.pc, "the program runs past its last instruction");
}

// The next instruction issues when all that it names is ready.
void ComputeEngineCore::wait_for_operands() {
  require_instruction();
  const DecodedInstruction& in = program_->decoded(main_.pc);
  main_.ready_at = scoreboard_.ready_at(in.waits_for, main_.ready_at);
  for (const unsigned slot : in.dsrs) {
    const Dsr& dsr = dsrs_[in.instruction->operands[slot]];
    main_.ready_at = std::max(main_.ready_at, dsr.ready_at);
  }
}

// `acted`: something was issued, or wavelets were taken from a queue. `goes_on`: an operation has
// its next group in the next cycle.
Cycle ComputeEngineCore::next_wake(bool acted, bool goes_on, Cycle now) {
  Cycle next = kNever;
  const Operation* const main_operation = operations_.of_main_thread();
  if (main_.runs() && main_operation == nullptr) {
    wait_for_operands();
    next = std::max(now + 1, main_.ready_at);
  } else if (goes_on) {
    return now + 1;
  }
  if (!main_.runs() && launches_) next = std::max(now + 1, launches_->at);
  if (extras_) {
    for (const TeardownNotice& notice : extras_->teardowns) next = std::min(next, notice.due);
  }
  for (const Operation* op = operations_.begin(); op != operations_.end() && next > now + 1; ++op) {
    next = std::min(next, wake_of(*op, acted, now));
  }
  putting_off_ =
      main_operation != nullptr && may_be_late(*main_operation, now) && main_operation->due < next;
  return next;
}

Cycle ComputeEngineCore::wake_of(const Operation& op, bool acted, Cycle now) const {
  if (op.finishing) return op.due;
  if (may_be_late(op, now)) {
    return std::min(op.last_group_from(), now + kLongestDelay);
  }
  if (op.due > now) return op.due;
  // It did not get the slot. It waits for a queue, which wakes the engine, or for another
  // operation; one on a FIFO may have been brought to an edge of it.
  if (!acted) return kNever;
  if (op.uses_fifo) return now + 1;
  return !is_blocked(op.thread) && group_size(op, now) > 0 ? now + 1 : kNever;
}

void ComputeEngineCore::launch(const Function& function,
                               const std::vector<std::uint32_t>& arguments, Cycle at) {
  assert(arguments.size() <= kMaxLaunchArguments);
  std::unique_ptr<Launch>* place = &launches_;
  while (*place != nullptr && (*place)->at <= at) place = &(*place)->next;
  auto launch = std::make_unique<Launch>();
  launch->at = at;
  launch->entry = function.entry;
  launch->arguments = arguments;
  launch->next = std::move(*place);
  *place = std::move(launch);
  ++launches_open_;
}

}  // namespace tessera::pe
