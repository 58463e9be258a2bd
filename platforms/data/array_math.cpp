#include "platforms/data/array_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "platforms/data/array_expression.h"

namespace tessera::data {
namespace {

double apply(char op, double a, double b) {
  switch (op) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  default:
    return a / b;
  }
}

std::string shapes_text(const Values& a, const Values& b) {
  return to_string(a.shape) + " and " + to_string(b.shape);
}

Values zeros(Shape shape) {
  std::size_t count = 1;
  for (std::size_t dimension : shape) {
    if (dimension != 0 && count > kMaxComputedElements / dimension) {
      throw ArrayError("the result of shape " + to_string(shape) + " has more than " +
                       std::to_string(kMaxComputedElements) +
                       " elements, the most that are computed with");
    }
    count *= dimension;
  }
  return {std::move(shape), std::vector<double>(count)};
}

Shape broadcast_shape(char op, const Values& a, const Values& b) {
  Shape shape(std::max(a.shape.size(), b.shape.size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {  // d counts from the last dimension
    const std::size_t da = d < a.shape.size() ? a.shape[a.shape.size() - 1 - d] : 1;
    const std::size_t db = d < b.shape.size() ? b.shape[b.shape.size() - 1 - d] : 1;
    if (da != db && da != 1 && db != 1) {
      throw ArrayError("\"" + std::string(1, op) + "\" cannot be applied to arrays of shapes " +
                       shapes_text(a, b) + "; dimensions must be equal or 1");
    }
    shape[shape.size() - 1 - d] = da == 1 ? db : da;
  }
  return shape;
}

/// Elements from one index to the next of dimension `d` of the result; 0 where `from` is repeated.
std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to) {
  std::vector<std::size_t> strides(to.size(), 0);
  std::size_t stride = 1;
  for (std::size_t d = 0; d < from.size(); ++d) {  // from the last dimension
    const std::size_t size = from[from.size() - 1 - d];
    if (size != 1) strides[to.size() - 1 - d] = stride;
    stride *= size;
  }
  return strides;
}

/// Goes through the indices of a shape in C order and keeps the offset that some strides give.
class Walker {
 public:
  Walker(const Shape& shape, std::vector<std::size_t> strides)
      : shape_(shape), strides_(std::move(strides)), at_(shape.size(), 0) {}
  std::size_t offset() const { return offset_; }
  void next() {
    for (std::size_t d = at_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++at_[d] < shape_[d]) return;
      offset_ -= strides_[d] * at_[d];
      at_[d] = 0;
    }
  }

 private:
  const Shape& shape_;
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> at_;
  std::size_t offset_ = 0;
};

}  // namespace

Values elementwise(char op, const Values& a, const Values& b) {
  Values result = zeros(broadcast_shape(op, a, b));
  Walker at_a(result.shape, broadcast_strides(a.shape, result.shape));
  Walker at_b(result.shape, broadcast_strides(b.shape, result.shape));
  for (double& element : result.elements) {
    element = apply(op, a.elements[at_a.offset()], b.elements[at_b.offset()]);
    at_a.next();
    at_b.next();
  }
  return result;
}

Values matmul(const Values& a, const Values& b) {
  const std::size_t rank_a = a.shape.size();
  const std::size_t rank_b = b.shape.size();
  if (rank_a < 1 || rank_a > 2 || rank_b < 1 || rank_b > 2) {
    throw ArrayError("\"@\" needs arrays of rank 1 or 2, but the shapes are " + shapes_text(a, b));
  }
  const std::size_t inner = a.shape.back();
  if (inner != b.shape.front()) {
    throw ArrayError("\"@\" cannot be applied to arrays of shapes " + shapes_text(a, b) +
                     "; the last dimension of the left must equal the first of the right");
  }
  const std::size_t rows = rank_a == 2 ? a.shape[0] : 1;
  const std::size_t columns = rank_b == 2 ? b.shape[1] : 1;
  Shape shape;
  if (rank_a == 2) shape.push_back(rows);
  if (rank_b == 2) shape.push_back(columns);
  Values result = zeros(std::move(shape));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      const double left = a.elements[i * inner + k];
      for (std::size_t j = 0; j < columns; ++j) {
        result.elements[i * columns + j] += left * b.elements[k * columns + j];
      }
    }
  }
  return result;
}

Values negated(Values a) {
  for (double& element : a.elements) element = -element;
  return a;
}

Values sum(const Values& a) {
  return {{}, {std::accumulate(a.elements.begin(), a.elements.end(), 0.0)}};
}

Values sum(const Values& a, std::ptrdiff_t axis) {
  const auto rank = static_cast<std::ptrdiff_t>(a.shape.size());
  if (axis < -rank || axis >= rank) {
    throw ArrayError("the axis " + std::to_string(axis) + " does not exist in an array of shape " +
                     to_string(a.shape));
  }
  const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  Shape shape = a.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  Values result = zeros(std::move(shape));
  const std::size_t length = a.shape[d];
  const std::size_t inner =
      element_count(Shape(a.shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, a.shape.end()));
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    result.elements[i / (inner * length) * inner + i % inner] += a.elements[i];
  }
  return result;
}

Values absolute(Values a) {
  for (double& element : a.elements) element = std::abs(element);
  return a;
}

Values largest(const Values& a) {
  double result = -std::numeric_limits<double>::infinity();
  for (const double element : a.elements) {
    if (std::isnan(element)) return {{}, {element}};
    result = std::max(result, element);
  }
  return {{}, {result}};
}

Values transpose(const Values& a) {
  Values result = zeros(Shape(a.shape.rbegin(), a.shape.rend()));
  std::vector<std::size_t> strides(a.shape.size(), 1);
  for (std::size_t d = 1; d < strides.size(); ++d) {  // reversed C strides
    strides[d] = strides[d - 1] * a.shape[a.shape.size() - d];
  }
  Walker at(result.shape, strides);
  for (double& element : result.elements) {
    element = a.elements[at.offset()];
    at.next();
  }
  return result;
}

Values reshape(Values a, Shape shape) {
  const std::size_t count = zeros(shape).elements.size();
  if (count != a.elements.size()) {
    throw ArrayError("an array of shape " + to_string(a.shape) + " with " +
                     std::to_string(a.elements.size()) + " elements cannot be reshaped to " +
                     to_string(shape) + " with " + std::to_string(count));
  }
  a.shape = std::move(shape);
  return a;
}

}  // namespace tessera::data
