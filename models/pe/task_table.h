// Task identifiers of a PE and their state (reference wse.md 3.1 to 3.3): which tasks there are,
// which ids are active or blocked, their priorities, and which task the picker takes.
#pragma once

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "models/pe/delayed.h"
#include "models/pe/pe_timing.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

/// A task that may start; data and control tasks because of the oldest wavelet of `queue`.
struct Runnable {
  const TaskBinding* task = nullptr;
  std::optional<QueueId> queue;
};
using Runnables = boost::container::static_vector<Runnable, kMaxQueues>;

class TaskTable {
 public:
  /// Initial bits from the image: bound ids unblocked unless declared blocked; channels without a
  /// data task blocked unless declared unblocked (wse.md 3.2, wse.md 10 row 4).
  TaskTable(const Image& image, PickerRule rule);

  void activate(TaskId id) { active_ |= bit(id); }
  void block(TaskId id) { blocked_ |= bit(id); }
  void unblock(TaskId id) { blocked_ &= ~bit(id); }
  bool is_active(TaskId id) const { return (active_ & bit(id)) != 0; }
  bool is_blocked(TaskId id) const { return (blocked_ & bit(id)) != 0; }
  /// Changes, in cycle `now`, the priority of every task with this id from cycle `from` on. With a
  /// control task table of their own, control tasks keep theirs.
  void set_priority(TaskId id, TaskPriority priority, Cycle now, Cycle from);

  /// The data task of a channel, the local task of an id, the control task that a control wavelet
  /// with entry point `entry` on `queue` names; nullptr: none is bound.
  const TaskBinding* data_task(TaskId channel) const { return find(TaskKind::kData, channel); }
  const TaskBinding* local_task(TaskId id) const { return find(TaskKind::kLocal, id); }
  const TaskBinding* control_task(unsigned entry, const QueueBinding& queue) const;

  /// Takes one of `by_wavelet` (not blocked, each with a wavelet) and the local tasks that are
  /// active and not blocked: high priority first, then by the rule. Clears its active bit; counts
  /// rotations (wse.md 3.3). No task: nothing may start.
  Runnable pick(const Runnables& by_wavelet, Cycle now);

 private:
  static constexpr unsigned kRanks = Image::kOwnTable + kTaskCount;
  static std::uint64_t bit(TaskId id) { return std::uint64_t{1} << id.value(); }
  const TaskBinding* find(TaskKind kind, TaskId id) const;
  std::size_t index_of(const TaskBinding& task) const;
  bool is_high(const TaskBinding& task, Cycle now) const;
  bool goes_before(const Runnable& a, const Runnable& b, Cycle now) const;
  const TaskBinding* rotated(const TaskBinding& task);

  const Image* image_;
  PickerRule rule_;
  std::uint64_t active_ = 0;
  std::uint64_t blocked_ = 0;
  std::vector<Delayed<TaskPriority>> priorities_;  // by task
  std::vector<std::uint16_t> rotations_;           // counters
  unsigned last_rank_ = kRanks;                    // Image::number_of the task that was picked last
};

}  // namespace tessera::pe
