#include "models/cluster/program/tile_operation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// What 64 bits do not hold stays at the largest or least number: addresses never wrap around into an
// array. What has got there may come back; ClusterData refuses everything far away on the way.
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? kMost : -kMost;
}
std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? kMost : -kMost;
}

/// Cut off to a whole number; what is beyond 64 bits becomes the largest or least one, NaN 0.
std::int64_t whole(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (std::isnan(number)) return 0;
  if (number >= kBeyond) return kMost;
  return number < -kBeyond ? std::numeric_limits<std::int64_t>::min()
                           : static_cast<std::int64_t>(number);
}

class Resolver {
 public:
  explicit Resolver(const std::vector<std::int64_t>& registers) : registers_(registers) {}

  ResolvedOperand resolve(const TileOperand& from) const {
    ResolvedOperand to;
    to.access = from.access;
    to.location = from.location;
    to.holder = from.holder;
    to.element = from.element;
    to.array = from.array;
    to.address = add(in_bytes(at(from.address), from), at(from.number));
    if (from.location == Location::kGm) {
      resolve_array(from, to);
    } else {
      to.dimensions = 2;
      to.sizes = {at(from.rows), at(from.columns)};
      to.strides = {from.row_stride, 1};
      if (from.by_columns) std::swap(to.strides[0], to.strides[1]);
    }
    if (from.boxes.rows > 0) return set_boxed_span(from.boxes, to);
    set_span(to);
    return to;
  }

  std::int64_t at(Operand o) const {
    return o.is_register ? registers_[static_cast<std::size_t>(o.value)] : o.value;
  }

 private:
  std::int64_t at(const Offset& offset) const {
    std::int64_t sum = offset.base;
    for (const Offset::Product& p : offset.products) {
      const std::int64_t product = multiply(at(p.a), at(p.b));
      if (product == kMost || product == -kMost) return product;
      sum = add(sum, product);
    }
    return sum;
  }
  static std::int64_t in_bytes(std::int64_t offset, const TileOperand& of) {
    return of.location == Location::kGm ? multiply(offset, bits_of(of.element)) / 8 : offset;
  }
  void resolve_array(const TileOperand& from, ResolvedOperand& to) const {
    to.dimensions = static_cast<std::uint8_t>(from.dimensions.size());
    for (std::size_t d = 0; d < from.dimensions.size(); ++d) {
      to.sizes[d] = at(from.dimensions[d].size);
      to.strides[d] = at(from.dimensions[d].stride);
    }
    std::int64_t last = at(from.view_address);
    for (std::size_t d = 0; d < from.view.size(); ++d) {
      to.view_sizes[d] = at(from.view[d].size);
      const std::int64_t steps = std::max<std::int64_t>(add(to.view_sizes[d], -1), 0);
      last = add(last, multiply(steps, at(from.view[d].stride)));
    }
    to.view_size = multiply(add(last, 1), bits_of(from.element)) / 8;
  }
  static ResolvedOperand set_boxed_span(const Boxes& boxes, ResolvedOperand& o) {
    o.boxes = &boxes;
    o.first = o.address;
    if (o.sizes[0] <= 0 || o.sizes[1] <= 0) return o;
    const std::int64_t low = boxes.at(0, 0), high = boxes.at(o.sizes[0] - 1, o.sizes[1] - 1);
    o.first = add(o.address, multiply(low, bits_of(o.element)) / 8);
    o.bytes = (multiply(high - low + 1, bits_of(o.element)) + 7) / 8;
    return o;
  }
  // From the lowest to the highest element.
  static void set_span(ResolvedOperand& o) {
    std::int64_t low = 0, high = 0;
    o.first = o.address;
    for (unsigned d = 0; d < o.dimensions; ++d) {
      if (o.sizes[d] <= 0) return;
      const std::int64_t reach = multiply(o.sizes[d] - 1, o.strides[d]);
      low = std::min(low, add(low, reach));
      high = std::max(high, add(high, reach));
    }
    o.first = add(o.address, multiply(low, bits_of(o.element)) / 8);
    o.bytes = add(multiply(add(add(high, -low), 1), bits_of(o.element)), 7) / 8;
  }

  const std::vector<std::int64_t>& registers_;
};

}  // namespace

void Offset::add(Operand a, Operand b) {
  std::int64_t product = 0, sum = 0;
  const bool known = !a.is_register && !b.is_register;
  if (known && !__builtin_mul_overflow(a.value, b.value, &product) &&
      !__builtin_add_overflow(base, product, &sum))
    base = sum;
  else
    products.push_back({a, b});
}

unsigned input_count(const TileOperation& operation) {
  using F = TileFunction;
  const F function = operation.function;
  const auto is = [function](std::initializer_list<F> list) {
    return std::find(list.begin(), list.end(), function) != list.end();
  };
  const bool has_scalar = !operation.scalars.empty();
  if (is({F::kNone, F::kFill, F::kSequence, F::kTriangle, F::kRandom, F::kNoValues,
          F::kVectorFunction}))
    return 0;
  if (is({F::kMapAdd})) return has_scalar ? 2 : 3;
  if (is({F::kMap})) return has_scalar || operation.arithmetic >= Arithmetic::kNeg ? 1 : 2;
  if (is({F::kCompare, F::kFixScale})) return has_scalar ? 1 : 2;
  if (is({F::kQuantize, F::kDequantize, F::kMergeLists, F::kRearrange, F::kGatherCompare}))
    return operation.inputs;
  if (is({F::kPartArg, F::kMatmulMx})) return 4;
  if (is({F::kMatmulMxAdd, F::kMatmulMxBias})) return 5;
  if (is({F::kMatmulAdd, F::kMatmulBias, F::kSelect, F::kScatter})) return 3;
  return is({F::kMatmul, F::kRowMap, F::kColumnMap, F::kSelectTile, F::kGather, F::kSort32,
             F::kConcat, F::kPart, F::kMultiplyAdd, F::kMapConvert, F::kSelectScalar,
             F::kGatherBlocks, F::kHistogram, F::kGatherTable, F::kScatterTable})
             ? 2
             : 1;
}

void resolve(const TileOperation& operation, const std::vector<std::int64_t>& registers,
             ResolvedOperation& result) {
  const Resolver resolver(registers);
  result.count = static_cast<std::uint8_t>(operation.operands.size());
  for (std::size_t i = 0; i < operation.operands.size(); ++i)
    result.operands[i] = resolver.resolve(operation.operands[i]);
  for (std::size_t i = 0; i < operation.scalars.size(); ++i) {
    const TileScalar& scalar = operation.scalars[i];
    const std::int64_t integer = resolver.at(scalar.integer);
    const bool real = scalar.is_number || scalar.is_real;
    const double number = scalar.is_number ? scalar.number : real_of(integer);
    result.numbers[i] = real ? number : static_cast<double>(integer);
    result.integers[i] = real ? whole(number) : integer;
  }
}

}  // namespace tessera::cluster
