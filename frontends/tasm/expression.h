// Expressions of tile assembly. Integers are 64-bit; a literal with '.' or exponent makes its
// expression real, for float immediates and initialisers.
//
// The operators are those of frontends/text/expression.h; "/" and "%" of integers truncate as in C.
//
//   operand := ("-" | "!") operand | number | name | "(" expression ")" | "bits" "(" expression ")"
//
// bits(n) is the float with these 32 or 16 bits, the only way to write infinities and NaNs; it
// stands alone.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontends/tasm/lexer.h"
#include "frontends/text/postfix.h"
#include "models/pe/program.h"

namespace tessera::tasm {

struct Number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
  double as_real() const { return is_real ? real : static_cast<double>(integer); }
};
std::string to_string(const Number& number);

/// A real number as a literal that reads as one: with a point or an exponent. `precision` is that of
/// std::to_chars; without it the shortest literal with this value.
template <class Real, class... Precision>
std::string real_text(Real value, Precision... precision) {
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  std::string text(begin, std::to_chars(begin, begin + buffer.size(), value, precision...).ptr);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

struct Expression {
  /// The most terms of an expression: they bound what its evaluation holds and how deep its parser
  /// recurses.
  static constexpr unsigned kMostTerms = 256;

  Place place;           ///< place of the first term
  bool is_bits = false;  ///< bits(n), where n is what the code gives
  Place bits_place;      ///< place of n in bits(n)
  std::vector<Name> names;
  text::Postfix<Number, kMostTerms> code;

  /// The name that is all of the expression; nullptr: it is not a name alone.
  const Name* sole_name() const {
    return code.size() == 1 && names.size() == 1 ? &names.front() : nullptr;
  }
};
using ExpressionPtr = std::unique_ptr<Expression>;

/// `expected` says what the expression is, for the message when there is none. Throws UserError.
ExpressionPtr parse_expression(TokenCursor& cursor, const std::string& expected);

/// Value of a name; throws UserError for an unknown one.
using NameValue = std::function<Number(const Name& name)>;

/// Values of expressions. All throw UserError: overflow, division by zero, "%" of reals.
class Evaluator {
 public:
  Evaluator(NameValue name_value, const Diagnostics& diagnostics)
      : name_value_(std::move(name_value)), diagnostics_(diagnostics) {}

  Number number(const Expression& e) const;
  /// Integer in `low`..`high`; `expected` names it for the message ("a color").
  std::int64_t integer(const Expression& e, const std::string& expected, std::int64_t low,
                       std::int64_t high) const;
  /// Bits of the f32 nearest to the value; integers are converted. Throws UserError for a value
  /// that f32 does not reach.
  std::uint32_t f32(const Expression& e) const;
  /// The same as `f32` for the 16-bit format of the program.
  std::uint16_t half(const Expression& e, pe::HalfFormat format) const;

 private:
  Number run(const Expression& e) const;
  std::int64_t in_range(const Number& n, Place place, const std::string& expected, std::int64_t low,
                        std::int64_t high) const;
  std::int64_t bits(const Expression& e, unsigned width) const;
  [[noreturn]] void fail_too_large(const Expression& e, const Number& n,
                                   std::string_view format) const;

  NameValue name_value_;
  const Diagnostics& diagnostics_;
};

}  // namespace tessera::tasm
