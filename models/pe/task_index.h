// Where the tasks of an image stand, by what starts them (reference wse.md 3.1). Shared by all
// engines that run the image.
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

/// Sets of ids are masks with one bit an id.
constexpr std::uint64_t task_bit(TaskId id) {
  return std::uint64_t{1} << id.value();
}

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

}  // namespace tessera::pe
