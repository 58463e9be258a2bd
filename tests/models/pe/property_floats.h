// Floats of any format up to f32 in integer arithmetic, rounded to nearest even once: what the
// property test of DSD operations compares with (reference wse.md 6.1, 6.7, 8.2). Written without
// the models and without the host's floats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/pe/program.h"

namespace tessera::pe::test {

struct FloatFormat {
  int exponent_bits = 8;
  int fraction_bits = 23;
  int bias = 127;
  std::uint32_t sign() const { return 1U << (exponent_bits + fraction_bits); }
  std::uint32_t infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
  std::uint32_t quiet_nan() const { return infinity() | 1U << (fraction_bits - 1); }
};
inline constexpr FloatFormat kSingleFormat{};

inline FloatFormat format_of(HalfFormat half) {
  switch (half) {
  case HalfFormat::kBf16:
    return {8, 7, 127};
  case HalfFormat::kCb16:
    return {6, 9, 42};
  case HalfFormat::kF16:
    break;
  }
  return {5, 10, 15};
}

/// significand * 2^exponent with a sign, or infinity, or a NaN.
struct Number {
  enum class Kind : std::uint8_t { kFinite, kInfinite, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;

  bool is_nan() const { return kind == Kind::kNan; }
  bool is_infinite() const { return kind == Kind::kInfinite; }
  bool is_zero() const { return kind == Kind::kFinite && significand == 0; }
  /// The same value with the top bit of a significand that is not 0 at `bit`.
  Number with_top_bit_at(int bit) const {
    Number n = *this;
    while (n.significand >> bit == 0) {
      n.significand <<= 1;
      --n.exponent;
    }
    return n;
  }
};

inline Number decode(std::uint32_t bits, const FloatFormat& f) {
  Number n;
  n.negative = (bits & f.sign()) != 0;
  const std::uint32_t fraction = bits & ((1U << f.fraction_bits) - 1);
  const auto field = static_cast<int>((bits & f.infinity()) >> f.fraction_bits);
  if ((bits & f.infinity()) == f.infinity()) {
    n.kind = fraction == 0 ? Number::Kind::kInfinite : Number::Kind::kNan;
    return n;
  }
  n.significand = field == 0 ? fraction : fraction | 1U << f.fraction_bits;
  n.exponent = std::max(field, 1) - f.bias - f.fraction_bits;
  return n;
}

/// Bit 0 of a long significand may stand for anything below it.
inline std::uint32_t encode(const Number& value, const FloatFormat& f) {
  if (value.is_nan()) return f.quiet_nan();
  const std::uint32_t sign = value.negative ? f.sign() : 0;
  if (value.is_infinite()) return sign | f.infinity();
  if (value.is_zero()) return sign;
  const Number n = value.with_top_bit_at(62);
  const int top = n.exponent + 62;
  const bool normal = top >= 1 - f.bias;
  const int drop = std::max(top, 1 - f.bias) - f.fraction_bits - n.exponent;
  if (drop > 63) return sign;  // below half of the smallest number
  std::uint64_t kept = n.significand >> drop;
  const std::uint64_t rest = n.significand - (kept << drop);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
  if (normal) kept += static_cast<std::uint64_t>(top + f.bias - 1) << f.fraction_bits;
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(kept, f.infinity()));
}

inline Number negated(Number n) {
  n.negative = !n.negative;
  return n;
}

inline Number sum(const Number& a, const Number& b) {
  constexpr int kTop = 60;
  Number nan;
  nan.kind = Number::Kind::kNan;
  if (a.is_nan() || b.is_nan()) return nan;
  if (a.is_infinite() && b.is_infinite() && a.negative != b.negative) return nan;
  if (a.is_infinite() || b.is_infinite()) return a.is_infinite() ? a : b;
  if (a.is_zero() && b.is_zero()) return a.negative ? b : a;
  if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
  Number large = a.with_top_bit_at(kTop);
  Number small = b.with_top_bit_at(kTop);
  const bool swap = small.exponent > large.exponent ||
                    (small.exponent == large.exponent && small.significand > large.significand);
  if (swap) std::swap(large, small);
  const int shift = std::min(large.exponent - small.exponent, kTop + 1);
  const std::uint64_t kept = small.significand >> shift;
  const std::uint64_t addend = kept | (kept << shift != small.significand ? 1 : 0);
  large.significand += large.negative == small.negative ? addend : -addend;
  if (large.significand == 0) large.negative = false;
  return large;
}

/// Exact.
inline Number product(const Number& a, const Number& b) {
  Number n;
  n.negative = a.negative != b.negative;
  const bool undefined = (a.is_infinite() && b.is_zero()) || (a.is_zero() && b.is_infinite());
  if (a.is_nan() || b.is_nan() || undefined) {
    n.kind = Number::Kind::kNan;
  } else if (a.is_infinite() || b.is_infinite()) {
    n.kind = Number::Kind::kInfinite;
  } else {
    n.significand = a.significand * b.significand;
    n.exponent = a.exponent + b.exponent;
  }
  return n;
}

/// The larger of two floats of one format: a NaN gives way, +0 is above -0.
inline std::uint32_t larger(std::uint32_t a, std::uint32_t b, const FloatFormat& f) {
  const auto rank = [&f](std::uint32_t bits) {
    const std::int64_t magnitude = bits & (f.sign() - 1);
    return (bits & f.sign()) != 0 ? -magnitude - 1 : magnitude;
  };
  const bool a_nan = decode(a, f).is_nan();
  const bool b_nan = decode(b, f).is_nan();
  if (a_nan && b_nan) return f.quiet_nan();
  if (a_nan || b_nan) return a_nan ? b : a;
  return rank(a) > rank(b) ? a : b;
}

/// Toward zero, saturated; a NaN gives 0.
inline std::uint16_t to_i16(const Number& n) {
  if (n.is_nan() || n.is_zero()) return 0;
  const std::uint64_t limit = n.negative ? 0x8000 : 0x7FFF;
  std::uint64_t magnitude = limit;
  if (!n.is_infinite() && n.exponent < 0) {
    magnitude = n.exponent < -63 ? 0 : n.significand >> -n.exponent;
  } else if (!n.is_infinite() && n.exponent < 16) {
    magnitude = n.significand << n.exponent;
  }
  magnitude = std::min(magnitude, limit);
  return static_cast<std::uint16_t>(n.negative ? -magnitude : magnitude);
}

inline Number from_i16(std::uint32_t bits) {
  const auto value = static_cast<std::int16_t>(bits);
  Number n;
  n.negative = value < 0;
  n.significand = static_cast<std::uint64_t>(n.negative ? -std::int64_t{value} : value);
  return n;
}

}  // namespace tessera::pe::test
