// The operations of array expressions. They look at shapes only; what they answer is computed when
// it is read. Shapes that do not fit are an ArrayError; the reader of the expression adds where.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "platforms/data/computed.h"

namespace tessera::data {

class ArrayError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No array of an expression has more elements than that.
inline constexpr std::size_t kMaxElements = std::size_t{1} << 31;
/// Products, sums along an axis, what is transposed and what is repeated along a dimension must be
/// held in memory, at most that many elements of each (2 GiB).
inline constexpr std::size_t kMaxHeldElements = std::size_t{1} << 28;

/// `op` is one of + - * /; dimensions are matched from the last, and a dimension of 1 is repeated.
ComputedPtr elementwise(char op, ComputedPtr a, ComputedPtr b);
/// Rank 1 or 2 on both sides; sums run from the first to the last index in double precision.
ComputedPtr matmul(const ComputedPtr& a, const ComputedPtr& b);
ComputedPtr negated(ComputedPtr a);
ComputedPtr absolute(ComputedPtr a);
/// The largest element, as a single number; NaN if there is one.
ComputedPtr largest(ComputedPtr a);
ComputedPtr sum(ComputedPtr a);
/// `axis` counts from the end if negative.
ComputedPtr sum(const ComputedPtr& a, std::ptrdiff_t axis);
/// `a`, repeated along its dimensions of 1 until it has shape `to`, which must fit.
ComputedPtr broadcast(ComputedPtr a, const Shape& to);
/// All dimensions in reverse order.
ComputedPtr transpose(const ComputedPtr& a);
ComputedPtr reshape(ComputedPtr a, Shape shape);

/// Elements first .. last-1 of a dimension, or element `first` alone, whose dimension goes away. Numbers
/// below 0 count from the end.
struct Range {
  std::optional<std::ptrdiff_t> first, last;
  bool alone = false;
};
/// One range for each dimension; dimensions after the last range are taken as a whole. No range may be
/// empty or leave its dimension.
ComputedPtr slice(const ComputedPtr& a, const std::vector<Range>& ranges);

}  // namespace tessera::data
