#include "models/pe/arithmetic.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::pe {
namespace {

std::uint16_t low(std::uint32_t v) {
  return static_cast<std::uint16_t>(v);
}

template <class... Opcodes>
constexpr bool is_any(Opcode op, Opcodes... of) {
  return ((op == of) || ...);
}

// ---- integers: every operation once for words of 16 and of 32 bits -----------------------------

template <typename Word>
std::make_signed_t<Word> as_signed(Word v) {
  return static_cast<std::make_signed_t<Word>>(v);
}

// A shift by the width of the word or more moves every bit out, which 64 bits have room for.
template <typename Word>
std::uint32_t shift(Opcode op, Word v, Word n) {
  const auto by = std::min<unsigned>(n, std::numeric_limits<Word>::digits);
  if (is_any(op, Opcode::kSll16, Opcode::kSll32)) return static_cast<Word>(std::uint64_t{v} << by);
  if (is_any(op, Opcode::kSlr16, Opcode::kSlr32)) return static_cast<Word>(std::uint64_t{v} >> by);
  assert(is_any(op, Opcode::kSar16, Opcode::kSar32));
  return static_cast<Word>(std::int64_t{as_signed(v)} >> by);
}

// In 64 bits the smallest number divided by -1 does not overflow; it wraps when it is cut to a word.
template <typename Word>
std::uint32_t integer_divide(Opcode op, Word a, Word b) {
  assert(b != 0 && "the compute engine has to refuse this");
  const std::int64_t dividend = as_signed(a);
  if (is_any(op, Opcode::kDiv16, Opcode::kDiv32)) return static_cast<Word>(dividend / as_signed(b));
  if (is_any(op, Opcode::kDivu16, Opcode::kDivu32)) return a / b;
  if (is_any(op, Opcode::kRem16, Opcode::kRem32)) return static_cast<Word>(dividend % as_signed(b));
  assert(is_any(op, Opcode::kRemu16, Opcode::kRemu32));
  return a % b;
}

template <typename Word>
std::uint32_t integer(Opcode op, Word a, Word b) {
  if (is_any(op, Opcode::kAdd16, Opcode::kAdd32)) return static_cast<Word>(a + b);
  if (is_any(op, Opcode::kSub16, Opcode::kSub32)) return static_cast<Word>(a - b);
  if (is_any(op, Opcode::kAnd16, Opcode::kAnd32)) return a & b;
  if (is_any(op, Opcode::kOr16, Opcode::kOr32)) return a | b;
  if (is_any(op, Opcode::kXor16, Opcode::kXor32)) return a ^ b;
  if (is_any(op, Opcode::kSll16, Opcode::kSlr16, Opcode::kSar16)) return shift(op, a, b);
  if (is_any(op, Opcode::kSll32, Opcode::kSlr32, Opcode::kSar32)) return shift(op, a, b);
  if (is_any(op, Opcode::kImul16, Opcode::kImul32)) return static_cast<Word>(std::uint32_t{a} * b);
  // A one after the 16 bits, so that there is one to be found.
  if (op == Opcode::kClz16)
    return static_cast<std::uint32_t>(__builtin_clz(std::uint32_t{a} << 16 | 0x8000U));
  if (op == Opcode::kCtz16)
    return static_cast<std::uint32_t>(__builtin_ctz(std::uint32_t{a} | 0x10000U));
  assert(op == Opcode::kPopcnt16);
  return static_cast<std::uint32_t>(__builtin_popcount(low(a)));
}

// ---- floats ------------------------------------------------------------------------------------
// All formats are computed in double and rounded to the type of the result. That rounds twice, yet
// the result is as if rounded once: sums, differences and quotients of two numbers of p bits may
// pass through 2p + 2 bits (Figueroa 1995), which is 50 of 53 for p = 24, and products of such
// numbers are exact. No operation leaves the exponent range of a double. Only the sum of fmach, of
// a product of 2p bits and an addend far away, needs more care.

double value_of(std::uint32_t bits, ValueType type, HalfFormat half) {
  if (type == ValueType::kSingle) return static_cast<double>(bit_cast<float>(bits));
  if (type == ValueType::kHalf) return half_value(low(bits), half);
  if (type == ValueType::k16) return as_signed(low(bits));
  return type == ValueType::k32 ? as_signed(bits) : 0;
}

/// Toward zero, saturated; a NaN gives 0.
template <typename Signed>
std::int32_t saturated(double value) {
  if (std::isnan(value)) return 0;
  const double least = std::numeric_limits<Signed>::min();
  const double largest = std::numeric_limits<Signed>::max();
  return static_cast<std::int32_t>(std::clamp(value, least, largest));
}

std::uint32_t bits_of(double value, ValueType type, HalfFormat half) {
  if (type == ValueType::kSingle) return single_bits(static_cast<float>(value));
  if (type == ValueType::kHalf) return half_bits(value, half);
  if (type == ValueType::k16)
    return low(static_cast<std::uint32_t>(saturated<std::int16_t>(value)));
  return static_cast<std::uint32_t>(saturated<std::int32_t>(value));
}

// The larger of two numbers: a NaN, quiet or signalling, gives way to a number, and +0 is above -0.
// Written out because std::fmax leaves the last two open.
double maximum(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// a + b, rounded to odd: when the sum is not exact, the neighbour with an odd last bit. It stays on
/// its side of every number that has fewer bits, hence a rounding that follows gives what rounding
/// the exact sum would. `error` is exact (Knuth's TwoSum).
double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  if (error == 0 || (bit_cast<std::uint64_t>(sum) & 1) != 0) return sum;
  const double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(sum, error > 0 ? infinity : -infinity);
}

double normalized(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent;
  return 2 * std::frexp(x, &exponent);
}

double scaled(double x, double exponent) {
  constexpr double kEnough = 400;  // beyond the range of f32 and bf16, inside that of a double
  return std::ldexp(x, static_cast<int>(std::clamp(exponent, -kEnough, kEnough)));
}

double float_result(Opcode op, double x, double y, double z, HalfFormat half) {
  if (is_any(op, Opcode::kFaddh, Opcode::kFadds, Opcode::kFaddhs)) return x + y;
  if (is_any(op, Opcode::kFsubh, Opcode::kFsubs)) return x - y;
  if (is_any(op, Opcode::kFmulh, Opcode::kFmuls)) return x * y;
  if (is_any(op, Opcode::kFdivh, Opcode::kFdivs)) return x / y;
  if (is_any(op, Opcode::kFmaxh, Opcode::kFmaxs)) return maximum(x, y);
  if (is_any(op, Opcode::kFminh, Opcode::kFmins)) return -maximum(-x, -y);
  if (op == Opcode::kFmach) return sum_to_odd(x, y * z);
  if (op == Opcode::kFmachs) return x + half_value(half_bits(y * z, half), half);
  if (op == Opcode::kFmacs) return x + static_cast<double>(static_cast<float>(y * z));
  if (is_any(op, Opcode::kFnormh, Opcode::kFnorms)) return normalized(x);
  if (is_any(op, Opcode::kFscaleh, Opcode::kFscales)) return scaled(x, y);
  return x;  // conversions
}

bool compare_floats(Opcode op, double a, double b) {
  if (is_any(op, Opcode::kFeqh, Opcode::kFeqs)) return a == b;
  if (is_any(op, Opcode::kFlth, Opcode::kFlts)) return a < b;
  if (is_any(op, Opcode::kFlteqh, Opcode::kFlteqs)) return a <= b;
  assert(is_any(op, Opcode::kFunh, Opcode::kFuns));
  return std::isnan(a) || std::isnan(b);
}

}  // namespace

double rare_half_value(std::uint32_t bits) {
  return float16::value_of(static_cast<std::uint16_t>(bits), float16::kBinary16);
}

std::uint32_t rare_half_bits(double value) {
  return float16::bits_of(value, float16::kBinary16);
}

std::uint32_t evaluate_any(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                           HalfFormat half) {
  const OpcodeInfo& row = info(op);
  const bool narrow = row.bytes(0) == 2;
  switch (row.op_class) {
  case OpClass::kMove:
    return narrow ? low(a) : a;
  case OpClass::kInteger:
    return narrow ? integer(op, low(a), low(b)) : integer(op, a, b);
  case OpClass::kIntegerDivide:
    return narrow ? integer_divide(op, low(a), low(b)) : integer_divide(op, a, b);
  case OpClass::kFloat:
  case OpClass::kFloatDivide:
    break;
  default:
    assert(false && "not an arithmetic opcode");
    return 0;
  }
  // These two touch the sign of a NaN too, and nothing else of it.
  const std::uint32_t sign = narrow ? 0x8000U : 0x80000000U;
  const std::uint32_t bits = narrow ? low(a) : a;
  if (op == Opcode::kFabsh || op == Opcode::kFabss) return bits & ~sign;
  if (op == Opcode::kFnegh || op == Opcode::kFnegs) return bits ^ sign;
  const double result =
      float_result(op, value_of(a, row.types[1], half), value_of(b, row.types[2], half),
                   value_of(c, row.types[3], half), half);
  return bits_of(result, row.types[0], half);
}

CarrySum add_with_carry(std::uint32_t a, std::uint32_t b, bool carry) {
  const std::uint32_t sum = std::uint32_t{low(a)} + low(b) + (carry ? 1 : 0);
  return {low(sum), sum > 0xFFFF};
}

bool compare(Opcode op, std::uint32_t a, std::uint32_t b, HalfFormat half) {
  const ValueType type = info(op).types[0];
  if (is_float(type)) return compare_floats(op, value_of(a, type, half), value_of(b, type, half));
  return compare_integers(op, a, b);
}

}  // namespace tessera::pe
