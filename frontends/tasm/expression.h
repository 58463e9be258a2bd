// Expressions of tile assembly. Integers are 64-bit; a literal with '.' or exponent makes its
// expression real, for float immediates and initialisers.
//
//   equality := sum { "==" sum }                     1 if equal, else 0
//   sum      := product { ("+" | "-") product }
//   product  := unary { ("*" | "/" | "%") unary }    "/" and "%" of integers truncate as in C
//   unary    := "-" unary | primary
//   primary  := number | name | "(" equality ")" | "bits" "(" equality ")"
//
// bits(n) is the float with these 32 or 16 bits, the only way to write infinities and NaNs; it
// stands alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "frontends/tasm/token_cursor.h"
#include "models/pe/program.h"

namespace tessera::tasm {

struct Number {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
  double as_real() const { return is_real ? real : static_cast<double>(integer); }
};
std::string to_string(const Number& number);

struct Expression {
  enum class Op : std::uint8_t {
    kNumber,
    kName,
    kNegate,
    kBits,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMod,
    kEqual
  };
  Op op = Op::kNumber;
  Place place;
  Number number;
  std::string name;
  std::unique_ptr<Expression> left;
  std::unique_ptr<Expression> right;
};
using ExpressionPtr = std::unique_ptr<Expression>;

/// `expected` says what the expression is, for the message when there is none. Throws UserError.
ExpressionPtr parse_expression(TokenCursor& cursor, const std::string& expected);

/// Value of a name; throws UserError for an unknown one.
using NameValue = std::function<Number(const std::string& name, Place place)>;

/// Throws UserError: overflow, division by zero, "%" of reals.
Number evaluate(const Expression& expression, const NameValue& name_value,
                const Diagnostics& diagnostics);

/// Integer in `low`..`high`; `expected` names it for the message ("a color").
std::int64_t evaluate_integer(const Expression& expression, const NameValue& name_value,
                              const Diagnostics& diagnostics, const std::string& expected,
                              std::int64_t low, std::int64_t high);

/// Bits of the f32 nearest to the value; integers are converted. Throws UserError for a value f32
/// does not reach.
std::uint32_t evaluate_f32(const Expression& expression, const NameValue& name_value,
                           const Diagnostics& diagnostics);

/// As `evaluate_f32`, for the 16-bit format of the program.
std::uint16_t evaluate_half(const Expression& expression, const NameValue& name_value,
                            const Diagnostics& diagnostics, pe::HalfFormat format);

}  // namespace tessera::tasm
