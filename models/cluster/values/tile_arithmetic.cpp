#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/cluster/program/program.h"
#include "models/cluster/values/tile_functions.h"

namespace tessera::cluster {

namespace {

using Int = std::int64_t;

std::uint64_t bits(Int value) {
  return static_cast<std::uint64_t>(value);
}
Int negated(Int a) {
  return static_cast<Int>(0 - bits(a));
}

/// With the sign of b.
double remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Int remainder(Int a, Int b, unsigned) {
  const Int r = b == 0 ? 0 : calculate(Opcode::kRem, a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// Bits of floats: refused by the front-end.
double no_number(double, double) {
  return std::numeric_limits<double>::quiet_NaN();
}
/// As the scalar unit computes it; a division by zero gives 0.
template <Opcode op>
Int scalar(Int a, Int b, unsigned) {
  return is_division(op) && b == 0 ? 0 : calculate(op, a, b);
}
template <Opcode op>
Int reversed(Int a, Int b, unsigned width) {
  return scalar<op>(b, a, width);
}
Int leaky_relu(Int a, Int b, unsigned) {
  return a < 0 ? calculate(Opcode::kMul, a, b) : a;
}

/// `width`: bits of the type.
struct Binary {
  double (*of_numbers)(double a, double b);
  Int (*of_integers)(Int a, Int b, unsigned width);
};
/// By Arithmetic, from kAdd to kExpDif.
constexpr std::array<Binary, 17> kBinary = {{
    {[](double a, double b) { return a + b; }, scalar<Opcode::kAdd>},
    {[](double a, double b) { return a - b; }, scalar<Opcode::kSub>},
    {[](double a, double b) { return a * b; }, scalar<Opcode::kMul>},
    {[](double a, double b) { return a / b; }, scalar<Opcode::kDiv>},
    {[](double a, double b) { return std::isnan(a) || a > b ? a : b; }, scalar<Opcode::kMax>},
    {[](double a, double b) { return std::isnan(a) || a < b ? a : b; }, scalar<Opcode::kMin>},
    {remainder, remainder},
    {[](double a, double b) { return std::fmod(a, b); }, scalar<Opcode::kRem>},
    {no_number, scalar<Opcode::kAnd>},
    {no_number, scalar<Opcode::kOr>},
    {no_number, scalar<Opcode::kXor>},
    {no_number,
     [](Int a, Int b, unsigned width) {
       return bits(b) >= width ? 0 : static_cast<Int>(bits(a) << bits(b));
     }},
    {no_number,
     [](Int a, Int b, unsigned width) { return bits(b) >= width ? (a < 0 ? -1 : 0) : a >> b; }},
    {[](double a, double b) { return a < 0 ? a * b : a; }, leaky_relu},
    {[](double a, double b) { return b - a; }, reversed<Opcode::kSub>},
    {[](double a, double b) { return b / a; }, reversed<Opcode::kDiv>},
    {[](double a, double b) { return std::exp(a - b); }, leaky_relu},
}};

/// Where `of_integers` is nullptr the number is computed and cut off.
struct Unary {
  double (*of_numbers)(double a);
  Int (*of_integers)(Int a);
};
/// By Arithmetic, from kNeg to kRecip.
constexpr std::array<Unary, 9> kUnary = {{
    {[](double a) { return -a; }, negated},
    {[](double a) { return std::fabs(a); }, [](Int a) { return a < 0 ? negated(a) : a; }},
    {[](double a) { return a > 0 || std::isnan(a) ? a : 0; },
     [](Int a) { return std::max<Int>(a, 0); }},
    {nullptr, [](Int a) { return ~a; }},
    {[](double a) { return std::exp(a); }, nullptr},
    {[](double a) { return std::log(a); }, nullptr},
    {[](double a) { return std::sqrt(a); }, nullptr},
    {[](double a) { return 1 / std::sqrt(a); }, nullptr},
    {[](double a) { return 1 / a; }, nullptr},
}};

const Unary& unary(Arithmetic what) {
  return kUnary[static_cast<unsigned>(what) - static_cast<unsigned>(Arithmetic::kNeg)];
}

}  // namespace

double apply(Arithmetic what, double a, double b) {
  return kBinary[static_cast<unsigned>(what)].of_numbers(a, b);
}

double apply(Arithmetic what, double a) {
  return unary(what).of_numbers(a);
}

std::int64_t apply(Arithmetic what, std::int64_t a, std::int64_t b, Element element) {
  return kBinary[static_cast<unsigned>(what)].of_integers(a, b, bits_of(element));
}

std::int64_t apply(Arithmetic what, std::int64_t a) {
  if (const auto of_integers = unary(what).of_integers) return of_integers(a);
  return to_integer(apply(what, static_cast<double>(a)), Element::kI64, Rounding::kTruncate, true);
}

}  // namespace tessera::cluster
