// FIX with scales (reference ascend_2.md 1.1 to 1.3).
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "models/cluster/program/fix_rules.h"
#include "models/cluster/values/fix_scale.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::cluster::fix_scale_test {
namespace {

constexpr std::int64_t kSigned = std::int64_t{1} << 46, kShifts = std::int64_t{1} << 36;
std::int64_t factor(float f) {
  return bit_cast<std::uint32_t>(f);
}
std::int64_t offset(std::int64_t n) {
  return (n & 0x1FF) << 37;
}
std::int64_t shift(std::int64_t n) {
  return (n - 1) << 32 | kShifts;
}

TileValues floats(std::vector<double> numbers) {
  TileValues v = TileValues::zeros(Element::kF32, 1, numbers.size());
  v.numbers = std::move(numbers);
  return v;
}
TileValues integers(std::vector<std::int64_t> numbers) {
  TileValues v = TileValues::zeros(Element::kI32, 1, numbers.size());
  v.integers = std::move(numbers);
  return v;
}
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

TEST(FixScale, ToEightBits) {
  const TileValues x = floats({0.5, 1.5, -2.5, 127.5, 300, -300});
  EXPECT_EQ(scaled_by_fix(x, {factor(1) | kSigned}, Element::kI8, {}).integers,
            (Integers{0, 2, -2, 127, 127, -128}));
  EXPECT_EQ(scaled_by_fix(x, {factor(1)}, Element::kU8, {}).integers,
            (Integers{0, 2, 0, 128, 255, 0}));
  // 300 is limited to 255 before the offset.
  EXPECT_EQ(scaled_by_fix(x, {factor(1) | kSigned | offset(-200)}, Element::kI8, {}).integers,
            (Integers{-128, -128, -128, -72, 55, -128}));
  EXPECT_EQ(scaled_by_fix(x, {factor(1) | offset(3)}, Element::kU8, {true, false}).integers,
            (Integers{3, 5, 3, 131, 255, 3}));
}

TEST(FixScale, TheFactorHasTenBitsOfFraction) {
  const float wide = bit_cast<float>(0x3F801FFFU);  // 1 and the thirteen bits that are dropped
  EXPECT_EQ(scaled_by_fix(floats({4096}), {factor(wide)}, Element::kF32, {}).numbers,
            Numbers{4096});
  EXPECT_THROW(scaled_by_fix(floats({1}), {2}, Element::kF32, {}), std::length_error);
  EXPECT_THROW(scaled_by_fix(floats({1}), {0x7F800000}, Element::kI8, {}), std::length_error);
}

TEST(FixScale, IntegersToHalvesAndShifts) {
  EXPECT_EQ(scaled_by_fix(integers({3, -3, 1 << 30}), {factor(0.5F)}, Element::kF16, {}).numbers,
            (Numbers{1.5, -1.5, 65504}));
  EXPECT_EQ(scaled_by_fix(integers({3, -3}), {factor(0.5F)}, Element::kF16, {true, false}).numbers,
            (Numbers{1.5, 0}));
  // A shift of four saturates to 16 bits before the product.
  const std::int64_t word = factor(1) | shift(4);
  EXPECT_EQ(scaled_by_fix(integers({-33, 1 << 30}), {word}, Element::kF16, {false, true}).numbers,
            (Numbers{-3, 32768}));  // 32767 is no number of f16
  EXPECT_EQ(scaled_by_fix(integers({-33}), {word}, Element::kF16, {}).numbers, Numbers{-33});
  EXPECT_EQ(scaled_by_fix(integers({-33, 1 << 30}), {shift(2)}, Element::kI16, {}).integers,
            (Integers{-9, 32767}));
}

TEST(FixScale, AColumnHasItsOwnScale) {
  TileValues x = TileValues::zeros(Element::kI32, 2, 2);
  x.integers = {1, 2, 3, 4};
  EXPECT_EQ(scaled_by_fix(x, {factor(1), factor(10)}, Element::kF16, {}).numbers,
            (Numbers{1, 20, 3, 40}));
}

TEST(FixScale, TypesOfTheGenerations) {
  using E = Element;
  const auto fault = [](Profile p, E from, E to, Location at, bool scales) {
    return find_fix_fault(p, from, to, at, scales);
  };
  constexpr Profile kOld = Profile::kA2A3, kNew = Profile::kA5;
  EXPECT_EQ(fault(kOld, E::kI32, E::kF16, Location::kGm, true), "");
  EXPECT_EQ(fault(kOld, E::kI32, E::kI16, Location::kL1, true), "");
  EXPECT_EQ(fault(kNew, E::kI32, E::kBf16, Location::kUb, true), "");
  EXPECT_EQ(fault(kNew, E::kF32, E::kF32, Location::kL1, false), "");
  EXPECT_NE(fault(kOld, E::kI32, E::kBf16, Location::kGm, true), "");
  EXPECT_NE(fault(kOld, E::kF32, E::kF16, Location::kGm, true), "");
  EXPECT_NE(fault(kOld, E::kF32, E::kF32, Location::kL1, false), "");
  EXPECT_EQ(fault(kNew, E::kI32, E::kI8, Location::kGm, false),
            "FIX of A5 moves i32 of L0C to GM as i32 where nothing scales it, found i8");
}

}  // namespace
}  // namespace tessera::cluster::fix_scale_test
