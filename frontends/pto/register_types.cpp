// Types of logical registers that belong together: what the assembler says of pto.vmi operations before it chooses physical ones.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "frontends/pto/register_lowering.h"
#include "frontends/pto/register_table.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

namespace {

using RF = cluster::RegisterFunction;
using A = Arithmetic;

template <class E>
bool is_among(std::initializer_list<E> list, E e) {
  return std::find(list.begin(), list.end(), e) != list.end();
}

/// Each lane of the result is made of the same lane of all operands.
bool is_lane_by_lane(RF f) {
  return is_among({RF::kMap, RF::kCompare, RF::kSelect, RF::kMultiplyAdd, RF::kConvert, RF::kRound},
                  f);
}

/// Operands and result have one type: no conversion, and no amount of a shift.
bool keeps_type(RF f, A a) {
  return (f == RF::kMap && a != A::kShl && a != A::kShr && a != A::kExpDif) ||
         f == RF::kMultiplyAdd || f == RF::kRound;
}

bool wants_floats(RF f, A a) {
  return f == RF::kMultiplyAdd ||
         (f == RF::kMap &&
          is_among({A::kDiv, A::kRecip, A::kExp, A::kLog, A::kSqrt, A::kRsqrt, A::kExpDif}, a));
}

std::string text_of_lanes(const Type& type) {
  return std::to_string(type.shape[0]) + "x" + type.element;
}

bool holds_floats(const Type& type) {
  return type.element.find('f') != std::string::npos && type.element != "pred";
}

}  // namespace

// The words of a conversion. Those that round down and up are there for pairs of 4 bits only.
void RegisterLowering::check_conversion(const Operation& op, const Type& result) const {
  const std::string rounding = option(op, "rounding"), saturation = option(op, "saturate");
  const bool is_small = result.element.find("f4") != std::string::npos;
  const bool is_known = is_small ? is_one_of({"R", "A", "F", "C", "Z"}, rounding)
                                 : is_one_of({"R", "A", "H", "Z"}, rounding);
  if (!rounding.empty() && !is_known)
    fail(op, "rounding is ", rounding, ", expected ", is_small ? "R, A, F, C or Z" : "R, A, H or Z",
         " for a result of ", result.element);
  if (!saturation.empty() && saturation != "SAT" && saturation != "NOSAT")
    fail(op, "saturate is ", saturation, ", expected SAT or NOSAT");
}

// What has no meaning at either level: shifts of floats, roots and exponentials of integers.
void RegisterLowering::check_kind(const Operation& op, const RegisterRow& row) const {
  if (row.function != RF::kMap) return;
  const bool shifts = is_among({A::kShl, A::kShr}, row.arithmetic);
  const bool is_real =
      is_among({A::kRecip, A::kExp, A::kLog, A::kSqrt, A::kRsqrt, A::kExpDif}, row.arithmetic);
  if (!shifts && !is_real) return;
  for (const Type& type : op.result_types) {
    if (type.kind != Type::Kind::kRegister || type.location.rfind("!pto.v", 0) != 0) continue;
    if (holds_floats(type) == shifts)
      fail(op, "a result of ", text_of_lanes(type), ", expected ", shifts ? "integers" : "floats");
  }
}

void RegisterLowering::check_logical(const Operation& op, const RegisterRow& row,
                                     const Operands& o) const {
  const auto types = types_of(op);
  const auto is_register = [](const Type& t) {
    return t.kind == Type::Kind::kRegister && t.location.rfind("!pto.vmi", 0) == 0;
  };
  const auto result = std::find_if(types.begin(), types.end(), is_register);
  if (result == types.end()) return;
  const auto same_lanes = [&](const Value* v) {
    if (v->type.shape[0] != result->shape[0])
      fail(op, "operands of ", text_of_lanes(v->type), " and a result of ", text_of_lanes(*result),
           ": expected one number of lanes");
  };
  if (is_lane_by_lane(row.function)) {
    std::for_each(o.registers.begin(), o.registers.end(), same_lanes);
    std::for_each(o.masks.begin(), o.masks.end(), same_lanes);
  }
  if (keeps_type(row.function, row.arithmetic))
    for (const Value* v : o.registers)
      if (holds_floats(v->type) != holds_floats(*result) ||
          bits_of(v->type.element) != bits_of(result->element))
        fail(op, "operands of ", text_of_lanes(v->type), " and a result of ",
             text_of_lanes(*result), ": expected one type");
  if (wants_floats(row.function, row.arithmetic) && !holds_floats(*result))
    fail(op, "a result of ", text_of_lanes(*result), ", expected floats");
  if (row.function == RF::kBits && !o.registers.empty()) {
    const Type& from = o.registers[0]->type;
    if (from.shape[0] * bits_of(from.element) != result->shape[0] * bits_of(result->element))
      fail(op, text_of_lanes(from), " as ", text_of_lanes(*result), ": expected as many bits");
  }
  check_conversion(op, *result);
  const std::string order = row.function == RF::kSequence ? option(op, "order") : "";
  if (!order.empty() && order != "ASC" && order != "DESC")
    fail(op, "order is ", order, ", expected ASC or DESC");
}

}  // namespace tessera::pto
