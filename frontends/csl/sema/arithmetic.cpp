#include "frontends/csl/sema/arithmetic.h"

#include <cmath>

#include "frontends/csl/sema/float_words.h"

namespace tessera::csl {
namespace {

constexpr unsigned kMostBits = 65536;  // limit of a comptime_int; a larger one is a mistake

std::optional<Result> shifted(BinaryOp op, const Result& left, const Result& right,
                              std::string& problem) {
  if (!left.type->is_any_integer() || !right.type->is_any_integer()) return std::nullopt;
  const BigInt& value = left.value().integer();
  const BigInt& amount = right.value().integer();
  if (amount < 0 || amount > kMostBits) {
    problem = "a shift by " + amount.str() + " bits";
    return std::nullopt;
  }
  const auto bits = static_cast<unsigned>(amount);
  if (op == BinaryOp::kShiftLeft) {
    const BigInt product = value * (BigInt(1) << bits);
    if (product != 0 && msb(abs(product)) > kMostBits) {
      problem = "a number of more than " + std::to_string(kMostBits) + " bits";
      return std::nullopt;
    }
    return Result{left.type, Value{left.type->is(TypeKind::kInteger) ? wrapped(*left.type, product)
                                                                     : product}};
  }
  BigInt quotient =
      value >= 0 ? BigInt(value >> bits) : BigInt(-((-value + (BigInt(1) << bits) - 1) >> bits));
  return Result{left.type, Value{std::move(quotient)}};
}

/// Bits of negative numbers of any size, as if they were written with endless sign bits.
BigInt bitwise(BinaryOp op, const BigInt& a, const BigInt& b) {
  const unsigned bits = 1 +
                        std::max(a == 0 ? 0U : static_cast<unsigned>(msb(abs(a))),
                                 b == 0 ? 0U : static_cast<unsigned>(msb(abs(b)))) +
                        1;
  const BigInt modulus = BigInt(1) << bits;
  const BigInt x = a < 0 ? BigInt(a + modulus) : a, y = b < 0 ? BigInt(b + modulus) : b;
  BigInt result = op == BinaryOp::kBitAnd  ? BigInt(x & y)
                  : op == BinaryOp::kBitOr ? BigInt(x | y)
                                           : BigInt(x ^ y);
  if (result >= (modulus >> 1)) result -= modulus;
  return result;
}

/// Of most numbers; nothing: integer_value() knows.
std::optional<std::int64_t> small_value(BinaryOp op, const BigInt& left, const BigInt& right) {
  const std::optional<std::int64_t> a = small(left), b = small(right);
  if (!a || !b) return std::nullopt;
  std::int64_t result = 0;
  switch (op) {
  case BinaryOp::kAdd:
    return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::kSubtract:
    return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::kMultiply:
    return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::kBitAnd:
    return *a & *b;
  case BinaryOp::kBitOr:
    return *a | *b;
  case BinaryOp::kBitXor:
    return *a ^ *b;
  case BinaryOp::kDivide:
    return *b <= 0 ? std::nullopt : std::optional(*a / *b);
  case BinaryOp::kRemainder:
    return *b <= 0 ? std::nullopt : std::optional(*a % *b);
  default:
    return std::nullopt;
  }
}

bool is_too_long(const BigInt& value) {
  constexpr std::size_t kLimbBits = sizeof(*value.backend().limbs()) * 8;
  return value.backend().size() * kLimbBits > kMostBits && msb(abs(value)) > kMostBits;
}

std::optional<BigInt> integer_value(BinaryOp op, const BigInt& a, const BigInt& b,
                                    std::string& problem) {
  if (const std::optional<std::int64_t> known = small_value(op, a, b)) return BigInt(*known);
  switch (op) {
  case BinaryOp::kAdd:
    return BigInt(a + b);
  case BinaryOp::kSubtract:
    return BigInt(a - b);
  case BinaryOp::kMultiply:
    return BigInt(a * b);
  case BinaryOp::kDivide:
  case BinaryOp::kRemainder:
    if (b == 0) {
      problem = "division by zero";
      return std::nullopt;
    }
    return op == BinaryOp::kDivide ? BigInt(a / b) : BigInt(a % b);
  case BinaryOp::kBitAnd:
  case BinaryOp::kBitOr:
  case BinaryOp::kBitXor:
    return bitwise(op, a, b);
  default:
    return std::nullopt;
  }
}

std::optional<double> float_value(BinaryOp op, const Type& type, double a, double b,
                                  std::string& problem) {
  double result = 0;
  switch (op) {
  case BinaryOp::kAdd:
    result = a + b;
    break;
  case BinaryOp::kSubtract:
    result = a - b;
    break;
  case BinaryOp::kMultiply:
    result = a * b;
    break;
  case BinaryOp::kDivide:
    if (b == 0 && type.is(TypeKind::kComptimeFloat)) {
      problem = "division by zero";
      return std::nullopt;
    }
    result = a / b;
    break;
  default:
    return std::nullopt;
  }
  if (std::isnan(result) && type.is(TypeKind::kComptimeFloat)) {
    problem = "the result is not a number";
    return std::nullopt;
  }
  return rounded(type, result);
}

template <class T>
std::optional<bool> ordered(BinaryOp op, const T& a, const T& b) {
  switch (op) {
  case BinaryOp::kLess:
    return a < b;
  case BinaryOp::kGreater:
    return a > b;
  case BinaryOp::kLessOrEqual:
    return a <= b;
  case BinaryOp::kGreaterOrEqual:
    return a >= b;
  default:
    return std::nullopt;
  }
}

std::optional<bool> compared(BinaryOp op, const Result& left, const Result& right) {
  if (op == BinaryOp::kEqual || op == BinaryOp::kNotEqual) {
    const std::optional<bool> equal = are_equal(left, right);
    if (!equal) return std::nullopt;
    return *equal == (op == BinaryOp::kEqual);
  }
  if (!left.type->is_number()) return std::nullopt;
  return left.type->is_any_integer()
             ? ordered(op, left.value().integer(), right.value().integer())
             : ordered(op, left.value().get<double>(), right.value().get<double>());
}

}  // namespace

std::optional<bool> are_equal(const Result& left, const Result& right) {
  if (left.value().is_undefined() || right.value().is_undefined()) return std::nullopt;
  switch (left.type->kind) {
  case TypeKind::kFloat:
  case TypeKind::kComptimeFloat:
    return left.value().get<double>() == right.value().get<double>();
  case TypeKind::kInteger:
  case TypeKind::kComptimeInt:
  case TypeKind::kDirection:
  case TypeKind::kHandle:
  case TypeKind::kDsr:
  case TypeKind::kFifo:
  case TypeKind::kEnum:
    return left.value().integer() == right.value().integer();
  case TypeKind::kType:
    return left.value().get<const Type*>() == right.value().get<const Type*>();
  case TypeKind::kBool:
    return left.value().get<bool>() == right.value().get<bool>();
  case TypeKind::kString:
    return left.value().text() == right.value().text();
  case TypeKind::kPointer:
  case TypeKind::kVoid:
    return text_of(*left.type, left.value()) == text_of(*right.type, right.value());
  default:
    return std::nullopt;
  }
}

std::optional<Result> binary_value(Types& types, BinaryOp op, const Result& left,
                                   const Result& right, std::string& problem) {
  if (op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRight)
    return shifted(op, left, right, problem);
  if (spelling(op).level == kComparisonLevel) {
    const std::optional<bool> answer = compared(op, left, right);
    if (!answer) return std::nullopt;
    return Result{types.bool_type, Value{*answer}};
  }
  if (left.value().is_undefined() || right.value().is_undefined()) {
    problem = "an operand is undefined";
    return std::nullopt;
  }
  if (left.type->is_any_integer()) {
    const std::optional<BigInt> value =
        integer_value(op, left.value().integer(), right.value().integer(), problem);
    if (!value) return std::nullopt;
    if (is_too_long(*value)) {
      problem = "a number of more than " + std::to_string(kMostBits) + " bits";
      return std::nullopt;
    }
    return Result{left.type,
                  Value{left.type->is(TypeKind::kInteger) ? wrapped(*left.type, *value) : *value}};
  }
  if (left.type->is_any_float()) {
    const std::optional<double> value = float_value(op, *left.type, left.value().get<double>(),
                                                    right.value().get<double>(), problem);
    if (!value) return std::nullopt;
    return Result{left.type, Value{*value}};
  }
  return std::nullopt;
}

bool is_negation_of_unsigned(UnaryOp op, const Type& type) {
  return op == UnaryOp::kNegate && type.is(TypeKind::kInteger) && !type.is_signed;
}

std::optional<Result> unary_value(Types& types, UnaryOp op, const Result& operand,
                                  std::string& problem) {
  const Type* type = operand.type;
  if (operand.value().is_undefined()) {
    problem = "the operand is undefined";
    return std::nullopt;
  }
  if (op == UnaryOp::kNot) {
    if (type != types.bool_type) return std::nullopt;
    return Result{type, Value{!operand.value().get<bool>()}};
  }
  if (op == UnaryOp::kNegate && type->is_any_float())
    return Result{type, Value{-operand.value().get<double>()}};
  if (!type->is_any_integer()) return std::nullopt;
  if (is_negation_of_unsigned(op, *type)) {
    problem = kNoNegation;
    return std::nullopt;
  }
  const BigInt& value = operand.value().integer();
  BigInt result = op == UnaryOp::kNegate ? BigInt(-value) : BigInt(-value - 1);
  if (type->is(TypeKind::kInteger)) result = wrapped(*type, result);
  return Result{type, Value{std::move(result)}};
}

}  // namespace tessera::csl
