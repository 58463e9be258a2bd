// Integer expressions: 64-bit, over named constants (parameters) and variables, whose values are
// given when the expression is evaluated.
//
//   operators, from loose to tight, as in C:  ||  &&  == !=  <= < >= >  + -  * / %
//   "/" and "%" truncate toward zero; comparisons and logic give 1 or 0, and both sides are computed
//   operand := ("-" | "!") operand | number | name | "(" expression ")"
//   number  := decimal | "0x" hex;  name := letter or "_", then letters, digits, "_"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/text/expression_text.h"
#include "frontends/text/postfix.h"

namespace tessera::text {

/// Named values that an expression may use.
using Constants = std::map<std::string, std::int64_t>;
/// Names that have a value elsewhere, and for messages why they have none here.
using AbsentNames = std::map<std::string, std::string>;

class Expression {
 public:
  /// Names of variables.
  using Names = std::vector<std::string>;

  /// The constant 0.
  Expression() : Expression(0) {}
  explicit Expression(std::int64_t value) { code_.push(value); }
  /// Variables hide constants of the same name. Throws ExpressionError: syntax, unknown name,
  /// number beyond 64 bits, nested too deep.
  static Expression parse(const std::string& text, const Constants& constants,
                          const Names& variables = {}, const AbsentNames& absent = {});

  /// `values` of the variables that it was parsed with, in their order. Throws ExpressionError:
  /// division by zero, overflow of 64 bits.
  std::int64_t evaluate(const std::int64_t* values = nullptr) const;
  bool uses_variables() const { return uses_variables_; }

 private:
  friend class IntegerLanguage;
  // A level of parentheses leaves at most one operand for each level of operators, the innermost one
  // more.
  static constexpr std::size_t kDepth =
      std::size_t{kArithmeticLevels} * ExpressionText::kMostLevels + 1;

  Postfix<std::int64_t, kDepth> code_;
  bool uses_variables_ = false;
};

}  // namespace tessera::text
