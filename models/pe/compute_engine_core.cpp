// The cycle of the compute engine: who gets the issue slot (reference wse.md 4).
#include "models/pe/compute_engine_core.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/observe/event_fields.h"

namespace tessera::pe {

static_assert(kMainThread == observe::kMainThread && kThreadCount == observe::kThreadCount,
              "events carry thread numbers");

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image,
                                     const PeTiming& timing, PeQueues& queues, observe::Probe probe)
    : at_(at), image_(std::move(image)), timing_(timing), queues_(queues), probe_(probe),
      dsrs_(*image_), fifos_(image_->fifos.begin(), image_->fifos.end()),
      tasks_(*image_, timing.picker), main_priority_(image_->main_priority),
      blocked_microthreads_(image_->blocked_microthreads), control_mask_(image_->control_mask) {
  for (const Symbol& symbol : image_->symbols) {
    const unsigned bytes = bytes_of(symbol.type);
    std::uint32_t address = symbol.address;
    for (std::uint32_t bits : symbol.init) {
      sram_.write(address, bytes, bits);
      address += bytes;
    }
  }
  for (const InitialLoad& load : image_->initial_loads) {
    dsrs_.load(load.dsr, image_->dsds[load.dsd], load.config);
  }
}

Cycle ComputeEngineCore::step(Cycle now) {
  const bool was_running = main_.task.has_value();
  if (!teardowns_.empty()) take_teardowns(now);
  complete_operations(now);
  if (!fifos_.empty()) take_fifo_actions(now);
  const std::optional<ThreadId> thread = choose_thread(now);
  if (thread) {
    last_issued_ = *thread;
    auto op = std::find_if(operations_.begin(), operations_.end(),
                           [&](const Operation& o) { return o.thread == *thread; });
    if (op == operations_.end()) {
      issue_main(now);
    } else {
      execute_group(*op, now);
    }
    complete_operations(now);
  }
  const bool dropped = drop_idle_controls(now);
  const bool flushing = (input_flush_.asked | output_flush_.asked) != 0;
  if (flushing) take_flushes(now);
  const bool was_free = !main_.task;
  if (was_free) pick_task(now, was_running);
  const bool picked = was_free && main_.task;
  if (flushing && picked) take_flushes(now);  // its wavelet may have been the last of a queue
  return next_wake(now, thread || dropped || picked);
}

void ComputeEngineCore::complete_operations(Cycle now) {
  for (std::size_t i = 0; i < operations_.size();) {
    if (operations_[i].finish_at > now) {
      ++i;
      continue;
    }
    complete(operations_[i], now);
    operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// wse.md 4: the main thread stands between the microthreads' levels, or on one of them.
unsigned ComputeEngineCore::priority_of(ThreadId thread, Cycle now) const {
  if (thread != kMainThread) {
    const Operation* op = find_operation(thread);
    return op == nullptr ? 0 : 2 * static_cast<unsigned>(op->priority);
  }
  return 1 + static_cast<unsigned>(main_priority_.at(now));
}

std::optional<ThreadId> ComputeEngineCore::choose_thread(Cycle now) const {
  std::optional<ThreadId> best;
  const ThreadId first = timing_.issue == IssueRule::kRotation ? last_issued_ + 1 : 0;
  for (unsigned step = 0; step < kThreadCount; ++step) {
    const ThreadId thread = (first + step) % kThreadCount;
    if (best && priority_of(thread, now) <= priority_of(*best, now)) continue;
    if (can_issue(thread, now)) best = thread;
  }
  return best;
}

bool ComputeEngineCore::can_issue(ThreadId thread, Cycle now) const {
  if (const Operation* op = find_operation(thread)) {
    return !op->complete() && op->next_group_at <= now && operands_ready(*op, now);
  }
  return thread == kMainThread && main_.task && main_issue_at() <= now;
}

const Operation* ComputeEngineCore::find_operation(ThreadId thread) const {
  for (const Operation& op : operations_) {
    if (op.thread == thread) return &op;
  }
  return nullptr;
}

Cycle ComputeEngineCore::main_issue_at() const {
  if (main_.pc >= image_->code.size()) {
    fail(Illegal::kReturnAddress, main_.pc, "the program runs past its last instruction");
  }
  const Instruction& in = image_->code[main_.pc];
  Cycle at = main_.ready_at;
  for (const Operand& operand : in.operands) at = std::max(at, operand_ready_at(operand));
  if (in.config.index) at = std::max(at, operand_ready_at(*in.config.index));
  if (in.op == Opcode::kRet) at = std::max(at, register_ready_at_[kReturnRegister]);
  if (in.op == Opcode::kJmpt || in.op == Opcode::kJmpf || in.op == Opcode::kAddc16) {
    at = std::max(at, flag_ready_at_);
  }
  return at;
}

// `acted`: something was issued, or wavelets were taken from a queue.
Cycle ComputeEngineCore::next_wake(Cycle now, bool acted) const {
  Cycle next = kNever;
  if (main_.task && find_operation(kMainThread) == nullptr)
    next = std::max(now + 1, main_issue_at());
  if (!main_.task && !launches_.empty()) next = std::max(now + 1, launches_.front().at);
  for (const TeardownNotice& notice : teardowns_) next = std::min(next, notice.due);
  for (const Operation& op : operations_) {
    if (op.complete()) {
      next = std::min(next, op.finish_at);
    } else if (op.next_group_at > now) {
      next = std::min(next, op.next_group_at);
    } else if (operands_ready(op, now)) {
      next = std::min(next, now + 1);  // it lost the issue slot
    } else if (op.uses_fifo && acted) {
      next = std::min(next, now + 1);  // that may have brought it to an edge of its FIFO
    }
    // else: it waits for a queue, which wakes the engine, or for another operation
  }
  return next;
}

void ComputeEngineCore::launch(const Function& function,
                               const std::vector<std::uint32_t>& arguments, Cycle at) {
  assert(arguments.size() <= kMaxLaunchArguments);
  const auto later = std::find_if(launches_.begin(), launches_.end(),
                                  [at](const LaunchRequest& other) { return other.at > at; });
  launches_.insert(later, {function.entry, arguments, at});
  ++launches_open_;
}

}  // namespace tessera::pe
