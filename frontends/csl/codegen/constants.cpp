#include "frontends/csl/codegen/constants.h"

#include <array>

#include "frontends/csl/codegen/opcodes.h"
#include "models/pe/arithmetic.h"

namespace tessera::csl::codegen {

using namespace ir;

std::uint32_t evaluated(Op op, Type type, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                        pe::HalfFormat half) {
  if (op == Op::kNeg && !is_float(type)) return constant(type, 0U - a).number;
  return constant(type, pe::evaluate(opcode_of(op, type), a, b, c, half)).number;
}

bool holds(Condition condition, Type type, std::uint32_t a, std::uint32_t b, pe::HalfFormat half) {
  const FlagCompare c = compare_of(condition, type, constant(type, a), constant(type, b));
  return pe::compare(c.op, c.first.number, c.second.number, half) == c.sense;
}

std::int64_t integer_of(Type type, std::uint32_t a) {
  if (type == Type::kI16) return static_cast<std::int16_t>(a);
  if (type == Type::kI32) return static_cast<std::int32_t>(a);
  return is_wide(type) ? a : a & 0xFFFFU;
}

std::optional<unsigned> power_of_two(std::uint32_t a) {
  if (a == 0 || (a & (a - 1)) != 0) return std::nullopt;
  unsigned k = 0;
  while (a >> k > 1) ++k;
  return k;
}

std::pair<std::int64_t, std::int64_t> limits_of(ir::Type type) {
  if (type == ir::Type::kI16) return {-0x8000, 0x7FFF};
  if (type == ir::Type::kU16) return {0, 0xFFFF};
  if (type == ir::Type::kI32) return {-0x80000000LL, 0x7FFFFFFF};
  return {0, 0xFFFFFFFFLL};
}

ir::Condition opposite(ir::Condition condition) {
  using ir::Condition;
  constexpr std::array<Condition, 6> kOpposite = {Condition::kNe, Condition::kEq, Condition::kGe,
                                                  Condition::kGt, Condition::kLe, Condition::kLt};
  return kOpposite[static_cast<unsigned>(condition)];
}

}  // namespace tessera::csl::codegen
