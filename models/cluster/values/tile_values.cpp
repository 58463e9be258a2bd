#include "models/cluster/values/tile_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "models/cluster/program/program.h"
#include "models/cluster/values/small_floats.h"
#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::cluster {

namespace {

float16::Layout layout_of(Element element) {
  return element == Element::kF16 ? float16::kBinary16 : float16::kBfloat16;
}

struct Range {
  std::int64_t least, largest;
};
Range range_of(Element element) {
  const unsigned bits = bits_of(element);
  if (bits == 64)
    return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const bool is_unsigned =
      element == Element::kU8 || element == Element::kU16 || element == Element::kU32;
  if (is_unsigned) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

/// An integer as a double that rounds to any narrower type as the integer itself: of the two doubles beside one that no
/// double is, the one with an odd last bit.
double odd_double(std::int64_t value) {
  const auto nearest = static_cast<double>(value);
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  const std::int64_t back = nearest >= kBeyond ? std::numeric_limits<std::int64_t>::max()
                                               : static_cast<std::int64_t>(nearest);
  if (nearest < kBeyond && back == value) return nearest;
  const bool is_above = nearest >= kBeyond || back > value;
  const auto bits = bit_cast<std::uint64_t>(nearest);
  if (bits % 2 != 0) return nearest;
  return is_above ? std::nextafter(nearest, -kBeyond) : std::nextafter(nearest, kBeyond);
}

/// The two numbers of a type around a value, as bits that grow with the magnitude.
struct Neighbours {
  double low, high;
  bool low_is_odd;
};

Neighbours neighbours(double value, Element element, double nearest) {
  const bool nearest_is_low = nearest < value;
  Neighbours n{nearest, nearest, false};
  double& other = nearest_is_low ? n.high : n.low;
  std::uint32_t nearest_bits = 0;
  if (element == Element::kF32) {
    const auto f = static_cast<float>(nearest);
    other = std::nextafter(f, nearest_is_low ? HUGE_VALF : -HUGE_VALF);
    nearest_bits = bit_cast<std::uint32_t>(f);
  } else {
    const float16::Layout layout = layout_of(element);
    const std::uint16_t bits = float16::bits_of(nearest, layout);
    nearest_bits = bits;
    const bool away = (value < 0) != nearest_is_low;  // from zero
    const bool zero = (bits & 0x7FFF) == 0;
    const auto sign = static_cast<std::uint16_t>(value < 0 ? 0x8000 : 0);
    const auto next = static_cast<std::uint16_t>(zero ? sign | 1 : away ? bits + 1 : bits - 1);
    other = float16::value_of(next, layout);
  }
  n.low_is_odd = ((nearest_bits & 1) != 0) == nearest_is_low;
  return n;
}

double nearest_even(double value, Element element) {
  if (element == Element::kF32) return static_cast<float>(value);
  const float16::Layout layout = layout_of(element);
  return float16::value_of(float16::bits_of(value, layout), layout);
}

/// A NaN keeps its bits: tiles also carry bits that are no numbers, such as the indices of sorted pairs.
std::uint16_t half_bits(double value, const float16::Layout& layout) {
  if (!std::isnan(value)) return float16::bits_of(value, layout);
  const auto bits = bit_cast<std::uint64_t>(value);
  const std::uint64_t payload = (bits & (float16::kDoubleHiddenBit - 1)) >>
                                (float16::kDoubleFractionBits - layout.fraction_bits);
  if (payload == 0) return float16::bits_of(value, layout);
  return static_cast<std::uint16_t>((bits >> 63 << 15) | layout.infinity() | payload);
}

/// The double with the sign and the fraction of a NaN, which a conversion would make quiet.
double nan_with(std::uint32_t bits) {
  constexpr unsigned kWiden = 52 - 23;
  const std::uint64_t sign = bits >> 31, fraction = bits & 0x7FFFFF;
  return bit_cast<double>(sign << 63 | std::uint64_t{0x7FF} << 52 | fraction << kWiden);
}

/// Calls work(first, count) for parts of kPart elements, whose number the compiler knows, and for the rest.
template <class Work>
void in_parts(std::size_t count, Work work) {
  constexpr std::size_t kPart = 16;
  std::size_t i = 0;
  for (; i + kPart <= count; i += kPart) work(i, std::integral_constant<std::size_t, kPart>());
  if (i < count) work(i, count - i);
}

void decode_singles(const std::byte* from, std::size_t count, double* to) {
  int nans = 0;
  in_parts(count, [&](std::size_t first, auto part) {
    std::array<float, 16> singles;  // NOLINT: as many as the part has
    std::memcpy(singles.data(), from + 4 * first, 4 * part);
    for (std::size_t i = 0; i < part; ++i) to[first + i] = singles[i];
    for (std::size_t i = 0; i < part; ++i) nans += singles[i] != singles[i] ? 1 : 0;
  });
  if (nans == 0) return;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isnan(to[i])) to[i] = nan_with(load<std::uint32_t>(from + 4 * i));
}

void encode_singles(const double* from, std::size_t count, std::byte* to) {
  int nans = 0;
  in_parts(count, [&](std::size_t first, auto part) {
    std::array<float, 16> singles;  // NOLINT: as many as the part has
    for (std::size_t i = 0; i < part; ++i) singles[i] = static_cast<float>(from[first + i]);
    std::memcpy(to + 4 * first, singles.data(), 4 * part);
    for (std::size_t i = 0; i < part; ++i) nans += singles[i] != singles[i] ? 1 : 0;
  });
  if (nans == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = bit_cast<std::uint64_t>(from[i]);
    const auto fraction = static_cast<std::uint32_t>(bits >> (52 - 23) & 0x7FFFFF);
    if (std::isnan(from[i]) && fraction != 0)
      store(to + 4 * i, static_cast<std::uint32_t>(bits >> 63 << 31 | 0x7F800000U | fraction));
  }
}

/// Calls `work` with a 0 of the type that has the bits of an integer element.
template <class Work>
void with_integer_type(Element element, Work work) {
  if (element == Element::kI8) return work(std::int8_t{0});
  if (element == Element::kU8) return work(std::uint8_t{0});
  if (element == Element::kI16) return work(std::int16_t{0});
  if (element == Element::kU16) return work(std::uint16_t{0});
  if (element == Element::kI32) return work(std::int32_t{0});
  if (element == Element::kU32) return work(std::uint32_t{0});
  return work(std::int64_t{0});
}

}  // namespace

double to_integral(double value, Rounding rounding) {
  if (rounding == Rounding::kNearestAway) return std::round(value);
  if (rounding == Rounding::kFloor) return std::floor(value);
  if (rounding == Rounding::kCeil) return std::ceil(value);
  if (rounding == Rounding::kTruncate) return std::trunc(value);
  const double low = std::floor(value), part = value - low;
  const double even = std::fmod(low, 2) == 0 ? low : low + 1;
  if (part == 0) return value;
  if (rounding == Rounding::kOdd) return even == low ? low + 1 : low;
  // Ties to even whatever the rounding mode of the host is.
  return std::copysign(part == 0.5 ? even : part < 0.5 ? low : low + 1, value);
}

TileValues TileValues::zeros(Element element, std::size_t rows, std::size_t columns) {
  TileValues values;
  values.element = element;
  values.rows = rows;
  values.columns = columns;
  if (is_float(element))
    values.numbers.assign(rows * columns, 0);
  else
    values.integers.assign(rows * columns, 0);
  return values;
}

double rounded(double value, Element element, Rounding rounding) {
  if (is_small_float(element)) return small_float_rounded(value, element, rounding, false);
  if (std::isnan(value)) return value;
  const double nearest = nearest_even(value, element);
  const bool to_nearest = rounding == Rounding::kDefault || rounding == Rounding::kNearestEven;
  if (to_nearest || nearest == value || std::isinf(value)) return nearest;
  const Neighbours n = neighbours(value, element, nearest);
  if (rounding == Rounding::kFloor) return n.low;
  if (rounding == Rounding::kCeil) return n.high;
  if (rounding == Rounding::kTruncate) return value < 0 ? n.high : n.low;
  if (rounding == Rounding::kOdd) return n.low_is_odd ? n.low : n.high;
  if (value - n.low != n.high - value) return nearest;
  return value < 0 ? n.low : n.high;
}

void round_all(std::vector<double>& values, Element element) {
  if (element != Element::kF32) {
    for (double& x : values) x = rounded(x, element);
    return;
  }
  in_parts(values.size(), [&](std::size_t first, auto part) {
    for (std::size_t i = 0; i < part; ++i) {
      const double x = values[first + i], single = static_cast<float>(x);
      values[first + i] = x == x ? single : x;  // a NaN keeps its bits
    }
  });
}

std::int64_t to_integer(std::int64_t value, Element element, bool saturates) {
  const Range range = range_of(element);
  if (saturates) return std::clamp(value, range.least, range.largest);
  const unsigned bits = bits_of(element);
  if (bits == 64 || (value >= range.least && value <= range.largest)) return value;
  const std::uint64_t low = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  if (range.least == 0 || low <= static_cast<std::uint64_t>(range.largest))
    return static_cast<std::int64_t>(low);
  return static_cast<std::int64_t>(low) - (std::int64_t{1} << bits);
}

std::int64_t to_integer(double value, Element element, Rounding rounding, bool saturates) {
  if (std::isnan(value)) return 0;
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  const double integral = to_integral(value, rounding);
  if (integral >= kBeyond)
    return to_integer(std::numeric_limits<std::int64_t>::max(), element, saturates);
  if (integral < -kBeyond)
    return to_integer(std::numeric_limits<std::int64_t>::min(), element, saturates);
  return to_integer(static_cast<std::int64_t>(integral), element, saturates);
}

double extreme(Element element, bool largest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_float(element)) return largest ? kInfinity : -kInfinity;
  const Range range = range_of(element);
  return static_cast<double>(largest ? range.largest : range.least);
}

double largest_number(Element element) {
  if (is_small_float(element)) return small_float_largest(element);
  if (element == Element::kF32) return std::numeric_limits<float>::max();
  const float16::Layout layout = layout_of(element);
  return float16::value_of(static_cast<std::uint16_t>(layout.infinity() - 1), layout);
}

TileValues converted(const TileValues& from, Element element, Rounding rounding, bool saturates) {
  TileValues to = TileValues::zeros(element, from.rows, from.columns);
  // A conversion of a float type to itself rounds to whole numbers.
  const bool integral = from.element == element && rounding != Rounding::kDefault;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (is_small_float(element))
      to.numbers[i] = small_float_rounded(from.number(i), element, rounding, saturates);
    else if (is_float(element))
      to.numbers[i] = integral ? to_integral(from.numbers[i], rounding)
                               : rounded(bits_of(from.element) == 64 ? odd_double(from.integers[i])
                                                                     : from.number(i),
                                         element, rounding);
    else if (is_float(from.element))
      to.integers[i] = to_integer(from.numbers[i], element, rounding, saturates);
    else
      to.integers[i] = to_integer(from.integers[i], element, saturates);
  }
  return to;
}

TileValues part_of(const TileValues& values, std::size_t top, std::size_t left, std::size_t rows,
                   std::size_t columns) {
  TileValues part = TileValues::zeros(values.element, rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      part.set(r * columns + c, values, (r + top) * values.columns + c + left);
  return part;
}

TileValues fitted(TileValues from, std::size_t rows, std::size_t columns) {
  if (from.rows == rows && from.columns == columns) return from;
  if (from.size() == rows * columns) {
    from.rows = rows;
    from.columns = columns;
    return from;
  }
  return part_of(from, 0, 0, std::min(rows, from.rows), std::min(columns, from.columns));
}

void decode(const std::byte* from, std::size_t count, TileValues& values, std::size_t first) {
  double* numbers = values.numbers.data() + first;
  std::int64_t* integers = values.integers.data() + first;
  if (values.element == Element::kF32) return decode_singles(from, count, numbers);
  if (is_small_float(values.element)) {
    for (std::size_t i = 0; i < count; ++i)
      numbers[i] = small_float_value(values.element, std::to_integer<std::uint8_t>(from[i]));
    return;
  }
  if (is_float(values.element)) {
    for (std::size_t i = 0; i < count; ++i)
      numbers[i] = float16::value_of(load<std::uint16_t>(from + 2 * i), layout_of(values.element));
    return;
  }
  with_integer_type(values.element, [=](auto type) {
    for (std::size_t i = 0; i < count; ++i)
      integers[i] = static_cast<std::int64_t>(load<decltype(type)>(from + i * sizeof type));
  });
}

void encode(const TileValues& values, std::size_t first, std::size_t count, std::byte* to) {
  const double* numbers = values.numbers.data() + first;
  const std::int64_t* integers = values.integers.data() + first;
  if (values.element == Element::kF32) return encode_singles(numbers, count, to);
  if (is_small_float(values.element)) {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = std::byte{small_float_code(values.element, numbers[i])};
    return;
  }
  if (is_float(values.element)) {
    for (std::size_t i = 0; i < count; ++i)
      store(to + 2 * i, half_bits(numbers[i], layout_of(values.element)));
    return;
  }
  with_integer_type(values.element, [=](auto type) {
    for (std::size_t i = 0; i < count; ++i)
      store(to + i * sizeof type, static_cast<decltype(type)>(integers[i]));
  });
}

void encode_sum(const TileValues& values, std::size_t first, std::size_t count, std::byte* to) {
  TileValues sum = TileValues::zeros(values.element, 1, count);
  decode(to, count, sum, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_float(values.element))
      sum.numbers[i] += values.numbers[first + i];
    else
      sum.integers[i] = calculate(Opcode::kAdd, sum.integers[i], values.integers[first + i]);
  }
  encode(sum, 0, count, to);
}

// --- arithmetic ---

namespace {

using Int = std::int64_t;

/// Whether a shift by `b` leaves none of the bits.
bool is_beyond(Int b, unsigned width) {
  return width < 64 && static_cast<std::uint64_t>(b) >= width;
}
/// Instructions for integers of 64 bits take the low bits of the amount, as public tests of A5 expect.
unsigned amount_of(Int b) {
  return static_cast<unsigned>(b) % 64;
}

/// What is left of a after whole times b. The library divides, rounds, multiplies and subtracts in f32, each step rounded,
/// so that large quotients leave an inexact rest, which may be as large as b.
float rest(float a, float b, float (*rounded)(float)) {
  const float whole = rounded(a / b) * b;
  return a - whole;
}
double truncated_rest(double a, double b) {
  return rest(static_cast<float>(a), static_cast<float>(b), std::trunc);
}
/// The remainder, with the sign of b.
double remainder(double a, double b) {
  const float divisor = static_cast<float>(b);
  const float r = rest(static_cast<float>(a), divisor, std::floor);
  return r * divisor < 0 ? r + divisor : r;
}
double exact_remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r * b < 0 ? r + b : r;
}
Int remainder(Int a, Int b, unsigned) {
  const Int r = b == 0 ? 0 : calculate(Opcode::kRem, a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// For operations on bits, which the front-end refuses for floats.
double no_number(double, double) {
  return std::numeric_limits<double>::quiet_NaN();
}
/// As the scalar unit computes it; a division by zero gives 0.
template <Opcode op>
Int scalar(Int a, Int b, unsigned) {
  return is_division(op) && b == 0 ? 0 : calculate(op, a, b);
}
template <Opcode op>
Int reversed(Int a, Int b, unsigned width) {
  return scalar<op>(b, a, width);
}
Int leaky_relu(Int a, Int b, unsigned) {
  return a < 0 ? calculate(Opcode::kMul, a, b) : a;
}

/// The functions of an operation. `width` is the number of bits of the type.
struct Binary {
  double (*of_numbers)(double a, double b);
  Int (*of_integers)(Int a, Int b, unsigned width);
};
/// Wraps around; with a negative exponent the fraction is cut off to an integer.
Int power(Int a, Int b, unsigned) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  Int result = 1;
  for (; b > 0; b /= 2, a = calculate(Opcode::kMul, a, a))
    if (b % 2 != 0) result = calculate(Opcode::kMul, result, a);
  return result;
}

/// By Arithmetic, from kAdd to kExactFmod.
constexpr std::array<Binary, 20> kBinary = {{
    {[](double a, double b) { return a + b; }, scalar<Opcode::kAdd>},
    {[](double a, double b) { return a - b; }, scalar<Opcode::kSub>},
    {[](double a, double b) { return a * b; }, scalar<Opcode::kMul>},
    {[](double a, double b) { return a / b; }, scalar<Opcode::kDiv>},
    {[](double a, double b) { return std::isnan(a) || a > b ? a : b; }, scalar<Opcode::kMax>},
    {[](double a, double b) { return std::isnan(a) || a < b ? a : b; }, scalar<Opcode::kMin>},
    {remainder, remainder},
    {truncated_rest, scalar<Opcode::kRem>},
    {no_number, scalar<Opcode::kAnd>},
    {no_number, scalar<Opcode::kOr>},
    {no_number, scalar<Opcode::kXor>},
    {no_number,
     [](Int a, Int b, unsigned width) {
       return is_beyond(b, width) ? 0 : calculate(Opcode::kShiftLeft, a, amount_of(b));
     }},
    {no_number,
     [](Int a, Int b, unsigned width) {
       return is_beyond(b, width) ? (a < 0 ? -1 : 0) : a >> amount_of(b);
     }},
    {[](double a, double b) { return a < 0 ? a * b : a; }, leaky_relu},
    {[](double a, double b) { return b - a; }, reversed<Opcode::kSub>},
    {[](double a, double b) { return b / a; }, reversed<Opcode::kDiv>},
    {[](double a, double b) { return std::pow(a, b); }, power},
    {[](double a, double b) { return std::exp(a - b); }, leaky_relu},
    {exact_remainder, remainder},
    {[](double a, double b) { return std::fmod(a, b); }, scalar<Opcode::kRem>},
}};

/// Where `of_integers` is nullptr the number is computed and cut off.
struct Unary {
  double (*of_numbers)(double a);
  Int (*of_integers)(Int a);
};
/// By Arithmetic, from kNeg to kRecip.
constexpr std::array<Unary, 9> kUnary = {{
    {[](double a) { return -a; }, [](Int a) { return calculate(Opcode::kSub, 0, a); }},
    {[](double a) { return std::fabs(a); },
     [](Int a) { return a < 0 ? calculate(Opcode::kSub, 0, a) : a; }},
    {[](double a) { return a > 0 || std::isnan(a) ? a : 0; },
     [](Int a) { return std::max<Int>(a, 0); }},
    {[](double a) { return no_number(a, a); }, [](Int a) { return ~a; }},
    {[](double a) { return std::exp(a); }, nullptr},
    {[](double a) { return std::log(a); }, nullptr},
    {[](double a) { return std::sqrt(a); }, nullptr},
    {[](double a) { return 1 / std::sqrt(a); }, nullptr},
    {[](double a) { return 1 / a; }, nullptr},
}};

const Unary& unary(Arithmetic what) {
  return kUnary[static_cast<unsigned>(what) - static_cast<unsigned>(Arithmetic::kNeg)];
}

}  // namespace

void apply(Arithmetic what, const double* a, std::size_t a_step, const double* b,
           std::size_t b_step, std::size_t count, double* to) {
  const auto with = [&](auto operation) {
    in_parts(count, [&](std::size_t first, auto part) {
      for (std::size_t i = first; i < first + part; ++i)
        to[i] = operation(a[i * a_step], b[i * b_step]);
    });
  };
  if (what == Arithmetic::kAdd) return with([](double x, double y) { return x + y; });
  if (what == Arithmetic::kSub) return with([](double x, double y) { return x - y; });
  if (what == Arithmetic::kMul) return with([](double x, double y) { return x * y; });
  with(kBinary[static_cast<unsigned>(what)].of_numbers);
}
double apply(Arithmetic what, double a, double b) {
  return kBinary[static_cast<unsigned>(what)].of_numbers(a, b);
}

double apply(Arithmetic what, double a) {
  return unary(what).of_numbers(a);
}

std::int64_t apply(Arithmetic what, std::int64_t a, std::int64_t b, Element element) {
  return kBinary[static_cast<unsigned>(what)].of_integers(a, b, bits_of(element));
}

std::int64_t apply(Arithmetic what, std::int64_t a) {
  if (const auto of_integers = unary(what).of_integers) return of_integers(a);
  return to_integer(apply(what, static_cast<double>(a)), Element::kI64, Rounding::kTruncate, true);
}

std::int64_t apply_unsigned(Arithmetic what, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const auto bits = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (what) {
  case Arithmetic::kMax:
    return bits(std::max(x, y));
  case Arithmetic::kMin:
    return bits(std::min(x, y));
  case Arithmetic::kDiv:
    return y == 0 ? 0 : bits(x / y);
  case Arithmetic::kRem:
  case Arithmetic::kFmod:
    return y == 0 ? 0 : bits(x % y);
  case Arithmetic::kShr:
    return bits(x >> amount_of(b));
  default:
    return apply(what, a, b, Element::kI64);
  }
}

}  // namespace tessera::cluster
