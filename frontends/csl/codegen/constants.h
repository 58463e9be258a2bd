// What operations give for constants: what the instruction of the tile for them gives.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "frontends/csl/ir/ir.h"
#include "models/pe/half.h"

namespace tessera::csl::codegen {

/// Of an operation that opcode_of() has; the third operand is that of kMultiplyAdd. Not a division by 0.
std::uint32_t evaluated(ir::Op op, ir::Type type, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                        pe::HalfFormat half);
bool holds(ir::Condition condition, ir::Type type, std::uint32_t a, std::uint32_t b,
           pe::HalfFormat half);
/// `a` with its sign if the type has one.
std::int64_t integer_of(ir::Type type, std::uint32_t a);
/// The least and the largest value of an integer type.
std::pair<std::int64_t, std::int64_t> limits_of(ir::Type type);
/// What holds where `condition` does not; not of floats that are no numbers.
ir::Condition opposite(ir::Condition condition);
/// k for 2^k.
std::optional<unsigned> power_of_two(std::uint32_t a);

}  // namespace tessera::csl::codegen
