// Scalar types of the device, as C++ types of the host (pto_cpp.md 2).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tsr {

/// A type of 16 bits between which and float every conversion rounds to nearest, ties to even.
template <int ExponentBits, int MantissaBits>
struct Float16 {
  std::uint16_t bits = 0;

  constexpr Float16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr Float16(T value) : bits(encode(static_cast<double>(value))) {}
  constexpr operator float() const { return decode(bits); }
  constexpr Float16& operator+=(float x) { return *this = Float16(float(*this) + x); }
  constexpr Float16& operator-=(float x) { return *this = Float16(float(*this) - x); }
  constexpr Float16& operator*=(float x) { return *this = Float16(float(*this) * x); }
  constexpr Float16& operator/=(float x) { return *this = Float16(float(*this) / x); }
  static constexpr Float16 of_bits(std::uint16_t bits) {
    Float16 value;
    value.bits = bits;
    return value;
  }

 private:
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int kMost = (1 << ExponentBits) - 1;

  static constexpr std::uint16_t encode(double value) {
    const bool negative = value < 0;
    const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
    double x = negative ? -value : value;
    const auto infinity = static_cast<std::uint16_t>(sign | kMost << MantissaBits);
    if (x != x) return static_cast<std::uint16_t>(kMost << MantissaBits | 1 << (MantissaBits - 1));
    if (x > 3.5e38) return infinity;
    if (x == 0) return sign;
    int exponent = kBias;
    while (x >= 2) x /= 2, ++exponent;
    while (x < 1 && exponent > 1) x *= 2, --exponent;
    if (x < 1) exponent = 0;  // subnormal: x counts units of the least exponent
    const double scaled = x * (1 << MantissaBits);
    auto whole = static_cast<std::int64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) ++whole;
    const std::int64_t code = exponent == 0
                                  ? whole
                                  : (static_cast<std::int64_t>(exponent) << MantissaBits) + whole -
                                        (std::int64_t{1} << MantissaBits);
    if (code >= static_cast<std::int64_t>(kMost) << MantissaBits) return infinity;
    return static_cast<std::uint16_t>(sign | code);
  }
  static constexpr float decode(std::uint16_t bits) {
    const int exponent = bits >> MantissaBits & kMost;
    const int mantissa = bits & ((1 << MantissaBits) - 1);
    const bool negative = bits >> 15 != 0;
    if (exponent == kMost) {
      if (mantissa != 0) return std::numeric_limits<float>::quiet_NaN();
      return negative ? -std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::infinity();
    }
    float x = static_cast<float>(exponent == 0 ? mantissa : mantissa + (1 << MantissaBits));
    int shift = (exponent == 0 ? 1 : exponent) - kBias - MantissaBits;
    for (; shift > 0; --shift) x *= 2;
    for (; shift < 0; ++shift) x /= 2;
    return negative ? -x : x;
  }
};

/// A type of one byte of its own, without arithmetic.
template <int Kind>
struct Byte {
  std::uint8_t bits = 0;
};

}  // namespace tsr

using half = tsr::Float16<5, 10>;
using float16_t = half;
using __fp16 = half;
using bfloat16_t = tsr::Float16<8, 7>;
using float8_e4m3_t = tsr::Byte<0>;
using float8_e5m2_t = tsr::Byte<1>;
using float8_e8m0_t = tsr::Byte<2>;
using hifloat8_t = tsr::Byte<3>;
using float4_e2m1x2_t = tsr::Byte<4>;
using float4_e1m2x2_t = tsr::Byte<5>;
using int4b_t = tsr::Byte<6>;
using fp8_e4m3_t = float8_e4m3_t;
using fp8_e5m2_t = float8_e5m2_t;

namespace std {
template <int E, int M>
class numeric_limits<tsr::Float16<E, M>> {
  using T = tsr::Float16<E, M>;
  static constexpr int kInfinity = ((1 << E) - 1) << M;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        has_infinity = true;
  static constexpr T max() { return T::of_bits(kInfinity - 1); }
  static constexpr T lowest() { return T::of_bits(0x8000 | (kInfinity - 1)); }
  static constexpr T min() { return T::of_bits(1 << M); }
  static constexpr T infinity() { return T::of_bits(kInfinity); }
  static constexpr T quiet_NaN() { return T::of_bits(kInfinity | 1 << (M - 1)); }
};
}  // namespace std

namespace tsr {

/// The name of an element type in PTO assembly.
template <class T>
constexpr const char* element_name() {
  if constexpr (std::is_same_v<T, float>) return "f32";
  else if constexpr (std::is_same_v<T, half>) return "f16";
  else if constexpr (std::is_same_v<T, bfloat16_t>) return "bf16";
  else if constexpr (std::is_same_v<T, float8_e4m3_t>) return "f8E4M3FN";
  else if constexpr (std::is_same_v<T, float8_e5m2_t>) return "f8E5M2";
  else if constexpr (std::is_same_v<T, float8_e8m0_t>) return "f8E8M0FNU";
  else if constexpr (std::is_same_v<T, hifloat8_t>) return "hif8";
  else if constexpr (std::is_same_v<T, float4_e2m1x2_t>) return "f4E2M1x2";
  else if constexpr (std::is_same_v<T, float4_e1m2x2_t>) return "f4E1M2x2";
  else if constexpr (std::is_same_v<T, int4b_t>) return "i4";
  else if constexpr (std::is_same_v<T, double>) return "f64";
  else if constexpr (!std::is_integral_v<T>) return "";
  else if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? "i8" : "ui8";
  else if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? "i16" : "ui16";
  else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? "i32" : "ui32";
  else return "i64";
}

/// The same for tiles and tensors, whose operations tell unsigned numbers of 64 bits from signed ones.
template <class T>
constexpr const char* tile_element_name() {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8 && !std::is_signed_v<T>) return "ui64";
  else return element_name<T>();
}

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, half> ||
                                  std::is_same_v<T, bfloat16_t>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, half> ||
                                std::is_same_v<T, bfloat16_t>;

}  // namespace tsr
