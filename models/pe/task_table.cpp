#include "models/pe/task_table.h"

#include <algorithm>

namespace tessera::pe {

TaskTable::TaskTable(const Image& image, PickerRule rule) : image_(&image), rule_(rule) {
  const unsigned channels = image.generation == Generation::kWse2 ? kColorCount : kMaxQueues;
  blocked_ = (std::uint64_t{1} << channels) - 1;
  for (const QueueBinding& queue : image.queues) {
    if (queue.unblocked) unblock(image.channel_of(queue));
  }
  for (std::size_t i = 0; i < image.tasks.size(); ++i) {
    const TaskBinding& task = image.tasks[i];
    priorities_.emplace_back(task.priority);
    if (task.kind == TaskKind::kControl) continue;
    if (task.active) activate(task.id);
    if (task.blocked) {
      block(task.id);
    } else {
      unblock(task.id);
    }
  }
  for (const Rotation& rotation : image.rotations) rotations_.push_back(rotation.init);
}

const TaskBinding* TaskTable::find(TaskKind kind, TaskId id) const {
  for (const TaskBinding& task : image_->tasks) {
    if (task.kind == kind && task.id == id) return &task;
  }
  return nullptr;
}

const TaskBinding* TaskTable::control_task(unsigned entry, const QueueBinding& queue) const {
  const unsigned id = image_->first_control_task(queue) + entry;
  return id < kTaskCount ? find(TaskKind::kControl, TaskId(id)) : nullptr;
}

void TaskTable::set_priority(TaskId id, TaskPriority priority, Cycle now, Cycle from) {
  for (const TaskBinding& task : image_->tasks) {
    const bool own_table = task.kind == TaskKind::kControl && image_->control_table;
    if (task.id != id || own_table) continue;
    priorities_[index_of(task)].change(priority, from, now);
  }
}

std::size_t TaskTable::index_of(const TaskBinding& task) const {
  return static_cast<std::size_t>(&task - image_->tasks.data());
}

bool TaskTable::is_high(const TaskBinding& task, Cycle now) const {
  return priorities_[index_of(task)].at(now) == TaskPriority::kHigh;
}

bool TaskTable::goes_before(const Runnable& a, const Runnable& b, Cycle now) const {
  const bool a_high = is_high(*a.task, now);
  if (a_high != is_high(*b.task, now)) return a_high;
  unsigned a_rank = image_->number_of(*a.task);
  unsigned b_rank = image_->number_of(*b.task);
  if (rule_ == PickerRule::kRoundRobin) {  // those behind the last one first
    if (a_rank <= last_rank_) a_rank += kRanks;
    if (b_rank <= last_rank_) b_rank += kRanks;
  }
  if (a_rank != b_rank) return a_rank < b_rank;
  return a.queue && b.queue && *a.queue < *b.queue;
}

Runnable TaskTable::pick(const Runnables& by_wavelet, Cycle now) {
  Runnable best;
  const auto consider = [&](const Runnable& candidate) {
    if (best.task == nullptr || goes_before(candidate, best, now)) best = candidate;
  };
  for (const Runnable& candidate : by_wavelet) consider(candidate);
  if ((active_ & ~blocked_) != 0) {
    for (const TaskBinding& task : image_->tasks) {
      const bool runs = task.kind == TaskKind::kLocal && is_active(task.id) && !is_blocked(task.id);
      if (runs) consider({&task, std::nullopt});
    }
  }
  if (best.task == nullptr) return best;
  last_rank_ = image_->number_of(*best.task);
  if (best.task->kind == TaskKind::kLocal) active_ &= ~bit(best.task->id);
  best.task = rotated(*best.task);
  return best;
}

const TaskBinding* TaskTable::rotated(const TaskBinding& task) {
  for (std::size_t i = 0; i < rotations_.size(); ++i) {
    const Rotation& rotation = image_->rotations[i];
    if (rotation.main != index_of(task)) continue;
    if (rotations_[i]++ != rotation.limit) break;
    rotations_[i] = 0;
    return &image_->tasks[rotation.alternative];
  }
  return &task;
}

}  // namespace tessera::pe
