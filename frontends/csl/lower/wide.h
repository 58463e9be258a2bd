// Integers of 33 to 64 bits of the running program (csl.md 2): two words, the low one first. They
// lie in memory or in two registers; operations on them are sequences of those of 32 bits.
#pragma once

#include <utility>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

constexpr unsigned kWidestInteger = 64;

inline bool is_wide_integer(const Type& type) {
  return type.is(TypeKind::kInteger) && type.bits > 32 && type.bits <= kWidestInteger;
}

/// The low and the high word of an integer of any width, extended by its sign.
std::pair<ir::Value, ir::Value> words_of(Evaluator& evaluator, const Result& value, const Node& at);
/// `@as` from or to an integer of more than 32 bits; fails for what it does not convert.
Result wide_cast(Evaluator& evaluator, const Result& from, const Type* to, const Node& at);
/// Both operands are of the type `type`, which is wide; the result of a comparison is a bool.
Result wide_binary(Evaluator& evaluator, BinaryOp op, const Type* type, const Result& left,
                   const Result& right, const Node& at);
Result wide_shift(Evaluator& evaluator, BinaryOp op, const Result& value, const Result& amount,
                  const Node& at);
Result wide_unary(Evaluator& evaluator, UnaryOp op, const Result& value, const Node& at);
void store_wide(Evaluator& evaluator, const Storage& storage, const Result& value, const Node& at);

}  // namespace tessera::csl
