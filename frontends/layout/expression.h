// Integer expressions of layouts: 64-bit, over named constants (parameters) and variables (x, y).
// An expression is parsed once to postfix code and evaluated many times: a layout may cover a whole
// wafer (wse.md 1.12).
//
//   equality := sum { "==" sum }          1 if equal, else 0
//   sum      := product { ("+" | "-") product }
//   product  := unary { ("*" | "/" | "%") unary }       "/" and "%" truncate toward zero, as in C
//   unary    := "-" unary | number | name | "(" equality ")"
//   number   := decimal | "0x" hex;  name := letter or "_", then letters, digits, "_"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::layout {

/// What is wrong with an expression, and at which of its characters. Readers turn it into a
/// UserError that also names the file and the place in the file.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t position, const std::string& problem)
      : std::runtime_error(problem), position_(position) {}
  /// Character in the expression, counted from 1.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// Named values an expression may use.
using Constants = std::map<std::string, std::int64_t>;

/// The place of evaluation, for expressions that may use it.
struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

class Expression {
 public:
  /// Names besides the constants, whose values are given when the expression is evaluated.
  using Names = std::vector<std::string>;
  /// Which of them are known.
  enum class Variables { kNone, kPoint };

  /// The constant 0.
  Expression() : Expression(0) {}
  explicit Expression(std::int64_t value);
  /// Throws ExpressionError: syntax, unknown name, number beyond 64 bits, nested too deep.
  static Expression parse(const std::string& text, const Constants& constants, Variables variables);
  /// With variables of the caller's, which hide constants of the same name.
  static Expression parse(const std::string& text, const Constants& constants,
                          const Names& variables);

  /// Throws ExpressionError: division by zero, overflow of 64 bits.
  std::int64_t evaluate(Point at = {}) const {
    const std::array<std::int64_t, 2> values = {at.x, at.y};
    return evaluate(values.data());
  }
  /// `values` of the variables that it was parsed with, in their order.
  std::int64_t evaluate(const std::int64_t* values) const;
  /// Whether the value can differ from one tile to the next.
  bool uses_point() const { return uses_variables_; }

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t { kPush, kVariable, kAdd, kSub, kMul, kDiv, kMod, kEqual, kNegate };
  struct Step {
    Op op;
    std::uint32_t position;  // character of the expression, counted from 1
    std::int64_t value;      // of a constant; kVariable: which
  };
  static std::int64_t apply(const Step& step, std::int64_t a, std::int64_t b);

  std::vector<Step> code_;
  bool uses_variables_ = false;
};

/// A name that expressions can use: a letter or "_", then letters, digits and "_".
bool is_identifier(const std::string& name);

}  // namespace tessera::layout
