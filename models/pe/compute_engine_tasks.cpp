// Tasks of the main thread (reference wse.md 2.3, 3): which may start, how they start and end.
#include <algorithm>
#include <utility>

#include "models/pe/compute_engine_core.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::pe {

using observe::EventKind;

void ComputeEngineCore::pick_task(Cycle now, bool ended_this_cycle) {
  const Cycle first_issue = ended_this_cycle
                                ? now + timing_.task_switch
                                : std::max(now + timing_.task_activation, main_.ready_at);
  if (!launches_.empty() && launches_.front().at <= now) {
    const LaunchRequest request = std::move(launches_.front());
    launches_.erase(launches_.begin());
    start_task(kLaunchedTask, request.entry, first_issue, now);
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      write_register({kReg32, static_cast<std::uint8_t>(2 * i), 0}, request.arguments[i],
                     first_issue);
    }
    return;
  }
  const Runnable next = tasks_.pick(runnable_by_wavelet(now), now);
  if (next.task == nullptr) return;
  start_task(image_->number_of(*next.task), next.task->entry, first_issue, now);
  if (!next.queue) return;
  const std::uint32_t payload = queues_.front(*next.queue).payload;
  queues_.pop(*next.queue, now);
  write_register({kReg32, 0, 0}, payload, first_issue);  // wse.md 1.1: low half first
}

Runnables ComputeEngineCore::runnable_by_wavelet(Cycle now) const {
  Runnables found;
  for (const QueueBinding& queue : image_->queues) {
    if (!queue.input) continue;
    const TaskBinding* task = task_for_head(queue, now);
    if (task != nullptr) found.push_back({task, queue.id});
  }
  return found;
}

// The task that the oldest wavelet of an input queue starts, if its channel is not blocked
// (wse.md 2.3).
const TaskBinding* ComputeEngineCore::task_for_head(const QueueBinding& queue, Cycle now) const {
  const TaskId channel = image_->channel_of(queue);
  if (tasks_.is_blocked(channel) || queues_.ready_at(queue.id) > now) return nullptr;
  const link::Wavelet& head = queues_.front(queue.id);
  if (!head.control) return tasks_.data_task(channel);
  if (taken_on_control(queue.id)) return nullptr;
  const unsigned entry = link::entry_point(head.payload);
  const TaskBinding* task = tasks_.control_task(entry, queue);
  if (task != nullptr) return task;
  fail(Illegal::kControlUnbound, kNowhere,
       "input queue " + std::to_string(queue.id.value()) +
           " got a control wavelet for control task " + std::to_string(entry) +
           ", which is not bound");
}

// A control wavelet that names no task does nothing (wse.md 1.5): it needs no main thread to go.
bool ComputeEngineCore::drop_idle_controls(Cycle now) {
  bool dropped = false;
  for (const QueueBinding& queue : image_->queues) {
    if (!queue.input || tasks_.is_blocked(image_->channel_of(queue))) continue;
    while (queues_.ready_at(queue.id) <= now && queues_.front(queue.id).control &&
           link::entry_point(queues_.front(queue.id).payload) == kNoTask &&
           !taken_on_control(queue.id)) {
      queues_.pop(queue.id, now);
      dropped = true;
    }
  }
  return dropped;
}

// An operation in progress waits for a control wavelet on this queue (wse.md 2.3, 5.7).
bool ComputeEngineCore::taken_on_control(QueueId queue) const {
  return std::any_of(operations_.begin(), operations_.end(), [queue](const Operation& op) {
    const bool filter = op.instruction->op == Opcode::kDfilt;
    return op.uses_input(queue) && (filter || op.config.on_control != OnControl::kNone);
  });
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

}  // namespace tessera::pe
