// A task of a scheduled mesh node under way (reference numesh.md 3), and the memory that tasks work
// on. Plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/scheduled/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

/// Where a task is in its blocks: before a step, or over.
class TaskThread {
 public:
  TaskThread(const Task& of, std::uint32_t turn_, std::uint32_t number_, std::uint32_t epoch_,
             Cycle now)
      : task(&of), turn(turn_), number(number_), epoch(epoch_), ready_at(now) {
    settle();
  }

  bool is_over() const { return block_ == task->blocks.size(); }
  /// The step to do next, its block, and how often that has been done. Requires !is_over().
  const Step& step() const { return block().steps[step_]; }
  const Block& block() const { return task->blocks[block_]; }
  std::uint32_t iteration() const { return iteration_; }
  /// The step is done; what follows may begin in cycle `ready`.
  void advance() {
    ++step_;
    settle();
  }

  const Task* task;
  std::uint32_t turn;    ///< in which it began
  std::uint32_t number;  ///< of the task in its turn
  std::uint32_t epoch;   ///< of its turn
  Cycle ready_at;  ///< cycle from which the next step may be done; of the return if it is over

 private:
  // Leaves finished blocks behind.
  void settle() {
    for (; block_ < task->blocks.size(); ++block_, iteration_ = 0) {
      const Block& block = task->blocks[block_];
      if (block.steps.empty()) continue;
      if (step_ == block.steps.size()) {
        step_ = 0;
        ++iteration_;
      }
      if (iteration_ < block.repeat) return;
    }
  }

  std::size_t block_ = 0;
  std::uint32_t iteration_ = 0;
  std::size_t step_ = 0;
};

/// Node::memory as the steps of tasks use it.
class NodeMemory {
 public:
  explicit NodeMemory(std::vector<std::uint32_t> words) : words_(std::move(words)) {}

  const std::vector<std::uint32_t>& words() const { return words_; }
  /// The word `first` of a step (Step::data or Step::from), in the present iteration of its thread.
  std::uint32_t& at(std::int32_t first, const TaskThread& thread) {
    return words_[static_cast<std::size_t>(first + std::int64_t{thread.step().stride} *
                                                       thread.iteration())];
  }
  /// memory[data] = memory[data] (op) operand.
  void combine(const TaskThread& thread, std::uint32_t operand) {
    std::uint32_t& word = at(thread.step().data, thread);
    const auto a = static_cast<std::int32_t>(word);
    const auto b = static_cast<std::int32_t>(operand);
    switch (thread.step().combine) {
    case Combine::kReplace:
      word = operand;
      return;
    case Combine::kAdd:
      word += operand;
      return;
    case Combine::kMax:
      word = static_cast<std::uint32_t>(std::max(a, b));
      return;
    case Combine::kMin:
      word = static_cast<std::uint32_t>(std::min(a, b));
      return;
    }
  }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace tessera::scheduled
