#include "models/pe/task_table.h"

namespace tessera::pe {

TaskTable::TaskTable(const Image& image, PickerRule rule) : image_(&image), rule_(rule) {
  const unsigned data_ids = image.generation == Generation::kWse2 ? kColorCount : kMaxQueues;
  blocked_ = (std::uint64_t{1} << data_ids) - 1;
  for (const TaskBinding& task : image.tasks) {
    bound_ |= bit(task.id);
    if (task.active) activate(task.id);
    if (task.blocked) {
      block(task.id);
    } else {
      unblock(task.id);
    }
  }
}

const TaskBinding* TaskTable::bound(TaskId id) const {
  for (const TaskBinding& task : image_->tasks) {
    if (task.id == id) return &task;
  }
  return nullptr;
}

const TaskBinding* TaskTable::pick(std::uint64_t with_wavelet) {
  const std::uint64_t runnable = (active_ | with_wavelet) & bound_ & ~blocked_;
  if (runnable == 0) return nullptr;
  std::uint64_t choice = runnable;
  if (rule_ == PickerRule::kRoundRobin) {
    const std::uint64_t after_last = runnable & ~((std::uint64_t{2} << last_picked_) - 1);
    if (after_last != 0) choice = after_last;
  }
  last_picked_ = static_cast<unsigned>(__builtin_ctzll(choice));
  const TaskId id(last_picked_);
  active_ &= ~bit(id);
  return bound(id);
}

}  // namespace tessera::pe
