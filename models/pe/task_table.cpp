#include "models/pe/task_table.h"

namespace tessera::pe {

TaskIndex::TaskIndex(const Image& image) : image_(image) {
  for (const TaskBinding& task : image.tasks) {
    Table& table = task.kind == TaskKind::kData    ? data_
                   : task.kind == TaskKind::kLocal ? local_
                                                   : control_;
    const TaskBinding*& entry = table.at(task.id.value());
    if (entry == nullptr) entry = &task;
    if (task.kind == TaskKind::kLocal) local_tasks_ |= task_bit(task.id);
  }
}

TaskTable::TaskTable(const TaskIndex& index, PickerRule rule)
    : index_(&index), rule_(rule), blocked_microthreads_(index.image().blocked_microthreads) {
  const unsigned channels = image().generation == Generation::kWse2 ? kColorCount : kMaxQueues;
  blocked_ = (std::uint64_t{1} << channels) - 1;
  for (const QueueBinding& queue : image().queues) {
    if (queue.unblocked) unblock(image().channel_of(queue));
  }
  for (const TaskBinding& task : image().tasks) {
    if (task.kind == TaskKind::kControl) continue;
    if (task.active) activate(task.id);
    set_blocked(task.id, task.blocked);
  }
  for (const Rotation& rotation : image().rotations) extras().rotations.push_back(rotation.init);
}

TaskTable::Extras& TaskTable::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

void TaskTable::set_priority(TaskId id, TaskPriority priority, Cycle now, Cycle from) {
  std::vector<Delayed<TaskPriority>>& priorities = extras().priorities;
  if (priorities.empty()) {
    for (const TaskBinding& task : image().tasks) priorities.emplace_back(task.priority);
  }
  for (const TaskBinding& task : image().tasks) {
    const bool own_table = task.kind == TaskKind::kControl && image().control_table;
    if (task.id != id || own_table) continue;
    priorities[number_of(task)].change(priority, from, now);
  }
}

void TaskTable::set_main_priority(MainPriority priority, Cycle now, Cycle from) {
  std::optional<Delayed<MainPriority>>& main = extras().main;
  if (!main) main.emplace(image().main_priority);
  main->change(priority, from, now);
}

std::size_t TaskTable::number_of(const TaskBinding& task) const {
  return static_cast<std::size_t>(&task - image().tasks.data());
}

bool TaskTable::is_high(const TaskBinding& task, Cycle now) const {
  const bool changed = extras_ && !extras_->priorities.empty();
  const TaskPriority priority =
      changed ? extras_->priorities[number_of(task)].at(now) : task.priority;
  return priority == TaskPriority::kHigh;
}

bool TaskTable::goes_before(const Runnable& a, const Runnable& b, Cycle now) const {
  const bool a_high = is_high(*a.task, now);
  if (a_high != is_high(*b.task, now)) return a_high;
  unsigned a_place = place_of(a);
  unsigned b_place = place_of(b);
  if (rule_ == PickerRule::kRoundRobin) {  // those after the last one first
    const unsigned last = last_place_[a_high ? 1 : 0];
    if (a_place <= last) a_place += kPlaces;
    if (b_place <= last) b_place += kPlaces;
  }
  return a_place < b_place;
}

Runnable TaskTable::pick(const Runnables& by_wavelet, Cycle now) {
  Runnable best;
  const auto consider = [&](const Runnable& candidate) {
    if (best.task == nullptr || goes_before(candidate, best, now)) best = candidate;
  };
  for (const Runnable& candidate : by_wavelet) consider(candidate);
  for (std::uint64_t left = active_ & ~blocked_ & index_->local_tasks(); left != 0;
       left &= left - 1) {
    const TaskId id(static_cast<unsigned>(__builtin_ctzll(left)));
    consider({index_->local_task(id), std::nullopt});
  }
  if (best.task == nullptr) return best;
  last_place_[is_high(*best.task, now) ? 1 : 0] = static_cast<std::uint16_t>(place_of(best));
  if (!best.queue) active_ &= ~task_bit(best.task->id);
  best.task = rotated(*best.task);
  return best;
}

const TaskBinding* TaskTable::rotated(const TaskBinding& task) {
  for (std::size_t i = 0; i < image().rotations.size(); ++i) {
    const Rotation& rotation = image().rotations[i];
    if (rotation.main != number_of(task)) continue;
    if (extras_->rotations[i]++ != rotation.limit) break;
    extras_->rotations[i] = 0;
    return &image().tasks[rotation.alternative];
  }
  return &task;
}

}  // namespace tessera::pe
