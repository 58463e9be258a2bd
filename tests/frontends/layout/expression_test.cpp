// Integer expressions of layouts (docs/layout.md: + - * / % == and parentheses).
#include "frontends/text/expression.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace tessera::text {
namespace {

/// Variables.
struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

const Constants kConstants = {
    {"W", 8}, {"H", 4}, {"big", std::numeric_limits<std::int64_t>::max()}};

std::int64_t value_of(const std::string& text, Point at = {}) {
  const std::array<std::int64_t, 2> values = {at.x, at.y};
  return Expression::parse(text, kConstants, {"x", "y"}).evaluate(values.data());
}

/// "position: problem", or the value if there is none.
std::string problem_of(const std::string& text, Point at = {}) {
  try {
    return std::to_string(value_of(text, at));
  } catch (const ExpressionError& error) {
    return std::to_string(error.position()) + ": " + error.what();
  }
}

TEST(LayoutExpression, MultiplicationBindsTighterThanAddition) {
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);
}
TEST(LayoutExpression, ParenthesesGroup) {
  EXPECT_EQ(value_of("(2 + 3) * 4"), 20);
}
TEST(LayoutExpression, SubtractionAndDivisionGroupFromTheLeft) {
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("100 / 5 / 2"), 10);
}
TEST(LayoutExpression, EqualityBindsLoosestAndGivesOneOrZero) {
  EXPECT_EQ(value_of("1 + 1 == 2"), 1);
  EXPECT_EQ(value_of("W == H"), 0);
  EXPECT_EQ(value_of("3 * (W == 8)"), 3);
}
TEST(LayoutExpression, ComparisonsGiveOneOrZero) {
  EXPECT_EQ(value_of("x != 3", {3, 0}), 0);
  EXPECT_EQ(value_of("x != 3", {2, 0}), 1);
  for (const auto& [x, less, equal] : {std::array{2, 1, 0}, {3, 0, 1}, {4, 0, 0}}) {
    const Point at = {x, 0};
    EXPECT_EQ(value_of("x < 3", at), less);
    EXPECT_EQ(value_of("x <= 3", at), less + equal);
    EXPECT_EQ(value_of("x > 3", at), 1 - less - equal);
    EXPECT_EQ(value_of("x >= 3", at), 1 - less);
  }
}
TEST(LayoutExpression, LogicTakesEveryNumberButZeroAsTrue) {
  EXPECT_EQ(value_of("5 && -1"), 1);
  EXPECT_EQ(value_of("5 && 0"), 0);
  EXPECT_EQ(value_of("0 || 7"), 1);
  EXPECT_EQ(value_of("0 || 0"), 0);
  EXPECT_EQ(value_of("!7"), 0);
  EXPECT_EQ(value_of("!0 + !!9"), 2);
  EXPECT_EQ(value_of("-!0"), -1);
}
TEST(LayoutExpression, OperatorsBindAsInC) {
  EXPECT_EQ(value_of("1 || 0 && 0"), 1);
  EXPECT_EQ(value_of("1 && 2 == 2"), 1);
  EXPECT_EQ(value_of("2 == 2 < 3"), 0);  // 2 == (2 < 3)
  EXPECT_EQ(value_of("1 + 1 < 2 * 2"), 1);
  EXPECT_EQ(value_of("!1 == 0"), 1);
}
TEST(LayoutExpression, UnaryMinusRepeats) {
  EXPECT_EQ(value_of("-W"), -8);
  EXPECT_EQ(value_of("2 - - -3"), -1);
  EXPECT_EQ(value_of("-2 * -3"), 6);
}
TEST(LayoutExpression, DivisionAndModuloTruncateTowardZeroAsInC) {
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 2"), -1);
  EXPECT_EQ(value_of("7 / -2"), -3);
  EXPECT_EQ(value_of("7 % -2"), 1);
  EXPECT_EQ(value_of("(-big - 1) % -1"), 0);
}
TEST(LayoutExpression, NumbersAreDecimalOrHexadecimal) {
  EXPECT_EQ(value_of("0x1F"), 31);
  EXPECT_EQ(value_of("0XaB + 1"), 172);
  EXPECT_EQ(value_of(" 9223372036854775807 "), std::numeric_limits<std::int64_t>::max());
}
TEST(LayoutExpression, PlaceOfTheTileIsKnown) {
  EXPECT_EQ(value_of("(x + y) % 2 + x * 10", {3, 4}), 31);
}
TEST(LayoutExpression, TellsWhetherItDependsOnTheTile) {
  EXPECT_TRUE(Expression::parse("y + 1", kConstants, {"x", "y"}).uses_variables());
  EXPECT_FALSE(Expression::parse("W + 1", kConstants, {"x", "y"}).uses_variables());
}
TEST(LayoutExpression, IsEvaluatedManyTimes) {
  const Expression e = Expression::parse("x == W - 1", kConstants, {"x"});
  for (const std::int64_t x : {6, 7, 6}) EXPECT_EQ(e.evaluate(&x), x == 7 ? 1 : 0);
}

TEST(LayoutExpression, DivisionByZeroNamesTheOperator) {
  EXPECT_EQ(problem_of("5 + W / (H - 4)"), "7: 8 is divided by zero");
  EXPECT_EQ(problem_of("W % x"), "3: 8 is taken modulo zero");
}
TEST(LayoutExpression, OverflowIsFoundInEveryOperator) {
  EXPECT_EQ(problem_of("big + 1"), "5: the result does not fit in 64 bits");
  EXPECT_EQ(problem_of("-big - 2"), "6: the result does not fit in 64 bits");
  EXPECT_EQ(problem_of("big * 2"), "5: the result does not fit in 64 bits");
  EXPECT_EQ(problem_of("-(-big - 1)"), "1: the result does not fit in 64 bits");
  EXPECT_EQ(problem_of("(-big - 1) / -1"), "12: the result does not fit in 64 bits");
}
TEST(LayoutExpression, NumberBeyond64BitsIsRefused) {
  EXPECT_EQ(problem_of("1 + 9223372036854775808"), "5: the number does not fit in 64 bits");
  EXPECT_EQ(problem_of("0x8000000000000000"), "1: the number does not fit in 64 bits");
}
TEST(LayoutExpression, UnknownNameNamesTheNearestAndTheKnown) {
  EXPECT_EQ(problem_of("2 * bg"),
            "5: unknown name \"bg\"; did you mean 'big'? known names: H, W, big, x, y");
  EXPECT_EQ(problem_of("w"),
            "1: unknown name \"w\"; did you mean 'W'? known names: H, W, big, x, y");
  EXPECT_EQ(problem_of("K"), "1: unknown name \"K\"; known names: H, W, big, x, y");
}
TEST(LayoutExpression, SyntaxErrorsNameThePositionAndWhatWasExpected) {
  EXPECT_EQ(problem_of("  "), "1: the expression is empty");
  EXPECT_EQ(problem_of("2 +"),
            "4: found the end where a number, a name, \"-\" or \"(\" was expected");
  EXPECT_EQ(
      problem_of("2 3"),
      "3: found \"3\" where an operator (+ - * / % == != < <= > >= && ||) or the end was expected");
  EXPECT_EQ(problem_of("(2 + 3"),
            "7: found the end where \")\" was expected for the \"(\" at character 1");
  EXPECT_EQ(problem_of("2 = 3"), "4: found a single \"=\"; equality is written \"==\"");
  EXPECT_EQ(problem_of("W & 3"),
            "3: found \"&\" where an operator (+ - * / % == != < <= > >= && ||) or the end was "
            "expected");
  EXPECT_EQ(problem_of("0x"), "3: found the end where a hexadecimal digit was expected");
  EXPECT_EQ(problem_of("12ab"), "3: found \"a\" inside a number");
}
TEST(LayoutExpression, NestingIsBounded) {
  EXPECT_EQ(value_of(std::string(49, '(') + "7" + std::string(49, ')')), 7);
  EXPECT_EQ(problem_of(std::string(5000, '(')), "51: nested deeper than 50 levels");
}
TEST(LayoutExpression, DeepestAllowedNestingFitsTheEvaluationStack) {
  std::string text = "1";  // every level keeps one operand for each level of operators waiting
  for (int i = 0; i < 49; ++i) text = "0 || 1 && 0 == 1 < 1 + 1 * (" + text + ")";
  EXPECT_EQ(value_of(text), 0);
}
TEST(LayoutExpression, LongChainsDoNotNest) {
  std::string text = "1";
  for (int i = 0; i < 20000; ++i) text += "+1";
  EXPECT_EQ(value_of(text), 20001);
  EXPECT_EQ(value_of(std::string(20000, '-') + "5"), 5);
}

}  // namespace
}  // namespace tessera::text
