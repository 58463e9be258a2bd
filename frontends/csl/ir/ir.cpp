#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {
namespace {

constexpr std::array<std::string_view, 8> kTypes = {"i16", "u16", "i32",  "u32",
                                                    "f16", "f32", "bool", "address"};
constexpr std::array<std::string_view, 37> kOps = {
    "copy",    "convert", "add",  "sub",      "mul",     "div",    "rem",     "and",
    "or",      "xor",     "shl",  "shr",      "min",     "max",    "scale",   "muladd",
    "neg",     "abs",     "norm", "clz",      "ctz",     "popcnt", "compare", "select",
    "choose",  "join",    "high", "lowshift", "element", "load",   "store",   "call",
    "machine", "assert",  "jump", "branch",   "return"};
constexpr std::array<std::string_view, 6> kConditions = {"==", "!=", "<", "<=", ">", ">="};

}  // namespace

std::string_view to_string(Type type) {
  return kTypes[static_cast<unsigned>(type)];
}

std::string_view to_string(Op op) {
  return op == Op::kTrap ? "trap" : kOps[static_cast<unsigned>(op)];
}

std::string_view to_string(Condition condition) {
  return kConditions[static_cast<unsigned>(condition)];
}

unsigned bytes_of(Type type) {
  return is_wide(type) ? 4 : 2;
}

pe::ElementType element_of(Type type) {
  switch (type) {
  case Type::kI16:
    return pe::ElementType::kI16;
  case Type::kI32:
    return pe::ElementType::kI32;
  case Type::kU32:
    return pe::ElementType::kU32;
  case Type::kHalf:
    return pe::ElementType::kF16;
  case Type::kSingle:
    return pe::ElementType::kF32;
  default:
    return pe::ElementType::kU16;
  }
}

Value reg(Type type, RegisterId number) {
  return {Value::Kind::kRegister, type, number, 0};
}

Value constant(Type type, std::uint32_t bits) {
  return {Value::Kind::kConstant, type, is_wide(type) ? bits : bits & 0xFFFFU, 0};
}

Value address_of(VariableId variable, std::int32_t offset) {
  return {Value::Kind::kAddress, Type::kAddress, variable, offset};
}

Value read_as(Type type, Value value) {
  value.type = type;
  return value;
}

std::optional<Type> operand_type(const Instruction& in, std::size_t i) {
  switch (in.op) {
  case Op::kCopy:
  case Op::kConvert:
  case Op::kCall:
  case Op::kMachine:
  case Op::kReturn:
    return std::nullopt;
  case Op::kScale:
    return i == 0 ? in.type : Type::kI16;
  case Op::kShl:
  case Op::kShr:
    if (i == 0) return in.type;
    return is_wide(in.type) ? Type::kU32 : Type::kU16;
  case Op::kSelect:
    return i == 0 ? Type::kBool : in.type;
  case Op::kChoose:
    return i < 2 ? in.compared : in.type;
  case Op::kJoin:
    return Type::kU16;
  case Op::kHighWord:
  case Op::kLowShift:
    return Type::kU32;
  case Op::kElement:
    return i == 0 ? Type::kAddress : Type::kU16;
  case Op::kLoad:
  case Op::kStore:
    return i == 0 ? Type::kAddress : in.type;
  default:
    return in.type;
  }
}

void read_as_taken(Instruction& in) {
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    const std::optional<Type> type = operand_type(in, i);
    Value& v = in.operands[i];
    if (type && same_bits(*type, v.type)) v = read_as(*type, v);
  }
}

bool Instruction::has_effect() const {
  switch (op) {
  case Op::kStore:
  case Op::kCall:
  case Op::kMachine:
  case Op::kAssert:
    return true;
  default:
    return is_terminator(op);
  }
}

std::string to_string(const Module& module, Place place) {
  const std::string file = place.file < module.files.size() ? module.files[place.file] : "?";
  return file + ":" + std::to_string(place.line);
}

}  // namespace tessera::csl::ir
