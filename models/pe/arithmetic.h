// The element functions of the arithmetic instructions (reference wse.md 6.7), on raw register
// bits. Integers wrap; f32 results are rounded after every operation, also inside fmacs
// (wse.md 6.1).
#pragma once

#include <cstdint>

#include "models/pe/isa.h"

namespace tessera::pe {

/// Result of an arithmetic or move instruction for one element. `a`, `b`, `c` are the sources in
/// operand order; those the opcode does not have are ignored. 16-bit results have a zero upper
/// half.
std::uint32_t evaluate(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// Result of a compare instruction.
bool compare(Opcode op, std::uint32_t a, std::uint32_t b);

}  // namespace tessera::pe
