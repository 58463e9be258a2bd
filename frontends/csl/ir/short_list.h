// A list whose first elements need no memory of their own: instructions have few operands and results, and a compilation copies many.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::csl::ir {

/// As std::vector, as far as the passes need it. Up to N elements lie in the list itself.
template <class T, std::uint32_t N>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  ShortList() = default;
  ShortList(std::initializer_list<T> list) { append(list.begin(), list.size()); }
  ShortList(const std::vector<T>& list) { append(list.data(), list.size()); }
  ShortList(const ShortList& other) : size_(other.size_), here_(other.here_) {
    if (other.more_) copy_more(other);
  }
  ShortList(ShortList&& other) noexcept
      : size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, N)),
        here_(other.here_), more_(std::move(other.more_)) {}
  ShortList& operator=(const ShortList& other) {
    if (this == &other) return *this;
    if (!more_ && !other.more_) {
      size_ = other.size_;
      here_ = other.here_;
      return *this;
    }
    clear();
    append(other.data(), other.size_);
    return *this;
  }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this == &other) return *this;
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, N);
    here_ = other.here_;
    more_ = std::move(other.more_);
    return *this;
  }
  ~ShortList() = default;
  operator std::vector<T>() const { return {begin(), end()}; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return more_ ? more_.get() : here_.data(); }
  const T* data() const { return more_ ? more_.get() : here_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("ShortList");
    return data()[i];
  }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void push_back(const T& element) {
    const T copy = element;  // may be one of the list
    reserve(size_ + 1);
    data()[size_++] = copy;
  }
  void clear() { size_ = 0; }
  void resize(std::size_t size) {
    reserve(size);
    if (size > size_) std::fill(end(), data() + size, T{});
    size_ = static_cast<std::uint32_t>(size);
  }
  void erase(const T* at) {
    T* const to = begin() + (at - begin());
    std::copy(to + 1, end(), to);
    --size_;
  }
  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const ShortList& a, const ShortList& b) { return !(a == b); }

 private:
  void reserve(std::size_t size) {
    if (size <= capacity_) return;
    const std::size_t capacity = std::max<std::size_t>(size, 2 * std::size_t{capacity_});
    std::unique_ptr<T[]> larger(new T[capacity]);
    std::copy(begin(), end(), larger.get());
    more_ = std::move(larger);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void copy_more(const ShortList& other) {
    capacity_ = std::max(other.size_, N);
    more_.reset(new T[capacity_]);
    std::copy(other.begin(), other.end(), more_.get());
  }
  void append(const T* from, std::size_t count) {
    reserve(size_ + count);
    std::copy(from, from + count, end());
    size_ += static_cast<std::uint32_t>(count);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  std::array<T, N> here_{};
  std::unique_ptr<T[]> more_;  ///< in place of here_
};

}  // namespace tessera::csl::ir
