// The operations of array expressions. Shapes that do not fit are an ArrayError; the reader of the
// expression adds where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "platforms/data/host_array.h"

namespace tessera::data {

class ArrayError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `op` is one of + - * /; dimensions are matched from the last, and a dimension of 1 is repeated.
Values elementwise(char op, const Values& a, const Values& b);
/// Rank 1 or 2 on both sides; sums run from the first to the last index in double precision.
Values matmul(const Values& a, const Values& b);
Values negated(Values a);
Values absolute(Values a);
/// The largest element, as a single number; NaN if there is one.
Values largest(const Values& a);
Values sum(const Values& a);
/// `axis` counts from the end if negative.
Values sum(const Values& a, std::ptrdiff_t axis);
/// All dimensions in reverse order.
Values transpose(const Values& a);
Values reshape(Values a, Shape shape);

}  // namespace tessera::data
