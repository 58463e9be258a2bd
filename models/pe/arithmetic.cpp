#include "models/pe/arithmetic.h"

#include <cassert>
#include <cmath>
#include <cstring>

namespace tessera::pe {

namespace {

float as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t as_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint16_t low(std::uint32_t v) {
  return static_cast<std::uint16_t>(v);
}
std::int16_t signed_low(std::uint32_t v) {
  return static_cast<std::int16_t>(low(v));
}

// A shift by the width of the word or more moves every bit out.
std::uint32_t shift_left(std::uint16_t v, std::uint16_t n) {
  return n > 15 ? 0 : low(static_cast<std::uint32_t>(v) << n);
}
std::uint32_t shift_right(std::uint16_t v, std::uint16_t n) {
  return n > 15 ? 0 : static_cast<std::uint32_t>(v >> n);
}
std::uint32_t shift_right_arithmetic(std::int16_t v, std::uint16_t n) {
  return low(static_cast<std::uint32_t>(v >> (n > 15 ? 15 : n)));
}

// The larger of two numbers: a NaN, quiet or signalling, gives way to a number, and +0 is above -0.
// Written out because std::fmax leaves the last two open.
float maximum(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

constexpr std::uint32_t kSignBit = 0x80000000U;

}  // namespace

std::uint32_t evaluate(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  switch (op) {
  case Opcode::kMovri:
  case Opcode::kMov32:
  case Opcode::kFmovs:
    return a;
  case Opcode::kMov16:
    return low(a);
  case Opcode::kAdd16:
    return low(a + b);
  case Opcode::kSub16:
    return low(a - b);
  case Opcode::kAnd16:
    return low(a & b);
  case Opcode::kOr16:
    return low(a | b);
  case Opcode::kXor16:
    return low(a ^ b);
  case Opcode::kSll16:
    return shift_left(low(a), low(b));
  case Opcode::kSlr16:
    return shift_right(low(a), low(b));
  case Opcode::kSar16:
    return shift_right_arithmetic(signed_low(a), low(b));
  case Opcode::kImul16:
    return low(static_cast<std::uint32_t>(low(a)) * low(b));
  case Opcode::kAdd32:
    return a + b;
  case Opcode::kSub32:
    return a - b;
  case Opcode::kFadds:
    return as_bits(as_float(a) + as_float(b));
  case Opcode::kFsubs:
    return as_bits(as_float(a) - as_float(b));
  case Opcode::kFmuls:
    return as_bits(as_float(a) * as_float(b));
  case Opcode::kFmaxs:
    return as_bits(maximum(as_float(a), as_float(b)));
  case Opcode::kFmacs: {
    const float product = as_float(b) * as_float(c);
    return as_bits(as_float(a) + product);
  }
  case Opcode::kFabss:
    return a & ~kSignBit;
  case Opcode::kFnegs:
    return a ^ kSignBit;
  default:
    assert(false && "not an arithmetic opcode");
    return 0;
  }
}

bool compare(Opcode op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
  case Opcode::kEq16:
    return low(a) == low(b);
  case Opcode::kLt16:
    return signed_low(a) < signed_low(b);
  case Opcode::kLtu16:
    return low(a) < low(b);
  case Opcode::kEq32:
    return a == b;
  case Opcode::kLt32:
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  case Opcode::kFeqs:
    return as_float(a) == as_float(b);
  case Opcode::kFlts:
    return as_float(a) < as_float(b);
  default:
    assert(false && "not a compare opcode");
    return false;
  }
}

}  // namespace tessera::pe
