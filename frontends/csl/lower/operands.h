// Operands of the running program: registers, memory and their conversions (csl.md 2, 3).
#pragma once

#include <optional>
#include <string>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// The IR type of a value in registers; nothing: such values are not in registers.
std::optional<ir::Type> register_type(const Type& type);

Result operand_of(const Type* type, ir::Value value);
/// The value in the bits of its type: integers narrower than their register wrap like the others.
ir::Value wrapped_to(ir::Builder& builder, const Type& type, const ir::Value& value);
Result operand_at(const Type* type, const Storage& storage);
/// Of the types of 16-bit floats one exists while the program runs.
void require_own_half(const Engine& engine, const Type& type, const Node& at);
/// A value that may be known, in a register or as a constant.
ir::Value scalar(Evaluator& evaluator, const Result& value, const Node& at);
/// The bits of a known value of a type that registers hold, but for pointers to variables.
std::uint32_t bits_of(const Engine& engine, const Type& type, const Value& value);

/// The implicit conversion; `what` names the target in messages.
Result convert_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at,
                       const std::string& what);
/// `@as`.
Result cast_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at);
/// `@bitcast` and `@ptrcast`.
Result bitcast_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at);

/// The type that two operands become; fails if there is none.
Result binary_operand(Evaluator& evaluator, BinaryOp op, Result left, Result right, const Node& at);
Result unary_operand(Evaluator& evaluator, UnaryOp op, const Result& value, const Node& at);

/// Fails at compile time: then an operand has no value that a builtin could use without making code.
FunctionCode& code_of(Evaluator& evaluator);

/// The type that both operands become by implicit conversion; nullptr: there is none.
const Type* common_type(const Engine& engine, const Result& left, const Result& right);

}  // namespace tessera::csl
