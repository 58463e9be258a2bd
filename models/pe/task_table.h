// What a program controls of its tasks and threads (reference wse.md 3.1 to 3.3, 4): which task ids
// are active or blocked, which microthreads are blocked, and the priorities of tasks and of the
// main thread. From these the picker chooses the next task.
#pragma once

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/pe/pe_timing.h"
#include "models/pe/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

/// Sets of ids are masks with one bit an id.
constexpr std::uint64_t task_bit(TaskId id) {
  return std::uint64_t{1} << id.value();
}

/// The tasks of an image by what starts them (wse.md 3.1). All engines that run the image share it.
class TaskIndex {
 public:
  /// `image` must outlive the index.
  explicit TaskIndex(const Image& image);
  const Image& image() const { return image_; }

  /// The data task of a channel, the local task of an id, the control task that a control wavelet
  /// with entry point `entry` on `queue` names; nullptr: none is bound.
  const TaskBinding* data_task(TaskId channel) const { return data_[channel.value()]; }
  const TaskBinding* local_task(TaskId id) const { return local_[id.value()]; }
  const TaskBinding* control_task(unsigned entry, const QueueBinding& queue) const {
    const unsigned id = image_.first_control_task(queue) + entry;
    return id < kTaskCount ? control_[id] : nullptr;
  }
  /// Ids of local tasks.
  std::uint64_t local_tasks() const { return local_tasks_; }

 private:
  using Table = std::array<const TaskBinding*, kTaskCount>;

  const Image& image_;
  Table data_{};
  Table local_{};
  Table control_{};
  std::uint64_t local_tasks_ = 0;
};

/// A value that the program changes with effect some cycles later (wse.md 3.3, 4).
template <class T>
class Delayed {
 public:
  explicit Delayed(T value) : value_(value) {}

  T at(Cycle now) const {
    T value = value_;
    for (const Change& change : changes_) {
      if (change.from <= now) value = change.value;
    }
    return value;
  }
  /// In cycle `now`: `value` counts from cycle `from` on. Changes of later calls count later.
  void change(T value, Cycle from, Cycle now) {
    value_ = at(now);
    changes_.erase(std::remove_if(changes_.begin(), changes_.end(),
                                  [now](const Change& c) { return c.from <= now; }),
                   changes_.end());
    changes_.push_back({value, from});
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(value_, changes_);
  }

 private:
  struct Change {
    T value;
    Cycle from;
    template <class Archive>
    void visit(Archive& archive) {
      archive(value, from);
    }
  };
  T value_;
  std::vector<Change> changes_;  // by cycle
};

/// A task that may start. A data or control task is started by the oldest wavelet of `queue`.
struct Runnable {
  const TaskBinding* task = nullptr;
  std::optional<QueueId> queue;
};
using Runnables = boost::container::static_vector<Runnable, kMaxReceivers>;

class TaskTable {
 public:
  /// Initial bits from the image: bound ids unblocked unless declared blocked; channels without a
  /// data task blocked unless declared unblocked (wse.md 3.2, wse.md 10 row 4). `index` must
  /// outlive the table.
  TaskTable(const TaskIndex& index, PickerRule rule);

  void activate(TaskId id) { active_ |= task_bit(id); }
  void block(TaskId id) { blocked_ |= task_bit(id); }
  void unblock(TaskId id) { blocked_ &= ~task_bit(id); }
  void set_blocked(TaskId id, bool blocked) { blocked ? block(id) : unblock(id); }
  bool is_active(TaskId id) const { return (active_ & task_bit(id)) != 0; }
  bool is_blocked(TaskId id) const { return (blocked_ & task_bit(id)) != 0; }
  /// Whether some task is active and blocked.
  bool has_stuck() const { return (active_ & blocked_) != 0; }
  /// Whether pick() may find a task among the local ones.
  bool has_runnable_local() const { return (active_ & ~blocked_ & index_->local_tasks()) != 0; }
  /// All ids that are blocked.
  std::uint64_t blocked() const { return blocked_; }
  void block_microthread(unsigned id, bool blocked) {
    const unsigned others = blocked_microthreads_ & ~(1U << id);
    blocked_microthreads_ = static_cast<std::uint8_t>(others | (blocked ? 1U : 0U) << id);
  }
  /// The main thread has the number after the last microthread and is never blocked.
  bool is_microthread_blocked(unsigned id) const { return (blocked_microthreads_ >> id & 1U) != 0; }
  bool blocks_microthreads() const { return blocked_microthreads_ != 0; }
  /// A control wavelet that has ended an operation stays at the head of input queue `q`
  /// (OpConfig::leaves_control). It starts no task and ends no other operation.
  void leave_control(QueueId q) { left_controls_ |= static_cast<std::uint16_t>(1U << q.value()); }
  /// The queues with such a wavelet, one bit each.
  std::uint32_t left_controls() const { return left_controls_; }
  /// Those of `queues` have been taken, or an operation reads them.
  void forget_controls(std::uint32_t queues) {
    left_controls_ &= static_cast<std::uint16_t>(~queues);
  }
  /// Changes, in cycle `now`, the priority of every task with this id from cycle `from` on. With a
  /// control task table of their own, control tasks keep theirs.
  void set_priority(TaskId id, TaskPriority priority, Cycle now, Cycle from);
  /// Changes the priority of the main thread likewise.
  void set_main_priority(MainPriority priority, Cycle now, Cycle from);
  MainPriority main_priority(Cycle now) const {
    return extras_ && extras_->main ? extras_->main->at(now) : image().main_priority;
  }

  /// Takes one of `by_wavelet` (not blocked, each with a wavelet) and the local tasks that are
  /// active and not blocked: high priority first, then by the rule. Clears its active bit; counts
  /// rotations (wse.md 3.3). No task: nothing may start.
  ///
  /// Round robin: the ids of each priority level form a ring of their own, so that tasks of high
  /// priority do not set back those of low priority. The search starts after the id that last ran
  /// at this level, at first at the lowest id, and takes the first runnable one. A control task that
  /// several queues carry has a place for each queue, by rising queue id. Launched functions have no
  /// place; a rotated task counts as the main task of its pair.
  Runnable pick(const Runnables& by_wavelet, Cycle now);
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  /// Places of the picker: one for each number of a task (Image::number_of) and queue.
  static constexpr unsigned kPlaces = (Image::kOwnTable + kTaskCount) * kMaxReceivers;
  /// State that few programs need.
  struct Extras {
    std::vector<Delayed<TaskPriority>> priorities;  // by task; empty: none has changed
    std::optional<Delayed<MainPriority>> main;      // since it was changed
    std::vector<std::uint16_t> rotations;           // counters
  };
  Extras& extras();
  const Image& image() const { return index_->image(); }
  std::size_t number_of(const TaskBinding& task) const;
  bool is_high(const TaskBinding& task, Cycle now) const;
  unsigned place_of(const Runnable& runnable) const {
    return image().number_of(*runnable.task) * kMaxReceivers +
           (runnable.queue ? runnable.queue->value() : 0);
  }
  bool goes_before(const Runnable& a, const Runnable& b, Cycle now) const;
  const TaskBinding* rotated(const TaskBinding& task);

  std::uint64_t active_ = 0;
  std::uint64_t blocked_ = 0;
  const TaskIndex* index_;
  std::unique_ptr<Extras> extras_;
  PickerRule rule_;
  std::uint8_t blocked_microthreads_;  // one bit a microthread
  std::uint16_t left_controls_ = 0;
  std::array<std::uint16_t, 2> last_place_ = {kPlaces, kPlaces};  // by priority: of the last task
};

}  // namespace tessera::pe
