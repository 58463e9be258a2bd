// A list of at most N plain values inside the object: what a step hands back. Making one is free.
#pragma once

#include <cassert>
#include <cstddef>
#include <new>
#include <type_traits>

namespace tessera::fabric {

template <class T, std::size_t N>
class FixedList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  FixedList() {}  // the slots stay uninitialised: a list is made in every step
  FixedList(const FixedList& other) { *this = other; }
  FixedList& operator=(const FixedList& other) {
    if (this == &other) return *this;
    size_ = 0;
    for (const T& value : other) push_back(value);
    return *this;
  }

  /// Requires size() < N.
  void push_back(const T& value) {
    assert(size_ < N);
    new (&slots_[size_++]) T(value);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return slots_[i];
  }
  const T* begin() const { return slots_; }
  const T* end() const { return slots_ + size_; }

 private:
  union {
    T slots_[N];
  };
  std::size_t size_ = 0;
};

}  // namespace tessera::fabric
