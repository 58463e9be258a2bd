// Checks compare as numpy.allclose does.
#include "platforms/data/compare.h"

#include <limits>

#include <gtest/gtest.h>

namespace tessera::data::compare_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

HostArray array_of(const Shape& shape, const std::vector<double>& elements) {
  HostArray array = HostArray::zeros(DType::kF64, shape);
  for (std::size_t i = 0; i < elements.size(); ++i) array.set(i, elements[i]);
  return array;
}
Comparison compare(const HostArray& actual, const HostArray& expected, double rtol, double atol) {
  return data::compare(Loaded(actual), Loaded(expected), rtol, atol);
}
Comparison compare_one(double actual, double expected, double rtol, double atol) {
  return compare(array_of({1}, {actual}), array_of({1}, {expected}), rtol, atol);
}

TEST(DataCompare, EqualArraysPassWithoutTolerance) {
  const Comparison c = compare(array_of({2}, {1, 2}), array_of({2}, {1, 2}), 0, 0);
  EXPECT_TRUE(c.passed);
  EXPECT_EQ(c.detail, "all 2 elements agree (rtol 0, atol 0)");
}
TEST(DataCompare, ToleranceIsRelativeToTheExpectedValue) {
  EXPECT_TRUE(compare_one(101, 100, 0.01, 0).passed);
  EXPECT_FALSE(compare_one(100, 90, 0.1, 0).passed);  // 10 > 9
  EXPECT_TRUE(compare_one(90, 100, 0.1, 0).passed);   // 10 <= 10
}
TEST(DataCompare, AbsoluteToleranceIsAdded) {
  EXPECT_TRUE(compare_one(0.25, 0, 0, 0.25).passed);
  EXPECT_TRUE(compare_one(102, 100, 0.01, 1).passed);
  EXPECT_FALSE(compare_one(102.5, 100, 0.01, 1).passed);
}
TEST(DataCompare, CountsMismatchesAndNamesTheWorst) {
  const Comparison c =
      compare(array_of({2, 2}, {1, 2, 9, 5}), array_of({2, 2}, {1, 3, 3, 4}), 0, 0.5);
  EXPECT_FALSE(c.passed);
  EXPECT_EQ(c.mismatches, 3U);
  EXPECT_EQ(c.worst, 2U);
  EXPECT_EQ(c.actual_at_worst, 9);
  EXPECT_EQ(c.expected_at_worst, 3);
  EXPECT_EQ(c.detail,
            "3 of 4 elements differ (rtol 0, atol 0.5); the worst is [1, 0]: 9 instead of 3");
}
TEST(DataCompare, NanIsNeverEqual) {
  EXPECT_FALSE(compare_one(kNan, kNan, 1, 1).passed);
  EXPECT_FALSE(compare_one(1, kNan, 1, 1).passed);
  const Comparison c = compare(array_of({2}, {100, kNan}), array_of({2}, {0, 0}), 0, 0);
  EXPECT_EQ(c.worst, 1U);
}
TEST(DataCompare, InfinitiesEqualOnlyThemselves) {
  EXPECT_TRUE(compare_one(kInf, kInf, 0, 0).passed);
  EXPECT_FALSE(compare_one(kInf, -kInf, 1, 1).passed);
  EXPECT_FALSE(compare_one(5, kInf, 1, 1).passed);
}
TEST(DataCompare, OtherShapesFail) {
  const Comparison c = compare(array_of({4}, {0, 0, 0, 0}), array_of({2, 2}, {0, 0, 0, 0}), 1, 1);
  EXPECT_FALSE(c.passed);
  EXPECT_EQ(c.detail, "the shape is (4,) instead of (2, 2)");
}
TEST(DataCompare, ComputedValuesAreComparedInDouble) {
  HostArray actual = HostArray::zeros(DType::kF32, {1});
  actual.set(0, 0.1);
  const Given expected({{1}, {0.1}});
  EXPECT_FALSE(data::compare(Loaded(actual), expected, 0, 0).passed);  // f32 is not exact
  EXPECT_TRUE(data::compare(Loaded(actual), expected, 1e-5, 1e-8).passed);
}

}  // namespace
}  // namespace tessera::data::compare_test
