// The elements of a tile as numbers, and as the bytes of a memory (reference ascend.md 2.9, 4).
//
// Floats are computed in double and rounded to the type of the result, to nearest, ties to even: for
// one addition, multiplication, division or root of f32, f16 and bf16 that is the same as to compute in
// the type itself. Integers are 64 bits and cut to the type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

struct TileValues {
  Element element = Element::kF32;
  std::size_t rows = 0, columns = 0;
  std::vector<double> numbers;         ///< float elements, row by row
  std::vector<std::int64_t> integers;  ///< integer elements, row by row
  std::vector<TileValues> more;        ///< other results of the operation, the last but one first

  template <class Archive>
  void visit(Archive& archive) {
    archive(element, rows, columns, numbers, integers, more);
  }

  static TileValues zeros(Element element, std::size_t rows, std::size_t columns);
  std::size_t size() const { return rows * columns; }
  /// Element i as a double.
  double number(std::size_t i) const {
    return is_float(element) ? numbers[i] : static_cast<double>(integers[i]);
  }
  /// Element i becomes element j of `from`, whose elements are of the same kind.
  void set(std::size_t i, const TileValues& from, std::size_t j) {
    if (is_float(element))
      numbers[i] = from.numbers[j];
    else
      integers[i] = from.integers[j];
  }
};

/// `value` as the nearest number of a float type.
double rounded(double value, Element element, Rounding rounding = Rounding::kDefault);
/// All `values` to the nearest numbers of a float type, ties to even.
void round_all(std::vector<double>& values, Element element);
/// `value` as a whole number.
double to_integral(double value, Rounding rounding);
/// `value` as an integer of the type: rounded, then saturated or cut off. NaN is 0.
std::int64_t to_integer(double value, Element element, Rounding rounding, bool saturates);
std::int64_t to_integer(std::int64_t value, Element element, bool saturates);
/// The largest or the least value of a type; infinity for floats.
double extreme(Element element, bool largest);
/// The largest finite number of a float type.
double largest_number(Element element);

/// The values in another type.
TileValues converted(const TileValues& values, Element element, Rounding rounding, bool saturates);

/// The rows and columns of `values` from (`top`, `left`) on.
TileValues part_of(const TileValues& values, std::size_t top, std::size_t left, std::size_t rows,
                   std::size_t columns);
/// Rows and columns of `values`: those beyond are dropped. A tile of as many elements and another
/// shape keeps them in their order.
TileValues fitted(TileValues values, std::size_t rows, std::size_t columns);

/// `count` elements from `from`, into values[first ..]. Elements of 4 bits have a byte each here; memory.h packs them.
void decode(const std::byte* from, std::size_t count, TileValues& values, std::size_t first);
/// The reverse: `count` elements from values[first] on, into the bytes from `to` on.
void encode(const TileValues& values, std::size_t first, std::size_t count, std::byte* to);
/// to[i] += values[first + i], in the type.
void encode_sum(const TileValues& values, std::size_t first, std::size_t count, std::byte* to);

// --- arithmetic of the vector unit on one element (reference ascend.md 4.3) ---

/// Exact, or in double; not rounded to a type.
double apply(Arithmetic what, double a, double b);
double apply(Arithmetic what, double a);
/// The same of two operands for `count` elements: to[i] = a[i * a_step] OP b[i * b_step].
void apply(Arithmetic what, const double* a, std::size_t a_step, const double* b,
           std::size_t b_step, std::size_t count, double* to);
/// 64 bits, not cut to the type; `element` says how far shifts reach. Division by zero gives 0.
std::int64_t apply(Arithmetic what, std::int64_t a, std::int64_t b, Element element);
std::int64_t apply(Arithmetic what, std::int64_t a);
/// Divisions, remainders, shifts, the larger and the smaller of unsigned integers of 64 bits; the others as above.
std::int64_t apply_unsigned(Arithmetic what, std::int64_t a, std::int64_t b);

}  // namespace tessera::cluster
