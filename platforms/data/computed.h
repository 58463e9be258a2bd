// Arrays of doubles that are computed when they are read, some elements at a time: an expression
// over arrays of a whole wafer (48 million elements and more) takes no memory for what lies between
// its operators.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "platforms/data/host_array.h"

namespace tessera::data {

class Computed {
 public:
  /// Elements that are computed at once.
  static constexpr std::size_t kPiece = 512;
  using Piece = std::array<double, kPiece>;

  explicit Computed(Shape shape) : shape_(std::move(shape)), size_(element_count(shape_)) {}
  virtual ~Computed() = default;

  const Shape& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  /// Elements first .. first+count-1 in C order.
  void read(std::size_t first, std::size_t count, double* to) const {
    for (std::size_t done = 0; done < count; done += kPiece) {
      compute(first + done, std::min(kPiece, count - done), to + done);
    }
  }
  double at(std::size_t i) const {
    double value = 0;
    compute(i, 1, &value);
    return value;
  }
  /// Calls visit(first, count, elements) for pieces of it, from the first element to the last.
  template <class Visit>
  void for_each_piece(Visit visit) const {
    Piece elements;
    for (std::size_t first = 0; first < size_; first += kPiece) {
      const std::size_t count = std::min(kPiece, size_ - first);
      compute(first, count, elements.data());
      visit(first, count, elements.data());
    }
  }

 private:
  /// As read, of at most kPiece elements.
  virtual void compute(std::size_t first, std::size_t count, double* to) const = 0;

  Shape shape_;
  std::size_t size_;
};

using ComputedPtr = std::shared_ptr<const Computed>;

/// Values that are there already.
class Given final : public Computed {
 public:
  explicit Given(Values values)
      : Computed(std::move(values.shape)), elements_(std::move(values.elements)) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    std::copy_n(elements_.data() + first, count, to);
  }
  std::vector<double> elements_;
};

/// The elements of a host array, which must outlive it.
class Loaded final : public Computed {
 public:
  explicit Loaded(const HostArray& array) : Computed(array.shape), array_(array) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    array_.read(first, count, to);
  }
  const HostArray& array_;
};

/// Element i is element(i).
template <class Element>
class Generated final : public Computed {
 public:
  Generated(Shape shape, Element element) : Computed(std::move(shape)), element_(element) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    for (std::size_t i = 0; i < count; ++i) to[i] = element_(first + i);
  }
  Element element_;
};

/// All of it at once.
inline Values values_of(const Computed& computed) {
  Values values{computed.shape(), std::vector<double>(computed.size())};
  computed.read(0, values.elements.size(), values.elements.data());
  return values;
}

}  // namespace tessera::data
