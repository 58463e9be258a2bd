#include "models/cluster/values/tile_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "models/cluster/program/program.h"
#include "models/cluster/values/fix_scale.h"
#include "models/cluster/values/products.h"
#include "models/cluster/values/reductions.h"
#include "models/cluster/values/special_functions.h"

namespace tessera::cluster {

namespace {

/// One operation: its operands as the functions below need them.
class Computation {
 public:
  Computation(const TileOperation& operation, const ResolvedOperation& resolved,
              const std::vector<TileValues>& inputs)
      : op_(operation), r_(resolved), in_(inputs),
        out_(resolved.operands[resolved.count - 1U].element) {
    const ResolvedOperand& result = resolved.operands[resolved.count - 1U];
    columns_ = static_cast<std::size_t>(result.sizes[result.dimensions - 1U]);
    rows_ = 1;
    for (unsigned d = 0; d + 1 < result.dimensions; ++d)
      rows_ *= static_cast<std::size_t>(result.sizes[d]);
    const Element type = in_.empty() ? out_ : a().element;
    integer_ = to_integer(resolved.integers[0], type, false);
    const bool is_number = !op_.scalars.empty() && op_.scalars[0].is_number;
    number_ = is_float(type) ? rounded(resolved.numbers[0], type)
              : is_number    ? resolved.numbers[0]
                             : static_cast<double>(integer_);
  }

  TileValues run() const;

 private:
  const TileValues& a() const { return in_[0]; }
  const TileValues& b() const { return in_[1]; }
  bool on_floats() const { return is_float(a().element); }
  FactorRounding factors() const { return {op_.mantissa, op_.rounding == Rounding::kNearestAway}; }
  /// Calls `work(row, column, element)` for every element of a tile.
  template <class Work>
  static void for_each(const TileValues& tile, Work work) {
    for (std::size_t r = 0, i = 0; r < tile.rows; ++r)
      for (std::size_t c = 0; c < tile.columns; ++c) work(r, c, i++);
  }
  TileValues zeros(std::size_t rows, std::size_t columns) const {
    return TileValues::zeros(in_.empty() ? out_ : a().element, rows, columns);
  }

  /// to[i] = arithmetic(a[i], b[j]) with b from an input or the scalar.
  void combine(TileValues& to, std::size_t i, std::size_t from, const TileValues* b,
               std::size_t j) const {
    if (on_floats()) {
      double x = a().numbers[from], y = b == nullptr ? number_ : b->number(j);
      if (op_.scalar_first) std::swap(x, y);
      // exp(a - b) is a subtraction and an exponential: the difference has the type of the tile.
      to.numbers[i] = op_.arithmetic == Arithmetic::kExpDif ? std::exp(rounded(x - y, a().element))
                                                            : apply(op_.arithmetic, x, y);
    } else {
      std::int64_t x = a().integers[from];
      std::int64_t y = b == nullptr ? integer_ : b->integers[j];
      if (op_.scalar_first) std::swap(x, y);
      to.integers[i] = op_.is_unsigned ? apply_unsigned(op_.arithmetic, x, y)
                                       : apply(op_.arithmetic, x, y, a().element);
    }
  }
  bool bit(const TileValues& mask, std::size_t r, std::size_t c) const {
    const std::size_t bits = bits_of(mask.element), n = c / bits;
    return n < mask.columns && (mask.integers[r * mask.columns + n] >> (c % bits) & 1) != 0;
  }

  TileValues map() const;
  TileValues broadcast(bool by_row, bool maps) const;
  TileValues fill(bool sequence) const;
  TileValues compare() const;
  TileValues select() const;
  TileValues fill_pad() const;
  TileValues transpose() const;
  double of_row(const TileValues& once, std::size_t row) const;
  TileValues concat() const;
  TileValues part() const;
  TileValues part_arguments() const;
  TileValues map_convert() const;
  TileValues multiply_add() const;
  TileValues map_add() const;
  TileValues argument(bool by_row) const;
  TileValues triangle() const;
  TileValues quantize() const;
  TileValues dequantize() const;
  std::int64_t fix_scale() const;

  const TileOperation& op_;
  const ResolvedOperation& r_;
  const std::vector<TileValues>& in_;
  const Element out_;
  std::size_t rows_ = 0, columns_ = 0;
  double number_ = 0;  // the scalar, which has the type of the tile
  std::int64_t integer_ = 0;
};

TileValues Computation::map() const {
  const std::size_t inputs = in_.size();
  TileValues to = zeros(std::min(rows_, a().rows), std::min(columns_, a().columns));
  if (inputs == 2) {
    to.rows = std::min(to.rows, b().rows);
    to.columns = std::min(to.columns, b().columns);
  }
  if (on_floats() && (inputs == 2 ? is_float(b().element) : !op_.scalars.empty())) {
    for (std::size_t r = 0; r < to.rows; ++r) {
      const double* x = a().numbers.data() + r * a().columns;
      const double* y = inputs == 2 ? b().numbers.data() + r * b().columns : &number_;
      std::size_t x_step = 1, y_step = inputs == 2 ? 1 : 0;
      if (op_.scalar_first) std::swap(x, y), std::swap(x_step, y_step);
      apply(op_.arithmetic, x, x_step, y, y_step, to.columns, to.numbers.data() + r * to.columns);
    }
    return to;
  }
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const std::size_t from = r * a().columns + c;
    if (inputs == 2)
      combine(to, i, from, &b(), r * b().columns + c);
    else if (!op_.scalars.empty())
      combine(to, i, from, nullptr, 0);
    else if (on_floats())
      to.numbers[i] = op_.by_root ? 1 / rounded(std::sqrt(a().numbers[from]), out_)
                                  : apply(op_.arithmetic, a().numbers[from]);
    else
      to.integers[i] = apply(op_.arithmetic, a().integers[from]);
  });
  return to;
}

// Spreads an operand that has one value for each row or column of the result. The values stand in a
// column, or a row, or one after the other. Rows of 32 bytes are a block each, which repeats along the
// row.
TileValues Computation::broadcast(bool by_row, bool maps) const {
  const TileValues& once = maps ? b() : a();
  TileValues to = zeros(maps ? std::min(rows_, a().rows) : rows_,
                        maps ? std::min(columns_, a().columns) : columns_);
  const std::size_t step = by_row && once.rows > 1 ? once.columns : 1;
  const bool is_block =
      by_row && maps && once.rows == to.rows && once.columns * bits_of(once.element) == 256;
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const std::size_t from = (by_row ? r : c) * step + (is_block ? c % once.columns : 0);
    if (from >= once.size()) return;
    maps ? combine(to, i, r * a().columns + c, &once, from) : to.set(i, once, from);
  });
  return to;
}

TileValues Computation::fill(bool sequence) const {
  TileValues to = TileValues::zeros(out_, rows_, columns_);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto step = static_cast<std::int64_t>(sequence ? i : 0) * (op_.descends ? -1 : 1);
    if (is_float(out_))
      to.numbers[i] = r_.numbers[0] + static_cast<double>(step);
    else
      to.integers[i] = r_.integers[0] + step;
  }
  return to;
}

bool compares(Predicate predicate, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return predicate == Predicate::kNotEqual;
  return holds(predicate, std::int64_t{a > b} - std::int64_t{a < b}, 0);
}

// A byte of the result has the bits of eight elements, from the lowest bit on.
TileValues Computation::compare() const {
  const auto predicate = static_cast<Predicate>(op_.predicate);
  TileValues to = TileValues::zeros(Element::kU8, std::min(rows_, a().rows), (a().columns + 7) / 8);
  const bool scalar = in_.size() < 2;
  const bool exact = bits_of(a().element) == 64;  // numbers that a double does not hold
  for_each(a(), [&](std::size_t r, std::size_t c, std::size_t i) {
    if (r >= to.rows) return;
    const bool there = !scalar && r < b().rows && c < b().columns;
    if (exact) {
      const std::int64_t with = scalar ? integer_ : there ? b().integers[r * b().columns + c] : 0;
      if (holds(predicate, a().integers[i], with))
        to.integers[r * to.columns + c / 8] |= std::int64_t{1} << (c % 8);
      return;
    }
    const double y = scalar ? number_ : there ? b().number(r * b().columns + c) : 0;
    if (compares(predicate, a().number(i), y))
      to.integers[r * to.columns + c / 8] |= std::int64_t{1} << (c % 8);
  });
  return to;
}

TileValues Computation::select() const {
  const TileValues& yes = in_[1];
  const TileValues* const no = in_.size() > 2 ? &in_[2] : nullptr;  // otherwise the scalar
  TileValues to = TileValues::zeros(yes.element, std::min({rows_, yes.rows, a().rows}),
                                    std::min(columns_, yes.columns));
  if (no != nullptr) {
    to.rows = std::min(to.rows, no->rows);
    to.columns = std::min(to.columns, no->columns);
  }
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const bool set = bit(a(), r, c);
    if (set || no != nullptr)
      to.set(i, set ? yes : *no, r * (set ? yes : *no).columns + c);
    else if (is_float(to.element))
      to.numbers[i] = r_.numbers[0];
    else
      to.integers[i] = r_.integers[0];
  });
  return to;
}

TileValues Computation::fill_pad() const {
  TileValues to = zeros(rows_, columns_);
  const double pad = op_.pad == Pad::kLargest ? extreme(a().element, true)
                     : op_.pad == Pad::kLeast ? extreme(a().element, false)
                                              : 0;
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    if (r < a().rows && c < a().columns)
      to.set(i, a(), r * a().columns + c);
    else if (on_floats())
      to.numbers[i] = pad;
    else
      to.integers[i] = to_integer(pad, a().element, Rounding::kDefault, true);
  });
  return to;
}

TileValues Computation::transpose() const {
  TileValues to = zeros(std::min(rows_, a().columns), std::min(columns_, a().rows));
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    to.set(i, a(), c * a().columns + r);
  });
  return to;
}

// The value for row `row` of an operand that has one for each row, as in broadcast().
double Computation::of_row(const TileValues& once, std::size_t row) const {
  return once.numbers[row * (once.rows > 1 ? once.columns : 1)];
}

TileValues Computation::concat() const {
  TileValues to = zeros(std::min(rows_, a().rows), std::min(columns_, a().columns + b().columns));
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const bool first = c < a().columns;
    const TileValues& from = first ? a() : b();
    if (r < from.rows) to.set(i, from, r * from.columns + (first ? c : c - a().columns));
  });
  return to;
}

TileValues Computation::part() const {
  TileValues to = zeros(rows_, columns_);
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const bool in_a = r < a().rows && c < a().columns, in_b = r < b().rows && c < b().columns;
    const std::size_t j = r * b().columns + c;
    if (in_a && in_b)
      combine(to, i, r * a().columns + c, &b(), j);
    else if (in_a || in_b)
      to.set(i, in_a ? a() : b(), in_a ? r * a().columns + c : j);
  });
  return to;
}

// If both elements are equal, the second one counts.
TileValues Computation::part_arguments() const {
  TileValues value = zeros(rows_, columns_);
  TileValues to = TileValues::zeros(in_[2].element, rows_, columns_);
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const bool in_a = r < a().rows && c < a().columns, in_b = r < b().rows && c < b().columns;
    if (!in_a && !in_b) return;
    const std::size_t j = r * a().columns + c, k = r * b().columns + c;
    const bool above = in_a && in_b && a().number(j) > b().number(k);
    const bool below = in_a && in_b && a().number(j) < b().number(k);
    const bool first = in_a && (!in_b || (op_.arithmetic == Arithmetic::kMax ? above : below));
    value.set(i, first ? a() : b(), first ? j : k);
    to.set(i, first ? in_[2] : in_[3], first ? j : k);
  });
  to.more.push_back(std::move(value));
  return to;
}

// Sums are exact. A scaled result is limited to the largest number of f16.
TileValues Computation::map_convert() const {
  constexpr double kLargestHalf = 65504;
  const bool scales = !op_.scalars.empty();
  TileValues to =
      TileValues::zeros(scales ? Element::kF32 : a().element, std::min({rows_, a().rows, b().rows}),
                        std::min({columns_, a().columns, b().columns}));
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const std::size_t from = r * a().columns + c, j = r * b().columns + c;
    if (scales) {
      const double x = apply(op_.arithmetic, a().number(from), b().number(j)) * r_.numbers[0];
      to.numbers[i] = std::clamp(x, -kLargestHalf, kLargestHalf);
    } else {
      combine(to, i, from, &b(), j);
    }
  });
  return to;
}

// Computes in f32; a narrower type is rounded to once more.
TileValues Computation::multiply_add() const {
  TileValues to = b();
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    if (r >= a().rows || c >= a().columns) return;
    const double product = a().number(r * a().columns + c) * number_;
    if (is_float(to.element))
      to.numbers[i] = rounded(to.numbers[i] + product, Element::kF32);
    else
      to.integers[i] += static_cast<std::int64_t>(product);
  });
  return to;
}

TileValues Computation::map_add() const {
  const TileValues& added = in_.back();
  TileValues to = zeros(std::min(rows_, a().rows), std::min(columns_, a().columns));
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const bool has_scalar = in_.size() == 2;
    combine(to, i, r * a().columns + c, has_scalar ? nullptr : &b(),
            has_scalar ? 0 : r * b().columns + c);
    const std::size_t j = r * added.columns + c;
    if (j >= added.size()) return;
    if (on_floats())
      to.numbers[i] = rounded(to.numbers[i], a().element) + added.numbers[j];
    else
      to.integers[i] += added.integers[j];
  });
  return to;
}

// If several elements are equal, the first one counts.
TileValues Computation::argument(bool by_row) const {
  const std::size_t outer = by_row ? a().rows : a().columns;
  const std::size_t inner = by_row ? a().columns : a().rows;
  if (inner == 0 && outer > 0)
    throw std::length_error(std::string("a ") + (by_row ? "row" : "column") +
                            " without elements has no extreme");
  TileValues to = TileValues::zeros(out_, by_row ? outer : 1, by_row ? 1 : outer);
  TileValues value = zeros(to.rows, to.columns);
  for (std::size_t o = 0; o < outer; ++o) {
    const auto at = [&](std::size_t k) {
      return a().number(by_row ? o * inner + k : k * outer + o);
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < inner; ++k)
      if (op_.arithmetic == Arithmetic::kMax ? at(k) > at(best) : at(k) < at(best)) best = k;
    to.integers[o] = static_cast<std::int64_t>(best);
    if (op_.results > 1) value.set(o, a(), by_row ? o * inner + best : best * outer + o);
  }
  if (op_.results > 1) to.more.push_back(std::move(value));
  return to;
}

TileValues Computation::triangle() const {
  TileValues to = TileValues::zeros(out_, rows_, columns_);
  const std::int64_t diagonal = r_.integers[0];
  for_each(to, [&](std::size_t r, std::size_t c, std::size_t i) {
    const auto apart = static_cast<std::int64_t>(c) - static_cast<std::int64_t>(r);
    if (op_.descends ? apart < diagonal : apart > diagonal) return;
    if (is_float(out_))
      to.numbers[i] = 1;
    else
      to.integers[i] = 1;
  });
  return to;
}

// Rounds to f32 after each step, then to the integer.
TileValues Computation::quantize() const {
  TileValues to = a();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t row = i / to.columns;
    double& x = to.numbers[i];
    x = rounded(x * of_row(b(), row), Element::kF32);
    if (in_.size() > 2) x = rounded(x + of_row(in_[2], row), Element::kF32);
  }
  return to;
}

TileValues Computation::dequantize() const {
  TileValues to = TileValues::zeros(Element::kF32, a().rows, a().columns);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t row = i / to.columns;
    const double offset = in_.size() > 2 ? of_row(in_[2], row) : 0;
    to.numbers[i] = rounded(a().number(i) - offset, Element::kF32) * of_row(b(), row);
  }
  return to;
}

// The number of kFixScale. A real number is the factor, and the result has the sign of its type.
std::int64_t Computation::fix_scale() const {
  const TileScalar& scale = op_.scalars[0];
  if (!scale.is_number && !scale.is_real) return r_.integers[0];
  constexpr std::int64_t kSigned = std::int64_t{1} << 46;
  return std::int64_t{bit_cast<std::uint32_t>(static_cast<float>(r_.numbers[0]))} |
         (out_ == Element::kI8 ? kSigned : 0);
}

TileValues Computation::run() const {
  using F = TileFunction;
  const F f = op_.function;
  if (is_special(f)) return compute_special(op_, r_, in_);
  if (f == F::kMatmul) return matmul(a(), b(), nullptr, false, factors());
  if (f == F::kMatmulAdd) return matmul(in_[1], in_[2], &a(), false, factors());
  if (f == F::kMatmulBias) return matmul(a(), b(), &in_[2], true, factors());
  if (f == F::kMatmulMx) return matmul_mx(a(), b(), in_[2], in_[3], nullptr, false);
  if (f == F::kMatmulMxAdd) return matmul_mx(in_[1], in_[2], in_[3], in_[4], &a(), false);
  if (f == F::kMatmulMxBias) return matmul_mx(a(), b(), in_[2], in_[3], &in_[4], true);
  if (f == F::kMap) return map();
  if (f == F::kFill || f == F::kSequence) return fill(f == F::kSequence);
  if (f == F::kRowReduce) return reduce_rows(a(), op_.arithmetic, op_.form);
  if (f == F::kColumnReduce) return reduce_columns(a(), op_.arithmetic, op_.form);
  if (f == F::kRowExpand || f == F::kColumnExpand) return broadcast(f == F::kRowExpand, false);
  if (f == F::kRowMap || f == F::kColumnMap) return broadcast(f == F::kRowMap, true);
  if (f == F::kCompare) return compare();
  if (f == F::kSelect || f == F::kSelectScalar) return select();
  if (f == F::kMapConvert) return map_convert();
  if (f == F::kPairSum) return pair_sums(a());
  if (f == F::kRearrange) return rearrange(in_, *op_.rearrangement, rows_, columns_, op_.results);
  if (f == F::kPartArg) return part_arguments();
  if (f == F::kSelectTile) return r_.integers[0] != 0 ? a() : b();
  if (f == F::kFillPad) return fill_pad();
  if (f == F::kTranspose) return transpose();
  if (f == F::kConcat) return concat();
  if (f == F::kPart) return part();
  if (f == F::kMultiplyAdd) return multiply_add();
  if (f == F::kMapAdd) return map_add();
  if (f == F::kRowArg || f == F::kColumnArg) return argument(f == F::kRowArg);
  if (f == F::kTriangle) return triangle();
  if (f == F::kQuantize) return quantize();
  if (f == F::kDequantize) return dequantize();
  if (f == F::kGather) return gather(a(), b(), static_cast<std::size_t>(r_.operands[0].strides[0]));
  if (f == F::kGatherMask)
    return gather(a(), op_.mask, out_, rows_, op_.mask.by_rows ? a().columns : columns_);
  if (f == F::kGatherBlocks)
    return gather_blocks(a(), b(), static_cast<std::size_t>(r_.operands[0].strides[0]));
  if (f == F::kScatter)  // both libraries fill the result with 0 first
    return scatter(a(), b(), TileValues::zeros(in_[2].element, in_[2].rows, in_[2].columns),
                   static_cast<std::size_t>(r_.operands[2].strides[0]));
  if (f == F::kScatterMask) return scatter(a(), op_.mask, rows_, columns_);
  if (f == F::kSort32) return sort32(a(), b());
  if (f == F::kMergeBlocks) return merge_blocks(a(), r_.integers[0]);
  if (f == F::kMergeLists) return merge_lists(in_, op_.exhausts, columns_);
  if (f == F::kFixScale)
    return scaled_by_fix(a(), in_.size() > 1 ? b().integers : std::vector{fix_scale()}, out_,
                         {op_.relu, op_.shifts});
  return a();
}

constexpr std::int64_t kSignBit = std::numeric_limits<std::int64_t>::min();

/// Unsigned integers of 64 bits in the order that signed ones have: the sign bit turned, and turned back in the result.
TileValues in_order(TileOperation operation, ResolvedOperation resolved,
                    std::vector<TileValues> inputs) {
  operation.is_unsigned = false;
  for (TileValues& in : inputs)
    for (std::int64_t& x : in.integers) x ^= kSignBit;
  for (std::int64_t& x : resolved.integers) x ^= kSignBit;
  TileValues result = Computation(operation, resolved, inputs).run();
  if (operation.function != TileFunction::kCompare)
    for (std::int64_t& x : result.integers) x ^= kSignBit;
  return result;
}

}  // namespace

TileValues compute(const TileOperation& operation, const ResolvedOperation& resolved,
                   const std::vector<TileValues>& inputs) {
  const Element out = resolved.operands[resolved.count - 1U].element;
  const bool by_order = operation.is_unsigned && (operation.function == TileFunction::kCompare ||
                                                  operation.arithmetic == Arithmetic::kMax ||
                                                  operation.arithmetic == Arithmetic::kMin);
  TileValues result = by_order ? in_order(operation, resolved, inputs)
                               : Computation(operation, resolved, inputs).run();
  if (operation.relu && operation.function != TileFunction::kFixScale) {
    for (double& x : result.numbers) x = apply(Arithmetic::kRelu, x);
    for (std::int64_t& x : result.integers) x = std::max<std::int64_t>(x, 0);
  }
  // What a copy reads and what a product adds up are numbers of the type already. An elementwise operation into
  // its own type rounds to it, and to whole numbers never.
  const TileFunction f = operation.function;
  const bool rounds = f != TileFunction::kCopy && f != TileFunction::kRearrange &&
                      f != TileFunction::kMatmul && f != TileFunction::kMatmulAdd &&
                      f != TileFunction::kMatmulBias && f != TileFunction::kGatherTable &&
                      f != TileFunction::kScatterTable;
  if (result.element == out && !rounds) return result;
  if (result.element == out && f != TileFunction::kConvert) {
    round_all(result.numbers, out);
    for (std::int64_t& x : result.integers) x = to_integer(x, out, false);
    return result;
  }
  // A mask has the bytes of its tile, whatever their type is, and so have factors of a quantisation.
  if (f == TileFunction::kCompare || f == TileFunction::kQuantizeMx) return result;
  return converted(result, out, operation.rounding, operation.saturates);
}

}  // namespace tessera::cluster
