#include "models/pe/task_unit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "models/pe/memory_checks.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

/// None: no wavelet of the queue may be read.
std::optional<link::Wavelet> head_of(const EngineState& pe, QueueId queue, Cycle now) {
  if (pe.queues.ready_at(queue) > now) return std::nullopt;
  return pe.queues.front(queue);
}

/// Whether a control wavelet is for no task: its entry point is 31, and 31 is not bound either
/// (wse.md 1.5, 3.1).
bool is_for_no_task(const EngineState& pe, const InputChannel& input, const link::Wavelet& head) {
  return head.control && link::entry_point(head.payload) == kNoTask &&
         pe.program->tasks().control_task(kNoTask, *input.binding) == nullptr;
}

/// The data or local task of the number that a control wavelet names: all ids are in one table, unless the program gives
/// control tasks one of their own (wse.md 3.1).
const TaskBinding* task_of_number(const EngineState& pe, unsigned number) {
  if (number >= kTaskCount || pe.image().control_table) return nullptr;
  const TaskIndex& tasks = pe.program->tasks();
  const TaskBinding* const data = tasks.data_task(TaskId(number));
  return data != nullptr ? data : tasks.local_task(TaskId(number));
}

/// The task that the oldest wavelet of an input queue starts; nullptr: none.
const TaskBinding* task_of(const EngineState& pe, const Operations& operations,
                           const InputChannel& input, const link::Wavelet& head) {
  if (!head.control) return input.data_task;
  if (operations.take_control_from(input.queue)) return nullptr;
  const unsigned entry = link::entry_point(head.payload);
  const TaskBinding* task = pe.program->tasks().control_task(entry, *input.binding);
  if (task != nullptr) return task;
  if (const TaskBinding* const other = task_of_number(pe, entry))
    return pe.tasks.is_blocked(other->id) ? nullptr : other;
  pe.fail(Illegal::kControlUnbound, EngineState::kNowhere, "input queue ", input.queue,
          " got a control wavelet for control task ", entry, ", which is not bound");
}

void start_task(EngineState& pe, unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now) {
  pe.main.start(id, entry, first_issue);
  if (pe.waits != nullptr) pe.waits->start_main(entry, now, observe::WaitReason::kTaskStart);
  pe.probe.emit(now, EventKind::kTaskStart, id, entry);
}

}  // namespace

void TaskUnit::wait_in_line(Launch launch) {
  std::unique_ptr<Launch>* place = &launches_;
  while (*place != nullptr && (*place)->at <= launch.at) place = &(*place)->next;
  launch.next = std::move(*place);
  *place = std::make_unique<Launch>(std::move(launch));
}

unsigned TaskUnit::launches_open(const MainThread& main) const {
  unsigned open = main.runs() && main.task() == MainThread::kLaunchedTask ? 1 : 0;
  for (const Launch* launch = launches_.get(); launch != nullptr; launch = launch->next.get())
    ++open;
  return open;
}

bool TaskUnit::take_heads(EngineState& pe, const Operations& operations, Runnables* found,
                          Cycle now) {
  bool dropped = false;
  for (const InputChannel& input : pe.program->inputs()) {
    if ((input.channel & pe.tasks.blocked()) != 0) continue;
    if ((pe.tasks.left_controls() >> input.queue.value() & 1U) != 0) {
      pe.tasks.forget_controls(1U << input.queue.value());
      pe.queues.take(input.queue, now);
      dropped = true;
    }
    std::optional<link::Wavelet> head = head_of(pe, input.queue, now);
    while (head && is_for_no_task(pe, input, *head) && !operations.take_control_from(input.queue)) {
      pe.queues.take(input.queue, now);
      dropped = true;
      head = head_of(pe, input.queue, now);
    }
    if (!head || found == nullptr) continue;
    const TaskBinding* const task = task_of(pe, operations, input, *head);
    if (task != nullptr) found->push_back({task, input.queue});
  }
  return dropped;
}

bool TaskUnit::pick(EngineState& pe, const Runnables& by_wavelet, bool ended, Cycle now) {
  const Cycle first_issue = ended ? now + pe.timing().task_switch
                                  : std::max(now + pe.timing().task_activation, pe.main.ready_at());
  if (launch_is_due(now)) {
    start_launch(pe, first_issue, now);
    return !pe.main.runs();
  }
  const Runnable next = pe.tasks.pick(by_wavelet, now);
  if (next.task == nullptr) return false;
  start_task(pe, pe.image().number_of(*next.task), next.task->entry, first_issue, now);
  if (!next.queue) return false;
  const std::uint32_t payload = pe.queues.take(*next.queue, now).payload;
  pe.main.write({kReg32, 0, 0}, payload, first_issue);  // wse.md 1.1: low half first
  return false;
}

void TaskUnit::start_launch(EngineState& pe, Cycle first_issue, Cycle now) {
  const std::unique_ptr<Launch> launch = std::move(launches_);
  launches_ = std::move(launch->next);
  if (launch->access.does_something()) {
    const Cycle end = std::max(now + 1, pe.main.ready_at()) + launch->access.cycles;
    pe.probe.emit(now, EventKind::kTaskStart, observe::kHostAccess, 0);
    pe.probe.emit(end, EventKind::kTaskEnd, observe::kHostAccess, 0);
    pe.main.end(end);
    if (pe.waits != nullptr) pe.waits->serve_host(end);
    for (const HostWrite& write : launch->access.writes) {
      pe.sram.write(write.address, write.bytes, write.value);
      if (pe.program->checks() != nullptr)
        pe.program->checks()->wrote(pe.probe.place(), write.address, write.bytes);
    }
    if (launch->access.act) launch->access.act(pe.sram, now);
    return;
  }
  start_task(pe, MainThread::kLaunchedTask, launch->entry, first_issue, now);
  for (std::size_t i = 0; i < launch->arguments.size(); ++i) {
    pe.main.write({kReg32, static_cast<std::uint8_t>(2 * i), 0}, launch->arguments[i], first_issue);
  }
}

void TaskUnit::end_task(EngineState& pe, Cycle now) {
  pe.probe.emit(now, EventKind::kTaskEnd, pe.main.task(), 0);
  pe.main.end(now + pe.timing().task_switch);
}

}  // namespace tessera::pe
