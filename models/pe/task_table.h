// What a program controls of its tasks and threads (reference wse.md 3.1 to 3.3, 4): which task ids are
// active or blocked, which microthreads are blocked, the priorities of tasks and of the main thread.
// And which task the picker takes.
#pragma once

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/pe/delayed.h"
#include "models/pe/pe_timing.h"
#include "models/pe/program.h"
#include "models/pe/task_index.h"
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
  /// data task blocked unless declared unblocked (wse.md 3.2, wse.md 10 row 4). `index` must
  /// outlive the table.
  TaskTable(const TaskIndex& index, PickerRule rule);

  void activate(TaskId id) { active_ |= task_bit(id); }
  void block(TaskId id) { blocked_ |= task_bit(id); }
  void unblock(TaskId id) { blocked_ &= ~task_bit(id); }
  bool is_active(TaskId id) const { return (active_ & task_bit(id)) != 0; }
  bool is_blocked(TaskId id) const { return (blocked_ & task_bit(id)) != 0; }
  /// All ids that are blocked.
  std::uint64_t blocked() const { return blocked_; }
  void block_microthread(unsigned id, bool blocked) {
    const unsigned others = blocked_microthreads_ & ~(1U << id);
    blocked_microthreads_ = static_cast<std::uint8_t>(others | (blocked ? 1U : 0U) << id);
  }
  /// The main thread has the number behind the last microthread and is never blocked.
  bool is_microthread_blocked(unsigned id) const { return (blocked_microthreads_ >> id & 1U) != 0; }
  /// Changes, in cycle `now`, the priority of every task with this id from cycle `from` on. With a
  /// control task table of their own, control tasks keep theirs.
  void set_priority(TaskId id, TaskPriority priority, Cycle now, Cycle from);
  /// The same of the main thread.
  void set_main_priority(MainPriority priority, Cycle now, Cycle from);
  MainPriority main_priority(Cycle now) const {
    return extras_ && extras_->main ? extras_->main->at(now) : image().main_priority;
  }

  /// Takes one of `by_wavelet` (not blocked, each with a wavelet) and the local tasks that are
  /// active and not blocked: high priority first, then by the rule. Clears its active bit; counts
  /// rotations (wse.md 3.3). No task: nothing may start.
  Runnable pick(const Runnables& by_wavelet, Cycle now);

 private:
  static constexpr unsigned kRanks = Image::kOwnTable + kTaskCount;
  static_assert(kRanks <= 0xFF, "a rank is a byte");
  /// What few programs have.
  struct Extras {
    std::vector<Delayed<TaskPriority>> priorities;  // by task; empty: none has changed
    std::optional<Delayed<MainPriority>> main;      // since it was changed
    std::vector<std::uint16_t> rotations;           // counters
  };
  Extras& extras();
  const Image& image() const { return index_->image(); }
  std::size_t number_of(const TaskBinding& task) const;
  bool is_high(const TaskBinding& task, Cycle now) const;
  bool goes_before(const Runnable& a, const Runnable& b, Cycle now) const;
  const TaskBinding* rotated(const TaskBinding& task);

  std::uint64_t active_ = 0;
  std::uint64_t blocked_ = 0;
  const TaskIndex* index_;
  std::unique_ptr<Extras> extras_;
  PickerRule rule_;
  std::uint8_t blocked_microthreads_;  // one bit a microthread
  std::uint8_t last_rank_ = kRanks;    // Image::number_of the task that was picked last
};

}  // namespace tessera::pe
