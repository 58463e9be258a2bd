// Floats of 8 and 4 bits (reference ascend_2.md 5.3, 5.4), and two of 4 bits in a byte.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/cluster/memory/memory.h"
#include "models/cluster/values/small_floats.h"

namespace tessera::cluster::small_floats_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SmallFloats, KnownCodes) {
  struct Row {
    Element element;
    std::uint8_t code;
    double value;
  };
  const Row rows[] = {{Element::kE4m3, 0x7E, 448},
                      {Element::kE4m3, 0x01, std::ldexp(1.0, -9)},
                      {Element::kE4m3, 0x80, -0.0},
                      {Element::kE5m2, 0x7B, 57344},
                      {Element::kE5m2, 0xFC, -kInfinity},
                      {Element::kHif8, 0x07, std::ldexp(1.0, -16)},
                      {Element::kHif8, 0x0F, 1.875},
                      {Element::kHif8, 0x11, 2.25},
                      {Element::kHif8, 0x18, 0.5},
                      {Element::kHif8, 0x20, 4},
                      {Element::kHif8, 0x28, 8},
                      {Element::kHif8, 0x5F, std::ldexp(1.75, -7)},
                      {Element::kHif8, 0x6E, 32768},
                      {Element::kHif8, 0x6F, kInfinity},
                      {Element::kHif8, 0x7F, std::ldexp(1.5, -15)},
                      {Element::kE8m0, 0, std::ldexp(1.0, -127)},
                      {Element::kE2m1, 7, 6},
                      {Element::kE2m1, 9, -0.5},
                      {Element::kE1m2, 7, 1.75}};
  for (const Row& row : rows) {
    EXPECT_EQ(small_float_value(row.element, row.code), row.value) << to_string(row.element);
    EXPECT_EQ(small_float_code(row.element, row.value), row.code) << to_string(row.element);
  }
}

// What a copy reads it writes, NaNs too.
TEST(SmallFloats, EveryCodeComesBack) {
  for (const Element e : {Element::kE4m3, Element::kE5m2, Element::kHif8, Element::kE8m0})
    for (unsigned code = 0; code < 256; ++code) {
      const auto byte = static_cast<std::uint8_t>(code);
      EXPECT_EQ(small_float_code(e, small_float_value(e, byte)), byte) << to_string(e);
    }
}

TEST(SmallFloats, BeyondTheLargestNumber) {
  const auto round = [](double x, Element e, bool saturates) {
    return small_float_rounded(x, e, Rounding::kDefault, saturates);
  };
  EXPECT_EQ(round(464, Element::kE4m3, false), 448);
  EXPECT_TRUE(std::isnan(round(465, Element::kE4m3, false)));
  EXPECT_EQ(round(465, Element::kE4m3, true), 448);
  EXPECT_EQ(round(61440, Element::kE5m2, false), kInfinity);
  EXPECT_EQ(round(-1e9, Element::kE5m2, true), -57344);
  EXPECT_EQ(round(40959, Element::kHif8, false), 32768);
  EXPECT_EQ(round(40960, Element::kHif8, false), kInfinity);
  EXPECT_EQ(round(std::ldexp(1.0, -23), Element::kHif8, false), std::ldexp(1.0, -22));
  EXPECT_EQ(round(std::ldexp(0.99, -23), Element::kHif8, false), 0);
  EXPECT_EQ(round(9, Element::kE2m1, false), 6);
  EXPECT_EQ(round(std::nan(""), Element::kE2m1, false), 0);
}

// Rows of three elements: the middle of a byte is the end of one row and the begin of the next.
TEST(SmallFloats, TwoLieInAByte) {
  ResolvedOperand o;
  o.element = Element::kE2m1;
  o.dimensions = 2;
  o.sizes = {2, 3};
  o.strides = {3, 1};
  o.address = 1;
  o.bytes = 3;
  Memory memory;
  memory.set_bytes({std::byte{0xFF}, std::byte{0x21}, std::byte{0x43}, std::byte{0x65}});
  const TileValues before = memory.read(o, 0, false);
  EXPECT_EQ(before.numbers, (std::vector<double>{0.5, 1, 1.5, 2, 3, 4}));
  TileValues column = TileValues::zeros(Element::kE2m1, 2, 1);
  column.numbers = {-6, 6};
  o.sizes = {2, 1};
  memory.write(o, column, {0, 1, 0}, false);
  memory.settle();
  EXPECT_EQ(memory.bytes(), (std::vector<std::byte>{std::byte{0xFF}, std::byte{0x2F},
                                                    std::byte{0x73}, std::byte{0x65}}));
}

}  // namespace
}  // namespace tessera::cluster::small_floats_test
