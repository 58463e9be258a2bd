// Element functions (reference wse.md 6.1, 6.7): each opcode with the values at which it could go
// wrong.
#include "models/pe/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/models/pe/builder.h"

namespace tessera::pe::test {
namespace {

constexpr std::uint32_t kMinusZero = 0x80000000U;
constexpr std::uint32_t kQuietNan = 0x7FC00000U;
constexpr std::uint32_t kInfinity = 0x7F800000U;
constexpr std::uint32_t kMinusInfinity = 0xFF800000U;
constexpr std::uint32_t kSmallestDenormal = 1;

constexpr std::uint32_t kSignallingNan = 0x7FA00001U;
constexpr std::uint32_t kMinusOne = static_cast<std::uint32_t>(-1);

// For what does not depend on the format of 16-bit floats.
std::uint32_t run(Opcode op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
  return evaluate(op, a, b, c, HalfFormat::kF16);
}
bool holds(Opcode op, std::uint32_t a, std::uint32_t b) {
  return compare(op, a, b, HalfFormat::kF16);
}
std::uint32_t f32(Opcode op, float a, float b = 0, float c = 0) {
  return run(op, bits_of(a), bits_of(b), bits_of(c));
}

TEST(PeArithmetic, MovesKeepEveryBit) {
  for (const Opcode op : {Opcode::kMovri, Opcode::kMov32, Opcode::kFmovs}) {
    EXPECT_EQ(run(op, 0xDEADBEEF, 1, 2), 0xDEADBEEFu);
    EXPECT_EQ(run(op, 0x7FA00001, 0), 0x7FA00001u);  // a signalling NaN stays one
    EXPECT_EQ(run(op, kMinusZero, 0), kMinusZero);
  }
  EXPECT_EQ(run(Opcode::kMov16, 0xDEADBEEF, 0), 0xBEEFu);
}

TEST(PeArithmetic, SixteenBitIntegersWrapWithAZeroUpperHalf) {
  EXPECT_EQ(run(Opcode::kAdd16, 0xFFFF, 1), 0u);
  EXPECT_EQ(run(Opcode::kAdd16, 0x7FFF, 1), 0x8000u);
  EXPECT_EQ(run(Opcode::kAdd16, 0xABCD0001, 0x12340002), 3u);
  EXPECT_EQ(run(Opcode::kSub16, 0, 1), 0xFFFFu);
  EXPECT_EQ(run(Opcode::kSub16, 0x8000, 1), 0x7FFFu);
  EXPECT_EQ(run(Opcode::kSub16, 5, 7), 0xFFFEu);  // src1 - src2, wse.md 6.7
  EXPECT_EQ(run(Opcode::kImul16, 0xFFFF, 0xFFFF), 1u);
  EXPECT_EQ(run(Opcode::kImul16, 0x0100, 0x0100), 0u);
  EXPECT_EQ(run(Opcode::kImul16, static_cast<std::uint32_t>(-3), 7), 0xFFEBu);
}

TEST(PeArithmetic, NegativeImmediatesActAsTheirLow16Bits) {
  EXPECT_EQ(run(Opcode::kAdd16, 5, kMinusOne), 4u);
  EXPECT_EQ(run(Opcode::kAnd16, 0x1234, kMinusOne), 0x1234u);
  EXPECT_EQ(run(Opcode::kOr16, 0x1234, kMinusOne), 0xFFFFu);
  EXPECT_EQ(run(Opcode::kXor16, 0x00FF, kMinusOne), 0xFF00u);
}

TEST(PeArithmetic, BitwiseOperations) {
  EXPECT_EQ(run(Opcode::kAnd16, 0xF0F0, 0xFF00), 0xF000u);
  EXPECT_EQ(run(Opcode::kOr16, 0xF0F0, 0x0F00), 0xFFF0u);
  EXPECT_EQ(run(Opcode::kXor16, 0xFFFF, 0xFFFF), 0u);
}

TEST(PeArithmetic, ShiftsInsideTheWord) {
  EXPECT_EQ(run(Opcode::kSll16, 0x8001, 1), 2u);
  EXPECT_EQ(run(Opcode::kSll16, 1, 15), 0x8000u);
  EXPECT_EQ(run(Opcode::kSlr16, 0x8001, 1), 0x4000u);
  EXPECT_EQ(run(Opcode::kSlr16, 0x8000, 15), 1u);
  EXPECT_EQ(run(Opcode::kSar16, 0x8001, 1), 0xC000u);
  EXPECT_EQ(run(Opcode::kSar16, 0x7FFF, 14), 1u);
  EXPECT_EQ(run(Opcode::kSar16, 0x8000, 15), 0xFFFFu);
  for (const Opcode op : {Opcode::kSll16, Opcode::kSlr16, Opcode::kSar16}) {
    EXPECT_EQ(run(op, 0x8001, 0), 0x8001u);
  }
}

TEST(PeArithmetic, ShiftsByTheWordOrMoreMoveEveryBitOut) {
  for (const std::uint32_t n : {16U, 17U, 31U, 32U, 33U, 0x8000U, 0xFFFFU}) {
    EXPECT_EQ(run(Opcode::kSll16, 0xFFFF, n), 0u) << n;
    EXPECT_EQ(run(Opcode::kSlr16, 0xFFFF, n), 0u) << n;
    EXPECT_EQ(run(Opcode::kSar16, 0x8000, n), 0xFFFFu) << n;
    EXPECT_EQ(run(Opcode::kSar16, 0x7FFF, n), 0u) << n;
  }
}

TEST(PeArithmetic, ThirtyTwoBitIntegersWrap) {
  EXPECT_EQ(run(Opcode::kAdd32, 0xFFFFFFFF, 1), 0u);
  EXPECT_EQ(run(Opcode::kAdd32, 0x7FFFFFFF, 1), 0x80000000u);
  EXPECT_EQ(run(Opcode::kAdd32, 0x0000FFFF, 1), 0x00010000u);
  EXPECT_EQ(run(Opcode::kSub32, 0, 1), 0xFFFFFFFFu);
  EXPECT_EQ(run(Opcode::kSub32, 0x00010000, 1), 0x0000FFFFu);
}

TEST(PeArithmetic, ThirtyTwoBitOperationsUseTheWholeWord) {
  EXPECT_EQ(run(Opcode::kAnd32, 0xF0F0F0F0, 0xFF00FF00), 0xF000F000u);
  EXPECT_EQ(run(Opcode::kOr32, 0xF0000000, 0x0000000F), 0xF000000Fu);
  EXPECT_EQ(run(Opcode::kXor32, kMinusOne, 0x12345678), 0xEDCBA987u);
  EXPECT_EQ(run(Opcode::kImul32, 0x10001, 0x10001), 0x00020001u);
  EXPECT_EQ(run(Opcode::kImul32, kMinusOne, kMinusOne), 1u);
  EXPECT_EQ(run(Opcode::kSll32, 1, 31), 0x80000000u);
  EXPECT_EQ(run(Opcode::kSlr32, 0x80000000, 31), 1u);
  EXPECT_EQ(run(Opcode::kSar32, 0x80000000, 31), kMinusOne);
  EXPECT_EQ(run(Opcode::kSar32, 0x80000000, 4), 0xF8000000u);
  for (const std::uint32_t n : {32U, 33U, 64U, 0x80000000U, kMinusOne}) {
    EXPECT_EQ(run(Opcode::kSll32, kMinusOne, n), 0u) << n;
    EXPECT_EQ(run(Opcode::kSlr32, kMinusOne, n), 0u) << n;
    EXPECT_EQ(run(Opcode::kSar32, 0x80000000, n), kMinusOne) << n;
    EXPECT_EQ(run(Opcode::kSar32, 0x7FFFFFFF, n), 0u) << n;
  }
}

TEST(PeArithmetic, DivisionTruncatesTowardZero) {
  const auto i16 = [](int v) { return static_cast<std::uint32_t>(v) & 0xFFFF; };
  const auto i32 = [](int v) { return static_cast<std::uint32_t>(v); };
  for (const int a : {-7, -6, -1, 0, 1, 6, 7, 32767, -32768}) {
    for (const int b : {-3, -2, 1, 2, 3, 32767, -32768}) {
      EXPECT_EQ(run(Opcode::kDiv16, i16(a), i16(b)), i16(a / b)) << a << " " << b;
      EXPECT_EQ(run(Opcode::kRem16, i16(a), i16(b)), i16(a % b)) << a << " " << b;
      EXPECT_EQ(run(Opcode::kDiv32, i32(a), i32(b)), i32(a / b)) << a << " " << b;
      EXPECT_EQ(run(Opcode::kRem32, i32(a), i32(b)), i32(a % b)) << a << " " << b;
    }
  }
  EXPECT_EQ(run(Opcode::kDivu16, 0xFFFF, 2), 0x7FFFu);
  EXPECT_EQ(run(Opcode::kRemu16, 0xFFFF, 10), 5u);
  EXPECT_EQ(run(Opcode::kDivu32, kMinusOne, 2), 0x7FFFFFFFu);
  EXPECT_EQ(run(Opcode::kRemu32, kMinusOne, 10), 5u);
  EXPECT_EQ(run(Opcode::kDivu16, 0xABCD0008, 0x12340002), 4u);  // upper halves are ignored
}

TEST(PeArithmetic, TheSmallestNumberDividedByMinusOneWraps) {
  EXPECT_EQ(run(Opcode::kDiv16, 0x8000, 0xFFFF), 0x8000u);
  EXPECT_EQ(run(Opcode::kRem16, 0x8000, 0xFFFF), 0u);
  EXPECT_EQ(run(Opcode::kDiv32, 0x80000000, kMinusOne), 0x80000000u);
  EXPECT_EQ(run(Opcode::kRem32, 0x80000000, kMinusOne), 0u);
}

TEST(PeArithmetic, BitCounts) {
  for (unsigned n = 0; n < 16; ++n) {
    EXPECT_EQ(run(Opcode::kClz16, 0x8000U >> n), n);
    EXPECT_EQ(run(Opcode::kClz16, 0xFFFFU >> n), n);
    EXPECT_EQ(run(Opcode::kCtz16, 1U << n), n);
    EXPECT_EQ(run(Opcode::kCtz16, 0xFFFFU << n), n);
    EXPECT_EQ(run(Opcode::kPopcnt16, 0xFFFFU >> n), 16 - n);
  }
  for (const std::uint32_t zero : {0U, 0xFFFF0000U}) {
    EXPECT_EQ(run(Opcode::kClz16, zero), 16u);
    EXPECT_EQ(run(Opcode::kCtz16, zero), 16u);
    EXPECT_EQ(run(Opcode::kPopcnt16, zero), 0u);
  }
  EXPECT_EQ(run(Opcode::kPopcnt16, 0xA5A5), 8u);
}

TEST(PeArithmetic, AddWithCarryTakesAndGivesTheCarry) {  // wse.md 6.7
  const auto sum = [](std::uint32_t a, std::uint32_t b, bool carry) {
    const CarrySum result = add_with_carry(a, b, carry);
    return result.sum | (result.carry ? 0x10000U : 0U);
  };
  EXPECT_EQ(sum(1, 2, false), 3u);
  EXPECT_EQ(sum(1, 2, true), 4u);
  EXPECT_EQ(sum(0xFFFF, 0, false), 0xFFFFu);
  EXPECT_EQ(sum(0xFFFF, 0, true), 0x10000u);
  EXPECT_EQ(sum(0xFFFF, 0xFFFF, true), 0x1FFFFu);
  EXPECT_EQ(sum(0xABCD0001, 0x12340001, false), 2u);
}

TEST(PeArithmetic, ComparesOf16BitsAreSignedOrUnsignedAsNamed) {
  EXPECT_TRUE(holds(Opcode::kLt16, 0x8000, 0x7FFF));
  EXPECT_FALSE(holds(Opcode::kLt16, 0x7FFF, 0x8000));
  EXPECT_FALSE(holds(Opcode::kLtu16, 0x8000, 0x7FFF));
  EXPECT_TRUE(holds(Opcode::kLtu16, 0x7FFF, 0x8000));
  for (const Opcode op : {Opcode::kLt16, Opcode::kLtu16}) EXPECT_FALSE(holds(op, 9, 9));
  for (const Opcode op : {Opcode::kLte16, Opcode::kLteu16}) EXPECT_TRUE(holds(op, 9, 9));
  EXPECT_TRUE(holds(Opcode::kLte16, 0x8000, 0x7FFF));
  EXPECT_FALSE(holds(Opcode::kLte16, 0x7FFF, 0x8000));
  EXPECT_FALSE(holds(Opcode::kLteu16, 0x8000, 0x7FFF));
}

TEST(PeArithmetic, ComparesOf16BitsIgnoreTheUpperHalf) {
  EXPECT_TRUE(holds(Opcode::kEq16, 0xFFFF, static_cast<std::uint32_t>(-1)));
  EXPECT_FALSE(holds(Opcode::kLt16, 0x00010000, 0));
  EXPECT_TRUE(holds(Opcode::kLt16, 0xFFFF, 0));
  EXPECT_FALSE(holds(Opcode::kLtu16, 0xFFFF, 0x00010000));
}

TEST(PeArithmetic, ComparesOf32Bits) {
  EXPECT_TRUE(holds(Opcode::kLt32, 0x80000000, 0x7FFFFFFF));
  EXPECT_FALSE(holds(Opcode::kLt32, 0x00010000, 0x0000FFFF));
  EXPECT_TRUE(holds(Opcode::kLte32, 0x80000000, 0x80000000));
  EXPECT_FALSE(holds(Opcode::kLte32, 0x7FFFFFFF, 0x80000000));
  EXPECT_TRUE(holds(Opcode::kLtu32, 0x7FFFFFFF, 0x80000000));
  EXPECT_FALSE(holds(Opcode::kLtu32, 0x80000000, 0x80000000));
  EXPECT_TRUE(holds(Opcode::kLteu32, 0x80000000, 0x80000000));
  EXPECT_FALSE(holds(Opcode::kEq32, 0x00010001, 0x00000001));
  EXPECT_TRUE(holds(Opcode::kEq32, 0xFFFFFFFF, 0xFFFFFFFF));
}

TEST(PeArithmetic, FloatComparesFollowIeee754) {
  EXPECT_TRUE(holds(Opcode::kFeqs, kMinusZero, 0));
  EXPECT_FALSE(holds(Opcode::kFlts, kMinusZero, 0));
  EXPECT_FALSE(holds(Opcode::kFeqs, kQuietNan, kQuietNan));
  EXPECT_FALSE(holds(Opcode::kFlts, kQuietNan, bits_of(1)));
  EXPECT_FALSE(holds(Opcode::kFlts, bits_of(1), kQuietNan));
  EXPECT_TRUE(holds(Opcode::kFlts, kMinusInfinity, bits_of(-1e38F)));
  EXPECT_TRUE(holds(Opcode::kFlts, bits_of(-2), bits_of(-1)));
  EXPECT_TRUE(holds(Opcode::kFlteqs, 0, kMinusZero));
  EXPECT_FALSE(holds(Opcode::kFlteqs, bits_of(2), bits_of(1)));
  EXPECT_FALSE(holds(Opcode::kFlteqs, kQuietNan, kQuietNan));
  EXPECT_TRUE(holds(Opcode::kFuns, kQuietNan, bits_of(1)));
  EXPECT_TRUE(holds(Opcode::kFuns, bits_of(1), kSignallingNan));
  EXPECT_FALSE(holds(Opcode::kFuns, kInfinity, kMinusInfinity));
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
  EXPECT_EQ(run(Opcode::kFadds, kSmallestDenormal, 0), kSmallestDenormal);
  EXPECT_EQ(run(Opcode::kFmuls, kSmallestDenormal, bits_of(4)), 4u);
}

TEST(PeArithmetic, SignOfZero) {
  EXPECT_EQ(run(Opcode::kFadds, kMinusZero, kMinusZero), kMinusZero);
  EXPECT_EQ(run(Opcode::kFadds, kMinusZero, 0), 0u);
  EXPECT_EQ(f32(Opcode::kFsubs, 1.0F, 1.0F), 0u);
  EXPECT_EQ(f32(Opcode::kFmuls, -1.0F, 0.0F), kMinusZero);
  EXPECT_EQ(run(Opcode::kFnegs, 0, 0), kMinusZero);
  EXPECT_EQ(run(Opcode::kFabss, kMinusZero, 0), 0u);
}

TEST(PeArithmetic, EveryNanResultIsTheOneQuietNan) {
  const Opcode binary[] = {Opcode::kFadds, Opcode::kFsubs, Opcode::kFmuls, Opcode::kFdivs};
  for (const std::uint32_t nan : {kQuietNan, kSignallingNan, 0xFFFFFFFFU}) {
    for (const Opcode op : binary) {
      EXPECT_EQ(run(op, nan, bits_of(1)), kQuietNan);
      EXPECT_EQ(run(op, bits_of(1), nan), kQuietNan);
    }
    EXPECT_EQ(run(Opcode::kFmacs, nan, 0, 0), kQuietNan);
    EXPECT_EQ(run(Opcode::kFmacs, 0, nan, 0), kQuietNan);
    EXPECT_EQ(run(Opcode::kFmacs, 0, 0, nan), kQuietNan);
    EXPECT_EQ(run(Opcode::kFnorms, nan), kQuietNan);
    EXPECT_EQ(run(Opcode::kFscales, nan, 1), kQuietNan);
    EXPECT_EQ(run(Opcode::kFmaxs, nan, kQuietNan), kQuietNan);
    EXPECT_EQ(run(Opcode::kFmins, kQuietNan, nan), kQuietNan);
  }
  EXPECT_EQ(run(Opcode::kFsubs, kInfinity, kInfinity), kQuietNan);
  EXPECT_EQ(run(Opcode::kFmuls, kInfinity, 0), kQuietNan);
  EXPECT_EQ(run(Opcode::kFdivs, 0, kMinusZero), kQuietNan);
}

TEST(PeArithmetic, DivisionOfFloats) {
  EXPECT_EQ(f32(Opcode::kFdivs, 1.0F, 3.0F), 0x3EAAAAABu);
  EXPECT_EQ(f32(Opcode::kFdivs, -1.0F, 0.0F), kMinusInfinity);
  EXPECT_EQ(run(Opcode::kFdivs, 3, bits_of(2)), 2u);  // a tie of subnormals, to even
}

TEST(PeArithmetic, NormScalesIntoOneToTwo) {
  EXPECT_EQ(f32(Opcode::kFnorms, 6.0F), bits_of(1.5F));
  EXPECT_EQ(f32(Opcode::kFnorms, -0.375F), bits_of(-1.5F));
  EXPECT_EQ(f32(Opcode::kFnorms, 1.0F), bits_of(1.0F));
  EXPECT_EQ(run(Opcode::kFnorms, kSmallestDenormal), bits_of(1.0F));
  EXPECT_EQ(run(Opcode::kFnorms, 0x7F7FFFFF), 0x3FFFFFFFu);
  for (const std::uint32_t same : {0U, kMinusZero, kInfinity, kMinusInfinity}) {
    EXPECT_EQ(run(Opcode::kFnorms, same), same);
  }
}

TEST(PeArithmetic, ScaleMultipliesByAPowerOfTwoAndRoundsOnce) {
  const auto i16 = [](int v) { return static_cast<std::uint32_t>(v) & 0xFFFF; };
  EXPECT_EQ(run(Opcode::kFscales, bits_of(1.5F), i16(2)), bits_of(6.0F));
  EXPECT_EQ(run(Opcode::kFscales, bits_of(-1.5F), i16(-1)), bits_of(-0.75F));
  EXPECT_EQ(run(Opcode::kFscales, kSmallestDenormal, i16(276)), bits_of(std::ldexp(1.0F, 127)));
  EXPECT_EQ(run(Opcode::kFscales, bits_of(std::ldexp(1.0F, 127)), i16(-276)), kSmallestDenormal);
  EXPECT_EQ(run(Opcode::kFscales, bits_of(1.5F), i16(-149)), 2u);  // a tie, to even
  EXPECT_EQ(run(Opcode::kFscales, bits_of(2.5F), i16(-149)), 2u);
  for (const int n : {-32768, -401}) {
    EXPECT_EQ(run(Opcode::kFscales, bits_of(-3e38F), i16(n)), kMinusZero) << n;
  }
  for (const int n : {32767, 401}) {
    EXPECT_EQ(run(Opcode::kFscales, kSmallestDenormal, i16(n)), kInfinity) << n;
    EXPECT_EQ(run(Opcode::kFscales, 0, i16(n)), 0u) << n;
  }
}

TEST(PeArithmetic, FloatsBecomeIntegersTowardZeroAndSaturate) {
  const auto to_i16 = [](float v) { return f32(Opcode::kFs2xp16, v); };
  const auto to_i32 = [](float v) { return f32(Opcode::kFs2xp32, v); };
  EXPECT_EQ(to_i16(2.99F), 2u);
  EXPECT_EQ(to_i16(-2.99F), 0xFFFEu);  // with a zero upper half
  EXPECT_EQ(to_i16(32767.9F), 0x7FFFu);
  EXPECT_EQ(to_i16(32768.0F), 0x7FFFu);
  EXPECT_EQ(to_i16(-1e30F), 0x8000u);
  EXPECT_EQ(to_i32(-2.99F), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(to_i32(2147483520.0F), 0x7FFFFF80u);
  EXPECT_EQ(to_i32(2147483648.0F), 0x7FFFFFFFu);
  EXPECT_EQ(to_i32(-1e30F), 0x80000000u);
  for (const Opcode op : {Opcode::kFs2xp16, Opcode::kFs2xp32}) {
    EXPECT_EQ(run(op, kQuietNan), 0u);
    EXPECT_EQ(run(op, kSignallingNan), 0u);
    EXPECT_EQ(run(op, kMinusZero), 0u);
  }
}

TEST(PeArithmetic, IntegersBecomeTheNearestFloat) {
  EXPECT_EQ(run(Opcode::kXp162fs, 0x8000), bits_of(-32768.0F));
  EXPECT_EQ(run(Opcode::kXp162fs, 0xABCD7FFF), bits_of(32767.0F));
  EXPECT_EQ(run(Opcode::kXp322fs, kMinusOne), bits_of(-1.0F));
  EXPECT_EQ(run(Opcode::kXp322fs, 16777217), bits_of(16777216.0F));  // ties, to even
  EXPECT_EQ(run(Opcode::kXp322fs, 16777219), bits_of(16777220.0F));
  EXPECT_EQ(run(Opcode::kXp322fs, 0x7FFFFFFF), bits_of(2147483648.0F));
}

TEST(PeArithmetic, AbsoluteValueAndNegationTouchTheSignOnly) {
  EXPECT_EQ(run(Opcode::kFabss, 0xFFA00001, 0), 0x7FA00001u);  // also of a NaN
  EXPECT_EQ(run(Opcode::kFnegs, 0x7FA00001, 0), 0xFFA00001u);
  EXPECT_EQ(f32(Opcode::kFabss, -2.5F), bits_of(2.5F));
  EXPECT_EQ(f32(Opcode::kFnegs, -2.5F), bits_of(2.5F));
}

TEST(PeArithmetic, MaximumPrefersANumberToANan) {
  EXPECT_EQ(f32(Opcode::kFmaxs, -3.0F, -2.0F), bits_of(-2.0F));
  EXPECT_EQ(f32(Opcode::kFmaxs, 7.0F, -2.0F), bits_of(7.0F));
  EXPECT_EQ(run(Opcode::kFmaxs, kQuietNan, bits_of(-9)), bits_of(-9));
  EXPECT_EQ(run(Opcode::kFmaxs, bits_of(-9), kQuietNan), bits_of(-9));
  EXPECT_EQ(run(Opcode::kFmaxs, kMinusInfinity, kSmallestDenormal), kSmallestDenormal);
}

TEST(PeArithmetic, MaximumOfSignallingNanAndNumberIsTheNumber) {
  EXPECT_EQ(run(Opcode::kFmaxs, kSignallingNan, bits_of(1)), bits_of(1));
  EXPECT_EQ(run(Opcode::kFmaxs, bits_of(1), kSignallingNan), bits_of(1));
}

TEST(PeArithmetic, PlusZeroIsAboveMinusZero) {
  EXPECT_EQ(run(Opcode::kFmaxs, kMinusZero, 0), 0u);
  EXPECT_EQ(run(Opcode::kFmaxs, 0, kMinusZero), 0u);
  EXPECT_EQ(run(Opcode::kFmins, kMinusZero, 0), kMinusZero);
  EXPECT_EQ(run(Opcode::kFmins, 0, kMinusZero), kMinusZero);
}

TEST(PeArithmetic, MinimumPrefersANumberToANan) {
  EXPECT_EQ(f32(Opcode::kFmins, -3.0F, -2.0F), bits_of(-3.0F));
  EXPECT_EQ(run(Opcode::kFmins, kQuietNan, bits_of(9)), bits_of(9));
  EXPECT_EQ(run(Opcode::kFmins, bits_of(9), kSignallingNan), bits_of(9));
  EXPECT_EQ(run(Opcode::kFmins, kInfinity, bits_of(3e38F)), bits_of(3e38F));
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

TEST(PeArithmetic, FloatOperationsAgreeWithTheHostOnRandomBits) {
  std::mt19937 random(6);
  const auto expect = [](Opcode op, std::uint32_t a, std::uint32_t b, float expected) {
    const std::uint32_t bits = std::isnan(expected) ? kQuietNan : bits_of(expected);
    ASSERT_EQ(run(op, a, b), bits) << info(op).mnemonic << std::hex << " " << a << " " << b;
  };
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<std::uint32_t>(random());
    // Also of like size, where rounding matters, and around the subnormals.
    const auto b = i % 2 == 0 ? static_cast<std::uint32_t>(random())
                              : a ^ (static_cast<std::uint32_t>(random()) & 0x81FFFFFF);
    expect(Opcode::kFadds, a, b, float_of(a) + float_of(b));
    expect(Opcode::kFsubs, a, b, float_of(a) - float_of(b));
    expect(Opcode::kFmuls, a, b, float_of(a) * float_of(b));
    expect(Opcode::kFdivs, a, b, float_of(a) / float_of(b));
  }
}

}  // namespace
}  // namespace tessera::pe::test
