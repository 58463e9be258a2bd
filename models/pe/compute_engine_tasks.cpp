// Tasks of the main thread (reference wse.md 2.3, 3): which may start, how they start and end.
#include <algorithm>
#include <utility>

#include "models/pe/compute_engine_core.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::pe {

using observe::EventKind;

// The oldest wavelets of the input queues whose channels are not blocked (wse.md 2.3). A control
// wavelet that names no task does nothing (wse.md 1.5): it needs no main thread to go. The others
// start a task, which is added to `found` unless that is nullptr. Answers whether wavelets went.
bool ComputeEngineCore::look_at_heads(Runnables* found, Cycle now) {
  bool dropped = false;
  for (const InputChannel& input : program_->inputs()) {
    if ((input.channel & tasks_.blocked()) != 0) continue;
    const link::Wavelet* head = head_of(input.queue, now);
    while (head != nullptr && names_no_task(input.queue, *head)) {
      queues_.pop(input.queue, now);
      dropped = true;
      head = head_of(input.queue, now);
    }
    if (head == nullptr || found == nullptr) continue;
    const TaskBinding* const task = task_of(input, *head);
    if (task != nullptr) found->push_back({task, input.queue});
  }
  return dropped;
}

// nullptr: there is none that may be read.
const link::Wavelet* ComputeEngineCore::head_of(QueueId queue, Cycle now) const {
  return queues_.ready_at(queue) <= now ? &queues_.front(queue) : nullptr;
}

bool ComputeEngineCore::names_no_task(QueueId queue, const link::Wavelet& head) const {
  return head.control && link::entry_point(head.payload) == kNoTask && !taken_on_control(queue);
}

// The task that the oldest wavelet of an input queue starts.
const TaskBinding* ComputeEngineCore::task_of(const InputChannel& input,
                                              const link::Wavelet& head) const {
  if (!head.control) return input.data_task;
  if (taken_on_control(input.queue)) return nullptr;
  const unsigned entry = link::entry_point(head.payload);
  const TaskBinding* task = program_->tasks().control_task(entry, *input.binding);
  if (task != nullptr) return task;
  fail(Illegal::kControlUnbound, kNowhere,
       "input queue " + std::to_string(input.queue.value()) +
           " got a control wavelet for control task " + std::to_string(entry) +
           ", which is not bound");
}

// An operation in progress waits for a control wavelet on this queue (wse.md 2.3, 5.7).
bool ComputeEngineCore::taken_on_control(QueueId queue) const {
  for (const Operation& op : operations_) {
    const bool takes = op.is_filter() || op.completion.on_control != OnControl::kNone;
    if (takes && op.uses_input(queue)) return true;
  }
  return false;
}

void ComputeEngineCore::pick_task(const Runnables& by_wavelet, bool ended_this_cycle, Cycle now) {
  const Cycle first_issue = ended_this_cycle
                                ? now + timing().task_switch
                                : std::max(now + timing().task_activation, main_.ready_at);
  if (launch_is_due(now)) {
    start_launch(first_issue, now);
    return;
  }
  const Runnable next = tasks_.pick(by_wavelet, now);
  if (next.task == nullptr) return;
  start_task(image().number_of(*next.task), next.task->entry, first_issue, now);
  if (!next.queue) return;
  const std::uint32_t payload = queues_.front(*next.queue).payload;
  queues_.pop(*next.queue, now);
  write_register({kReg32, 0, 0}, payload, first_issue);  // wse.md 1.1: low half first
}

void ComputeEngineCore::start_launch(Cycle first_issue, Cycle now) {
  const std::unique_ptr<Launch> launch = std::move(launches_);
  launches_ = std::move(launch->next);
  start_task(kLaunchedTask, launch->entry, first_issue, now);
  for (std::size_t i = 0; i < launch->arguments.size(); ++i) {
    write_register({kReg32, static_cast<std::uint8_t>(2 * i), 0}, launch->arguments[i],
                   first_issue);
  }
}

void ComputeEngineCore::start_task(unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now) {
  main_ = {first_issue, entry, static_cast<std::uint8_t>(id)};
  registers_[kReturnRegister] = kReturnEndsTask;
  scoreboard_.write(Scoreboard::bit(kReturnRegister), first_issue, first_issue);
  probe_.emit(now, EventKind::kTaskStart, id, entry);
}

void ComputeEngineCore::end_task(Cycle now) {
  probe_.emit(now, EventKind::kTaskEnd, main_.task, 0);
  if (main_.task == kLaunchedTask) --launches_open_;
  main_.task = MainThread::kFree;
  main_.ready_at = now + timing().task_switch;
}

}  // namespace tessera::pe
