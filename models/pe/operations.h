// The operations of a compute engine in progress, and what it asks of all of them together.
#pragma once

#include <boost/container/vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/pe/operation.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

/// At most one a thread, in the order of their threads.
class Operations {
 public:
  /// Invalidates references.
  void add(const Operation& op) {
    operations_.reserve(operations_.size() + 1);  // an engine has few: no more than it needs
    operations_.insert(operations_.begin() + number_below(op.thread), op);
    count(op);
  }
  /// The last group of `op` has executed; it completes in cycle `at`.
  void finish(Operation& op, Cycle at) {
    op.finishing = true;
    op.due = at;
    first_completion_ = std::min(first_completion_, at);
  }
  /// Whether an operation completes in cycle `now`, or should have before.
  bool has_finished(Cycle now) const { return first_completion_ <= now; }
  /// Takes out the operations that complete by cycle `now`, each after `complete(operation)`.
  template <class Complete>
  void remove_finished(Cycle now, Complete&& complete) {
    const auto goes = [&](Operation& op) {
      if (!op.finishing || op.due > now) return false;
      complete(op);
      return true;
    };
    operations_.erase(std::remove_if(operations_.begin(), operations_.end(), goes),
                      operations_.end());
    if (operations_.empty()) {
      *this = Operations();  // an engine at rest takes little memory
      return;
    }
    inputs_ = outputs_ = 0;
    fifos_ = false;
    threads_ = 0;
    highest_ = Priority::kLow;
    first_completion_ = kNever;
    for (const Operation& op : operations_) count(op);
  }

  /// nullptr: the thread has none.
  Operation* of_main_thread() {
    return const_cast<Operation*>(std::as_const(*this).of_main_thread());
  }
  const Operation* of_main_thread() const {
    return (threads_ >> kMainThread & 1U) != 0 ? &operations_.back() : nullptr;
  }
  /// Queues without which some of them cannot go on (Operation::needs_inputs), one bit each.
  std::uint32_t inputs() const { return inputs_; }
  std::uint32_t outputs() const { return outputs_; }
  /// Of the microthreads among them.
  Priority highest() const { return highest_; }
  /// Whether some of them push or pop FIFOs.
  bool use_fifos() const { return fifos_; }
  /// Whether one of them waits for a control wavelet on input queue `q` (wse.md 2.3, 5.7).
  bool take_control_from(QueueId q) const {
    return std::any_of(begin(), end(), [q](const Operation& op) {
      const bool takes = op.is_filter() || op.completion.on_control != OnControl::kNone;
      return takes && op.uses_input(q);
    });
  }

  Operation* begin() { return operations_.data(); }
  Operation* end() { return operations_.data() + operations_.size(); }
  const Operation* begin() const { return operations_.data(); }
  const Operation* end() const { return operations_.data() + operations_.size(); }
  void prefetch() const { __builtin_prefetch(operations_.data(), 1); }
  /// The first one of a thread that is not below `thread`, or the end.
  Operation* behind(ThreadId thread) { return operations_.data() + number_below(thread); }

 private:
  using SmallSizes =
      boost::container::vector_options_t<boost::container::stored_size<std::uint8_t>>;
  using Vector = boost::container::vector<Operation, void, SmallSizes>;

  std::ptrdiff_t number_below(ThreadId thread) const {
    return __builtin_popcount(threads_ & ((1U << thread) - 1));
  }
  void count(const Operation& op) {
    threads_ = static_cast<std::uint16_t>(threads_ | 1U << op.thread);
    inputs_ |= op.needs_inputs;
    outputs_ |= op.needs_outputs;
    fifos_ |= op.uses_fifo;
    if (op.thread != kMainThread) highest_ = std::max(highest_, op.priority);
    if (op.finishing) first_completion_ = std::min(first_completion_, op.due);
  }

  Vector operations_;
  Cycle first_completion_ = kNever;
  std::uint8_t inputs_ = 0;
  std::uint8_t outputs_ = 0;
  Priority highest_ = Priority::kLow;
  bool fifos_ = false;
  std::uint16_t threads_ = 0;  // that have one, one bit each
};

}  // namespace tessera::pe
