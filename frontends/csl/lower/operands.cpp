#include "frontends/csl/lower/operands.h"
#include "frontends/csl/lower/bytes.h"

#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/wide.h"
#include "frontends/csl/sema/arithmetic.h"
#include "frontends/csl/sema/convert.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {
namespace {

ir::Builder& builder_of(Evaluator& evaluator) {
  return code_of(evaluator).builder;
}

const ir::Value* register_of(const Result& value) {
  const auto* operand = std::get_if<RunTimeOperand>(&value.operand);
  return operand == nullptr ? nullptr : std::get_if<ir::Value>(&operand->place);
}

[[noreturn]] void refuse(Evaluator& evaluator, const Result& from, const Type& to, const Node& at,
                         const std::string& what) {
  evaluator.engine().fail(Id::kConversion, at, what, " is of type ", in_quotes(to.name),
                          ", which does not take a value of type ", in_quotes(from.type->name));
}

bool is_implicit(const Type& from, const Type& to) {
  if (from.is(TypeKind::kInteger) && to.is(TypeKind::kInteger)) {
    if (from.is_signed == to.is_signed) return to.bits >= from.bits;
    return to.is_signed && to.bits > from.bits;
  }
  if (from.is(TypeKind::kFloat) && to.is(TypeKind::kFloat)) return to.bits > from.bits;
  return false;
}

bool points_alike(const Type& from, const Type& to) {
  if (!from.is(TypeKind::kPointer) || !to.is(TypeKind::kPointer)) return false;
  if (from.is_const && !to.is_const) return false;
  const Type *a = from.element, *b = to.element;
  if (a == b || b->is(TypeKind::kAnyopaque)) return true;
  const bool drops_array = to.to_many && a->is(TypeKind::kArray) && a->element == b;
  const bool is_one = b->is(TypeKind::kArray) && b->count() == 1 && b->element == a;
  return drops_array || is_one;
}

ir::Value pointer_value(Evaluator& evaluator, const PointerValue& pointer, const Node& at) {
  if (!pointer.cell)
    return ir::constant(ir::Type::kAddress, static_cast<std::uint32_t>(pointer.address) & 0xffffU);
  const ir::VariableId variable = code_of(evaluator).tile.variable_of(pointer.cell, at);
  return ir::address_of(variable, offset_of(*pointer.cell->type, pointer.path));
}

}  // namespace

ir::Value wrapped_to(ir::Builder& builder, const Type& type, const ir::Value& value) {
  const unsigned width = ir::is_wide(value.type) ? 32 : 16;
  if (!type.is(TypeKind::kInteger) || type.bits == width) return value;
  if (!type.is_signed)
    return builder.binary(ir::Op::kAnd, value,
                          ir::constant(value.type, (std::uint32_t{1} << type.bits) - 1));
  const ir::Value unused = ir::constant(ir::Type::kU16, width - type.bits);
  return builder.binary(ir::Op::kShr, builder.binary(ir::Op::kShl, value, unused), unused);
}

FunctionCode& code_of(Evaluator& evaluator) {
  FunctionCode* const code = evaluator.frame().code;
  if (code == nullptr) evaluator.engine().fail_without_code();
  return *code;
}

std::optional<ir::Type> register_type(const Type& type) {
  switch (type.kind) {
  case TypeKind::kBool:
    return ir::Type::kBool;
  case TypeKind::kInteger:
    if (type.bits > 32) return std::nullopt;
    if (type.bits > 16) return type.is_signed ? ir::Type::kI32 : ir::Type::kU32;
    return type.is_signed ? ir::Type::kI16 : ir::Type::kU16;
  case TypeKind::kFloat:
    return type.bits == 16 ? ir::Type::kHalf : ir::Type::kSingle;
  case TypeKind::kPointer:
    return ir::Type::kAddress;
  case TypeKind::kHandle:
  case TypeKind::kDirection:
    return ir::Type::kU16;
  case TypeKind::kEnum:
    return register_type(*type.element);
  case TypeKind::kFunction:  // the number of the function (FunctionPointers)
    return type.is_generic || type.is_task ? std::nullopt : std::optional(ir::Type::kU16);
  default:
    return std::nullopt;
  }
}

Result operand_of(const Type* type, ir::Value value) {
  return {type, RunTimeOperand{"a value", value}};
}
Result operand_at(const Type* type, const Storage& storage) {
  return {type, RunTimeOperand{"a variable", storage}};
}

std::uint32_t bits_of(const Engine& engine, const Type& type, const Value& value) {
  if (value.is_undefined()) return 0;
  if (value.holds<bool>()) return value.get<bool>() ? 1 : 0;
  if (value.holds<BigInt>()) {
    const BigInt modulus = BigInt(1) << 32;
    BigInt bits = value.integer() % modulus;
    if (bits < 0) bits += modulus;
    return static_cast<std::uint32_t>(bits);
  }
  if (value.holds<double>()) {
    std::string problem;
    Types& types = const_cast<Engine&>(engine).types;
    const std::optional<Value> bits = engine.converter.bitcast(
        {&type, value}, types.word(type.bits == 16 ? "u16" : "u32"), problem);
    return static_cast<std::uint32_t>(bits->integer());
  }
  if (type.is(TypeKind::kPointer) && !value.pointer().cell)
    return static_cast<std::uint32_t>(value.pointer().address) & 0xffffU;
  return 0;
}

void require_own_half(const Engine& engine, const Type& type, const Node& at) {
  const Type* t = type.is(TypeKind::kArray) ? type.element : &type;
  if (t->is(TypeKind::kFloat) && t->bits == 16 && t->name != engine.options.half)
    engine.fail(Id::kFloatFormat, at, "a value of type ", in_quotes(t->name),
                " is known at compile time only; the ",
                "16-bit floats of this program are of type ", in_quotes(engine.options.half),
                " (--fp16-format)");
}

ir::Value scalar(Evaluator& evaluator, const Result& value, const Node& at) {
  Engine& engine = evaluator.engine();
  require_own_half(engine, *value.type, at);
  const std::optional<ir::Type> type = register_type(*value.type);
  if (const ir::Value* in_register = register_of(value)) return *in_register;
  if (!type)
    engine.fail(Id::kComptimeOnly, at, "a value of type ", in_quotes(value.type->name),
                " does not exist while the program runs");
  if (!value.is_known()) {
    const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
    if (const auto* storage = std::get_if<Storage>(&operand.place)) {
      if (storage->width > 0)
        return scalar(evaluator, load_operand(evaluator, value.type, *storage, at), at);
      if (is_byte(*value.type)) return load_byte(evaluator, *value.type, *storage);
      return builder_of(evaluator).load(*type, storage->address, storage->offset);
    }
    engine.known(value, at);
  }
  const Value& known = value.value();
  if (value.type->is(TypeKind::kPointer) && !known.is_undefined())
    return pointer_value(evaluator, known.pointer(), at);
  if (known.holds<FunctionValue>())
    return ir::constant(*type, code_of(evaluator).tile.pointers().number_of(value, at));
  const std::uint32_t bits = bits_of(engine, *value.type, known);
  return ir::constant(*type, ir::is_wide(*type) ? bits : bits & 0xffffU);
}

Result convert_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at,
                       const std::string& what) {
  if (from.is_known()) return evaluator.engine().convert(from, to, at, what);
  const Type& type = *from.type;
  if (from.type == to || to->is(TypeKind::kAnytype)) return from;
  if (to->is(TypeKind::kAnyStruct) && type.is(TypeKind::kStruct)) return from;
  const auto& operand = std::get<RunTimeOperand>(from.operand);
  if (std::holds_alternative<std::monostate>(operand.place)) evaluator.engine().known(from, at);
  if (points_alike(type, *to)) return {to, from.operand};
  if (is_implicit(type, *to) && is_wide_integer(*to)) return wide_cast(evaluator, from, to, at);
  if (is_implicit(type, *to))
    return operand_of(
        to, builder_of(evaluator).convert(*register_type(*to), scalar(evaluator, from, at)));
  if (const auto* parts = std::get_if<Parts>(&operand.place);
      parts != nullptr && to->is_union && (*parts)->size() == 1) {
    const int index = to->find_field(type.fields[0].name);
    if (index < 0) refuse(evaluator, from, *to, at, what);
    const auto i = static_cast<std::size_t>(index);
    const Type& field = *to->fields[i].type;
    const Storage storage = memory_for(evaluator, *to);
    store_operand(evaluator, field, field_storage(storage, *to, i),
                  convert_operand(evaluator, (**parts)[0], &field, at, what), at);
    return operand_at(to, storage);
  }
  if (const auto* parts = std::get_if<Parts>(&operand.place)) {
    const bool is_struct = to->is(TypeKind::kStruct) && to->fields.size() == (*parts)->size();
    const bool is_list = to->is(TypeKind::kArray) && type.is_tuple &&
                         static_cast<std::size_t>(to->count()) == (*parts)->size();
    if (!is_struct && !is_list) refuse(evaluator, from, *to, at, what);
    auto converted = std::make_shared<std::vector<Result>>();
    for (std::size_t i = 0; i < (*parts)->size(); ++i) {
      const int index = is_list ? static_cast<int>(i) : type.find_field(to->fields[i].name);
      if (index < 0) refuse(evaluator, from, *to, at, what);
      converted->push_back(convert_operand(evaluator, (**parts)[static_cast<std::size_t>(index)],
                                           is_list ? to->element : to->fields[i].type, at, what));
    }
    return {to, RunTimeOperand{operand.what, Parts(std::move(converted))}};
  }
  refuse(evaluator, from, *to, at, what);
}

namespace {

/// Integers of more bits than f32 has become a bf16 by way of f32, which rounds them before. The other 16-bit floats end below the integers that f32 rounds.
bool would_round_twice(const Type& from, const Type& to) {
  constexpr unsigned kExactInSingle = 24;
  return from.is(TypeKind::kInteger) && from.bits > kExactInSingle && to.is(TypeKind::kFloat) &&
         to.name == "bf16";
}

}  // namespace

Result cast_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at) {
  if (from.type == to) return from;
  const bool is_wide =
      is_wide_integer(*from.type) || is_wide_integer(*to) || would_round_twice(*from.type, *to);
  if (!from.is_known() && is_wide) return wide_cast(evaluator, from, to, at);
  const std::optional<ir::Type> source = register_type(*from.type), target = register_type(*to);
  const auto is_castable = [](const Type& t) {
    return t.is(TypeKind::kInteger) || t.is(TypeKind::kFloat) || t.is(TypeKind::kBool) ||
           t.is(TypeKind::kEnum);
  };
  const bool are_enums = from.type->is(TypeKind::kEnum) && to->is(TypeKind::kEnum);
  if (!source || !target || !is_castable(*from.type) || !is_castable(*to) || are_enums)
    return convert_operand(evaluator, from, to, at, "the result of @as");
  const ir::Value value = scalar(evaluator, from, at);
  ir::Builder& builder = builder_of(evaluator);
  if (*source == *target) return operand_of(to, wrapped_to(builder, *to, value));
  const bool same_width = ir::is_wide(*source) == ir::is_wide(*target);
  const bool is_plain = !ir::is_float(*source) && !ir::is_float(*target);
  if (same_width && is_plain && *target != ir::Type::kBool)
    return operand_of(to, wrapped_to(builder, *to, builder.copy(*target, value)));
  return operand_of(to, wrapped_to(builder, *to, builder.convert(*target, value)));
}

Result bitcast_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at) {
  const std::optional<ir::Type> source = register_type(*from.type), target = register_type(*to);
  const bool has_packed = from.type->is_packed() || to->is_packed();
  if (has_packed && size_of(*from.type) == size_of(*to) &&
      packed_bits(*from.type) == packed_bits(*to)) {
    const Storage storage = memory_for(evaluator, from.type->is_packed() ? *from.type : *to);
    store_operand(evaluator, *from.type, storage, from, at);
    return load_operand(evaluator, to, storage, at);
  }
  const bool are_integers = from.type->is(TypeKind::kInteger) && to->is(TypeKind::kInteger);
  if (is_wide_integer(*from.type) && is_wide_integer(*to) && from.type->bits == to->bits)
    return wide_cast(evaluator, from, to, at);
  if (!source || !target || ir::is_wide(*source) != ir::is_wide(*target) ||
      (are_integers && from.type->bits != to->bits))
    evaluator.engine().fail(Id::kConversion, at, "the bits of a value of type ",
                            in_quotes(from.type->name), " are not those of a ",
                            in_quotes(to->name));
  const ir::Value value = scalar(evaluator, from, at);
  ir::Builder& builder = builder_of(evaluator);
  // A register holds the number, not the bits: a signed one has its sign in the bits that the type does not have.
  return operand_of(
      to, wrapped_to(builder, *to, *source == *target ? value : builder.copy(*target, value)));
}

// Operators

namespace {

std::optional<ir::Condition> condition_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::kEqual:
    return ir::Condition::kEq;
  case BinaryOp::kNotEqual:
    return ir::Condition::kNe;
  case BinaryOp::kLess:
    return ir::Condition::kLt;
  case BinaryOp::kGreater:
    return ir::Condition::kGt;
  case BinaryOp::kLessOrEqual:
    return ir::Condition::kLe;
  case BinaryOp::kGreaterOrEqual:
    return ir::Condition::kGe;
  default:
    return std::nullopt;
  }
}

ir::Op operation_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::kBitAnd:
    return ir::Op::kAnd;
  case BinaryOp::kBitXor:
    return ir::Op::kXor;
  case BinaryOp::kBitOr:
    return ir::Op::kOr;
  case BinaryOp::kShiftLeft:
    return ir::Op::kShl;
  case BinaryOp::kShiftRight:
    return ir::Op::kShr;
  case BinaryOp::kAdd:
    return ir::Op::kAdd;
  case BinaryOp::kSubtract:
    return ir::Op::kSub;
  case BinaryOp::kMultiply:
    return ir::Op::kMul;
  case BinaryOp::kDivide:
    return ir::Op::kDiv;
  default:
    return ir::Op::kRem;
  }
}

}  // namespace

const Type* common_type(const Engine& engine, const Result& left, const Result& right) {
  if (left.is_known() && right.is_known()) return engine.converter.common(left, right);
  const Type *a = left.type, *b = right.type;
  if (a == b) return a;
  if (is_implicit(*a, *b)) return b;
  if (is_implicit(*b, *a)) return a;
  if (points_alike(*a, *b)) return b;
  if (points_alike(*b, *a)) return a;
  const Result& known = left.is_known() ? left : right;
  const Type* other = left.is_known() ? b : a;
  std::string problem;
  if (known.is_known() && engine.converter.implicit(known, other, problem)) return other;
  return nullptr;
}

namespace {

[[noreturn]] void refuse_operands(Evaluator& evaluator, BinaryOp op, const Result& left,
                                  const Result& right, const Node& at) {
  evaluator.engine().fail(Id::kOperands, at, in_quotes(spelling(op).text),
                          " does not take operands of the types ", in_quotes(left.type->name),
                          " and ", in_quotes(right.type->name));
}

Result shift_operand(Evaluator& evaluator, BinaryOp op, const Result& left, const Result& right,
                     const Node& at) {
  const bool is_typed = left.type->is(TypeKind::kInteger);
  if (!is_typed || !right.type->is_any_integer()) refuse_operands(evaluator, op, left, right, at);
  if (is_wide_integer(*left.type)) return wide_shift(evaluator, op, left, right, at);
  if (!right.is_known() && is_wide_integer(*right.type))
    return shift_operand(evaluator, op, left,
                         wide_cast(evaluator, right, evaluator.engine().types.word("u32"), at), at);
  const ir::Value value = scalar(evaluator, left, at);
  const Type* amount_type =
      right.type->is(TypeKind::kInteger) ? right.type : evaluator.engine().types.word("u16");
  const ir::Value amount = scalar(
      evaluator,
      right.is_known() ? evaluator.engine().convert(right, amount_type, at, "the amount") : right,
      at);
  ir::Builder& builder = builder_of(evaluator);
  return operand_of(
      left.type, wrapped_to(builder, *left.type, builder.binary(operation_of(op), value, amount)));
}

}  // namespace

Result binary_operand(Evaluator& evaluator, BinaryOp op, Result left, Result right,
                      const Node& at) {
  if (op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRight)
    return shift_operand(evaluator, op, left, right, at);
  const Type* common = common_type(evaluator.engine(), left, right);
  const std::optional<ir::Condition> condition = condition_of(op);
  if (common == nullptr) refuse_operands(evaluator, op, left, right, at);
  const bool is_equality = op == BinaryOp::kEqual || op == BinaryOp::kNotEqual;
  const bool is_number = common->is(TypeKind::kInteger) || common->is(TypeKind::kFloat);
  const bool is_wide = is_wide_integer(*common);
  if (!(is_wide || register_type(*common)) || (!is_number && !is_equality))
    refuse_operands(evaluator, op, left, right, at);
  left = convert_operand(evaluator, left, common, at, "the left operand");
  right = convert_operand(evaluator, right, common, at, "the right operand");
  if (is_wide) return wide_binary(evaluator, op, common, left, right, at);
  const ir::Value a = scalar(evaluator, left, at), b = scalar(evaluator, right, at);
  ir::Builder& builder = builder_of(evaluator);
  if (condition)
    return operand_of(evaluator.engine().types.bool_type, builder.compare(*condition, a, b));
  const bool is_bitwise = op == BinaryOp::kBitAnd || op == BinaryOp::kBitOr ||
                          op == BinaryOp::kBitXor || op == BinaryOp::kRemainder;
  if (is_bitwise && common->is(TypeKind::kFloat)) refuse_operands(evaluator, op, left, right, at);
  return operand_of(common, wrapped_to(builder, *common, builder.binary(operation_of(op), a, b)));
}

Result unary_operand(Evaluator& evaluator, UnaryOp op, const Result& value, const Node& at) {
  ir::Builder& builder = builder_of(evaluator);
  const Type& type = *value.type;
  const bool is_number = type.is(TypeKind::kInteger) || type.is(TypeKind::kFloat);
  if (is_negation_of_unsigned(op, type))
    evaluator.engine().fail(Id::kOperands, at, "'-' does not take an operand of type ",
                            in_quotes(type.name), "; ", kNoNegation);
  if (is_wide_integer(type)) return wide_unary(evaluator, op, value, at);
  if (op == UnaryOp::kNot && type.is(TypeKind::kBool))
    return operand_of(value.type, builder.compare(ir::Condition::kEq, scalar(evaluator, value, at),
                                                  ir::constant(ir::Type::kBool, 0)));
  if (op == UnaryOp::kNegate && is_number)
    return operand_of(
        value.type,
        wrapped_to(builder, type, builder.unary(ir::Op::kNeg, scalar(evaluator, value, at))));
  if (op == UnaryOp::kBitNot && type.is(TypeKind::kInteger)) {
    const ir::Value a = scalar(evaluator, value, at);
    const ir::Value ones = ir::constant(a.type, ir::is_wide(a.type) ? ~0U : 0xffffU);
    return operand_of(value.type, wrapped_to(builder, type, builder.binary(ir::Op::kXor, a, ones)));
  }
  evaluator.engine().fail(Id::kOperands, at, in_quotes(spelling(op)),
                          " does not take an operand of type ", in_quotes(type.name));
}

}  // namespace tessera::csl
