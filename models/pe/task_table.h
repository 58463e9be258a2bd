// Task identifiers of a PE and their state bits (reference wse.md 3.1, 3.2, 3.3): which ids have a
// task, which are active, which are blocked, and which one the picker takes.
#pragma once

#include <cstdint>
#include <optional>

#include "models/pe/pe_timing.h"
#include "models/pe/program.h"

namespace tessera::pe {

class TaskTable {
 public:
  /// Initial bits from the image: bound ids unblocked unless declared blocked; data ids without a
  /// task blocked (wse.md 3.2, wse.md 10 row 4).
  TaskTable(const Image& image, PickerRule rule);

  void activate(TaskId id) { active_ |= bit(id); }
  void block(TaskId id) { blocked_ |= bit(id); }
  void unblock(TaskId id) { blocked_ &= ~bit(id); }
  bool is_active(TaskId id) const { return (active_ & bit(id)) != 0; }
  bool is_blocked(TaskId id) const { return (blocked_ & bit(id)) != 0; }

  /// Takes one runnable task: bound, not blocked, and active or - for a data task - among
  /// `with_wavelet` (one bit an id). Clears its active bit. nullptr when none is runnable.
  const TaskBinding* pick(std::uint64_t with_wavelet);

  /// Data tasks that would run if a wavelet were there.
  bool accepts_wavelet(const TaskBinding& task) const {
    return task.kind == TaskKind::kData && !is_blocked(task.id);
  }
  /// The task bound to `id`, if any.
  const TaskBinding* bound(TaskId id) const;

  static std::uint64_t bit(TaskId id) { return std::uint64_t{1} << id.value(); }

 private:
  const Image* image_;
  PickerRule rule_;
  std::uint64_t bound_ = 0;
  std::uint64_t active_ = 0;
  std::uint64_t blocked_ = 0;
  unsigned last_picked_ = kTaskCount - 1;
};

}  // namespace tessera::pe
