// Elements of symbols as people see them, in the debugger and the live view: of the type that the program gave them.
#pragma once

#include <cstdint>

#include "models/pe/program.h"
#include "models/pe/sram.h"
#include "platforms/debug/value.h"

namespace tessera::wse {

/// A value from its bits, and the bits of a value; the second throws UserError for a number that the type does not have.
debug::Value typed_value(std::uint32_t bits, pe::ElementType type, pe::HalfFormat half);
std::uint32_t typed_bits(const debug::Value& value, pe::ElementType type, pe::HalfFormat half);

/// Requires index < symbol.elements(). An u64 beyond 63 bits becomes a float.
debug::Value symbol_value(const pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                          std::uint32_t index);
/// The same requirement. Throws UserError for a number that the type does not have.
void set_symbol_value(pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                      std::uint32_t index, const debug::Value& value);

}  // namespace tessera::wse
