// Operands of instructions: known values and registers.
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/bits.h"

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

/// A float in a register: the bits of a double, which holds every f32, f16 and bf16.
inline std::int64_t bits_of_real(double value) {
  return bit_cast<std::int64_t>(value);
}
inline double real_of(std::int64_t bits) {
  return bit_cast<double>(bits);
}

}  // namespace tessera::cluster
