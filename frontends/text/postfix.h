// Expressions as postfix code: parsed once, evaluated many times. A layout may cover a whole wafer
// (wse.md 1.12) and evaluate its expressions for every tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/text/precedence_parser.h"

namespace tessera::text {

/// The binary operators of integer and number expressions.
inline constexpr std::array<OperatorSpelling, 13> kArithmeticOperators = {
    {{"||", Operator::kOr, 0},
     {"&&", Operator::kAnd, 1},
     {"==", Operator::kEqual, 2},
     {"!=", Operator::kNotEqual, 2},
     {"<=", Operator::kLessOrEqual, 3},
     {"<", Operator::kLess, 3},
     {">=", Operator::kGreaterOrEqual, 3},
     {">", Operator::kGreater, 3},
     {"+", Operator::kAdd, 4},
     {"-", Operator::kSubtract, 4},
     {"*", Operator::kMultiply, 5},
     {"/", Operator::kDivide, 5},
     {"%", Operator::kRemainder, 5}}};
inline constexpr unsigned kArithmeticLevels = 6;
/// The prefix operators of all expressions but those of arrays.
inline constexpr std::array<OperatorSpelling, 2> kArithmeticPrefixes = {
    {{"-", Operator::kNegate, 0}, {"!", Operator::kNot, 0}}};

constexpr bool is_division(Operator op) {
  return op == Operator::kDivide || op == Operator::kRemainder;
}

/// Whether its result is true or false; every number but 0 counts as true.
constexpr bool is_truth(Operator op) {
  return op < Operator::kAdd;
}
template <class Number>
constexpr bool truth(Operator op, Number a, Number b) {
  if (op == Operator::kOr) return a != 0 || b != 0;
  if (op == Operator::kAnd) return a != 0 && b != 0;
  if (op == Operator::kNotEqual) return a != b;
  const bool is_less = op == Operator::kLess || op == Operator::kLessOrEqual;
  const bool is_greater = op == Operator::kGreater || op == Operator::kGreaterOrEqual;
  if (a == b) return op != Operator::kLess && op != Operator::kGreater;
  return (is_less && a < b) || (is_greater && a > b);
}

/// `a op b` of integers; "/" and "%" truncate toward zero as in C, truth is 1 or 0. No value: it
/// does not fit in 64 bits. The divisor must not be 0.
inline std::optional<std::int64_t> integer_result(Operator op, std::int64_t a, std::int64_t b) {
  if (is_truth(op)) return truth(op, a, b) ? 1 : 0;
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Operator::kAdd:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Operator::kSubtract:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Operator::kMultiply:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Operator::kRemainder:
    return b == -1 ? 0 : a % b;  // C leaves the lowest number modulo -1 undefined
  default:
    if (b != -1) return a / b;
    overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
  }
  return overflow ? std::nullopt : std::optional<std::int64_t>(result);
}

/// Where an operator of an expression stands, and where its right operand begins.
struct OperatorPlaces {
  Place place;
  Place right;
};

/// Postfix code over values of type `Value`; its evaluation holds at most `kDepth` at a time.
template <class Value, std::size_t kDepth>
class Postfix {
 public:
  void push(Value value) { code_.push_back({Kind::kValue, {}, {}, value, 0}); }
  /// Pushes the value that the arithmetic has for name `index`.
  void push_name(std::size_t index) { code_.push_back({Kind::kName, {}, {}, {}, index}); }
  std::size_t size() const { return code_.size(); }
  void apply(Operator op, OperatorPlaces places) {
    code_.push_back({Kind::kOperator, op, places, {}, 0});
  }

  /// `arithmetic` has name(index), prefixed(op, a, places) and binary(op, a, b, places); all may throw.
  template <class Arithmetic>
  Value evaluate(const Arithmetic& arithmetic) const {
    std::array<Value, kDepth> stack;
    std::size_t top = 0;
    for (const Step& step : code_) {
      if (step.kind == Kind::kValue) {
        stack[top++] = step.value;
      } else if (step.kind == Kind::kName) {
        stack[top++] = arithmetic.name(step.name);
      } else if (step.op <= Operator::kNot) {
        stack[top - 1] = arithmetic.prefixed(step.op, stack[top - 1], step.places);
      } else {
        --top;
        stack[top - 1] = arithmetic.binary(step.op, stack[top - 1], stack[top], step.places);
      }
    }
    return stack[0];
  }

 private:
  enum class Kind : std::uint8_t { kValue, kName, kOperator };
  struct Step {
    Kind kind;
    Operator op;
    OperatorPlaces places;
    Value value;
    std::size_t name;
  };
  std::vector<Step> code_;
};

}  // namespace tessera::text
