// Element functions of 16-bit floats and of both widths (reference wse.md 6.1, 6.7), against results
// that are computed exactly with wide integers.
#include "models/pe/arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "models/pe/half.h"

namespace tessera::pe::test::arithmetic_half_test {
namespace {

constexpr HalfFormat kFormats[] = {HalfFormat::kF16, HalfFormat::kBf16, HalfFormat::kCb16};

std::uint32_t quiet_nan(HalfFormat format) {
  return format == HalfFormat::kF16 ? 0x7E00 : format == HalfFormat::kBf16 ? 0x7FC0 : 0x7F00;
}
std::uint32_t infinity(HalfFormat format) {
  return half_bits(std::numeric_limits<double>::infinity(), format);
}
std::uint32_t half(double value, HalfFormat format) {
  return half_bits(value, format);
}
float single(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
std::uint32_t bits_of(float value) {
  if (std::isnan(value)) return 0x7FC00000;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// An exact sum of numbers significand * 2^exponent: a two's complement integer in units of 2^-320.
class ExactSum {
 public:
  void add(std::int64_t significand, int exponent) {
    const unsigned shift = static_cast<unsigned>(exponent + 320);
    std::uint64_t carry = 0;
    for (unsigned i = shift / 32; i < words_.size(); ++i) {
      const int from = static_cast<int>(i * 32) - static_cast<int>(shift);
      const std::uint64_t sum = std::uint64_t{words_[i]} + part(significand, from) + carry;
      words_[i] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
  }
  /// The sum with 50 bits, the last one set if anything was cut off: rounds like the sum.
  double with_sticky() const {
    std::array<std::uint32_t, 24> magnitude = words_;
    const bool negative = words_.back() >> 31 != 0;
    if (negative) {
      std::uint64_t carry = 1;
      for (std::uint32_t& word : magnitude) {
        const std::uint64_t sum = std::uint64_t{~word} + carry;
        word = static_cast<std::uint32_t>(sum);
        carry = sum >> 32;
      }
    }
    int top = 24 * 32 - 1;
    const auto bit = [&](int n) { return n < 0 ? 0 : magnitude[n / 32] >> (n % 32) & 1; };
    while (top >= 0 && bit(top) == 0) --top;
    if (top < 0) return 0;
    double result = 0;
    for (int i = 0; i < 50; ++i) result = 2 * result + bit(top - i);
    bool sticky = false;
    for (int n = top - 50; n >= 0 && !sticky; --n) sticky = bit(n) != 0;
    if (sticky && std::fmod(result, 2) == 0) result += 1;
    result = std::ldexp(result, top - 49 - 320);
    return negative ? -result : result;
  }

 private:
  /// 32 bits of the sign-extended `value` from bit `from` on, zeros below bit 0.
  static std::uint32_t part(std::int64_t value, int from) {
    if (from < 0) return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) << -from);
    return static_cast<std::uint32_t>(value >> std::min(from, 63));
  }
  std::array<std::uint32_t, 24> words_{};
};

struct Number {
  std::int64_t significand;
  int exponent;
};
Number split(double value) {  // `value`: finite, with at most 11 bits
  int exponent;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 11)), exponent - 11};
}

/// x + y * z, rounded once. Special values and zeros follow IEEE 754, as the host has it.
std::uint32_t exact_multiply_add(double x, double y, double z, HalfFormat format) {
  const double plain = x + y * z;
  if (!std::isfinite(plain)) return half(plain, format);
  const Number a = split(x);
  const Number b = split(y);
  const Number c = split(z);
  ExactSum sum;
  sum.add(a.significand, a.exponent);
  sum.add(b.significand * c.significand, b.exponent + c.exponent);
  const double exact = sum.with_sticky();
  return half(exact == 0 ? plain : exact, format);
}
std::uint32_t exact_quotient(double x, double y, HalfFormat format) {
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) return half(x / y, format);
  const Number a = split(x);
  const Number b = split(y);
  const std::int64_t scaled = std::abs(a.significand) << 38;
  const std::int64_t divisor = std::abs(b.significand);
  std::int64_t quotient = scaled / divisor;
  if (scaled % divisor != 0) quotient |= 1;
  const double magnitude = std::ldexp(static_cast<double>(quotient), a.exponent - b.exponent - 38);
  return half(std::signbit(x) != std::signbit(y) ? -magnitude : magnitude, format);
}

/// Bit patterns: half of them arbitrary, the others of like exponent, where operations cancel.
class Operands {
 public:
  explicit Operands(unsigned seed) : random_(seed) {}
  std::uint32_t any() { return random_() & 0xFFFF; }
  std::uint32_t near(std::uint32_t bits) {
    const std::uint32_t other = random_();
    return (other & 1) != 0 ? other >> 16 : ((bits ^ other >> 16) & 0x87FF) | (bits & 0x7800);
  }
  /// Near one, so that products stay in range.
  std::uint32_t moderate(HalfFormat format) {
    const std::uint32_t one = half(1, format);
    return ((one & 0x7800) + (random_() & 0x0FFF)) | (random_() & 0x8000);
  }

 private:
  std::mt19937 random_;
};

TEST(PeArithmeticHalf, SumsAndProductsAndQuotientsAreRoundedOnce) {
  Operands operands(11);
  for (const HalfFormat format : kFormats) {
    for (int i = 0; i < 100'000; ++i) {
      const std::uint32_t a = operands.any();
      const std::uint32_t b = i % 2 == 0 ? operands.near(a) : operands.moderate(format);
      const double x = half_value(static_cast<std::uint16_t>(a), format);
      const double y = half_value(static_cast<std::uint16_t>(b), format);
      const auto result = [&](Opcode op) { return evaluate(op, a, b, 0, format); };
      ASSERT_EQ(result(Opcode::kFaddh), exact_multiply_add(x, y, 1, format)) << x << " " << y;
      ASSERT_EQ(result(Opcode::kFsubh), exact_multiply_add(x, -y, 1, format)) << x << " " << y;
      // -0 as the addend keeps the sign of a product of zero.
      ASSERT_EQ(result(Opcode::kFmulh), exact_multiply_add(-0.0, x, y, format)) << x << " " << y;
      ASSERT_EQ(result(Opcode::kFdivh), exact_quotient(x, y, format)) << x << " " << y;
    }
  }
}

TEST(PeArithmeticHalf, MultiplyAddIsRoundedOnce) {  // wse.md 6.1
  Operands operands(12);
  for (const HalfFormat format : kFormats) {
    unsigned two_roundings_differ = 0;
    for (int i = 0; i < 100'000; ++i) {
      const std::uint32_t b = i % 2 == 0 ? operands.any() : operands.moderate(format);
      const std::uint32_t c = operands.moderate(format);
      const double y = half_value(static_cast<std::uint16_t>(b), format);
      const double z = half_value(static_cast<std::uint16_t>(c), format);
      const std::uint32_t product = half(y * z, format);
      const std::uint32_t a = operands.near(product);
      const double x = half_value(static_cast<std::uint16_t>(a), format);
      const std::uint32_t expected = exact_multiply_add(x, y, z, format);
      ASSERT_EQ(evaluate(Opcode::kFmach, a, b, c, format), expected) << x << " " << y << " " << z;
      two_roundings_differ += evaluate(Opcode::kFaddh, a, product, 0, format) != expected ? 1 : 0;
    }
    EXPECT_GT(two_roundings_differ, 1000u);  // the operands tell the two apart
  }
}

TEST(PeArithmeticHalf, MultiplyAddSeesAnAddendBelowTheBitsOfADouble) {
  // The product is half-way between two numbers; an addend 2^-60 of it or smaller decides. Rounded
  // to a double first, the sum would be the tie.
  const struct {
    HalfFormat format;
    double factor;  // squared: 1 + 2^-k + 2^-(2k), whose last bit is the middle
    double scale;
    double addend;
    double down, up;
  } cases[] = {
      // 1.0625^2 = 1.12890625 = 1 + 16.5 / 128
      {HalfFormat::kBf16, 1.0625, 1, std::ldexp(1, -100), 1.125, 1.1328125},
      // 1.03125^2 = 1.0634765625 = 1 + 32.5 / 512
      {HalfFormat::kCb16, 1.03125, std::ldexp(1, 10), std::ldexp(1, -50), 1.0625, 1.064453125},
  };
  for (const auto& c : cases) {
    const std::uint32_t y = half(c.factor * c.scale, c.format);
    const std::uint32_t z = half(c.factor, c.format);
    const auto sum = [&](double x) {
      return evaluate(Opcode::kFmach, half(x, c.format), y, z, c.format);
    };
    EXPECT_EQ(sum(c.addend), half(c.up * c.scale, c.format));
    EXPECT_EQ(sum(-c.addend), half(c.down * c.scale, c.format));
    EXPECT_EQ(sum(0), half(c.down * c.scale, c.format));  // the tie, to even
  }
}

TEST(PeArithmeticHalf, EveryNanResultIsTheOneQuietNan) {
  for (const HalfFormat format : kFormats) {
    const std::uint32_t nan = quiet_nan(format);
    const std::uint32_t inf = infinity(format);
    const std::uint32_t one = half(1, format);
    for (const std::uint32_t any : {nan, inf + 1, 0xFFFFU}) {
      for (const Opcode op : {Opcode::kFaddh, Opcode::kFsubh, Opcode::kFmulh, Opcode::kFdivh}) {
        EXPECT_EQ(evaluate(op, any, one, 0, format), nan);
        EXPECT_EQ(evaluate(op, one, any, 0, format), nan);
      }
      EXPECT_EQ(evaluate(Opcode::kFmach, any, one, one, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFmach, one, any, one, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFmach, one, one, any, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFnormh, any, 0, 0, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFscaleh, any, 1, 0, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFmaxh, any, nan, 0, format), nan);
      EXPECT_EQ(evaluate(Opcode::kFmaxh, any, one, 0, format), one);
      EXPECT_EQ(evaluate(Opcode::kFminh, one, any, 0, format), one);
      EXPECT_EQ(evaluate(Opcode::kFh2s, any, 0, 0, format), 0x7FC00000u);
      EXPECT_EQ(evaluate(Opcode::kFh2xp16, any, 0, 0, format), 0u);
    }
    EXPECT_EQ(evaluate(Opcode::kFs2h, 0xFFA00001, 0, 0, format), nan);
    EXPECT_EQ(evaluate(Opcode::kFmulh, inf, 0, 0, format), nan);
    EXPECT_EQ(evaluate(Opcode::kFmach, inf, inf | 0x8000, one, format), nan);
  }
}

TEST(PeArithmeticHalf, MovesAndSignsKeepTheOtherBitsOfANan) {
  for (const HalfFormat format : kFormats) {
    EXPECT_EQ(evaluate(Opcode::kFmovh, 0xABCDFFFF, 0, 0, format), 0xFFFFu);
    EXPECT_EQ(evaluate(Opcode::kFabsh, 0xABCDFFFF, 0, 0, format), 0x7FFFu);
    EXPECT_EQ(evaluate(Opcode::kFnegh, 0xABCD7FFF, 0, 0, format), 0xFFFFu);
    EXPECT_EQ(evaluate(Opcode::kFnegh, 0x8000, 0, 0, format), 0u);
  }
}

TEST(PeArithmeticHalf, LargerAndSmallerAndCompares) {
  for (const HalfFormat format : kFormats) {
    const std::uint32_t one = half(1, format);
    const std::uint32_t minus_two = half(-2, format);
    const std::uint32_t nan = quiet_nan(format);
    EXPECT_EQ(evaluate(Opcode::kFmaxh, minus_two, one, 0, format), one);
    EXPECT_EQ(evaluate(Opcode::kFminh, minus_two, one, 0, format), minus_two);
    EXPECT_EQ(evaluate(Opcode::kFmaxh, 0x8000, 0, 0, format), 0u);
    EXPECT_EQ(evaluate(Opcode::kFminh, 0, 0x8000, 0, format), 0x8000u);
    EXPECT_TRUE(compare(Opcode::kFlth, minus_two, one, format));
    EXPECT_FALSE(compare(Opcode::kFlth, one, one, format));
    EXPECT_TRUE(compare(Opcode::kFlteqh, one, one, format));
    EXPECT_FALSE(compare(Opcode::kFlteqh, one, minus_two, format));
    EXPECT_TRUE(compare(Opcode::kFeqh, 0x8000, 0xABCD0000, format));
    EXPECT_FALSE(compare(Opcode::kFeqh, nan, nan, format));
    EXPECT_FALSE(compare(Opcode::kFlth, nan, one, format));
    EXPECT_FALSE(compare(Opcode::kFlteqh, one, nan, format));
    EXPECT_TRUE(compare(Opcode::kFunh, one, nan, format));
    EXPECT_FALSE(compare(Opcode::kFunh, one, infinity(format), format));
  }
}

TEST(PeArithmeticHalf, NormAndScale) {
  for (const HalfFormat format : kFormats) {
    const auto norm = [&](std::uint32_t a) { return evaluate(Opcode::kFnormh, a, 0, 0, format); };
    EXPECT_EQ(norm(half(6, format)), half(1.5, format));
    EXPECT_EQ(norm(half(-0.375, format)), half(-1.5, format));
    EXPECT_EQ(norm(3), half(1.5, format));  // a subnormal
    for (const std::uint32_t same : {0U, 0x8000U, infinity(format), infinity(format) | 0x8000}) {
      EXPECT_EQ(norm(same), same);
    }
    const auto scale = [&](std::uint32_t a, int n) {
      return evaluate(Opcode::kFscaleh, a, static_cast<std::uint32_t>(n) & 0xFFFF, 0, format);
    };
    EXPECT_EQ(scale(half(1.5, format), 2), half(6, format));
    EXPECT_EQ(scale(half(-1.5, format), -1), half(-0.75, format));
    EXPECT_EQ(scale(3, -1), 2u);  // 1.5 units, a tie, to even
    EXPECT_EQ(scale(5, -1), 2u);
    EXPECT_EQ(scale(0x8001, -32768), 0x8000u);
    EXPECT_EQ(scale(1, 32767), infinity(format));
    EXPECT_EQ(scale(0x8000, 32767), 0x8000u);
  }
}

TEST(PeArithmeticHalf, ConversionsToAndFromIntegers) {
  for (const HalfFormat format : kFormats) {
    const auto to_i16 = [&](double v) {
      return evaluate(Opcode::kFh2xp16, half(v, format), 0, 0, format);
    };
    EXPECT_EQ(to_i16(2.75), 2u);
    EXPECT_EQ(to_i16(-2.75), 0xFFFEu);
    EXPECT_EQ(to_i16(40000), 0x7FFFu);
    EXPECT_EQ(to_i16(-40000), 0x8000u);
    EXPECT_EQ(to_i16(-std::numeric_limits<double>::infinity()), 0x8000u);
    const auto from_i16 = [&](int v) {
      return evaluate(Opcode::kXp162fh, static_cast<std::uint32_t>(v), 0, 0, format);
    };
    for (const int v : {0, 1, -1, 100, 257, 1025, 2049, 2051, 32767, -32768}) {
      EXPECT_EQ(from_i16(v), half(v, format)) << v;
    }
  }
  EXPECT_EQ(evaluate(Opcode::kXp162fh, 2049, 0, 0, HalfFormat::kF16), half(2048, HalfFormat::kF16));
}

TEST(PeArithmeticHalf, ConversionsBetweenTheWidths) {
  for (const HalfFormat format : kFormats) {
    for (std::uint32_t a = 0; a < 0x10000; ++a) {
      const double x = half_value(static_cast<std::uint16_t>(a), format);
      const std::uint32_t wide = evaluate(Opcode::kFh2s, a, 0, 0, format);
      if (std::isnan(x)) continue;
      ASSERT_EQ(static_cast<double>(single(wide)), x) << a;  // exact in every format
      ASSERT_EQ(evaluate(Opcode::kFs2h, wide, 0, 0, format), a);
    }
  }
  const auto to_f16 = [](float v) {
    return evaluate(Opcode::kFs2h, bits_of(v), 0, 0, HalfFormat::kF16);
  };
  EXPECT_EQ(to_f16(65519.0F), 0x7BFFu);
  EXPECT_EQ(to_f16(65520.0F), 0x7C00u);
}

TEST(PeArithmeticHalf, MixedSumsAreRoundedToSingle) {  // wse.md 6.7: faddhs, fmachs
  std::mt19937 random(13);
  Operands operands(14);
  for (const HalfFormat format : kFormats) {
    for (int i = 0; i < 100'000; ++i) {
      const std::uint32_t b = i % 2 == 0 ? operands.any() : operands.moderate(format);
      const std::uint32_t c = operands.moderate(format);
      const auto y = static_cast<float>(half_value(static_cast<std::uint16_t>(b), format));
      const auto z = static_cast<float>(half_value(static_cast<std::uint16_t>(c), format));
      // An f32 of a size like the other addend, or any.
      const auto noise = static_cast<std::uint32_t>(random());
      const std::uint32_t s = i % 3 == 0 ? noise : bits_of(y) ^ (noise & 0x807FFFFF);
      ASSERT_EQ(evaluate(Opcode::kFaddhs, b, s, 0, format), bits_of(y + single(s)));
      const std::uint32_t rounded = exact_multiply_add(-0.0, y, z, format);
      const auto product =
          static_cast<float>(half_value(static_cast<std::uint16_t>(rounded), format));
      ASSERT_EQ(evaluate(Opcode::kFmachs, s, b, c, format), bits_of(single(s) + product));
    }
  }
}

// The quicker ways of the IEEE format against those of any format.

TEST(PeHalf, EveryIeeeValueIsTheSameTheQuickWay) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = half_value(static_cast<std::uint16_t>(bits), HalfFormat::kF16);
    const double quick = ieee_half_value(bits);
    ASSERT_EQ(std::memcmp(&quick, &value, sizeof value), 0) << bits;
  }
}

TEST(PeHalf, IeeeBitsAreTheSameTheQuickWay) {
  std::mt19937_64 random(7);
  const auto check = [](double value) {
    ASSERT_EQ(ieee_half_bits(value), half_bits(value, HalfFormat::kF16)) << value;
  };
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = half_value(static_cast<std::uint16_t>(bits), HalfFormat::kF16);
    const double next = half_value(static_cast<std::uint16_t>(bits + 1), HalfFormat::kF16);
    check(value);
    check(value / 2 + next / 2);  // a tie, and what is beside it
    check(std::nextafter(value / 2 + next / 2, value));
    check(std::nextafter(value / 2 + next / 2, next));
  }
  for (unsigned i = 0; i < 200000; ++i) {
    const std::uint64_t any = random();
    double value;
    std::memcpy(&value, &any, sizeof value);
    check(value);
    check(std::ldexp(1 + std::ldexp(static_cast<double>(any >> 12), -52),
                     static_cast<int>(any & 63U) - 32));
  }
  for (const double value : {65504.0, 65519.999, 65520.0, 65536.0, 1e300, -65520.0, 0.0, -0.0})
    check(value);
}

}  // namespace
}  // namespace tessera::pe::test::arithmetic_half_test
