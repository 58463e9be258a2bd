#include "models/pe/compute_engine_core.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pe {

using observe::EventKind;

static_assert(kMainThread == observe::kMainThread && kThreadCount == observe::kThreadCount,
              "events carry thread numbers");

ComputeEngineCore::ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image,
                                     const PeTiming& timing, PeQueues& queues, observe::Probe probe)
    : at_(at), image_(std::move(image)), timing_(timing), queues_(queues), probe_(probe),
      dsrs_(*image_), tasks_(*image_, timing.picker) {
  for (const Symbol& symbol : image_->symbols) {
    const unsigned bytes = bytes_of(symbol.type);
    std::uint32_t address = symbol.address;
    for (std::uint32_t bits : symbol.init) {
      sram_.write(address, bytes, bits);
      address += bytes;
    }
  }
}

Cycle ComputeEngineCore::step(Cycle now) {
  const bool was_running = main_.task.has_value();
  complete_operations(now);
  if (const auto thread = choose_thread(now)) {
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
  if (!main_.task) pick_task(now, was_running);
  return next_wake(now);
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

void ComputeEngineCore::complete(Operation& op, Cycle now) {
  write_back(op, now);
  probe_.emit(now, EventKind::kOpEnd, static_cast<unsigned>(op.instruction->op) | op.thread << 8,
              op.done);
  const OpConfig& config = op.instruction->config;
  if (config.activate) tasks_.activate(*config.activate);
  if (config.unblock) tasks_.unblock(*config.unblock);
  if (op.thread == kMainThread) main_.ready_at = now + 1 + timing_.vector_drain;
}

// wse.md 4: the main thread's default level lies between low, the default of microthreads, and
// medium.
unsigned ComputeEngineCore::priority_of(ThreadId thread) const {
  return thread == kMainThread ? 1 : 0;
}

std::optional<ThreadId> ComputeEngineCore::choose_thread(Cycle now) const {
  std::optional<ThreadId> best;
  const ThreadId first = timing_.issue == IssueRule::kRotation ? last_issued_ + 1 : 0;
  for (unsigned step = 0; step < kThreadCount; ++step) {
    const ThreadId thread = (first + step) % kThreadCount;
    if (best && priority_of(thread) <= priority_of(*best)) continue;
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
  const Instruction& in = image_->code[main_.pc];
  Cycle at = main_.ready_at;
  for (const Operand& operand : in.operands) at = std::max(at, operand_ready_at(operand));
  if (in.op == Opcode::kRet) at = std::max(at, register_ready_at_[kReturnRegister]);
  if (in.op == Opcode::kJmpt || in.op == Opcode::kJmpf) at = std::max(at, flag_ready_at_);
  return at;
}

void ComputeEngineCore::pick_task(Cycle now, bool ended_this_cycle) {
  const Cycle first_issue = ended_this_cycle
                                ? now + timing_.task_switch
                                : std::max(now + timing_.task_activation, main_.ready_at);
  if (!launches_.empty() && launches_.front().at <= now) {
    const LaunchRequest request = std::move(launches_.front());
    launches_.pop_front();
    start_task(kLaunchedTask, request.entry, first_issue, now);
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      write_register({kReg32, static_cast<std::uint8_t>(2 * i), 0}, request.arguments[i],
                     first_issue);
    }
    return;
  }
  const TaskBinding* task = tasks_.pick(data_tasks_with_wavelet(now));
  if (task == nullptr) return;
  start_task(task->id.value(), task->entry, first_issue, now);
  if (task->kind != TaskKind::kData) return;
  const std::uint32_t payload = queues_.front(task->queue).payload;
  queues_.pop(task->queue, now);
  write_register({kReg32, 0, 0}, payload, first_issue);  // wse.md 1.1: low half first
}

std::uint64_t ComputeEngineCore::data_tasks_with_wavelet(Cycle now) const {
  std::uint64_t ids = 0;
  for (const TaskBinding& task : image_->tasks) {
    if (!tasks_.accepts_wavelet(task) || queues_.ready_at(task.queue) > now) continue;
    if (queues_.front(task.queue).control) {
      fail(task.entry, "a control wavelet reached input queue " +
                           std::to_string(task.queue.value()) +
                           ", but no control task is bound to the id it carries");
    }
    ids |= TaskTable::bit(task.id);
  }
  return ids;
}

void ComputeEngineCore::start_task(unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now) {
  main_ = {id, entry, first_issue};
  registers_[kReturnRegister] = kReturnEndsTask;
  register_ready_at_[kReturnRegister] = first_issue;
  probe_.emit(now, EventKind::kTaskStart, id, entry);
}

void ComputeEngineCore::end_task(Cycle now) {
  probe_.emit(now, EventKind::kTaskEnd, *main_.task, 0);
  if (*main_.task == kLaunchedTask) --launches_open_;
  main_.task.reset();
  main_.ready_at = now + timing_.task_switch;
}

Cycle ComputeEngineCore::next_wake(Cycle now) const {
  Cycle next = kNever;
  if (main_.task && find_operation(kMainThread) == nullptr)
    next = std::max(now + 1, main_issue_at());
  if (!main_.task && !launches_.empty()) next = std::max(now + 1, launches_.front().at);
  for (const Operation& op : operations_) {
    if (op.complete()) {
      next = std::min(next, op.finish_at);
    } else if (op.next_group_at > now) {
      next = std::min(next, op.next_group_at);
    } else if (operands_ready(op, now)) {
      next = std::min(next, now + 1);  // it lost the issue slot
    }
    // else: it waits for a queue, which wakes the engine
  }
  return next;
}

void ComputeEngineCore::launch(const Function& function,
                               const std::vector<std::uint32_t>& arguments, Cycle at) {
  assert(arguments.size() <= kMaxLaunchArguments);
  launches_.push_back({function.entry, arguments, at});
  ++launches_open_;
}

void ComputeEngineCore::describe_waits(observe::Waits& waits, Cycle now) const {
  for (const Operation& op : operations_) {
    // An endless microthread is a service that waits for ever; on the main thread it is worth a
    // line.
    if (op.endless && op.thread != kMainThread) continue;
    waits.push_back({probe_.place(), describe(op), progress_of(op, now), !op.endless});
  }
  if (main_.task && find_operation(kMainThread) == nullptr) {
    waits.push_back({probe_.place(), "main thread at " + image_->place_of(main_.pc),
                     "its next instruction", true});
  }
  for (const TaskBinding& task : image_->tasks) {
    const std::string who = "task " + task.name + " (id " + std::to_string(task.id.value()) + ")";
    if (tasks_.is_active(task.id) && tasks_.is_blocked(task.id)) {
      waits.push_back({probe_.place(), who, "being unblocked: it is active but blocked", true});
    } else if (task.kind == TaskKind::kData) {
      const bool blocked = tasks_.is_blocked(task.id);
      waits.push_back({probe_.place(), "data " + who,
                       (blocked ? "being unblocked, with wavelets expected on input queue "
                                : "a wavelet on input queue ") +
                           std::to_string(task.queue.value()),
                       false});
    }
  }
}

void ComputeEngineCore::fail(std::uint32_t pc, const std::string& what) const {
  throw IllegalBehaviour("PE " + to_string(at_) + ", " + image_->place_of(pc) + ": " + what);
}

}  // namespace tessera::pe
