// 16-bit floats (reference wse.md 8.2).
#include "models/pe/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tessera::pe::test::half_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr HalfFormat kFormats[] = {HalfFormat::kF16, HalfFormat::kBf16, HalfFormat::kCb16};

struct Facts {
  int fraction_bits;
  int bias;
  std::uint16_t quiet_nan;
  double largest;
  double smallest;  // above 0
};
Facts facts(HalfFormat format) {
  switch (format) {
  case HalfFormat::kBf16:
    return {7, 127, 0x7FC0, std::ldexp(255, 120), std::ldexp(1, -133)};
  case HalfFormat::kCb16:
    return {9, 42, 0x7F00, std::ldexp(1023, 11), std::ldexp(1, -50)};
  case HalfFormat::kF16:
    break;
  }
  return {10, 15, 0x7E00, 65504, std::ldexp(1, -24)};
}
std::uint16_t infinity(HalfFormat format) {
  return static_cast<std::uint16_t>(0x8000 - (1 << facts(format).fraction_bits));
}

/// Value by the definition of the format, in floating-point arithmetic instead of on bits.
double defined_value(std::uint16_t bits, const Facts& f) {
  const int fraction = bits % (1 << f.fraction_bits);
  const int exponent = bits % 0x8000 >> f.fraction_bits;
  const double significand = fraction + (exponent > 0 ? 1 << f.fraction_bits : 0);
  const double magnitude =
      std::ldexp(significand, std::max(exponent, 1) - f.bias - f.fraction_bits);
  return bits >= 0x8000 ? -magnitude : magnitude;
}

/// Nearest number of the format, ties to even, by bisection over all its magnitudes.
std::uint16_t nearest(double value, HalfFormat format) {
  const Facts f = facts(format);
  const double magnitude = std::fabs(value);
  std::uint16_t below = 0;                 // the largest number not above the magnitude
  std::uint16_t above = infinity(format);  // as a number: what the next exponent would be
  while (above - below > 1) {
    const auto middle = static_cast<std::uint16_t>((above + below) / 2);
    (defined_value(middle, f) <= magnitude ? below : above) = middle;
  }
  const double down = magnitude - defined_value(below, f);
  const double up = defined_value(above, f) - magnitude;
  const bool take_above = up < down || (up == down && below % 2 == 1);
  return static_cast<std::uint16_t>((take_above ? above : below) |
                                    (std::signbit(value) ? 0x8000 : 0));
}

double any_double(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(PeHalf, SixHasTheDocumentedBits) {  // wse.md 8.2
  EXPECT_EQ(half_bits(6, HalfFormat::kF16), 0x4600);
  EXPECT_EQ(half_bits(6, HalfFormat::kBf16), 0x40C0);
  EXPECT_EQ(half_bits(6, HalfFormat::kCb16), 0x5900);
  EXPECT_EQ(half_value(0x4600, HalfFormat::kF16), 6);
  EXPECT_EQ(half_value(0x40C0, HalfFormat::kBf16), 6);
  EXPECT_EQ(half_value(0x5900, HalfFormat::kCb16), 6);
}

TEST(PeHalf, EveryBitPatternHasItsValueAndComesBack) {
  for (const HalfFormat format : kFormats) {
    const Facts f = facts(format);
    for (unsigned n = 0; n < 0x10000; ++n) {
      const auto bits = static_cast<std::uint16_t>(n);
      const double value = half_value(bits, format);
      if ((bits & 0x7FFF) > infinity(format)) {
        ASSERT_TRUE(std::isnan(value)) << n;
        ASSERT_EQ(half_bits(value, format), f.quiet_nan) << n;
        continue;
      }
      const bool infinite = (bits & 0x7FFF) == infinity(format);
      ASSERT_EQ(value, infinite ? std::copysign(kInfinity, bits >= 0x8000 ? -1 : 1)
                                : defined_value(bits, f))
          << n;
      ASSERT_EQ(std::signbit(value), bits >= 0x8000) << n;
      ASSERT_EQ(half_bits(value, format), bits) << n;
    }
  }
}

TEST(PeHalf, MiddlesGoToTheEvenNeighbourAndTheirSurroundingsToTheNearest) {
  for (const HalfFormat format : kFormats) {
    const Facts f = facts(format);
    for (std::uint16_t bits = 0; bits < infinity(format); ++bits) {
      const auto next = static_cast<std::uint16_t>(bits + 1);  // after the largest: infinity
      const double middle = (defined_value(bits, f) + defined_value(next, f)) / 2;
      ASSERT_EQ(half_bits(middle, format), bits % 2 == 0 ? bits : next) << bits;
      ASSERT_EQ(half_bits(-middle, format), 0x8000 | (bits % 2 == 0 ? bits : next)) << bits;
      ASSERT_EQ(half_bits(std::nextafter(middle, 0), format), bits) << bits;
      ASSERT_EQ(half_bits(std::nextafter(middle, kInfinity), format), next) << bits;
    }
  }
}

TEST(PeHalf, RandomDoublesGoToTheNearestNumber) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  for (const HalfFormat format : kFormats) {
    const Facts f = facts(format);
    // Exponents from below the smallest subnormal to above the largest number.
    std::uniform_int_distribution<int> exponent(-f.bias - f.fraction_bits - 3, 18 + f.bias);
    for (int i = 0; i < 200'000; ++i) {
      const double value = std::ldexp(mantissa(random), exponent(random));
      ASSERT_EQ(half_bits(value, format), nearest(value, format)) << value;
    }
  }
}

TEST(PeHalf, AnyDoubleGoesToTheNearestNumber) {
  std::mt19937_64 random(2);
  for (const HalfFormat format : kFormats) {
    for (int i = 0; i < 100'000; ++i) {
      const double value = any_double(random);
      if (std::isnan(value)) continue;
      ASSERT_EQ(half_bits(value, format), nearest(value, format)) << value;
    }
  }
}

TEST(PeHalf, LimitsOfTheFormats) {
  for (const HalfFormat format : kFormats) {
    const Facts f = facts(format);
    const std::uint16_t inf = infinity(format);
    EXPECT_EQ(half_value(static_cast<std::uint16_t>(inf - 1), format), f.largest);
    EXPECT_EQ(half_value(1, format), f.smallest);
    EXPECT_EQ(half_bits(f.smallest / 2, format), 0);  // a tie with zero, which is even
    EXPECT_EQ(half_bits(std::nextafter(f.smallest / 2, 1), format), 1);
    EXPECT_EQ(half_bits(std::numeric_limits<double>::max(), format), inf);
    EXPECT_EQ(half_bits(-kInfinity, format), inf | 0x8000);
    EXPECT_EQ(half_bits(std::numeric_limits<double>::denorm_min(), format), 0);
    EXPECT_EQ(half_bits(-std::numeric_limits<double>::min(), format), 0x8000);
    EXPECT_EQ(half_bits(-0.0, format), 0x8000);
    EXPECT_EQ(half_bits(-std::numeric_limits<double>::quiet_NaN(), format), f.quiet_nan);
  }
}

#ifdef __FLT16_MANT_DIG__
TEST(PeHalf, F16AgreesWithTheCompiler) {
  const auto compilers = [](double value) {
    const auto half = static_cast<_Float16>(value);
    std::uint16_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
  };
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-30, 18);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::ldexp(mantissa(random), exponent(random));
    ASSERT_EQ(half_bits(value, HalfFormat::kF16), compilers(value)) << value;
  }
}
#endif

}  // namespace
}  // namespace tessera::pe::test::half_test
