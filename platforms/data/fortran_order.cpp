#include "platforms/data/fortran_order.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::data {
namespace {

/// One of the two orders steps far for every element, so the first and the last index are gone
/// through in blocks that stay in the cache.
class Reorder {
 public:
  Reorder(const Shape& shape, std::size_t width, const std::byte* from, std::byte* to)
      : shape_(shape), width_(width), from_(from), to_(to), from_strides_(shape.size()),
        to_strides_(shape.size()) {
    for (std::size_t d = 0, stride = 1; d < shape.size(); stride *= shape[d++])
      from_strides_[d] = stride;
    for (std::size_t d = shape.size(), stride = 1; d-- > 0; stride *= shape[d])
      to_strides_[d] = stride;
  }

  /// Requires a rank of 2 or more and an element.
  void run() const {
    std::vector<std::size_t> at(shape_.size(), 0);  // the first and the last stay 0
    for (std::size_t n = element_count(shape_) / (shape_.front() * shape_.back()); n > 0; --n) {
      reorder_plane(at);
      for (std::size_t d = shape_.size() - 1; d-- > 1;) {
        if (++at[d] < shape_[d]) break;
        at[d] = 0;
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 32;

  /// All elements whose indices but the first and the last are those of `at`.
  void reorder_plane(const std::vector<std::size_t>& at) const {
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      from += at[d] * from_strides_[d];
      to += at[d] * to_strides_[d];
    }
    for (std::size_t i = 0; i < shape_.front(); i += kBlock) {
      for (std::size_t k = 0; k < shape_.back(); k += kBlock) reorder_block(from, to, i, k);
    }
  }
  void reorder_block(std::size_t from, std::size_t to, std::size_t first_i,
                     std::size_t first_k) const {
    const std::size_t end_i = std::min(first_i + kBlock, shape_.front());
    const std::size_t end_k = std::min(first_k + kBlock, shape_.back());
    for (std::size_t i = first_i; i < end_i; ++i) {
      for (std::size_t k = first_k; k < end_k; ++k) {
        std::memcpy(to_ + (to + i * to_strides_.front() + k) * width_,
                    from_ + (from + i + k * from_strides_.back()) * width_, width_);
      }
    }
  }

  const Shape& shape_;
  const std::size_t width_;
  const std::byte* const from_;
  std::byte* const to_;
  std::vector<std::size_t> from_strides_;
  std::vector<std::size_t> to_strides_;
};

}  // namespace

void to_c_order(const Shape& shape, std::size_t width, const std::byte* from, std::byte* to) {
  const std::size_t count = element_count(shape);
  if (count == 0) return;
  if (shape.size() < 2) {
    std::memcpy(to, from, count * width);
    return;
  }
  Reorder(shape, width, from, to).run();
}

}  // namespace tessera::data
