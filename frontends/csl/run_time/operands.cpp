#include "frontends/csl/run_time/operands.h"

#include "frontends/csl/operators.h"
#include "frontends/csl/run_time/dsd_values.h"
#include "frontends/csl/sema/convert.h"

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
  evaluator.engine().fail(at, what, " is of type ", in_quotes(to.name),
                          ", which does not take a value of type ", in_quotes(from.type->name));
}

/// The value in the bits of its type: integers narrower than their register wrap like the others.
ir::Value wrapped_to(ir::Builder& builder, const Type& type, const ir::Value& value) {
  const unsigned width = ir::is_wide(value.type) ? 32 : 16;
  if (!type.is(TypeKind::kInteger) || type.bits == width) return value;
  if (!type.is_signed)
    return builder.binary(ir::Op::kAnd, value,
                          ir::constant(value.type, (std::uint32_t{1} << type.bits) - 1));
  const ir::Value unused = ir::constant(ir::Type::kU16, width - type.bits);
  return builder.binary(ir::Op::kShr, builder.binary(ir::Op::kShl, value, unused), unused);
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

FunctionCode& code_of(Evaluator& evaluator) {
  return *evaluator.frame().code;
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
  default:
    return std::nullopt;
  }
}

bool is_comptime_only(const Type& type) {
  switch (type.kind) {
  case TypeKind::kComptimeInt:
  case TypeKind::kComptimeFloat:
  case TypeKind::kString:
  case TypeKind::kType:
  case TypeKind::kModule:
  case TypeKind::kAnyStruct:
    return true;
  default:
    return false;
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

ir::Value scalar(Evaluator& evaluator, const Result& value, const Node& at) {
  Engine& engine = evaluator.engine();
  const std::optional<ir::Type> type = register_type(*value.type);
  if (const ir::Value* in_register = register_of(value)) return *in_register;
  if (!type)
    engine.fail(at, "a value of type ", in_quotes(value.type->name),
                " does not exist while the program runs");
  if (!value.is_known()) {
    const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
    if (const auto* storage = std::get_if<Storage>(&operand.place))
      return builder_of(evaluator).load(*type, storage->address, storage->offset);
    engine.known(value, at);
  }
  const Value& known = value.value();
  if (value.type->is(TypeKind::kPointer) && !known.is_undefined())
    return pointer_value(evaluator, known.pointer(), at);
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
  if (is_implicit(type, *to))
    return operand_of(
        to, builder_of(evaluator).convert(*register_type(*to), scalar(evaluator, from, at)));
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

Result cast_operand(Evaluator& evaluator, const Result& from, const Type* to, const Node& at) {
  if (from.type == to) return from;
  const std::optional<ir::Type> source = register_type(*from.type), target = register_type(*to);
  const auto is_castable = [](const Type& t) {
    return t.is(TypeKind::kInteger) || t.is(TypeKind::kFloat) || t.is(TypeKind::kBool) ||
           t.is(TypeKind::kEnum);
  };
  if (!source || !target || !is_castable(*from.type) || !is_castable(*to))
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
  if (!source || !target || ir::is_wide(*source) != ir::is_wide(*target))
    evaluator.engine().fail(at, "the bits of a value of type ", in_quotes(from.type->name),
                            " are not those of a ", in_quotes(to->name));
  const ir::Value value = scalar(evaluator, from, at);
  return operand_of(to, *source == *target ? value : builder_of(evaluator).copy(*target, value));
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
  evaluator.engine().fail(at, in_quotes(spelling(op).text), " does not take operands of the types ",
                          in_quotes(left.type->name), " and ", in_quotes(right.type->name));
}

Result shift_operand(Evaluator& evaluator, BinaryOp op, const Result& left, const Result& right,
                     const Node& at) {
  const bool is_typed = left.type->is(TypeKind::kInteger);
  if (!is_typed || !right.type->is_any_integer()) refuse_operands(evaluator, op, left, right, at);
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
  if (!register_type(*common) || (!is_number && !is_equality))
    refuse_operands(evaluator, op, left, right, at);
  left = convert_operand(evaluator, left, common, at, "the left operand");
  right = convert_operand(evaluator, right, common, at, "the right operand");
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
  evaluator.engine().fail(at, in_quotes(spelling(op)), " does not take an operand of type ",
                          in_quotes(type.name));
}

// Memory

std::int32_t offset_of(const Type& type, const std::vector<std::int64_t>& path) {
  const Type* t = &type;
  std::int64_t offset = 0;
  for (const std::int64_t step : path) {
    if (t->is(TypeKind::kStruct)) {
      for (std::int64_t i = 0; i < step; ++i)
        offset += size_of(*t->fields[static_cast<std::size_t>(i)].type);
      t = t->fields[static_cast<std::size_t>(step)].type;
      continue;
    }
    if (t->is(TypeKind::kArray)) t = t->element;
    offset += step * size_of(*t);
  }
  return static_cast<std::int32_t>(offset);
}

Storage storage_of(Evaluator& evaluator, const Location& location, const Node& at) {
  if (location.storage) return *location.storage;
  FunctionCode& code = code_of(evaluator);
  const Cell& cell = *location.cell;
  if (cell.operand) {
    if (const auto* storage = std::get_if<Storage>(&cell.operand->place))
      return {storage->address, storage->offset + offset_of(*cell.type, location.path)};
    // A constant in a register gets memory when its address is taken.
    const std::optional<ir::Type> type = register_type(*cell.type);
    if (!type)
      evaluator.engine().fail(at, "a value of type ", in_quotes(cell.type->name),
                              " has no address");
    const ir::Value address = ir::address_of(code.builder.local(cell.name, *type));
    code.builder.store(address, std::get<ir::Value>(cell.operand->place));
    return {address, 0};
  }
  if (cell.kind == Cell::Kind::kComptimeVariable)
    evaluator.engine().fail(at, in_quotes(cell.name),
                            " exists at compile time only and has no address");
  const ir::VariableId variable = code.tile.variable_of(location.cell, at);
  return {ir::address_of(variable), offset_of(*cell.type, location.path)};
}

ir::Value address_value(Evaluator& evaluator, const Storage& storage) {
  if (storage.offset == 0) return storage.address;
  ir::Value address = storage.address;
  if (address.is_address()) {
    address.offset += storage.offset;
    return address;
  }
  return builder_of(evaluator).binary(
      ir::Op::kAdd, address,
      ir::constant(ir::Type::kAddress, static_cast<std::uint32_t>(storage.offset) & 0xffffU));
}

Location pointee(Evaluator& evaluator, const Result& pointer, const Node& at) {
  Location location;
  location.type = pointer.type->element;
  location.is_const = pointer.type->is_const;
  location.storage = Storage{scalar(evaluator, pointer, at), 0};
  return location;
}

Location element_location(Evaluator& evaluator, const Location& array,
                          const std::vector<Result>& indices, const Node& at) {
  Engine& engine = evaluator.engine();
  const bool is_array = array.type->is(TypeKind::kArray);
  const Type& type = *array.type;
  ir::Builder& builder = builder_of(evaluator);
  std::int64_t known = 0;
  ir::Value sum;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::int64_t weight = 1;
    for (std::size_t k = i + 1; is_array && k < type.extents.size(); ++k) weight *= type.extents[k];
    if (indices[i].is_known()) {
      known += weight * static_cast<std::int64_t>(indices[i].value().integer());
      continue;
    }
    ir::Value part = scalar(evaluator, indices[i], at);
    if (ir::is_wide(part.type)) part = builder.convert(ir::Type::kU16, part);
    if (part.type != ir::Type::kU16) part = builder.copy(ir::Type::kU16, part);
    if (weight != 1)
      part = builder.binary(
          ir::Op::kMul, part,
          ir::constant(ir::Type::kU16, static_cast<std::uint32_t>(weight) & 0xffffU));
    sum = sum.kind == ir::Value::Kind::kNone ? part : builder.binary(ir::Op::kAdd, sum, part);
  }
  Location element;
  element.type = is_array ? type.element : array.type;
  element.is_const = array.is_const;
  const std::int64_t bytes = size_of(*element.type);
  if (bytes == 0)
    engine.fail(at, "the elements are of type ", in_quotes(element.type->name),
                " and exist at compile time only, and so must the index");
  const Storage base = storage_of(evaluator, array, at);
  const auto offset = static_cast<std::int32_t>(base.offset + known * bytes);
  if (sum.kind == ir::Value::Kind::kNone) {
    element.storage = Storage{base.address, offset};
  } else {
    element.storage =
        Storage{builder.element(base.address, sum, static_cast<unsigned>(bytes), 0), offset};
  }
  return element;
}

namespace {

/// The word address of a configuration register that a constant byte address stands for
/// (csl.md 7.5): memory instructions do not
/// reach the registers.
std::optional<ir::Value> register_address(const Storage& storage, ir::Type type) {
  constexpr std::uint32_t kFirst = 0xfc00;
  if (!storage.address.is_constant() || ir::is_wide(type)) return std::nullopt;
  const std::uint32_t address =
      (storage.address.number + static_cast<std::uint32_t>(storage.offset)) & 0xffffU;
  if (address < kFirst) return std::nullopt;
  return ir::constant(ir::Type::kU16, address / 2);
}

}  // namespace

Result load_operand(Evaluator& evaluator, const Type* type, const Storage& storage) {
  const std::optional<ir::Type> in_register = register_type(*type);
  if (in_register) {
    if (const auto address = register_address(storage, *in_register)) {
      ir::Machine load;
      load.op = pe::Opcode::kLdcfg;
      load.fields = {{ir::Machine::Slot::kResult, 0, {}}, {ir::Machine::Slot::kValue, 0, {}}};
      return operand_of(
          type, builder_of(evaluator).machine(std::move(load), {*address}, {*in_register})[0]);
    }
    return operand_of(type,
                      builder_of(evaluator).load(*in_register, storage.address, storage.offset));
  }
  if (type->is(TypeKind::kDsd)) {
    LiveDsd dsd;
    dsd.record = storage;
    return {type, RunTimeOperand{"a descriptor", dsd}};
  }
  return operand_at(type, storage);
}

namespace {

Storage moved(const Storage& storage, std::int64_t bytes) {
  return {storage.address, storage.offset + static_cast<std::int32_t>(bytes)};
}

}  // namespace

Result part_of(Evaluator& evaluator, const Result& value, std::size_t i, const Node& at) {
  const bool is_array = value.type->is(TypeKind::kArray);
  const Type* type = is_array ? value.type->element : value.type->fields[i].type;
  if (value.is_known()) {
    if (value.value().is_undefined()) return {type, Value{Undefined{}}};
    return {type, value.value().elements()[i]};
  }
  const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
  if (const auto* parts = std::get_if<Parts>(&operand.place)) return (**parts)[i];
  const auto* storage = std::get_if<Storage>(&operand.place);
  if (storage == nullptr || evaluator.frame().code == nullptr) return {type, operand};
  (void)at;
  const std::int32_t offset = offset_of(*value.type, {static_cast<std::int64_t>(i)});
  return load_operand(evaluator, type, moved(*storage, offset));
}

namespace {

bool is_void_of_values(const Value& value) {
  if (value.is_undefined()) return true;
  if (!value.holds<AggregateRef>()) return false;
  const Aggregate& elements = value.elements();
  const std::size_t count =
      elements.is_uniform() ? std::min<std::size_t>(elements.size(), 1) : elements.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_void_of_values(elements[i])) return false;
  }
  return true;
}

}  // namespace

void store_operand(Evaluator& evaluator, const Type& type, const Storage& storage,
                   const Result& value, const Node& at) {
  if (value.is_known() && is_void_of_values(value.value())) return;
  if (type.is(TypeKind::kDsd)) return store_dsd(evaluator, storage, value, at);
  if (const std::optional<ir::Type> in_register = register_type(type)) {
    if (const auto address = register_address(storage, *in_register)) {
      ir::Machine store;
      store.op = pe::Opcode::kStcfg;
      store.fields = {{ir::Machine::Slot::kValue, 0, {}}, {ir::Machine::Slot::kValue, 1, {}}};
      builder_of(evaluator).machine(std::move(store), {*address, scalar(evaluator, value, at)});
      return;
    }
    builder_of(evaluator).store(storage.address, scalar(evaluator, value, at), storage.offset);
    return;
  }
  if (type.is(TypeKind::kStruct)) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const Type* field = type.fields[i].type;
      store_operand(evaluator, *field, moved(storage, offset), part_of(evaluator, value, i, at),
                    at);
      offset += size_of(*field);
    }
    return;
  }
  if (!type.is(TypeKind::kArray))
    evaluator.engine().fail(at, "a value of type ", in_quotes(type.name),
                            " does not exist while the program runs");
  constexpr std::int64_t kMostStores = 4;  // above, an operation on descriptors is shorter
  if (type.count() > kMostStores && copy_array(evaluator, type, storage, value, at)) return;
  const std::int64_t bytes = size_of(*type.element);
  for (std::int64_t i = 0; i < type.count(); ++i)
    store_operand(evaluator, *type.element, moved(storage, i * bytes),
                  part_of(evaluator, value, static_cast<std::size_t>(i), at), at);
}

namespace {

/// Memory of the function for a value of a type.
Storage local_memory(Evaluator& evaluator, std::string_view name, const Type& type,
                     ir::VariableId* made = nullptr) {
  const bool is_array = type.is(TypeKind::kArray);
  const std::optional<ir::Type> element = register_type(is_array ? *type.element : type);
  const std::int64_t count = is_array ? type.count() : 1;
  const ir::VariableId variable = builder_of(evaluator).local(
      std::string(name), element.value_or(ir::Type::kU16),
      static_cast<std::uint32_t>(element ? count : (size_of(type) + 1) / 2));
  if (made != nullptr) *made = variable;
  return {ir::address_of(variable), 0};
}

}  // namespace

void declare_variable(Evaluator& evaluator, std::string_view name, const Result& value,
                      const Node& at) {
  auto cell = std::make_shared<Cell>();
  cell->kind = Cell::Kind::kRunTimeVariable;
  cell->type = value.type;
  cell->name = name;
  ir::VariableId variable = 0;
  const Storage storage = local_memory(evaluator, name, *value.type, &variable);
  code_of(evaluator).tile.set_storage(cell, variable);
  store_operand(evaluator, *value.type, storage, value, at);
  evaluator.frame().locals.push_back({name, std::move(cell)});
}

Result kept_operand(Evaluator& evaluator, const Result& value, std::string_view name,
                    const Node& at) {
  if (value.type->is(TypeKind::kDsd)) return kept_dsd(evaluator, value, std::string(name));
  const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
  if (!std::holds_alternative<Storage>(operand.place)) return value;
  if (register_type(*value.type))
    return {value.type, RunTimeOperand{operand.what, scalar(evaluator, value, at)}};
  const Storage copy = local_memory(evaluator, name, *value.type);
  store_operand(evaluator, *value.type, copy, value, at);
  return operand_at(value.type, copy);
}

}  // namespace tessera::csl
