#include "models/cluster/values/tile_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/cluster/program/program.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

namespace {

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

double remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : calculate(Opcode::kDiv, a, b);
}
std::int64_t modulo(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : calculate(Opcode::kRem, a, b);
}

}  // namespace

double apply(Arithmetic what, double a, double b) {
  switch (what) {
  case Arithmetic::kAdd:
    return a + b;
  case Arithmetic::kSub:
    return a - b;
  case Arithmetic::kMul:
    return a * b;
  case Arithmetic::kDiv:
    return a / b;
  case Arithmetic::kMax:
    return std::isnan(a) || a > b ? a : b;
  case Arithmetic::kMin:
    return std::isnan(a) || a < b ? a : b;
  case Arithmetic::kRem:
    return remainder(a, b);
  case Arithmetic::kFmod:
    return std::fmod(a, b);
  case Arithmetic::kLeakyRelu:
    return a < 0 ? a * b : a;
  case Arithmetic::kReverseSub:
    return b - a;
  case Arithmetic::kReverseDiv:
    return b / a;
  case Arithmetic::kExpDif:
    return std::exp(a - b);
  default:
    return std::numeric_limits<double>::quiet_NaN();  // bits of floats: refused by the front-end
  }
}

double apply(Arithmetic what, double a) {
  switch (what) {
  case Arithmetic::kNeg:
    return -a;
  case Arithmetic::kAbs:
    return std::fabs(a);
  case Arithmetic::kRelu:
    return a > 0 || std::isnan(a) ? a : 0;
  case Arithmetic::kExp:
    return std::exp(a);
  case Arithmetic::kLog:
    return std::log(a);
  case Arithmetic::kSqrt:
    return std::sqrt(a);
  case Arithmetic::kRsqrt:
    return 1 / std::sqrt(a);
  default:
    return 1 / a;
  }
}

std::int64_t apply(Arithmetic what, std::int64_t a, std::int64_t b, Element element) {
  const unsigned width = bits_of(element);
  switch (what) {
  case Arithmetic::kAdd:
    return static_cast<std::int64_t>(bits(a) + bits(b));
  case Arithmetic::kSub:
    return static_cast<std::int64_t>(bits(a) - bits(b));
  case Arithmetic::kMul:
    return static_cast<std::int64_t>(bits(a) * bits(b));
  case Arithmetic::kDiv:
    return divide(a, b);
  case Arithmetic::kMax:
    return std::max(a, b);
  case Arithmetic::kMin:
    return std::min(a, b);
  case Arithmetic::kRem: {
    const std::int64_t r = modulo(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  case Arithmetic::kFmod:
    return modulo(a, b);
  case Arithmetic::kAnd:
    return a & b;
  case Arithmetic::kOr:
    return a | b;
  case Arithmetic::kXor:
    return a ^ b;
  case Arithmetic::kShl:
    return bits(b) >= width ? 0 : static_cast<std::int64_t>(bits(a) << bits(b));
  case Arithmetic::kShr:
    return bits(b) >= width ? (a < 0 ? -1 : 0) : a >> b;
  case Arithmetic::kReverseSub:
    return static_cast<std::int64_t>(bits(b) - bits(a));
  case Arithmetic::kReverseDiv:
    return divide(b, a);
  default:
    return a < 0 ? static_cast<std::int64_t>(bits(a) * bits(b)) : a;  // kLeakyRelu
  }
}

std::int64_t apply(Arithmetic what, std::int64_t a) {
  switch (what) {
  case Arithmetic::kNeg:
    return static_cast<std::int64_t>(0 - bits(a));
  case Arithmetic::kAbs:
    return a < 0 ? static_cast<std::int64_t>(0 - bits(a)) : a;
  case Arithmetic::kNot:
    return ~a;
  case Arithmetic::kRelu:
    return std::max<std::int64_t>(a, 0);
  default:
    return to_integer(apply(what, static_cast<double>(a)), Element::kI64, Rounding::kTruncate,
                      true);
  }
}

}  // namespace tessera::cluster
