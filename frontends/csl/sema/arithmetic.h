// Operators on values that are known at compile time (csl.md 6).
#pragma once

#include "frontends/csl/sema/convert.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {

/// The operands have been converted to one type, except for shifts. nothing: the operator does not
/// take such operands, or `problem` says what is wrong.
std::optional<Result> binary_value(Types& types, BinaryOp op, const Result& left,
                                   const Result& right, std::string& problem);
/// `-x` of an unsigned integer, which the language does not have.
bool is_negation_of_unsigned(UnaryOp op, const Type& type);
inline constexpr const char* kNoNegation =
    "an unsigned number has no negative; write 0 - x to wrap around";
/// The result of every prefix operator but the address.
std::optional<Result> unary_value(Types& types, UnaryOp op, const Result& operand,
                                  std::string& problem);
/// ==, != on any two values of one type; nothing: they are not compared.
std::optional<bool> are_equal(const Result& left, const Result& right);

}  // namespace tessera::csl
