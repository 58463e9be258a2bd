#include "models/pe/task_index.h"

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

}  // namespace tessera::pe
