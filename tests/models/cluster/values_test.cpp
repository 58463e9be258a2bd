// What tile operations compute, against plain loops (ascend.md 4.2, 4.3; tile_functions.h).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "models/cluster/program/program.h"
#include "models/cluster/values/tile_functions.h"
#include "models/cluster/values/tile_values.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::cluster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TileValues random_tile(Element element, std::size_t rows, std::size_t columns, unsigned seed,
                       double least = -4) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(least, 4);
  std::uniform_int_distribution<int> whole(-100, 100);
  TileValues tile = TileValues::zeros(element, rows, columns);
  for (double& x : tile.numbers) x = rounded(real(random), element);
  for (std::int64_t& x : tile.integers) x = to_integer(std::int64_t{whole(random)}, element, false);
  return tile;
}

/// An operation with a result of this type and size.
struct Operated {
  TileOperation operation;
  ResolvedOperation resolved;

  Operated(TileFunction function, Element result, std::size_t rows, std::size_t columns,
           Arithmetic arithmetic = Arithmetic::kAdd) {
    operation.function = function;
    operation.arithmetic = arithmetic;
    resolved.count = 1;
    resolved.operands[0].element = result;
    resolved.operands[0].dimensions = 2;
    resolved.operands[0].sizes = {static_cast<std::int64_t>(rows),
                                  static_cast<std::int64_t>(columns)};
  }
  Operated& scalar(double number) {
    operation.scalars.push_back({true, number, 0});
    resolved.numbers[operation.scalars.size() - 1] = number;
    resolved.integers[operation.scalars.size() - 1] = static_cast<std::int64_t>(number);
    return *this;
  }
  TileValues run(std::vector<TileValues> inputs) const {
    return compute(operation, resolved, std::move(inputs));
  }
};

using Expected = std::function<double(std::size_t row, std::size_t column)>;
void expect_tile(const TileValues& found, std::size_t rows, std::size_t columns,
                 const Expected& expected, const std::string& what = "") {
  ASSERT_EQ(found.rows, rows) << what;
  ASSERT_EQ(found.columns, columns) << what;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      ASSERT_EQ(found.number(r * columns + c), expected(r, c)) << what << " " << r << ", " << c;
}

struct Binary {
  Arithmetic what;
  std::function<float(float, float)> f32;
  std::function<std::int32_t(std::int32_t, std::int32_t)> i32;
};
const std::vector<Binary>& binaries() {
  using A = Arithmetic;
  using I = std::int32_t;
  static const std::vector<Binary> kAll = {
      {A::kAdd, [](float a, float b) { return a + b; }, [](I a, I b) { return a + b; }},
      {A::kSub, [](float a, float b) { return a - b; }, [](I a, I b) { return a - b; }},
      {A::kMul, [](float a, float b) { return a * b; }, [](I a, I b) { return a * b; }},
      {A::kDiv, [](float a, float b) { return a / b; },
       [](I a, I b) { return b == 0 ? 0 : a / b; }},
      {A::kMax, [](float a, float b) { return std::max(a, b); },
       [](I a, I b) { return std::max(a, b); }},
      {A::kMin, [](float a, float b) { return std::min(a, b); },
       [](I a, I b) { return std::min(a, b); }},
      {A::kFmod,
       [](float a, float b) {
         const float whole = std::trunc(a / b) * b;  // each step rounded, as the library does
         return a - whole;
       },
       [](I a, I b) { return b == 0 ? 0 : a % b; }},
      {A::kLeakyRelu, [](float a, float b) { return a < 0 ? a * b : a; },
       [](I a, I b) { return a < 0 ? a * b : a; }},
      {A::kReverseSub, [](float a, float b) { return b - a; }, [](I a, I b) { return b - a; }},
      {A::kReverseDiv, [](float a, float b) { return b / a; },
       [](I a, I b) { return a == 0 ? 0 : b / a; }},
      {A::kAnd, {}, [](I a, I b) { return a & b; }},
      {A::kOr, {}, [](I a, I b) { return a | b; }},
      {A::kXor, {}, [](I a, I b) { return a ^ b; }},
  };
  return kAll;
}

// The scalar unit makes a float of a whole number by one rounding to the type (program.h, kToReal).
TEST(ScalarFloats, WholeNumbersRoundOnceToTheirType) {
  constexpr IntegerType kF32{32, false}, kF16{16, false}, kBf16{16, true}, kF64{};
  const auto real = [](std::int64_t a, IntegerType to, bool is_unsigned = false) {
    return real_of(calculate(Opcode::kToReal, a, 0, {64, is_unsigned}, to));
  };
  EXPECT_EQ(real(16777217, kF32), 16777216.0);
  EXPECT_EQ(real(16777217, kF64), 16777217.0);
  EXPECT_EQ(real(-2049, kF16), -2048.0);
  EXPECT_EQ(real(2051, kF16), 2052.0);
  EXPECT_EQ(real(257, kBf16), 256.0);
  EXPECT_EQ(real(70000, kF16), std::numeric_limits<double>::infinity());
  // Just above a tie of the type, which a double would round to first.
  constexpr std::int64_t kTie = (std::int64_t{1} << 60) + (std::int64_t{1} << 36);
  EXPECT_EQ(real(kTie, kF32), std::ldexp(1.0, 60));
  EXPECT_EQ(real(kTie + 1, kF32), std::ldexp(1.0, 60) + std::ldexp(1.0, 37));
  EXPECT_EQ(real(-kTie - 1, kF32), -std::ldexp(1.0, 60) - std::ldexp(1.0, 37));
  EXPECT_EQ(real(-1, kF32, true), std::ldexp(1.0, 64));
  EXPECT_EQ(real(std::numeric_limits<std::int64_t>::min(), kF32), -std::ldexp(1.0, 63));
}

TEST(ClusterValues, MapOfTwoTiles) {
  for (const Binary& binary : binaries()) {
    const std::string what = std::to_string(static_cast<int>(binary.what));
    const TileValues i = random_tile(Element::kI32, 5, 7, 1),
                     j = random_tile(Element::kI32, 5, 7, 2);
    expect_tile(
        Operated(TileFunction::kMap, Element::kI32, 5, 7, binary.what).run({i, j}), 5, 7,
        [&](std::size_t r, std::size_t c) {
          return binary.i32(static_cast<std::int32_t>(i.integers[r * 7 + c]),
                            static_cast<std::int32_t>(j.integers[r * 7 + c]));
        },
        what);
    if (!binary.f32) continue;
    const TileValues a = random_tile(Element::kF32, 5, 7, 3),
                     b = random_tile(Element::kF32, 5, 7, 4);
    expect_tile(
        Operated(TileFunction::kMap, Element::kF32, 5, 7, binary.what).run({a, b}), 5, 7,
        [&](std::size_t r, std::size_t c) {
          return binary.f32(static_cast<float>(a.numbers[r * 7 + c]),
                            static_cast<float>(b.numbers[r * 7 + c]));
        },
        what);
  }
}

TEST(ClusterValues, HalvesAreRoundedOnce) {
  for (const Element element : {Element::kF16, Element::kBf16}) {
    const float16::Layout layout =
        element == Element::kF16 ? float16::kBinary16 : float16::kBfloat16;
    const TileValues a = random_tile(element, 16, 16, 5), b = random_tile(element, 16, 16, 6);
    expect_tile(Operated(TileFunction::kMap, element, 16, 16, Arithmetic::kMul).run({a, b}), 16, 16,
                [&](std::size_t r, std::size_t c) {
                  const double exact = a.numbers[r * 16 + c] * b.numbers[r * 16 + c];
                  return float16::value_of(float16::bits_of(exact, layout), layout);
                });
  }
}

TEST(ClusterValues, MapOfOneTile) {
  const TileValues a = random_tile(Element::kF32, 3, 9, 7, 0.01);
  const auto check = [&](Arithmetic what, double (*f)(double)) {
    expect_tile(
        Operated(TileFunction::kMap, Element::kF32, 3, 9, what).run({a}), 3, 9,
        [&](std::size_t r, std::size_t c) { return static_cast<float>(f(a.numbers[r * 9 + c])); });
  };
  check(Arithmetic::kNeg, [](double x) { return -x; });
  check(Arithmetic::kExp, [](double x) { return std::exp(x); });
  check(Arithmetic::kLog, [](double x) { return std::log(x); });
  check(Arithmetic::kSqrt, [](double x) { return std::sqrt(x); });
  check(Arithmetic::kRsqrt, [](double x) { return 1 / std::sqrt(x); });
  check(Arithmetic::kRecip, [](double x) { return 1 / x; });
  const TileValues i = random_tile(Element::kI16, 3, 9, 8);
  const auto whole = [&](Arithmetic what, std::int64_t (*f)(std::int64_t)) {
    expect_tile(Operated(TileFunction::kMap, Element::kI16, 3, 9, what).run({i}), 3, 9,
                [&](std::size_t r, std::size_t c) {
                  return static_cast<double>(f(i.integers[r * 9 + c]));
                });
  };
  whole(Arithmetic::kAbs, [](std::int64_t x) { return x < 0 ? -x : x; });
  whole(Arithmetic::kRelu, [](std::int64_t x) { return x < 0 ? 0 : x; });
  whole(Arithmetic::kNot, [](std::int64_t x) { return -x - 1; });
}

TEST(ClusterValues, MapWithAScalar) {
  const TileValues a = random_tile(Element::kF32, 4, 4, 9);
  Operated sub(TileFunction::kMap, Element::kF32, 4, 4, Arithmetic::kSub);
  sub.scalar(1.5);
  expect_tile(sub.run({a}), 4, 4, [&](std::size_t r, std::size_t c) {
    return static_cast<float>(a.numbers[r * 4 + c] - 1.5);
  });
  sub.operation.scalar_first = true;
  expect_tile(sub.run({a}), 4, 4, [&](std::size_t r, std::size_t c) {
    return static_cast<float>(1.5 - a.numbers[r * 4 + c]);
  });
}

TEST(ClusterValues, IntegersWrapAroundAndRemaindersHaveTheSignOfTheDivisor) {
  TileValues a = TileValues::zeros(Element::kI8, 1, 4), b = a;
  a.integers = {127, -7, 7, -128};
  b.integers = {1, 3, -3, -1};
  const auto result = [&](Arithmetic what) {
    return Operated(TileFunction::kMap, Element::kI8, 1, 4, what).run({a, b}).integers;
  };
  EXPECT_EQ(result(Arithmetic::kAdd), (std::vector<std::int64_t>{-128, -4, 4, 127}));
  EXPECT_EQ(result(Arithmetic::kRem), (std::vector<std::int64_t>{0, 2, -2, 0}));
  EXPECT_EQ(result(Arithmetic::kFmod), (std::vector<std::int64_t>{0, -1, 1, 0}));
  b.integers = {1, 2, 9, 0};
  EXPECT_EQ(result(Arithmetic::kShl), (std::vector<std::int64_t>{-2, -28, 0, -128}));
  EXPECT_EQ(result(Arithmetic::kShr), (std::vector<std::int64_t>{63, -2, 0, -128}));
}

TEST(ClusterValues, ShiftsOf64BitsTakeTheLowBitsOfTheAmount) {
  TileValues a = TileValues::zeros(Element::kI64, 1, 4), b = a;
  a.integers = {1, 1, 3, -8};
  b.integers = {63, 64, 65, 66};
  const auto result = [&](Arithmetic what) {
    return Operated(TileFunction::kMap, Element::kI64, 1, 4, what).run({a, b}).integers;
  };
  EXPECT_EQ(result(Arithmetic::kShl),
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 1, 6, -32}));
  EXPECT_EQ(result(Arithmetic::kShr), (std::vector<std::int64_t>{0, 1, 1, -2}));
  EXPECT_EQ(apply_unsigned(Arithmetic::kShr, -8, 65),
            std::int64_t{-8} >> 1 & ~(std::int64_t{1} << 63));
}

TEST(ClusterValues, Reductions) {
  const TileValues a = random_tile(Element::kF32, 6, 5, 10);
  for (const Arithmetic what : {Arithmetic::kAdd, Arithmetic::kMax, Arithmetic::kMin}) {
    const auto reduced = [&](std::size_t first, std::size_t step, std::size_t count) {
      float sum = static_cast<float>(a.numbers[first]);
      for (std::size_t k = 1; k < count; ++k) {
        const auto x = static_cast<float>(a.numbers[first + k * step]);
        sum = what == Arithmetic::kAdd   ? sum + x
              : what == Arithmetic::kMax ? std::max(sum, x)
                                         : std::min(sum, x);
      }
      return sum;
    };
    expect_tile(Operated(TileFunction::kRowReduce, Element::kF32, 6, 1, what).run({a}), 6, 1,
                [&](std::size_t r, std::size_t) { return reduced(r * 5, 1, 5); });
    expect_tile(Operated(TileFunction::kColumnReduce, Element::kF32, 1, 5, what).run({a}), 1, 5,
                [&](std::size_t, std::size_t c) { return reduced(c, 5, 6); });
  }
}

TEST(ClusterValues, ExpansionsOfRowsAndColumns) {
  const TileValues a = random_tile(Element::kF32, 4, 6, 11);
  const TileValues column = random_tile(Element::kF32, 4, 1, 12);
  const TileValues row = random_tile(Element::kF32, 1, 6, 13);
  const TileValues wide = random_tile(Element::kF32, 4, 8, 14);  // its first column counts
  using F = TileFunction;
  expect_tile(Operated(F::kRowExpand, Element::kF32, 4, 6).run({column}), 4, 6,
              [&](std::size_t r, std::size_t) { return column.numbers[r]; });
  expect_tile(Operated(F::kRowExpand, Element::kF32, 4, 6).run({wide}), 4, 6,
              [&](std::size_t r, std::size_t) { return wide.numbers[r * 8]; });
  expect_tile(Operated(F::kColumnExpand, Element::kF32, 4, 6).run({row}), 4, 6,
              [&](std::size_t, std::size_t c) { return row.numbers[c]; });
  expect_tile(Operated(F::kRowMap, Element::kF32, 4, 6, Arithmetic::kSub).run({a, column}), 4, 6,
              [&](std::size_t r, std::size_t c) {
                return static_cast<float>(a.numbers[r * 6 + c] - column.numbers[r]);
              });
  expect_tile(Operated(F::kColumnMap, Element::kF32, 4, 6, Arithmetic::kMul).run({a, row}), 4, 6,
              [&](std::size_t r, std::size_t c) {
                return static_cast<float>(a.numbers[r * 6 + c] * row.numbers[c]);
              });
}

TEST(ClusterValues, FillsSequencesPadsAndTransposes) {
  expect_tile(Operated(TileFunction::kFill, Element::kI32, 2, 3).scalar(7).run({}), 2, 3,
              [](std::size_t, std::size_t) { return 7; });
  Operated sequence(TileFunction::kSequence, Element::kI32, 2, 3);
  sequence.scalar(5);
  expect_tile(sequence.run({}), 2, 3, [](std::size_t r, std::size_t c) { return 5. + 3 * r + c; });
  sequence.operation.descends = true;
  expect_tile(sequence.run({}), 2, 3, [](std::size_t r, std::size_t c) { return 5. - 3 * r - c; });
  const TileValues a = random_tile(Element::kF16, 3, 4, 15);
  Operated pad(TileFunction::kFillPad, Element::kF16, 4, 6);
  pad.operation.pad = Pad::kLeast;
  expect_tile(pad.run({a}), 4, 6, [&](std::size_t r, std::size_t c) {
    return r < 3 && c < 4 ? a.numbers[r * 4 + c] : -kInfinity;
  });
  expect_tile(Operated(TileFunction::kTranspose, Element::kF16, 4, 3).run({a}), 4, 3,
              [&](std::size_t r, std::size_t c) { return a.numbers[c * 4 + r]; });
}

TEST(ClusterValues, MasksHaveABitPerElement) {
  const TileValues a = random_tile(Element::kF32, 3, 19, 16),
                   b = random_tile(Element::kF32, 3, 19, 17);
  Operated compare(TileFunction::kCompare, Element::kI8, 3, 32);
  compare.operation.predicate = static_cast<std::uint8_t>(Predicate::kLess);
  const TileValues mask = compare.run({a, b});
  ASSERT_EQ(mask.columns, 3u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t r = i / 19, c = i % 19;
    ASSERT_EQ(mask.integers[r * 3 + c / 8] >> (c % 8) & 1, a.numbers[i] < b.numbers[i] ? 1 : 0);
  }
  expect_tile(Operated(TileFunction::kSelect, Element::kF32, 3, 19).run({mask, a, b}), 3, 19,
              [&](std::size_t r, std::size_t c) {
                return std::min(a.numbers[r * 19 + c], b.numbers[r * 19 + c]);
              });
}

TEST(ClusterValues, Products) {
  const auto check = [](Element in, Element out, bool adds, bool bias) {
    const TileValues a = random_tile(in, 5, 33, 18), b = random_tile(in, 33, 7, 19);
    const TileValues c = random_tile(out, bias ? 1 : 5, 7, 20);
    const TileFunction function = adds   ? TileFunction::kMatmulAdd
                                  : bias ? TileFunction::kMatmulBias
                                         : TileFunction::kMatmul;
    std::vector<TileValues> inputs = {a, b};
    if (adds) inputs = {c, a, b};
    if (bias) inputs = {a, b, c};
    expect_tile(Operated(function, out, 5, 7).run(inputs), 5, 7, [&](std::size_t i, std::size_t j) {
      float sum = 0;
      std::int64_t whole = 0;
      if (adds || bias) {
        sum = static_cast<float>(c.number((bias ? 0 : i) * 7 + j));
        whole = static_cast<std::int64_t>(c.number((bias ? 0 : i) * 7 + j));
      }
      for (std::size_t k = 0; k < 33; ++k) {
        sum += static_cast<float>(a.number(i * 33 + k)) * static_cast<float>(b.number(k * 7 + j));
        if (!is_float(in)) whole += a.integers[i * 33 + k] * b.integers[k * 7 + j];
      }
      return is_float(in) ? double{sum} : static_cast<double>(whole);
    });
  };
  for (const Element in : {Element::kF32, Element::kF16, Element::kBf16}) {
    check(in, Element::kF32, false, false);
    check(in, Element::kF32, true, false);
    check(in, Element::kF32, false, true);
  }
  check(Element::kI8, Element::kI32, false, false);
  check(Element::kI8, Element::kI32, true, false);
  check(Element::kI8, Element::kI32, false, true);
}

TEST(ClusterValues, ConversionsRound) {
  const auto to_whole = [](double x, Rounding rounding) {
    return to_integer(x, Element::kI32, rounding, true);
  };
  struct Case {
    Rounding rounding;
    std::array<std::int64_t, 5> of;  // 2.5, -2.5, 3.5, 2.2, -2.7
  };
  for (const Case& c : std::initializer_list<Case>{{Rounding::kDefault, {2, -2, 4, 2, -3}},
                                                   {Rounding::kNearestEven, {2, -2, 4, 2, -3}},
                                                   {Rounding::kNearestAway, {3, -3, 4, 2, -3}},
                                                   {Rounding::kFloor, {2, -3, 3, 2, -3}},
                                                   {Rounding::kCeil, {3, -2, 4, 3, -2}},
                                                   {Rounding::kTruncate, {2, -2, 3, 2, -2}},
                                                   {Rounding::kOdd, {3, -3, 3, 3, -3}}}) {
    std::size_t i = 0;
    for (const double x : {2.5, -2.5, 3.5, 2.2, -2.7})
      EXPECT_EQ(to_whole(x, c.rounding), c.of[i++]) << x << " " << static_cast<int>(c.rounding);
  }
  EXPECT_EQ(to_integer(300.0, Element::kI8, Rounding::kDefault, true), 127);
  EXPECT_EQ(to_integer(300.0, Element::kI8, Rounding::kDefault, false), 44);
  EXPECT_EQ(to_integer(-1.0, Element::kU8, Rounding::kDefault, true), 0);
  EXPECT_EQ(to_integer(std::nan(""), Element::kI32, Rounding::kDefault, true), 0);
  EXPECT_EQ(rounded(1e6, Element::kF16), kInfinity);
  EXPECT_EQ(rounded(1e6, Element::kF16, Rounding::kTruncate), 65504);
  EXPECT_EQ(to_integer(kInfinity, Element::kI32, Rounding::kDefault, true), 2147483647);
}

// The neighbours of a value in f16 and bf16: found by walking the 16-bit patterns.
TEST(ClusterValues, ConversionsToHalvesTakeTheNeighbourOfTheMode) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> real(-3, 3);
  for (const Element element : {Element::kF16, Element::kBf16, Element::kF32}) {
    for (int n = 0; n < 2000; ++n) {
      const double x = n == 0 ? 0x1p-30 : real(random) * std::ldexp(1, n % 30 - 20);
      const double low = rounded(x, element, Rounding::kFloor);
      const double high = rounded(x, element, Rounding::kCeil);
      ASSERT_LE(low, x);
      ASSERT_GE(high, x);
      const double near = rounded(x, element);
      ASSERT_TRUE(near == low || near == high) << x;
      ASSERT_LE(std::fabs(near - x), std::min(x - low, high - x)) << x;
      ASSERT_EQ(rounded(low, element), low);
      ASSERT_EQ(rounded((low + high) / 2, element, Rounding::kFloor), low);  // nothing between
      ASSERT_EQ(rounded(x, element, Rounding::kTruncate), x < 0 ? high : low);
      const double odd = rounded(x, element, Rounding::kOdd);
      ASSERT_TRUE(odd == low || odd == high);
      const double middle = (low + high) / 2;
      if (low == high) continue;
      ASSERT_EQ(rounded(middle, element, Rounding::kNearestAway), x < 0 ? low : high) << x;
    }
  }
}

TEST(ClusterValues, CopiesConvertAndFit) {
  const TileValues a = random_tile(Element::kF32, 4, 6, 22);
  expect_tile(
      Operated(TileFunction::kCopy, Element::kF16, 4, 6).run({a}), 4, 6,
      [&](std::size_t r, std::size_t c) { return rounded(a.numbers[r * 6 + c], Element::kF16); });
  Operated relu(TileFunction::kCopy, Element::kF32, 4, 6);
  relu.operation.relu = true;
  expect_tile(relu.run({a}), 4, 6,
              [&](std::size_t r, std::size_t c) { return std::max(a.numbers[r * 6 + c], 0.); });
  expect_tile(fitted(a, 2, 3), 2, 3,
              [&](std::size_t r, std::size_t c) { return a.numbers[r * 6 + c]; });
  expect_tile(fitted(a, 3, 8), 3, 8,
              [&](std::size_t r, std::size_t c) { return a.numbers[r * 8 + c]; });
}

// A scalar has the type of the tile before anything is computed with it.
TEST(TileFunctions, ScalarsAreOfTheTypeOfTheTile) {
  const float tenth = 0.1F;
  TileValues x = TileValues::zeros(Element::kF32, 1, 1);
  x.numbers[0] = tenth;
  Operated product(TileFunction::kMap, Element::kF32, 1, 1, Arithmetic::kMul);
  EXPECT_EQ(product.scalar(0.1).run({x}).numbers[0], tenth * tenth);
  Operated equal(TileFunction::kCompare, Element::kU8, 1, 1);
  equal.operation.predicate = static_cast<std::uint8_t>(Predicate::kEqual);
  EXPECT_EQ(equal.scalar(0.1).run({x}).integers[0], 1);
  TileValues byte = TileValues::zeros(Element::kI8, 1, 1);
  byte.integers[0] = 100;
  Operated larger(TileFunction::kMap, Element::kI8, 1, 1, Arithmetic::kMax);
  EXPECT_EQ(larger.scalar(300).run({byte}).integers[0], 100);  // 300 is 44
}

TEST(TileFunctions, ComparesRowByRowWhateverTheWidths) {
  Operated equal(TileFunction::kCompare, Element::kU8, 2, 1);
  equal.operation.predicate = static_cast<std::uint8_t>(Predicate::kEqual);
  TileValues a = TileValues::zeros(Element::kI32, 2, 2), b = TileValues::zeros(Element::kI32, 2, 4);
  a.integers = {0, 1, 2, 3};
  b.integers = {0, 1, 2, 3, 2, 3, 4, 5};
  EXPECT_EQ(equal.run({a, b}).integers, (std::vector<std::int64_t>{3, 3}));
}

}  // namespace
}  // namespace tessera::cluster
