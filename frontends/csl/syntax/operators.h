// The operators of CSL: how they are written and how tightly they bind (csl.md 1). Bit operators
// bind tighter than comparisons, unlike in C: `x & 1 == 0` is `(x & 1) == 0`.
#pragma once

#include <string_view>

#include "frontends/csl/syntax/ast.h"

namespace tessera::csl {

/// Level 0 binds most loosely. Operators of a level are grouped from the left.
struct BinarySpelling {
  BinaryOp op;
  std::string_view text;
  unsigned level;
};
inline constexpr unsigned kComparisonLevel = 2;  ///< not chained: `a < b < c` is an error
inline constexpr unsigned kLevels = 7;           ///< a level of their own for prefix operators

/// The spellings, in the order of BinaryOp.
inline constexpr BinarySpelling kBinarySpellings[] = {
    {BinaryOp::kOr, "or", 0},
    {BinaryOp::kAnd, "and", 1},
    {BinaryOp::kEqual, "==", kComparisonLevel},
    {BinaryOp::kNotEqual, "!=", kComparisonLevel},
    {BinaryOp::kLess, "<", kComparisonLevel},
    {BinaryOp::kGreater, ">", kComparisonLevel},
    {BinaryOp::kLessOrEqual, "<=", kComparisonLevel},
    {BinaryOp::kGreaterOrEqual, ">=", kComparisonLevel},
    {BinaryOp::kBitAnd, "&", 3},
    {BinaryOp::kBitXor, "^", 3},
    {BinaryOp::kBitOr, "|", 3},
    {BinaryOp::kShiftLeft, "<<", 4},
    {BinaryOp::kShiftRight, ">>", 4},
    {BinaryOp::kAdd, "+", 5},
    {BinaryOp::kSubtract, "-", 5},
    {BinaryOp::kMultiply, "*", 6},
    {BinaryOp::kDivide, "/", 6},
    {BinaryOp::kRemainder, "%", 6},
    {BinaryOp::kThrough, "...", 0}};

/// The spellings, in the order of UnaryOp.
inline constexpr std::string_view kUnarySpellings[] = {"-", "!", "~", "&"};

constexpr const BinarySpelling& spelling(BinaryOp op) {
  return kBinarySpellings[static_cast<unsigned>(op)];
}
constexpr std::string_view spelling(UnaryOp op) {
  return kUnarySpellings[static_cast<unsigned>(op)];
}
constexpr std::string_view spelling(Keyword::Word word) {
  constexpr std::string_view kSpellings[] = {"true", "false", "undefined", "anytype"};
  return kSpellings[static_cast<unsigned>(word)];
}
/// Whether `op=` is an assignment: for arithmetic, shifts and bit operators.
constexpr bool is_compound(BinaryOp op) {
  return spelling(op).level > kComparisonLevel;  // not of `...`
}

}  // namespace tessera::csl
