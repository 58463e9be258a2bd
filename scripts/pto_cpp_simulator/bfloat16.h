// bf16 for compilers without std::bfloat16_t: a float that rounds to nearest even when it is stored, which is what g++ 13 computes for one operation.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

class bfloat16_t {
 public:
  bfloat16_t() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, _Float16>>>
  constexpr bfloat16_t(T value) : bits_(rounded(static_cast<float>(value))) {}
  constexpr operator float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16); }
  bfloat16_t& operator+=(float other) { return *this = *this + other; }
  bfloat16_t& operator-=(float other) { return *this = *this - other; }
  bfloat16_t& operator*=(float other) { return *this = *this * other; }
  bfloat16_t& operator/=(float other) { return *this = *this / other; }

  static constexpr bfloat16_t of_bits(std::uint16_t bits) {
    bfloat16_t value = 0.0F;
    value.bits_ = bits;
    return value;
  }

 private:
  static constexpr std::uint16_t rounded(float value) {
    const auto word = __builtin_bit_cast(std::uint32_t, value);
    if ((word & 0x7fffffffU) > 0x7f800000U) {
      return static_cast<std::uint16_t>((word >> 16) | 0x40U);
    }
    return static_cast<std::uint16_t>((word + 0x7fffU + ((word >> 16) & 1U)) >> 16);
  }
  std::uint16_t bits_;
};

template <>
struct std::is_floating_point<bfloat16_t> : std::true_type {};
template <>
struct std::is_arithmetic<bfloat16_t> : std::true_type {};
template <>
class std::numeric_limits<bfloat16_t> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 8, radix = 2;
  static constexpr bfloat16_t min() { return bfloat16_t::of_bits(0x0080); }
  static constexpr bfloat16_t max() { return bfloat16_t::of_bits(0x7f7f); }
  static constexpr bfloat16_t lowest() { return bfloat16_t::of_bits(0xff7f); }
  static constexpr bfloat16_t infinity() { return bfloat16_t::of_bits(0x7f80); }
  static constexpr bfloat16_t quiet_NaN() { return bfloat16_t::of_bits(0x7fc0); }
  static constexpr bfloat16_t epsilon() { return bfloat16_t::of_bits(0x3c00); }
};
