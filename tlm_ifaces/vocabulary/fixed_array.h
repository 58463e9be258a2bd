// A fixed number of objects in one piece of memory that never move: what a std::vector of objects
// that others point to would be. Objects are built one after the other.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>

namespace tessera {

template <class T>
class FixedArray {
 public:
  /// Room for `capacity` objects.
  explicit FixedArray(std::size_t capacity)
      : capacity_(capacity), data_(std::allocator<T>().allocate(capacity)) {}
  ~FixedArray() {
    std::destroy_n(data_, size_);
    std::allocator<T>().deallocate(data_, capacity_);
  }
  FixedArray(const FixedArray&) = delete;
  FixedArray& operator=(const FixedArray&) = delete;

  /// Requires room.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    assert(size_ < capacity_);
    T* built = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
    return *built;
  }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  std::size_t capacity_;
  std::size_t size_ = 0;
  T* data_;
};

}  // namespace tessera
