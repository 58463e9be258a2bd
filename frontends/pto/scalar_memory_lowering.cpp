// Pointers, and the memory of the scalar unit: loads, stores, its cache and the barrier (reference
// ascend.md 2.9, 7).
#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::TileOperand;

namespace {

/// Whether a pointer of the type reaches GM: !pto.ptr<f32> and !pto.ptr<f32, gm> do.
bool is_in_gm(const Type& type) {
  for (const char* other : {"ub", "vec", "l1", "mat", "left", "right", "acc", "bias"})
    for (const Attribute& a : type.options)
      if (a.key == other || a.key.find("<" + std::string(other) + ">") != std::string::npos)
        return false;
  return true;
}

}  // namespace

const FunctionLowering::Value& FunctionLowering::pointer(const Argument& a) const {
  const Value& v = any_value(a);
  const Value& found =
      v.kind == Value::Kind::kAddress ? v : value(a, Value::Kind::kPointer, "a pointer");
  if (!is_in_gm(found.type))
    diagnostics_.fail(a.place, a.text + " does not point to GM, expected a pointer to GM: the "
                                        "scalar unit of this model reaches no buffer");
  return found;
}

void FunctionLowering::add_to_pointer(const Operation& op) {
  const Value& v = any_value(op.arguments[0]);
  Value moved = v.kind == Value::Kind::kAddress
                    ? v
                    : value(op.arguments[0], Value::Kind::kPointer, "a pointer");
  moved.place.address.add(scalar(op.arguments[1]), 1);
  define(op, std::move(moved));
}

// The pointer is in no array: what it may be used for is decided when it is used.
void FunctionLowering::cast_pointer(const Operation& op) {
  if (op.result_types.empty() || op.result_types[0].kind != Type::Kind::kPointer)
    diagnostics_.fail(op.place, op.name + ": expected -> and a type !pto.ptr");
  Value v;
  v.kind = Value::Kind::kAddress;
  v.type = op.result_types[0];
  v.place.name = op.results[0].name;
  v.place.location = cluster::Location::kGm;
  v.place.element = element_of(v.type);
  v.place.array = cluster::kNoArray;
  v.place.number = scalar(op.arguments[0]);
  define(op, std::move(v));
}

TileOperand FunctionLowering::element_in_gm(const Argument& a, Operand index, Access access) const {
  TileOperand operand = pointer(a).place;
  operand.access = access;
  operand.address.add(index, 1);
  operand.dimensions = operand.view = {{1, 1}};
  operand.view_address = operand.address;
  if (!cluster::has_values(operand.element))
    diagnostics_.fail(a.place, a.text + " points to " + std::string(to_string(operand.element)) +
                                   ", which has no values in this model");
  return operand;
}

void FunctionLowering::lower_load_scalar(const Operation& op) {
  const Operand index = scalar_or_number(argument(op, Role::kIndex));
  TileOperand from = element_in_gm(argument(op, Role::kOperand), index, Access::kRead);
  Value v;
  v.kind = is_float(from.element) ? Value::Kind::kFloat : Value::Kind::kScalar;
  if (!op.result_types.empty()) {
    v.type = op.result_types[0];
    if (v.type.kind != Type::Kind::kScalar || element_of(v.type) != from.element)
      diagnostics_.fail(v.type.place, op.name + ": a result of another type than " + from.name +
                                          " points to, expected " + to_string(from.element));
  }
  const unsigned target = new_register(op.place);
  v.scalar = cluster::reg(target);
  emit(Opcode::kLoadScalar, op.place, Pipe::kS).rd = static_cast<std::uint16_t>(target);
  attach({std::move(from)});
  define(op, std::move(v));
}

void FunctionLowering::lower_store_scalar(const Operation& op) {
  const Argument& what = argument(op, Role::kOperand);
  const Operand index = scalar_or_number(argument(op, Role::kIndex));
  TileOperand to = element_in_gm(argument(op, Role::kOperand, 1), index, Access::kWrite);
  const bool real = is_float(to.element);
  const Value& v = value(what, real ? Value::Kind::kFloat : Value::Kind::kScalar,
                         real ? "a floating-point number" : "a whole number");
  const bool known = real && !v.scalar.is_register;
  emit(Opcode::kStoreScalar, op.place, Pipe::kS).a =
      known ? Operand(cluster::bits_of_real(v.number)) : v.scalar;
  attach({std::move(to)});
}

// pto.dcci and pto.cmo.cacheinvalid: the line of the pointer, or all of them.
void FunctionLowering::lower_clean_cache(const Operation& op) {
  const Argument& what = argument(op, Role::kPredicate);
  const bool all = what.text == "ENTIRE_DATA_CACHE" || what.text == "all";
  if (!all && what.text != "SINGLE_CACHE_LINE" && what.text != "single_cache_line")
    diagnostics_.fail(what.place, "expected SINGLE_CACHE_LINE or ENTIRE_DATA_CACHE, found " +
                                      text::quoted(what.text));
  for (const Argument& a : op.arguments) {
    if (a.role != Role::kPredicate || a.text == what.text) continue;
    if (a.text != "CACHELINE_OUT" && a.text != "CACHELINE_ALL")
      diagnostics_.fail(a.place,
                        "expected CACHELINE_OUT, the way to GM, found " + text::quoted(a.text));
  }
  if (all) {
    emit(Opcode::kCleanCache, op.place, Pipe::kS).mode = 1;
    return;
  }
  const Argument& where = argument(op, Role::kOperand);
  TileOperand line;
  if (any_value(where).kind == Value::Kind::kView) {  // the line that its first element is in
    line = view_operand(where, Access::kRead);
    line.dimensions = {{1, 1}};
  } else {
    line = element_in_gm(where, 0, Access::kRead);
  }
  emit(Opcode::kCleanCache, op.place, Pipe::kS);
  attach({std::move(line)});
}

// pto.dsb and pto.fence.barrier_all. What is not of GM has nothing to wait for here.
void FunctionLowering::lower_data_barrier(const Operation& op) {
  const Argument& scope = argument(op, Role::kPipe);
  for (const char* known : {"ALL", "DDR", "DSB_ALL", "DSB_DDR", "gm"})
    if (scope.text == known) {
      emit(Opcode::kDataBarrier, op.place, Pipe::kS);
      return;
    }
  diagnostics_.fail(scope.place, "expected \"ALL\", \"DDR\" or the scope <gm>, found " +
                                     text::quoted(scope.text));
}

}  // namespace tessera::pto
