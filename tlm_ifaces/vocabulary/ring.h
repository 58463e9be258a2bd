// A FIFO of fixed capacity in one array: what every hardware queue of the models is stored in. It
// never allocates after construction.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace tessera {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity = 0) : slots_(capacity) {}

  std::size_t capacity() const { return slots_.size(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == slots_.size(); }

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
    head_ = wrap(head_ + 1);
    --size_;
  }

 private:
  std::size_t wrap(std::size_t i) const { return i < slots_.size() ? i : i - slots_.size(); }
  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tessera
