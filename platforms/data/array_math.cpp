#include "platforms/data/array_math.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace tessera::data {
namespace {

std::string shapes_text(const Computed& a, const Computed& b) {
  return to_string(a.shape()) + " and " + to_string(b.shape());
}

void require_at_most(std::size_t most, const std::string& what, const Shape& shape) {
  std::size_t count = 1;
  for (std::size_t dimension : shape) {
    if (dimension != 0 && count > most / dimension) {
      throw ArrayError(what + " of shape " + to_string(shape) + " has more than " +
                       std::to_string(most) + " elements, the most that are computed with");
    }
    count *= dimension;
  }
}
void require_holdable(const Computed& array) {
  require_at_most(kMaxHeldElements, "an array", array.shape());
}
Shape holdable_result(Shape shape) {
  require_at_most(kMaxHeldElements, "the result", shape);
  return shape;
}

/// What cannot be computed piece by piece: all of it is, when it is first read.
class Held final : public Computed {
 public:
  Held(Shape shape, std::function<std::vector<double>()> make)
      : Computed(std::move(shape)), make_(std::move(make)) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    if (!elements_) elements_ = make_();
    std::copy_n(elements_->data() + first, count, to);
  }
  std::function<std::vector<double>()> make_;
  mutable std::optional<std::vector<double>> elements_;
};

ComputedPtr held(Shape shape, std::function<std::vector<double>()> make) {
  return std::make_shared<Held>(std::move(shape), std::move(make));
}

/// The elements of another array in another order, or some of them many times: element i is the one
/// at `start` and the offset that strides of the other array give for the indices of i.
class Gathered final : public Computed {
 public:
  Gathered(Shape shape, ComputedPtr from, std::vector<std::size_t> strides, std::size_t start = 0)
      : Computed(std::move(shape)), from_(std::move(from)), strides_(std::move(strides)),
        start_(start) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    if (from_->size() == 1) {
      std::fill_n(to, count, from_->at(0));
      return;
    }
    if (!elements_) elements_ = values_of(*from_).elements;
    const std::size_t rank = strides_.size();
    std::vector<std::size_t> at(rank);
    std::size_t offset = start_;
    for (std::size_t d = rank, rest = first; d-- > 0; rest /= shape()[d]) {
      at[d] = rest % shape()[d];
      offset += at[d] * strides_[d];
    }
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = (*elements_)[offset];
      for (std::size_t d = rank; d-- > 0;) {
        offset += strides_[d];
        if (++at[d] < shape()[d]) break;
        offset -= strides_[d] * at[d];
        at[d] = 0;
      }
    }
  }
  ComputedPtr from_;
  std::vector<std::size_t> strides_;
  std::size_t start_;
  mutable std::optional<std::vector<double>> elements_;
};

Shape broadcast_shape(char op, const Computed& a, const Computed& b) {
  Shape shape(std::max(a.shape().size(), b.shape().size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {  // d counts from the last dimension
    const std::size_t da = d < a.shape().size() ? a.shape()[a.shape().size() - 1 - d] : 1;
    const std::size_t db = d < b.shape().size() ? b.shape()[b.shape().size() - 1 - d] : 1;
    if (da != db && da != 1 && db != 1) {
      throw ArrayError("\"" + std::string(1, op) + "\" cannot be applied to arrays of shapes " +
                       shapes_text(a, b) + "; dimensions must be equal or 1");
    }
    shape[shape.size() - 1 - d] = da == 1 ? db : da;
  }
  return shape;
}

template <class Operation>
class Unary final : public Computed {
 public:
  Unary(ComputedPtr a, Operation operation)
      : Computed(a->shape()), a_(std::move(a)), operation_(operation) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    a_->read(first, count, to);
    for (std::size_t i = 0; i < count; ++i) to[i] = operation_(to[i]);
  }
  ComputedPtr a_;
  Operation operation_;
};

template <class Operation>
ComputedPtr unary(ComputedPtr a, Operation operation) {
  return std::make_shared<Unary<Operation>>(std::move(a), operation);
}

/// Both sides have the same shape.
template <class Operation>
class Binary final : public Computed {
 public:
  Binary(ComputedPtr a, ComputedPtr b, Operation operation)
      : Computed(a->shape()), a_(std::move(a)), b_(std::move(b)), operation_(operation) {}

 private:
  void compute(std::size_t first, std::size_t count, double* to) const override {
    Piece right;
    a_->read(first, count, to);
    b_->read(first, count, right.data());
    for (std::size_t i = 0; i < count; ++i) to[i] = operation_(to[i], right[i]);
  }
  ComputedPtr a_;
  ComputedPtr b_;
  Operation operation_;
};

template <class Operation>
ComputedPtr binary(ComputedPtr a, ComputedPtr b, Operation operation) {
  return std::make_shared<Binary<Operation>>(std::move(a), std::move(b), operation);
}

/// result[i][j] = sum over k of left[i][k] * right[k][j], k rising. The smaller side is held, the
/// larger one read row by row.
std::vector<double> product(const Computed& left, const Computed& right, std::size_t rows,
                            std::size_t inner, std::size_t columns) {
  std::vector<double> result(rows * columns);
  const auto add = [&](std::size_t i, double factor, const double* row) {
    for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] += factor * row[j];
  };
  if (left.size() >= right.size()) {
    const std::vector<double> held = values_of(right).elements;
    std::vector<double> row(inner);
    for (std::size_t i = 0; i < rows; ++i) {
      left.read(i * inner, inner, row.data());
      for (std::size_t k = 0; k < inner; ++k) add(i, row[k], held.data() + k * columns);
    }
    return result;
  }
  const std::vector<double> held = values_of(left).elements;
  std::vector<double> row(columns);
  for (std::size_t k = 0; k < inner; ++k) {
    right.read(k * columns, columns, row.data());
    for (std::size_t i = 0; i < rows; ++i) add(i, held[i * inner + k], row.data());
  }
  return result;
}

/// Sums of an array [outer][length][inner] along its middle.
std::vector<double> sums(const Computed& a, std::size_t count, std::size_t length,
                         std::size_t inner) {
  std::vector<double> result(count);
  std::size_t base = 0;  // where the sums of the present [length][inner] block begin in the result
  std::size_t l = 0;
  std::size_t j = 0;
  a.for_each_piece([&](std::size_t, std::size_t present, const double* elements) {
    for (std::size_t i = 0; i < present; ++i) {
      result[base + j] += elements[i];
      if (++j < inner) continue;
      j = 0;
      if (++l < length) continue;
      l = 0;
      base += inner;
    }
  });
  return result;
}

}  // namespace

ComputedPtr broadcast(ComputedPtr a, const Shape& to) {
  if (a->shape() == to) return a;
  require_holdable(*a);
  const Shape& from = a->shape();
  std::vector<std::size_t> strides(to.size(), 0);
  std::size_t stride = 1;
  for (std::size_t d = 0; d < from.size(); ++d) {  // from the last dimension
    const std::size_t size = from[from.size() - 1 - d];
    if (size != 1) strides[to.size() - 1 - d] = stride;
    stride *= size;
  }
  return std::make_shared<Gathered>(to, std::move(a), std::move(strides));
}

ComputedPtr elementwise(char op, ComputedPtr a, ComputedPtr b) {
  const Shape shape = broadcast_shape(op, *a, *b);
  require_at_most(kMaxElements, "the result", shape);
  a = broadcast(std::move(a), shape);
  b = broadcast(std::move(b), shape);
  switch (op) {
  case '+':
    return binary(std::move(a), std::move(b), [](double x, double y) { return x + y; });
  case '-':
    return binary(std::move(a), std::move(b), [](double x, double y) { return x - y; });
  case '*':
    return binary(std::move(a), std::move(b), [](double x, double y) { return x * y; });
  default:
    return binary(std::move(a), std::move(b), [](double x, double y) { return x / y; });
  }
}

ComputedPtr matmul(const ComputedPtr& a, const ComputedPtr& b) {
  const std::size_t rank_a = a->shape().size();
  const std::size_t rank_b = b->shape().size();
  if (rank_a < 1 || rank_a > 2 || rank_b < 1 || rank_b > 2) {
    throw ArrayError("\"@\" needs arrays of rank 1 or 2, but the shapes are " +
                     shapes_text(*a, *b));
  }
  const std::size_t inner = a->shape().back();
  if (inner != b->shape().front()) {
    throw ArrayError("\"@\" cannot be applied to arrays of shapes " + shapes_text(*a, *b) +
                     "; the last dimension of the left must equal the first of the right");
  }
  const std::size_t rows = rank_a == 2 ? a->shape()[0] : 1;
  const std::size_t columns = rank_b == 2 ? b->shape()[1] : 1;
  Shape shape;
  if (rank_a == 2) shape.push_back(rows);
  if (rank_b == 2) shape.push_back(columns);
  require_holdable(a->size() < b->size() ? *a : *b);
  return held(holdable_result(std::move(shape)),
              [=] { return product(*a, *b, rows, inner, columns); });
}

ComputedPtr negated(ComputedPtr a) {
  return unary(std::move(a), [](double x) { return -x; });
}

ComputedPtr absolute(ComputedPtr a) {
  return unary(std::move(a), [](double x) { return std::abs(x); });
}

ComputedPtr sum(ComputedPtr a) {
  return held({}, [a = std::move(a)] { return sums(*a, 1, a->size(), 1); });
}

ComputedPtr sum(const ComputedPtr& a, std::ptrdiff_t axis) {
  const auto rank = static_cast<std::ptrdiff_t>(a->shape().size());
  if (axis < -rank || axis >= rank) {
    throw ArrayError("the axis " + std::to_string(axis) + " does not exist in an array of shape " +
                     to_string(a->shape()));
  }
  const std::ptrdiff_t d = axis < 0 ? axis + rank : axis;
  Shape shape = a->shape();
  const std::size_t length = shape[static_cast<std::size_t>(d)];
  const std::size_t inner =
      std::accumulate(shape.begin() + d + 1, shape.end(), std::size_t{1}, std::multiplies<>());
  shape.erase(shape.begin() + d);
  const std::size_t count = element_count(holdable_result(shape));
  return held(std::move(shape), [=] { return sums(*a, count, length, inner); });
}

ComputedPtr largest(ComputedPtr a) {
  return held({}, [a = std::move(a)] {
    double result = -std::numeric_limits<double>::infinity();
    a->for_each_piece([&](std::size_t, std::size_t count, const double* elements) {
      for (std::size_t i = 0; i < count; ++i) {
        // A NaN that is the result already stays: no comparison with it holds.
        if (std::isnan(elements[i]) || elements[i] > result) result = elements[i];
      }
    });
    return std::vector<double>{result};
  });
}

ComputedPtr transpose(const ComputedPtr& a) {
  require_holdable(*a);
  const Shape& from = a->shape();
  std::vector<std::size_t> strides(from.size(), 1);
  for (std::size_t d = 1; d < strides.size(); ++d) {  // reversed C strides
    strides[d] = strides[d - 1] * from[from.size() - d];
  }
  return std::make_shared<Gathered>(Shape(from.rbegin(), from.rend()), a, std::move(strides));
}

ComputedPtr slice(const ComputedPtr& a, const std::vector<Range>& ranges) {
  require_holdable(*a);
  const Shape& from = a->shape();
  if (ranges.size() > from.size()) {
    throw ArrayError("an array of shape " + to_string(from) + " has fewer dimensions than the " +
                     std::to_string(ranges.size()) + " of the slice");
  }
  Shape shape;
  std::vector<std::size_t> strides;
  std::size_t start = 0;
  std::size_t stride = a->size();
  for (std::size_t d = 0; d < from.size(); ++d) {
    const auto size = static_cast<std::ptrdiff_t>(from[d]);
    const Range range = d < ranges.size() ? ranges[d] : Range{};
    const auto from_start = [size](std::ptrdiff_t i) { return i < 0 ? i + size : i; };
    const std::ptrdiff_t first = from_start(range.first.value_or(0));
    const std::ptrdiff_t last = range.alone ? first + 1 : from_start(range.last.value_or(size));
    if (first < 0 || first >= last || last > size) {
      throw ArrayError("the slice takes elements " + std::to_string(first) + " up to " +
                       std::to_string(last) + " of dimension " + std::to_string(d) +
                       " of an array of shape " + to_string(from) +
                       "; there must be at least one, and all must exist");
    }
    stride /= from[d];
    start += static_cast<std::size_t>(first) * stride;
    if (range.alone) continue;
    shape.push_back(static_cast<std::size_t>(last - first));
    strides.push_back(stride);
  }
  return std::make_shared<Gathered>(std::move(shape), a, std::move(strides), start);
}

ComputedPtr reshape(ComputedPtr a, Shape shape) {
  require_at_most(kMaxElements, "the result", shape);
  const std::size_t count = element_count(shape);
  if (count != a->size()) {
    throw ArrayError("an array of shape " + to_string(a->shape()) + " with " +
                     std::to_string(a->size()) + " elements cannot be reshaped to " +
                     to_string(shape) + " with " + std::to_string(count));
  }
  class Reshaped final : public Computed {
   public:
    Reshaped(Shape to, ComputedPtr from) : Computed(std::move(to)), from_(std::move(from)) {}

   private:
    void compute(std::size_t first, std::size_t present, double* to) const override {
      from_->read(first, present, to);
    }
    ComputedPtr from_;
  };
  return std::make_shared<Reshaped>(std::move(shape), std::move(a));
}

}  // namespace tessera::data
