#include "frontends/csl/codegen/opcodes.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace tessera::csl::codegen {
namespace {

using ir::Op;
using ir::Type;
using O = pe::Opcode;

struct Row {
  Op op;
  /// For signed and unsigned 16 bits, signed and unsigned 32 bits, half, single; kEnd: none.
  O i16, u16, i32, u32, half, single;
};

// clang-format off
constexpr Row kRows[] = {
    {Op::kAdd, O::kAdd16, O::kAdd16, O::kAdd32, O::kAdd32, O::kFaddh, O::kFadds},
    {Op::kSub, O::kSub16, O::kSub16, O::kSub32, O::kSub32, O::kFsubh, O::kFsubs},
    {Op::kMul, O::kImul16, O::kImul16, O::kImul32, O::kImul32, O::kFmulh, O::kFmuls},
    {Op::kDiv, O::kDiv16, O::kDivu16, O::kDiv32, O::kDivu32, O::kFdivh, O::kFdivs},
    {Op::kRem, O::kRem16, O::kRemu16, O::kRem32, O::kRemu32, O::kEnd, O::kEnd},
    {Op::kAnd, O::kAnd16, O::kAnd16, O::kAnd32, O::kAnd32, O::kEnd, O::kEnd},
    {Op::kOr, O::kOr16, O::kOr16, O::kOr32, O::kOr32, O::kEnd, O::kEnd},
    {Op::kXor, O::kXor16, O::kXor16, O::kXor32, O::kXor32, O::kEnd, O::kEnd},
    {Op::kShl, O::kSll16, O::kSll16, O::kSll32, O::kSll32, O::kEnd, O::kEnd},
    {Op::kShr, O::kSar16, O::kSlr16, O::kSar32, O::kSlr32, O::kEnd, O::kEnd},
    {Op::kMin, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFminh, O::kFmins},
    {Op::kMax, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFmaxh, O::kFmaxs},
    {Op::kScale, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFscaleh, O::kFscales},
    {Op::kMultiplyAdd, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFmach, O::kFmacs},
    {Op::kNeg, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFnegh, O::kFnegs},
    {Op::kAbs, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFabsh, O::kFabss},
    {Op::kNormalize, O::kEnd, O::kEnd, O::kEnd, O::kEnd, O::kFnormh, O::kFnorms},
    {Op::kClz, O::kClz16, O::kClz16, O::kEnd, O::kEnd, O::kEnd, O::kEnd},
    {Op::kCtz, O::kCtz16, O::kCtz16, O::kEnd, O::kEnd, O::kEnd, O::kEnd},
    {Op::kPopcnt, O::kPopcnt16, O::kPopcnt16, O::kEnd, O::kEnd, O::kEnd, O::kEnd},
};
constexpr Row kEqual = {Op::kCompare, O::kEq16, O::kEq16, O::kEq32, O::kEq32, O::kFeqh, O::kFeqs};
constexpr Row kLess = {Op::kCompare, O::kLt16, O::kLtu16, O::kLt32, O::kLtu32, O::kFlth, O::kFlts};
constexpr Row kLessEqual = {Op::kCompare, O::kLte16, O::kLteu16, O::kLte32, O::kLteu32, O::kFlteqh, O::kFlteqs};
// clang-format on

O pick(const Row& row, Type type) {
  switch (type) {
  case Type::kI16:
    return row.i16;
  case Type::kI32:
    return row.i32;
  case Type::kU32:
    return row.u32;
  case Type::kHalf:
    return row.half;
  case Type::kSingle:
    return row.single;
  default:
    return row.u16;
  }
}

}  // namespace

pe::Opcode opcode_of(Op op, Type type) {
  for (const Row& row : kRows) {
    if (row.op == op && pick(row, type) != O::kEnd) return pick(row, type);
  }
  throw std::logic_error("no instruction does " + std::string(to_string(op)) + " of " +
                         std::string(to_string(type)));
}

pe::Opcode move_of(Type type) {
  return is_wide(type) ? O::kMov32 : O::kMov16;
}

FlagCompare compare_of(ir::Condition condition, Type type, const ir::Value& a, const ir::Value& b) {
  using C = ir::Condition;
  if (condition == C::kEq || condition == C::kNe) {
    FlagCompare equal{pick(kEqual, type), a, b, condition == C::kEq};
    if (!a.is_register() && b.is_register()) std::swap(equal.first, equal.second);
    return equal;
  }
  const bool swaps = condition == C::kGt || condition == C::kGe;
  const bool strict = condition == C::kLt || condition == C::kGt;
  const ir::Value& first = swaps ? b : a;
  const ir::Value& second = swaps ? a : b;
  // c < x is !(x <= c).
  if (!first.is_register() && second.is_register() && !is_float(type))
    return {pick(strict ? kLessEqual : kLess, type), second, first, false};
  return {pick(strict ? kLess : kLessEqual, type), first, second, true};
}

}  // namespace tessera::csl::codegen
