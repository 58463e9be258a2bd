// Array expressions: the meaning of the same text in NumPy, in double precision.
#include "platforms/data/array_expression.h"

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "platforms/data/array_math.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::data {
namespace {

HostArray array_of(const Shape& shape, const std::vector<double>& elements) {
  HostArray array = HostArray::zeros(DType::kF32, shape);
  for (std::size_t i = 0; i < elements.size(); ++i) array.set(i, elements[i]);
  return array;
}

/// A is [[1, 2, 3], [4, 5, 6]], x = [1, 10, 100], b = [7, 8], M = 2, N = 3.
class DataArrayExpression : public ::testing::Test {
 protected:
  std::vector<double> elements(const std::string& text, const Shape& shape) const {
    const Values values =
        values_of(*parse_array_expression(text, names_, shape, "l.json", "arrays.y.init").value);
    EXPECT_EQ(values.shape, shape);
    return values.elements;
  }
  std::string problem(const std::string& text, const Shape& shape) const {
    try {
      parse_array_expression(text, names_, shape, "l.json", "arrays.y.init");
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }

  const HostArray a_ = array_of({2, 3}, {1, 2, 3, 4, 5, 6});
  const HostArray x_ = array_of({3}, {1, 10, 100});
  const HostArray b_ = array_of({2}, {7, 8});
  const Names names_ = {{{"A", &a_}, {"x", &x_}, {"b", &b_}}, {{"M", 2}, {"N", 3}}};
};
using V = std::vector<double>;

TEST_F(DataArrayExpression, MatrixTimesVectorPlusVector) {
  EXPECT_EQ(elements("A @ x + b", {2}), (V{328, 662}));
}
TEST_F(DataArrayExpression, VectorTimesMatrix) {
  EXPECT_EQ(elements("b @ A", {3}), (V{39, 54, 69}));
}
TEST_F(DataArrayExpression, MatrixTimesMatrix) {
  EXPECT_EQ(elements("A @ transpose(A)", {2, 2}), (V{14, 32, 32, 77}));
}
TEST_F(DataArrayExpression, DotIsANumberAndFillsTheTarget) {
  EXPECT_EQ(elements("x @ x", {2}), (V{10101, 10101}));
}
TEST_F(DataArrayExpression, MatmulBindsAsMultiplication) {
  EXPECT_EQ(elements("2 * A @ x - b * 0.5", {2}), (V{638.5, 1304}));
}
TEST_F(DataArrayExpression, ShapesBroadcastFromTheLastDimension) {
  EXPECT_EQ(elements("A * x", {2, 3}), (V{1, 20, 300, 4, 50, 600}));
  EXPECT_EQ(elements("A + reshape(b, 2, 1)", {2, 3}), (V{8, 9, 10, 12, 13, 14}));
  EXPECT_EQ(elements("reshape(b, M, 1) * x", {2, 3}), (V{7, 70, 700, 8, 80, 800}));
}
TEST_F(DataArrayExpression, SumsOverAllOrOneAxis) {
  EXPECT_EQ(elements("sum(A)", {1}), V{21});
  EXPECT_EQ(elements("sum(A, 0)", {3}), (V{5, 7, 9}));
  EXPECT_EQ(elements("sum(A, 1)", {2}), (V{6, 15}));
  EXPECT_EQ(elements("sum(A, -1)", {2}), (V{6, 15}));
  EXPECT_EQ(elements("sum(reshape(A, 1, 3, 2), 1)", {1, 2}), (V{9, 12}));
}
TEST_F(DataArrayExpression, SlicesAreThoseOfNumPy) {
  EXPECT_EQ(elements("A[:, 1:]", {2, 2}), (V{2, 3, 5, 6}));
  EXPECT_EQ(elements("A[1:, :-1]", {1, 2}), (V{4, 5}));
  EXPECT_EQ(elements("A[1]", {3}), (V{4, 5, 6}));
  EXPECT_EQ(elements("A[:, -1]", {2}), (V{3, 6}));
  EXPECT_EQ(elements("A[M - 1, 0]", {1}), V{4});
  EXPECT_EQ(elements("x[1:][1:]", {1}), V{100});
  EXPECT_EQ(elements("x[:-2] + x[2:] - 2 * x[1:N-1]", {1}), V{81});
  EXPECT_EQ(elements("transpose(A)[1] * (b + 1)[:]", {2}), (V{16, 45}));
}
TEST_F(DataArrayExpression, SlicesStayInTheirArray) {
  EXPECT_EQ(problem("A[1:4]", {1}),
            "l.json: arrays.y.init: in \"A[1:4]\" at character 2: the slice takes elements 1 up to "
            "4 of dimension 0 of an array of shape (2, 3); there must be at least one, and all "
            "must exist");
  EXPECT_NE(problem("x[2:2]", {1}).find("takes elements 2 up to 2 of dimension 0"),
            std::string::npos);
  EXPECT_NE(problem("x[-4]", {1}).find("takes elements -1 up to 0"), std::string::npos);
  EXPECT_NE(problem("x[0, 1]", {1})
                .find("at character 2: an array of shape (3,) has fewer "
                      "dimensions than the 2 of the slice"),
            std::string::npos);
  EXPECT_NE(problem("x[0.5:]", {1}).find("at character 3: the bound of a slice is 0.5; it must be"),
            std::string::npos);
  EXPECT_NE(problem("x[]", {1}).find("found \"]\" where a number or \":\" was expected"),
            std::string::npos);
  EXPECT_NE(problem("x[1:", {1}).find("found the end where"), std::string::npos);
  EXPECT_NE(problem("x[1:2", {1})
                .find("found the end where \"]\" was expected for the \"[\" at character 2"),
            std::string::npos);
}
TEST_F(DataArrayExpression, WithoutATargetItHasItsOwnShape) {
  const auto part = [this](const std::string& text) {
    return values_of(
        *parse_array_expression(text, names_, std::nullopt, "l.json", "host[1]").value);
  };
  EXPECT_EQ(part("A").shape, (Shape{2, 3}));
  EXPECT_EQ(part("A[:, 1:]").elements, (V{2, 3, 5, 6}));
  EXPECT_EQ(part("iota() + 7").shape, Shape{});
}
TEST_F(DataArrayExpression, AbsoluteValuesAndLargestElement) {
  EXPECT_EQ(elements("abs(A - 4)", {2, 3}), (V{3, 2, 1, 0, 1, 2}));
  EXPECT_EQ(elements("max(abs(x - 50))", {1}), (V{50}));
  EXPECT_EQ(elements("-max(-b)", {2}), (V{7, 7}));
  EXPECT_NE(problem("max(A, 1)", {1}).find("max takes 1 argument"), std::string::npos);
}
TEST_F(DataArrayExpression, LargestElementIsNanIfThereIsOne) {
  EXPECT_TRUE(std::isnan(elements("max((x - x) / (x - x))", {1})[0]));
}
TEST_F(DataArrayExpression, TransposeReversesTheDimensions) {
  EXPECT_EQ(elements("transpose(A)", {3, 2}), (V{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(elements("transpose(reshape(A, 1, 3, 2))", {2, 3, 1}), (V{1, 3, 5, 2, 4, 6}));
}
TEST_F(DataArrayExpression, GeneratorsHaveTheShapeOfTheTarget) {
  EXPECT_EQ(elements("iota()", {2, 2}), (V{0, 1, 2, 3}));
  EXPECT_EQ(elements("full(M + 0.5)", {2}), (V{2.5, 2.5}));
  EXPECT_EQ(elements("zeros()", {2}), (V{0, 0}));
  EXPECT_EQ(elements("3", {2}), (V{3, 3}));
}
TEST_F(DataArrayExpression, ParametersAreNumbers) {
  EXPECT_EQ(elements("M * N - -1", {1}), V{7});
}
TEST_F(DataArrayExpression, NumbersMayHaveFractionsAndExponents) {
  EXPECT_EQ(elements("1.5e3 + .25", {1}), V{1500.25});
}

// Computed independently from the definition in array_expression.cpp with Python integers.
TEST_F(DataArrayExpression, RandomIsTheSameOnEveryMachine) {
  EXPECT_EQ(elements("random(1)", {4}), (V{0.4994964599609375, -0.25521326065063477,
                                           -0.12343227863311768, 0.9082334041595459}));
  EXPECT_EQ(elements("random(-7)", {2}), (V{0.27818500995635986, -0.7266656160354614}));
}
TEST_F(DataArrayExpression, RandomIsExactInF32AndUniform) {
  double sum = 0;
  double squares = 0;
  const V values = elements("random(42)", {10000});
  for (double v : values) {
    ASSERT_EQ(static_cast<double>(static_cast<float>(v)), v);
    ASSERT_GE(v, -1.0);
    ASSERT_LT(v, 1.0);
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.02);
  EXPECT_NEAR(squares / 10000, 1.0 / 3, 0.01);
}
TEST_F(DataArrayExpression, SeedsGiveDifferentValues) {
  EXPECT_NE(elements("random(1)", {8}), elements("random(2)", {8}));
}

TEST_F(DataArrayExpression, MessagesNameThePositionAndTheShapes) {
  EXPECT_EQ(
      problem("A @ b", {2}),
      "l.json: arrays.y.init: in \"A @ b\" at character 3: \"@\" cannot be applied to arrays of "
      "shapes (2, 3) and (2,); the last dimension of the left must equal the first of the right");
  EXPECT_EQ(problem("1 + A * b", {2}),
            "l.json: arrays.y.init: in \"1 + A * b\" at character 7: \"*\" cannot be applied to "
            "arrays of shapes (2, 3) and (2,); dimensions must be equal or 1");
  EXPECT_EQ(problem("A @ x", {3}), "l.json: arrays.y.init: in \"A @ x\" at character 1: the "
                                   "expression has shape (2,), but the array has shape (3,)");
  EXPECT_EQ(problem("reshape(A, 4)", {4}),
            "l.json: arrays.y.init: in \"reshape(A, 4)\" at character 1: an array of shape (2, 3) "
            "with 6 elements cannot be reshaped to (4,) with 4");
  EXPECT_EQ(problem("sum(A, 2)", {4}), "l.json: arrays.y.init: in \"sum(A, 2)\" at character 8: "
                                       "the axis 2 does not exist in an array of shape (2, 3)");
  EXPECT_EQ(problem("A @ 2", {4}), "l.json: arrays.y.init: in \"A @ 2\" at character 3: \"@\" "
                                   "needs arrays of rank 1 or 2, but the shapes are (2, 3) and ()");
}
TEST_F(DataArrayExpression, MessagesNameUnknownNamesAndFunctions) {
  EXPECT_EQ(problem("a @ x", {2}), "l.json: arrays.y.init: in \"a @ x\" at character 1: unknown "
                                   "name \"a\"; did you mean 'A'? known names: A, b, x, M, N");
  EXPECT_EQ(
      problem("rand(1)", {2}),
      "l.json: arrays.y.init: in \"rand(1)\" at character 1: unknown function \"rand\""
      "; did you mean 'random'? functions: random, iota, zeros, full, sum, transpose, reshape, "
      "abs, max");
}
TEST_F(DataArrayExpression, MessagesNameWrongArguments) {
  EXPECT_EQ(problem("random()", {2}), "l.json: arrays.y.init: in \"random()\" at character 1: "
                                      "random takes 1 argument, random(seed), but 0 are given");
  EXPECT_EQ(problem("random(0.5)", {2}),
            "l.json: arrays.y.init: in \"random(0.5)\" at character 8: the seed is 0.5; it must be "
            "an integer of at most 2^53");
  EXPECT_EQ(problem("full(x)", {2}), "l.json: arrays.y.init: in \"full(x)\" at character 6: the "
                                     "value must be a number, but it is an array of shape (3,)");
  EXPECT_EQ(problem("reshape(A, -6)", {2}),
            "l.json: arrays.y.init: in \"reshape(A, -6)\" at character 12: the dimension is -6; it "
            "must be 0 or more");
}
TEST_F(DataArrayExpression, MessagesNameWhatWasExpected) {
  EXPECT_EQ(problem("", {2}),
            "l.json: arrays.y.init: in \"\" at character 1: the expression is empty");
  EXPECT_EQ(problem("A @", {2}), "l.json: arrays.y.init: in \"A @\" at character 4: found the end "
                                 "where a number, a name, \"-\" or \"(\" was expected");
  EXPECT_EQ(problem("sum(A", {2}), "l.json: arrays.y.init: in \"sum(A\" at character 6: found the "
                                   "end where \")\" was expected for the \"(\" at character 4");
  EXPECT_EQ(problem("2 % 3", {2}), "l.json: arrays.y.init: in \"2 % 3\" at character 3: found "
                                   "\"%\" where an operator (+ - * / @) or the end was expected");
  EXPECT_EQ(problem("1e999", {2}), "l.json: arrays.y.init: in \"1e999\" at character 1: the number "
                                   "does not fit in 64-bit floating point");
  EXPECT_EQ(problem("2x", {2}),
            "l.json: arrays.y.init: in \"2x\" at character 2: found \"x\" inside a number");
  EXPECT_EQ(problem(std::string(9999, '('), {2}).find("nested deeper than 50 levels") !=
                std::string::npos,
            true);
}
TEST_F(DataArrayExpression, ResultsThatDoNotFitInMemoryAreRefused) {
  const Shape large = {std::size_t{1} << 20};
  const HostArray column = HostArray::zeros(DType::kI16, {large[0], 1});
  const HostArray row = HostArray::zeros(DType::kI16, large);
  const Names names = {{{"c", &column}, {"r", &row}}, {}};
  try {
    parse_array_expression("c * r", names, Shape{1}, "", "");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "in \"c * r\" at character 3: the result of shape (1048576, 1048576) has more than "
              "2147483648 elements, the most that are computed with");
  }
  EXPECT_NE(problem("sum(iota() + 1, 0)", {2, kMaxHeldElements + 1}).find("268435456 elements"),
            std::string::npos);
}

TEST_F(DataArrayExpression, OperatorsAreCountedBecauseTheyAreNested) {
  std::string text = "1";
  for (int i = 0; i < 500; ++i) text += "+1";
  EXPECT_EQ(elements(text, {1}), V{501});
  EXPECT_EQ(problem(text + "+1", {1}).find("more than 500 operators") != std::string::npos, true);
}

TEST_F(DataArrayExpression, IsComputedFromTheArraysAsTheyAreWhenItIsRead) {
  HostArray filled_later = array_of({2}, {0, 0});
  const Names names = {{{"y", &filled_later}, {"b", &b_}}, {}};
  const ArrayExpression e = parse_array_expression("sum(y) + b", names, Shape{2}, "", "");
  filled_later.set(0, 100);
  EXPECT_EQ(values_of(*e.value).elements, (V{107, 108}));
  EXPECT_EQ(e.arrays, (std::set<std::string>{"b", "y"}));
}

TEST_F(DataArrayExpression, HugeArraysAreReadPieceByPiece) {
  const Shape wafer = {994, 750, 360};  // 2.1 GB of doubles; nothing is computed but what is read
  const ArrayExpression e =
      parse_array_expression("-(iota() + 1) * full(2)", {}, wafer, "l.json", "arrays.y.init");
  V some(3);
  e.value->read(268379999, 3, some.data());
  EXPECT_EQ(some, (V{-536760000, -536760002, -536760004}));
}

/// Pieces must fit together: every operation on arrays of several pieces, against plain loops.
TEST_F(DataArrayExpression, LongArraysAgreeWithPlainLoops) {
  constexpr std::size_t kRows = 7;
  constexpr std::size_t kColumns = Computed::kPiece + 30;
  HostArray m = HostArray::zeros(DType::kF64, {kRows, kColumns});
  for (std::size_t i = 0; i < m.size(); ++i) m.set(i, static_cast<double>(i * i % 1009) - 300);
  const Names names = {{{"m", &m}}, {}};
  const auto read = [&](const std::string& text, const Shape& shape) {
    return values_of(*parse_array_expression(text, names, shape, "", "").value).elements;
  };
  const auto at = [&](std::size_t r, std::size_t c) { return m.at(r * kColumns + c); };
  V transposed, by_row(kRows), by_column(kColumns), gram(kRows * kRows);
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t r = 0; r < kRows; ++r) transposed.push_back(at(r, c));
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      by_row[r] += at(r, c);
      by_column[c] += at(r, c);
      for (std::size_t q = 0; q < kRows; ++q) gram[r * kRows + q] += at(r, c) * at(q, c);
    }
  }
  V scaled, combined(kColumns);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      scaled.push_back(at(r, c) * by_column[c] - by_row[r]);
      combined[c] += by_row[r] * at(r, c);
    }
  }
  EXPECT_EQ(read("transpose(m)", {kColumns, kRows}), transposed);
  EXPECT_EQ(read("sum(m, 1)", {kRows}), by_row);
  EXPECT_EQ(read("sum(m, 0)", {kColumns}), by_column);
  EXPECT_EQ(read("m @ transpose(m)", {kRows, kRows}), gram);
  EXPECT_EQ(read("m * sum(m, 0) - reshape(sum(m, 1), 7, 1)", {kRows, kColumns}), scaled);
  EXPECT_EQ(read("sum(m, 1) @ m", {kColumns}), combined);
}

TEST_F(DataArrayExpression, FuzzOnlyUserErrorsEscape) {
  const std::vector<std::string> pieces = {
      "A", "x", "b", "M",    "(",          ")",        "+",       "-",      "*",
      "/", "@", ",", "sum(", "transpose(", "reshape(", "random(", "iota()", "full(",
      "0", "1", "2", "0.5",  "1e99",       " ",        "%",       "q"};
  std::mt19937 random(3);
  unsigned accepted = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text;
    for (unsigned n = 1 + random() % 9; n > 0; --n) text += pieces[random() % pieces.size()];
    try {
      const Values values =
          values_of(*parse_array_expression(text, names_, Shape{2, 3}, "f", "p").value);
      ASSERT_EQ(values.elements.size(), 6U) << text;
      ++accepted;
    } catch (const UserError&) {
    } catch (const std::exception& error) {
      FAIL() << text << ": " << error.what();
    }
  }
  EXPECT_GT(accepted, 500U);
}

}  // namespace
}  // namespace tessera::data
