// A fixed number of blocks side by side in memory, made one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace tessera::scheduled {

template <class T>
class NodeArray {
 public:
  NodeArray() = default;
  NodeArray(const NodeArray&) = delete;
  NodeArray& operator=(const NodeArray&) = delete;
  ~NodeArray() {
    while (size_ > 0) items_[--size_].~T();
    std::allocator<T>().deallocate(items_, capacity_);
  }
  /// Room for `capacity` blocks; once, before the first.
  void reserve(std::size_t capacity) {
    items_ = std::allocator<T>().allocate(capacity);
    capacity_ = capacity;
  }
  /// Requires room.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    T* made = new (items_ + size_) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }

 private:
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tessera::scheduled
