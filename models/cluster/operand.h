// Operands of instructions: known values and registers.
#pragma once

#include <cstdint>

namespace tessera::cluster {

/// A value known to the program, or a register.
struct Operand {
  std::int64_t value = 0;  ///< the value, or the number of the register
  bool is_register = false;

  constexpr Operand() = default;
  constexpr Operand(std::int64_t v) : value(v) {}  // NOLINT: numbers are operands
};
constexpr Operand reg(unsigned number) {
  Operand operand(number);
  operand.is_register = true;
  return operand;
}

}  // namespace tessera::cluster
