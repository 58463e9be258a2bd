// Operators on values that are known at compile time (csl.md 6).
#pragma once

#include "frontends/csl/syntax/operators.h"
#include "frontends/csl/sema/convert.h"

namespace tessera::csl {

/// The operands have been converted to one type, except for shifts. nothing: the operator does not
/// take such operands, or `problem` says what is wrong.
std::optional<Result> binary_value(Types& types, BinaryOp op, const Result& left,
                                   const Result& right, std::string& problem);
/// The result of every prefix operator but the address.
std::optional<Result> unary_value(Types& types, UnaryOp op, const Result& operand,
                                  std::string& problem);
/// ==, != on any two values of one type; nothing: they are not compared.
std::optional<bool> are_equal(const Result& left, const Result& right);

}  // namespace tessera::csl
