// Element functions (reference wse.md 6.1, 6.7): each opcode with the values at which it could go
// wrong.
#include "models/pe/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/models/pe_builder.h"

namespace tessera::pe::test {
namespace {

constexpr std::uint32_t kMinusZero = 0x80000000U;
constexpr std::uint32_t kQuietNan = 0x7FC00000U;
constexpr std::uint32_t kInfinity = 0x7F800000U;
constexpr std::uint32_t kMinusInfinity = 0xFF800000U;
constexpr std::uint32_t kSmallestDenormal = 1;

std::uint32_t f32(Opcode op, float a, float b = 0, float c = 0) {
  return evaluate(op, bits_of(a), bits_of(b), bits_of(c));
}

TEST(PeArithmetic, MovesKeepEveryBit) {
  for (const Opcode op : {Opcode::kMovri, Opcode::kMov32, Opcode::kFmovs}) {
    EXPECT_EQ(evaluate(op, 0xDEADBEEF, 1, 2), 0xDEADBEEFu);
    EXPECT_EQ(evaluate(op, 0x7FA00001, 0, 0), 0x7FA00001u);  // a signalling NaN stays one
    EXPECT_EQ(evaluate(op, kMinusZero, 0, 0), kMinusZero);
  }
  EXPECT_EQ(evaluate(Opcode::kMov16, 0xDEADBEEF, 0, 0), 0xBEEFu);
}

TEST(PeArithmetic, SixteenBitIntegersWrapWithAZeroUpperHalf) {
  EXPECT_EQ(evaluate(Opcode::kAdd16, 0xFFFF, 1, 0), 0u);
  EXPECT_EQ(evaluate(Opcode::kAdd16, 0x7FFF, 1, 0), 0x8000u);
  EXPECT_EQ(evaluate(Opcode::kAdd16, 0xABCD0001, 0x12340002, 0), 3u);
  EXPECT_EQ(evaluate(Opcode::kSub16, 0, 1, 0), 0xFFFFu);
  EXPECT_EQ(evaluate(Opcode::kSub16, 0x8000, 1, 0), 0x7FFFu);
  EXPECT_EQ(evaluate(Opcode::kSub16, 5, 7, 0), 0xFFFEu);  // src1 - src2, wse.md 6.7
  EXPECT_EQ(evaluate(Opcode::kImul16, 0xFFFF, 0xFFFF, 0), 1u);
  EXPECT_EQ(evaluate(Opcode::kImul16, 0x0100, 0x0100, 0), 0u);
  EXPECT_EQ(evaluate(Opcode::kImul16, static_cast<std::uint32_t>(-3), 7, 0), 0xFFEBu);
}

TEST(PeArithmetic, NegativeImmediatesActAsTheirLow16Bits) {
  const auto minus_one = static_cast<std::uint32_t>(-1);
  EXPECT_EQ(evaluate(Opcode::kAdd16, 5, minus_one, 0), 4u);
  EXPECT_EQ(evaluate(Opcode::kAnd16, 0x1234, minus_one, 0), 0x1234u);
  EXPECT_EQ(evaluate(Opcode::kOr16, 0x1234, minus_one, 0), 0xFFFFu);
  EXPECT_EQ(evaluate(Opcode::kXor16, 0x00FF, minus_one, 0), 0xFF00u);
}

TEST(PeArithmetic, BitwiseOperations) {
  EXPECT_EQ(evaluate(Opcode::kAnd16, 0xF0F0, 0xFF00, 0), 0xF000u);
  EXPECT_EQ(evaluate(Opcode::kOr16, 0xF0F0, 0x0F00, 0), 0xFFF0u);
  EXPECT_EQ(evaluate(Opcode::kXor16, 0xFFFF, 0xFFFF, 0), 0u);
}

TEST(PeArithmetic, ShiftsInsideTheWord) {
  EXPECT_EQ(evaluate(Opcode::kSll16, 0x8001, 1, 0), 2u);
  EXPECT_EQ(evaluate(Opcode::kSll16, 1, 15, 0), 0x8000u);
  EXPECT_EQ(evaluate(Opcode::kSlr16, 0x8001, 1, 0), 0x4000u);
  EXPECT_EQ(evaluate(Opcode::kSlr16, 0x8000, 15, 0), 1u);
  EXPECT_EQ(evaluate(Opcode::kSar16, 0x8001, 1, 0), 0xC000u);
  EXPECT_EQ(evaluate(Opcode::kSar16, 0x7FFF, 14, 0), 1u);
  EXPECT_EQ(evaluate(Opcode::kSar16, 0x8000, 15, 0), 0xFFFFu);
  for (const Opcode op : {Opcode::kSll16, Opcode::kSlr16, Opcode::kSar16}) {
    EXPECT_EQ(evaluate(op, 0x8001, 0, 0), 0x8001u);
  }
}

TEST(PeArithmetic, ShiftsByTheWordOrMoreMoveEveryBitOut) {
  for (const std::uint32_t n : {16U, 17U, 31U, 32U, 33U, 0x8000U, 0xFFFFU}) {
    EXPECT_EQ(evaluate(Opcode::kSll16, 0xFFFF, n, 0), 0u) << n;
    EXPECT_EQ(evaluate(Opcode::kSlr16, 0xFFFF, n, 0), 0u) << n;
    EXPECT_EQ(evaluate(Opcode::kSar16, 0x8000, n, 0), 0xFFFFu) << n;
    EXPECT_EQ(evaluate(Opcode::kSar16, 0x7FFF, n, 0), 0u) << n;
  }
}

TEST(PeArithmetic, ThirtyTwoBitIntegersWrap) {
  EXPECT_EQ(evaluate(Opcode::kAdd32, 0xFFFFFFFF, 1, 0), 0u);
  EXPECT_EQ(evaluate(Opcode::kAdd32, 0x7FFFFFFF, 1, 0), 0x80000000u);
  EXPECT_EQ(evaluate(Opcode::kAdd32, 0x0000FFFF, 1, 0), 0x00010000u);
  EXPECT_EQ(evaluate(Opcode::kSub32, 0, 1, 0), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(Opcode::kSub32, 0x00010000, 1, 0), 0x0000FFFFu);
}

TEST(PeArithmetic, ComparesOf16BitsAreSignedOrUnsignedAsNamed) {
  EXPECT_TRUE(compare(Opcode::kLt16, 0x8000, 0x7FFF));
  EXPECT_FALSE(compare(Opcode::kLt16, 0x7FFF, 0x8000));
  EXPECT_FALSE(compare(Opcode::kLtu16, 0x8000, 0x7FFF));
  EXPECT_TRUE(compare(Opcode::kLtu16, 0x7FFF, 0x8000));
  for (const Opcode op : {Opcode::kLt16, Opcode::kLtu16}) EXPECT_FALSE(compare(op, 9, 9));
}

TEST(PeArithmetic, ComparesOf16BitsIgnoreTheUpperHalf) {
  EXPECT_TRUE(compare(Opcode::kEq16, 0xFFFF, static_cast<std::uint32_t>(-1)));
  EXPECT_FALSE(compare(Opcode::kLt16, 0x00010000, 0));
  EXPECT_TRUE(compare(Opcode::kLt16, 0xFFFF, 0));
  EXPECT_FALSE(compare(Opcode::kLtu16, 0xFFFF, 0x00010000));
}

TEST(PeArithmetic, ComparesOf32Bits) {
  EXPECT_TRUE(compare(Opcode::kLt32, 0x80000000, 0x7FFFFFFF));
  EXPECT_FALSE(compare(Opcode::kLt32, 0x00010000, 0x0000FFFF));
  EXPECT_FALSE(compare(Opcode::kEq32, 0x00010001, 0x00000001));
  EXPECT_TRUE(compare(Opcode::kEq32, 0xFFFFFFFF, 0xFFFFFFFF));
}

TEST(PeArithmetic, FloatComparesFollowIeee754) {
  EXPECT_TRUE(compare(Opcode::kFeqs, kMinusZero, 0));
  EXPECT_FALSE(compare(Opcode::kFlts, kMinusZero, 0));
  EXPECT_FALSE(compare(Opcode::kFeqs, kQuietNan, kQuietNan));
  EXPECT_FALSE(compare(Opcode::kFlts, kQuietNan, bits_of(1)));
  EXPECT_FALSE(compare(Opcode::kFlts, bits_of(1), kQuietNan));
  EXPECT_TRUE(compare(Opcode::kFlts, kMinusInfinity, bits_of(-1e38F)));
  EXPECT_TRUE(compare(Opcode::kFlts, bits_of(-2), bits_of(-1)));
}

TEST(PeArithmetic, FloatResultsRoundToNearestEven) {
  EXPECT_EQ(f32(Opcode::kFadds, 16777216.0F, 1.0F), bits_of(16777216.0F));  // tie, to even
  EXPECT_EQ(f32(Opcode::kFadds, 16777218.0F, 1.0F), bits_of(16777220.0F));
  EXPECT_EQ(f32(Opcode::kFsubs, 1.0F, 3.0F), bits_of(-2.0F));
  EXPECT_EQ(f32(Opcode::kFmuls, 0.1F, 0.1F), 0x3C23D70Bu);  // 1 ulp above 0.01F
}

TEST(PeArithmetic, FloatOverflowsToInfinityAndKeepsDenormals) {
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(f32(Opcode::kFadds, largest, largest), kInfinity);
  EXPECT_EQ(f32(Opcode::kFmuls, largest, -2.0F), kMinusInfinity);
  EXPECT_EQ(evaluate(Opcode::kFadds, kSmallestDenormal, 0, 0), kSmallestDenormal);
  EXPECT_EQ(evaluate(Opcode::kFmuls, kSmallestDenormal, bits_of(4), 0), 4u);
}

TEST(PeArithmetic, SignOfZero) {
  EXPECT_EQ(evaluate(Opcode::kFadds, kMinusZero, kMinusZero, 0), kMinusZero);
  EXPECT_EQ(evaluate(Opcode::kFadds, kMinusZero, 0, 0), 0u);
  EXPECT_EQ(f32(Opcode::kFsubs, 1.0F, 1.0F), 0u);
  EXPECT_EQ(f32(Opcode::kFmuls, -1.0F, 0.0F), kMinusZero);
  EXPECT_EQ(evaluate(Opcode::kFnegs, 0, 0, 0), kMinusZero);
  EXPECT_EQ(evaluate(Opcode::kFabss, kMinusZero, 0, 0), 0u);
}

TEST(PeArithmetic, NanComesThroughArithmetic) {
  for (const Opcode op : {Opcode::kFadds, Opcode::kFsubs, Opcode::kFmuls}) {
    EXPECT_TRUE(std::isnan(float_of(evaluate(op, kQuietNan, bits_of(1), 0))));
    EXPECT_TRUE(std::isnan(float_of(evaluate(op, bits_of(1), kQuietNan, 0))));
  }
  EXPECT_TRUE(std::isnan(float_of(evaluate(Opcode::kFsubs, kInfinity, kInfinity, 0))));
  EXPECT_TRUE(std::isnan(float_of(evaluate(Opcode::kFmuls, kInfinity, 0, 0))));
  EXPECT_TRUE(std::isnan(float_of(evaluate(Opcode::kFmacs, kQuietNan, 0, 0))));
}

TEST(PeArithmetic, AbsoluteValueAndNegationTouchTheSignOnly) {
  EXPECT_EQ(evaluate(Opcode::kFabss, 0xFFA00001, 0, 0), 0x7FA00001u);  // also of a NaN
  EXPECT_EQ(evaluate(Opcode::kFnegs, 0x7FA00001, 0, 0), 0xFFA00001u);
  EXPECT_EQ(f32(Opcode::kFabss, -2.5F), bits_of(2.5F));
  EXPECT_EQ(f32(Opcode::kFnegs, -2.5F), bits_of(2.5F));
}

TEST(PeArithmetic, MaximumPrefersANumberToANan) {
  EXPECT_EQ(f32(Opcode::kFmaxs, -3.0F, -2.0F), bits_of(-2.0F));
  EXPECT_EQ(f32(Opcode::kFmaxs, 7.0F, -2.0F), bits_of(7.0F));
  EXPECT_EQ(evaluate(Opcode::kFmaxs, kQuietNan, bits_of(-9), 0), bits_of(-9));
  EXPECT_EQ(evaluate(Opcode::kFmaxs, bits_of(-9), kQuietNan, 0), bits_of(-9));
  EXPECT_TRUE(std::isnan(float_of(evaluate(Opcode::kFmaxs, kQuietNan, kQuietNan, 0))));
  EXPECT_EQ(evaluate(Opcode::kFmaxs, kMinusInfinity, kSmallestDenormal, 0), kSmallestDenormal);
}

TEST(PeArithmetic, MaximumOfSignallingNanAndNumberIsTheNumber) {
  constexpr std::uint32_t kSignallingNan = 0x7FA00001U;
  EXPECT_EQ(evaluate(Opcode::kFmaxs, kSignallingNan, bits_of(1), 0), bits_of(1));
  EXPECT_EQ(evaluate(Opcode::kFmaxs, bits_of(1), kSignallingNan, 0), bits_of(1));
}

TEST(PeArithmetic, MaximumOfBothZerosDoesNotDependOnTheirOrder) {
  EXPECT_EQ(evaluate(Opcode::kFmaxs, kMinusZero, 0, 0), evaluate(Opcode::kFmaxs, 0, kMinusZero, 0));
}

TEST(PeArithmetic, MultiplyAddIsFirstPlusSecondTimesThird) {
  // wse.md 6.7: dest = src1 + src2 * v
  EXPECT_EQ(f32(Opcode::kFmacs, 1.0F, 2.0F, 3.0F), bits_of(7.0F));
  EXPECT_EQ(f32(Opcode::kFmacs, 10.0F, -2.0F, 3.0F), bits_of(4.0F));
}

TEST(PeArithmetic, MultiplyAddRoundsTwice) {
  // arithmetic.h: f32 results are rounded after every operation. (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24;
  // the product drops the last term, a fused operation keeps it.
  const float x = 1.0F + std::ldexp(1.0F, -12);
  const float minus_product = -(1.0F + std::ldexp(1.0F, -11));
  EXPECT_EQ(f32(Opcode::kFmacs, minus_product, x, x), 0u);
  EXPECT_EQ(std::fma(x, x, minus_product), std::ldexp(1.0F, -24));
}

TEST(PeArithmetic, MultiplyAddAgreesWithTwoRoundingsOnRandomOperands) {
  std::mt19937 random(5);
  unsigned fused_differs = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto draw = [&] { return static_cast<float>(static_cast<int>(random())) / 65536.0F; };
    const float a = draw();
    const float b = draw();
    const float c = draw();
    volatile float product = b * c;  // forces the first rounding
    const float expected = a + product;
    ASSERT_EQ(f32(Opcode::kFmacs, a, b, c), bits_of(expected)) << a << " + " << b << " * " << c;
    fused_differs += std::fma(b, c, a) != expected ? 1 : 0;
  }
  EXPECT_GT(fused_differs, 100u);  // the operands tell the two apart
}

}  // namespace
}  // namespace tessera::pe::test
