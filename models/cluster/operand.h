// Operands of instructions: known values and registers.
#pragma once

#include <cstdint>
#include <cstring>

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
  std::int64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double real_of(std::int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace tessera::cluster
