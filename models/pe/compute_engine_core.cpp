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
  if (has_finished(now)) complete_operations(now);
  if (extras_ && !extras_->fifos.empty()) take_fifo_actions(now);
  const Candidate chosen = choose_thread(now);
  if (chosen) {
    last_issued_ = static_cast<std::uint8_t>(chosen.thread);
    if (chosen.op == nullptr) {
      issue_main(now);
    } else {
      execute_group(*chosen.op, chosen.elements, now);
      if (has_finished(now)) complete_operations(now);
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
  return next_wake(now, chosen || dropped || picked);
}

void ComputeEngineCore::catch_up(Cycle now) {
  if (!putting_off_) return;
  Operation& op = *find_operation(kMainThread);
  while (op.next_group_at < now && op.left(op.width + 1U) > op.width) {
    execute_group(op, op.width, op.next_group_at);
    last_issued_ = kMainThread;
  }
}

void ComputeEngineCore::complete_operations(Cycle now) {
  for (std::unique_ptr<Operation>* at = &operations_; *at != nullptr;) {
    Operation& op = **at;
    if (op.finish_at > now) {
      at = &op.next;
      continue;
    }
    complete(op, now);
    *at = std::move(op.next);
  }
}

// wse.md 4: the main thread stands between the microthreads' levels, or on one of them.
unsigned ComputeEngineCore::main_level(Cycle now) const {
  const bool changed = extras_ && extras_->main_priority;
  const MainPriority level = changed ? extras_->main_priority->at(now) : image().main_priority;
  return 1 + static_cast<unsigned>(level);
}

ComputeEngineCore::Candidate ComputeEngineCore::choose_thread(Cycle now) const {
  std::array<Operation*, kThreadCount> operation_of{};
  std::uint32_t threads = main_.runs() ? 1U << kMainThread : 0;  // those that have work
  for (Operation* op = operations_.get(); op != nullptr; op = op->next.get()) {
    threads |= 1U << op->thread;
    operation_of[op->thread] = op;
  }
  if (threads == 1U << kMainThread) return candidate_of(operation_of[kMainThread], now);
  Candidate best;
  unsigned best_level = 0;
  const unsigned first = timing().issue == IssueRule::kRotation ? last_issued_ + 1U : 0;
  const std::uint32_t before_first = threads & ((1U << first) - 1);
  for (std::uint32_t left : {threads & ~before_first, before_first}) {
    for (; left != 0; left &= left - 1) {
      const auto thread = static_cast<ThreadId>(__builtin_ctz(left));
      const Operation* op = operation_of[thread];
      const unsigned level =
          thread == kMainThread ? main_level(now) : 2 * static_cast<unsigned>(op->priority);
      if (best && level <= best_level) continue;
      const Candidate candidate = candidate_of(operation_of[thread], now);
      if (!candidate) continue;
      best = candidate;
      best_level = level;
    }
  }
  return best;
}

// `op`: of the thread; nullptr: the main thread's next instruction. Nobody: it cannot use the slot.
ComputeEngineCore::Candidate ComputeEngineCore::candidate_of(Operation* op, Cycle now) const {
  if (op == nullptr) {
    require_instruction();
    return main_.ready_at <= now ? Candidate{nullptr, 0, kMainThread} : Candidate{};
  }
  if (op->complete() || op->next_group_at > now || is_blocked(op->thread)) return {};
  const std::uint32_t elements = group_size(*op, now);
  return elements > 0 ? Candidate{op, elements, op->thread} : Candidate{};
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

// `acted`: something was issued, or wavelets were taken from a queue.
Cycle ComputeEngineCore::next_wake(Cycle now, bool acted) {
  Cycle next = kNever;
  const Operation* const main_operation = find_operation(kMainThread);
  if (main_.runs() && main_operation == nullptr) {
    wait_for_operands();
    next = std::max(now + 1, main_.ready_at);
  }
  if (!main_.runs() && launches_) next = std::max(now + 1, launches_->at);
  if (extras_) {
    for (const TeardownNotice& notice : extras_->teardowns) next = std::min(next, notice.due);
  }
  for (const Operation* op = operations_.get(); op != nullptr && next > now + 1;
       op = op->next.get()) {
    next = std::min(next, wake_of(*op, now, acted));
  }
  putting_off_ = main_operation != nullptr && may_be_late(*main_operation, now) &&
                 main_operation->next_group_at < next;
  return next;
}

Cycle ComputeEngineCore::wake_of(const Operation& op, Cycle now, bool acted) const {
  if (op.complete()) return op.finish_at;
  if (may_be_late(op, now)) return std::min(op.last_group_from(), now + kLongestDelay);
  if (op.next_group_at > now) return op.next_group_at;
  // It did not get the slot. It waits for a queue, which wakes the engine, or for another
  // operation; one on a FIFO may have been brought to an edge of it.
  const bool may_go_on =
      acted && (op.uses_fifo || (!is_blocked(op.thread) && group_size(op, now) > 0));
  return may_go_on ? now + 1 : kNever;
}

// Its next group lies ahead, and nobody but it would be concerned.
bool ComputeEngineCore::may_be_late(const Operation& op, Cycle now) const {
  return op.self_contained && !step_every_group_ && !op.complete() && op.next_group_at > now;
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
