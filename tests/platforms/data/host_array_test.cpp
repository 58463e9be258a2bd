#include "platforms/data/host_array.h"

#include <limits>

#include <gtest/gtest.h>

#include "platforms/data/computed.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

std::string problem_of(double value, DType dtype) {
  try {
    converted(Given({{2}, {0, value}}), dtype, "l.json", "arrays.k.init");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DataHostArray, ElementsReadBackInEveryDtype) {
  for (DType dtype : {DType::kF16, DType::kF32, DType::kF64, DType::kI16, DType::kU16, DType::kI32,
                      DType::kU32, DType::kI64}) {
    HostArray array = HostArray::zeros(dtype, {2, 2});
    array.set(3, 1234);
    EXPECT_EQ(array.at(3), 1234) << to_string(dtype);
    EXPECT_EQ(array.at(2), 0) << to_string(dtype);
    EXPECT_EQ(array.size(), 4U);
    EXPECT_EQ(array.bytes.size(), 4 * bytes_of(dtype));
  }
}
TEST(DataHostArray, SignsAreKept) {
  HostArray array = HostArray::zeros(DType::kI16, {1});
  array.set(0, -2);
  EXPECT_EQ(array.at(0), -2);
  EXPECT_EQ(array.bits(0), 0xFFFEU);  // zero-extended
}
TEST(DataHostArray, BitsOfAnF32AreThoseOfIeee754) {
  HostArray array = HostArray::zeros(DType::kF32, {1});
  array.set(0, 1.0);
  EXPECT_EQ(array.bits(0), 0x3F800000U);
  array.set_bits(0, 0xC0000000U);
  EXPECT_EQ(array.at(0), -2.0);
}
TEST(DataHostArray, BitsOfAnF16AreThoseOfIeee754) {
  HostArray array = HostArray::zeros(DType::kF16, {2});
  array.set(0, 6.0);
  EXPECT_EQ(array.bits(0), 0x4600U);
  array.set_bits(1, 0xC000U);
  EXPECT_EQ(array.at(1), -2.0);
  EXPECT_EQ(array.at(0), 6.0);
}
TEST(DataHostArray, SetBitsStoresTheLowBytesOnly) {
  HostArray array = HostArray::zeros(DType::kU16, {2});
  array.set_bits(0, 0xABCD1234U);
  EXPECT_EQ(array.at(0), 0x1234);
  EXPECT_EQ(array.at(1), 0);
}
TEST(DataHostArray, TextsAreThoseOfNumpy) {
  EXPECT_EQ(to_string(Shape{3, 4}), "(3, 4)");
  EXPECT_EQ(to_string(Shape{3}), "(3,)");
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(index_text({3, 4}, 7), "[1, 3]");
}
TEST(DataConvert, KeepsTheValues) {
  HostArray from = HostArray::zeros(DType::kI64, {2});
  from.set(0, -5);
  from.set(1, 70000);
  const HostArray to = converted(from, DType::kI32, "", "");
  EXPECT_EQ(to.dtype, DType::kI32);
  EXPECT_EQ(to.at(0), -5);
  EXPECT_EQ(to.at(1), 70000);
}
TEST(DataConvert, F32RoundsToNearest) {
  EXPECT_EQ(converted(Given({{1}, {0.1}}), DType::kF32, "", "").at(0), static_cast<double>(0.1F));
}
TEST(DataConvert, F16RoundsToNearest) {
  EXPECT_EQ(converted(Given({{1}, {0.1}}), DType::kF16, "", "").bits(0), 0x2E66U);
  EXPECT_EQ(converted(Given({{1}, {2049}}), DType::kF16, "", "").at(0), 2048);  // a tie, to even
  EXPECT_EQ(problem_of(65504, DType::kF16), "accepted");
  EXPECT_EQ(problem_of(-std::numeric_limits<double>::infinity(), DType::kF16), "accepted");
  EXPECT_EQ(problem_of(-65505, DType::kF16),
            "l.json: arrays.k.init: element [1] is -65505, which f16 cannot hold; its largest "
            "value is 65504");
}
TEST(DataConvert, F16IsHeldByF32Exactly) {
  HostArray half = HostArray::zeros(DType::kF16, {0x7C00});
  for (std::size_t i = 0; i < half.size(); ++i) half.set_bits(i, i);
  EXPECT_EQ(converted(converted(half, DType::kF32, "", ""), DType::kF16, "", "").bytes, half.bytes);
}
TEST(DataConvert, IntegersMustFitExactly) {
  EXPECT_EQ(problem_of(32767, DType::kI16), "accepted");
  EXPECT_EQ(problem_of(4294967295.0, DType::kU32), "accepted");
  EXPECT_EQ(problem_of(32768, DType::kI16), "l.json: arrays.k.init: element [1] is 32768, which "
                                            "i16 cannot hold; it holds the integers -32768..32767");
  EXPECT_EQ(problem_of(-1, DType::kU16), "l.json: arrays.k.init: element [1] is -1, which u16 "
                                         "cannot hold; it holds the integers 0..65535");
  EXPECT_EQ(problem_of(0.5, DType::kI32),
            "l.json: arrays.k.init: element [1] is 0.5, which i32 cannot hold; it holds the "
            "integers -2147483648..2147483647");
  EXPECT_EQ(problem_of(std::numeric_limits<double>::quiet_NaN(), DType::kI32),
            "l.json: arrays.k.init: element [1] is nan, which i32 cannot hold; it holds the "
            "integers -2147483648..2147483647");
}
TEST(DataConvert, F32HoldsInfinitiesButNotLargerFiniteValues) {
  EXPECT_EQ(problem_of(std::numeric_limits<double>::infinity(), DType::kF32), "accepted");
  EXPECT_EQ(problem_of(1e39, DType::kF32),
            "l.json: arrays.k.init: element [1] is 1e+39, which f32 cannot hold; its largest value "
            "is 3.4028234663852886e+38");
}

}  // namespace
}  // namespace tessera::data
