// Elements of symbols as people see them, in the debugger and the live view: of the type that the program gave them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/pe/program.h"
#include "models/pe/sram.h"
#include "platforms/debug/value.h"

namespace tessera::wse {

/// A value from its bits, and the bits of a value; the second throws UserError for a number that the type does not have.
debug::Value typed_value(std::uint32_t bits, pe::ElementType type, pe::HalfFormat half);
std::uint32_t typed_bits(const debug::Value& value, pe::ElementType type, pe::HalfFormat half);

/// Bytes of memory whose value is in a register for a while.
struct Elsewhere {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t bits = 0;
  bool has(std::uint32_t at) const { return at >= address && at - address < bytes; }
};

/// Requires index < symbol.elements(). An u64 beyond 63 bits becomes a float.
debug::Value symbol_value(const pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                          std::uint32_t index, const std::vector<Elsewhere>& elsewhere = {});
/// The same requirement. Throws UserError for a number that the type does not have.
void set_symbol_value(pe::Sram& sram, const pe::Image& image, const pe::Symbol& symbol,
                      std::uint32_t index, const debug::Value& value);

}  // namespace tessera::wse
