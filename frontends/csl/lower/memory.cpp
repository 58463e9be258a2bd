#include "frontends/csl/lower/memory.h"

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/bytes.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/lower/wide.h"

namespace tessera::csl {

std::int32_t offset_of(const Type& type, const std::vector<std::int64_t>& path) {
  const Type* t = &type;
  std::int64_t offset = 0;
  for (const std::int64_t step : path) {
    if (t->is(TypeKind::kStruct)) {
      offset += offset_of_field(*t, static_cast<std::size_t>(step));
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
  return {ir::address_of(variable), offset_of(*cell.type, location.path),
          location.path.empty() && !cell.type->is_aggregate()};
}

ir::Value address_value(Evaluator& evaluator, const Storage& storage) {
  if (storage.offset == 0) return storage.address;
  ir::Value address = storage.address;
  if (address.is_address()) {
    address.offset += storage.offset;
    return address;
  }
  return code_of(evaluator).builder.binary(
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

void check_indices(Evaluator& evaluator, const Location& array, const std::vector<Result>& indices,
                   const Node& at) {
  const Type& type = *array.type;
  const bool is_variable =
      array.storage || !array.cell || array.cell->kind == Cell::Kind::kRunTimeVariable;
  if (!type.is(TypeKind::kArray) || !is_variable) return;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].is_known() || indices[i].value().is_undefined()) continue;
    const auto index = static_cast<std::int64_t>(indices[i].value().integer());
    if (index >= 0 && index < static_cast<std::int64_t>(type.extents[i])) continue;
    const std::string of = array.cell ? " of " + text::in_quotes(array.cell->name)
                                      : " of type " + text::in_quotes(type.name);
    const std::string which =
        indices.size() == 1 ? std::string() : " of dimension " + std::to_string(i);
    code_of(evaluator).tile.note_overrun(
        at, text::joined("the index ", index, " lies outside of the ",
                         text::plural(static_cast<std::size_t>(type.extents[i]), "element"), which,
                         of));
  }
}

Location element_location(Evaluator& evaluator, const Location& array,
                          const std::vector<Result>& indices, const Node& at) {
  Engine& engine = evaluator.engine();
  const bool is_array = array.type->is(TypeKind::kArray);
  const Type& type = *array.type;
  ir::Builder& builder = code_of(evaluator).builder;
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
          type, code_of(evaluator).builder.machine(std::move(load), {*address}, {*in_register})[0]);
    }
    if (is_byte(*type)) return operand_of(type, load_byte(evaluator, *type, storage));
    return operand_of(
        type, code_of(evaluator).builder.load(*in_register, storage.address, storage.offset));
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
  if (is_wide_integer(type)) return store_wide(evaluator, storage, value, at);
  if (const std::optional<ir::Type> in_register = register_type(type)) {
    if (const auto address = register_address(storage, *in_register)) {
      ir::Machine store;
      store.op = pe::Opcode::kStcfg;
      store.fields = {{ir::Machine::Slot::kValue, 0, {}}, {ir::Machine::Slot::kValue, 1, {}}};
      code_of(evaluator).builder.machine(std::move(store),
                                         {*address, scalar(evaluator, value, at)});
      return;
    }
    if (is_byte(type)) return store_byte(evaluator, storage, scalar(evaluator, value, at));
    code_of(evaluator).builder.store(storage.address, scalar(evaluator, value, at), storage.offset);
    return;
  }
  if (type.is(TypeKind::kStruct)) {
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      store_operand(evaluator, *type.fields[i].type, moved(storage, offset_of_field(type, i)),
                    part_of(evaluator, value, i, at), at);
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
  const bool has_bytes = is_array && is_byte(*type.element);
  const std::optional<ir::Type> element =
      has_bytes ? std::nullopt : register_type(is_array ? *type.element : type);
  const std::int64_t count = is_array ? type.count() : 1;
  const ir::VariableId variable = code_of(evaluator).builder.local(
      std::string(name), element.value_or(ir::Type::kU16),
      static_cast<std::uint32_t>(element ? count : (size_of(type) + 1) / 2));
  if (made != nullptr) *made = variable;
  return {ir::address_of(variable), 0, !is_array && element.has_value()};
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
