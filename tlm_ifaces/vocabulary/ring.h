// A FIFO of fixed capacity in one array: what every hardware queue of the models is stored in. It
// never allocates after construction.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tessera {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 0)
      : slots_(std::make_unique<T[]>(capacity)), capacity_(static_cast<std::uint32_t>(capacity)) {}

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }

  /// Oldest entry. Requires !empty().
  T& front() {
    assert(!empty());
    return slots_[head_];
  }
  const T& front() const {
    assert(!empty());
    return slots_[head_];
  }
  /// Entry number `i` from the oldest. Requires i < size().
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return slots_[wrap(head_ + i)];
  }
  /// Requires !full().
  void push_back(const T& value) {
    assert(!full());
    slots_[wrap(head_ + size_)] = value;
    ++size_;
  }
  /// Requires !empty().
  void pop_front() {
    assert(!empty());
    head_ = static_cast<std::uint32_t>(wrap(head_ + 1));
    --size_;
  }

 private:
  std::size_t wrap(std::size_t i) const { return i < capacity_ ? i : i - capacity_; }

  std::unique_ptr<T[]> slots_;
  std::uint32_t capacity_;  // beside the others: a queue is asked for its room in every cycle
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace tessera
