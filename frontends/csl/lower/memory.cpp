#include "frontends/csl/lower/memory.h"

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/bytes.h"
#include "frontends/csl/lower/local_names.h"
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

namespace {

constexpr std::int64_t kBitsOfWord = 16;

/// What the path leads to from an object of the type at `storage`.
Storage part_at(Storage storage, const Type& type, const std::vector<std::int64_t>& path) {
  const Type* t = &type;
  for (const std::int64_t step : path) {
    if (t->is(TypeKind::kStruct)) {
      storage = field_storage(storage, *t, static_cast<std::size_t>(step));
      t = t->fields[static_cast<std::size_t>(step)].type;
      continue;
    }
    if (t->is(TypeKind::kArray)) t = t->element;
    storage.offset += static_cast<std::int32_t>(step * size_of(*t));
    storage.is_whole = false;
  }
  return storage;
}

}  // namespace

Storage field_storage(const Storage& object, const Type& type, std::size_t i) {
  Storage field = object;
  field.is_whole = false;
  field.width = field.shift = 0;
  if (!type.is_packed()) {
    field.offset += static_cast<std::int32_t>(offset_of_field(type, i));
    return field;
  }
  const std::int64_t first = object.shift + bit_offset_of_field(type, i);
  const std::int64_t width = packed_bits(*type.fields[i].type).value_or(0);
  field.is_packed = true;
  field.offset += static_cast<std::int32_t>(first / kBitsOfWord * 2);
  const bool is_words = first % kBitsOfWord == 0 && width > 0 && width % kBitsOfWord == 0 &&
                        size_of(*type.fields[i].type) * 8 == width;
  if (is_words) return field;
  field.shift = static_cast<std::uint16_t>(first % kBitsOfWord);
  field.width = static_cast<std::uint16_t>(width);
  return field;
}

Storage storage_of(Evaluator& evaluator, const Location& location, const Node& at) {
  if (location.storage) return *location.storage;
  FunctionCode& code = code_of(evaluator);
  const Cell& cell = *location.cell;
  if (cell.operand) {
    if (const auto* storage = std::get_if<Storage>(&cell.operand->place))
      return part_at(*storage, *cell.type, location.path);
    // A constant in registers gets memory when its address is taken.
    const std::optional<ir::Type> type = register_type(*cell.type);
    if (!type && !std::holds_alternative<Parts>(cell.operand->place))
      evaluator.engine().fail(Id::kNoAddress, at, "a value of type ", in_quotes(cell.type->name),
                              " has no address");
    if (!type)
      return part_at(in_memory(evaluator, {cell.type, *cell.operand}, cell.name, at), *cell.type,
                     location.path);
    const ir::Value address = ir::address_of(code.builder.local(cell.name, *type));
    code.builder.store(address, std::get<ir::Value>(cell.operand->place));
    return {address, 0};
  }
  if (cell.kind == Cell::Kind::kComptimeVariable)
    evaluator.engine().fail(Id::kNoAddress, at, in_quotes(cell.name),
                            " exists at compile time only and has no address");
  const ir::VariableId variable = code.tile.variable_of(location.cell, at);
  return part_at({ir::address_of(variable), 0, !cell.type->is_aggregate()}, *cell.type,
                 location.path);
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
    engine.fail(Id::kComptimeOnly, at, "the elements are of type ", in_quotes(element.type->name),
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

namespace {

/// The one or two words around a part of a packed struct.
ir::Type words_around(Evaluator& evaluator, const Type& type, const Storage& storage,
                      const Node& at) {
  const unsigned end = unsigned{storage.shift} + storage.width;
  if (storage.width > 2 * kBitsOfWord || end > 2 * kBitsOfWord)
    evaluator.engine().fail(Id::kPackedPart, at, "a part of type ", in_quotes(type.name),
                            " of a packed struct lies across more than two words; the running "
                            "program reaches those within 32 bits from the start of a word");
  return end > kBitsOfWord ? ir::Type::kU32 : ir::Type::kU16;
}

ir::Value mask_of(ir::Type words, unsigned shift, unsigned width) {
  const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
  const std::uint32_t all = words == ir::Type::kU32 ? 0xffffffffU : 0xffffU;
  return ir::constant(words, static_cast<std::uint32_t>(ones << shift) & all);
}

ir::Value load_bits(Evaluator& evaluator, const Type& type, const Storage& storage,
                    const Node& at) {
  ir::Builder& builder = code_of(evaluator).builder;
  const ir::Type words = words_around(evaluator, type, storage, at);
  const unsigned bits = words == ir::Type::kU32 ? 32 : 16;
  const bool is_wide = ir::is_wide(*register_type(type));
  ir::Value value = builder.load(words, storage.address, storage.offset);
  if (type.is(TypeKind::kInteger) && type.is_signed) {  // the sign is the highest bit of the part
    const ir::Type number = words == ir::Type::kU32 ? ir::Type::kI32 : ir::Type::kI16;
    value = builder.copy(number, value);
    if (const unsigned left = bits - storage.shift - storage.width; left > 0)
      value = builder.binary(ir::Op::kShl, value, ir::constant(number, left));
    if (const unsigned right = bits - storage.width; right > 0)
      value = builder.binary(ir::Op::kShr, value, ir::constant(number, right));
    if ((words == ir::Type::kU32) == is_wide) return value;
    return builder.convert(is_wide ? ir::Type::kI32 : ir::Type::kI16, value);
  }
  if (storage.shift > 0)
    value = builder.binary(ir::Op::kShr, value, ir::constant(words, storage.shift));
  if (storage.shift + storage.width < bits)
    value = builder.binary(ir::Op::kAnd, value, mask_of(words, 0, storage.width));
  if ((words == ir::Type::kU32) != is_wide)
    value = builder.convert(is_wide ? ir::Type::kU32 : ir::Type::kU16, value);
  const ir::Type result = *register_type(type);
  return value.type == result ? value : builder.copy(result, value);
}

void store_bits(Evaluator& evaluator, const Type& type, const Storage& storage,
                const ir::Value& given, const Node& at) {
  ir::Builder& builder = code_of(evaluator).builder;
  const ir::Type words = words_around(evaluator, type, storage, at);
  const ir::Type own = ir::is_wide(given.type) ? ir::Type::kU32 : ir::Type::kU16;
  ir::Value value = given.type == own ? given : builder.copy(own, given);
  if (own != words) value = builder.convert(words, value);
  value = builder.binary(ir::Op::kAnd, value, mask_of(words, 0, storage.width));
  if (storage.shift > 0)
    value = builder.binary(ir::Op::kShl, value, ir::constant(words, storage.shift));
  const ir::Value mask = mask_of(words, storage.shift, storage.width);
  const std::uint32_t all = words == ir::Type::kU32 ? 0xffffffffU : 0xffffU;
  ir::Value both = builder.load(words, storage.address, storage.offset);
  both = builder.binary(ir::Op::kAnd, both, ir::constant(words, ~mask.number & all));
  builder.store(storage.address, builder.binary(ir::Op::kOr, both, value), storage.offset);
}

}  // namespace

Result load_operand(Evaluator& evaluator, const Type* type, const Storage& storage,
                    const Node& at) {
  const std::optional<ir::Type> in_register = register_type(*type);
  if (in_register && storage.width > 0)
    return operand_of(type, load_bits(evaluator, *type, storage, at));
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
  if (storage.width > 0 && is_wide_integer(*type)) words_around(evaluator, *type, storage, at);
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

/// Bytes from the start of a range to its start, stop or step.
std::int64_t part_offset(const Type& element, std::size_t i) {
  return static_cast<std::int64_t>(i) * std::max<std::int64_t>(size_of(element), 2);
}

}  // namespace

Result part_of(Evaluator& evaluator, const Result& value, std::size_t i, const Node& at) {
  const bool is_range = value.type->is(TypeKind::kRange);
  const bool is_array = value.type->is(TypeKind::kArray);
  const Type* type = is_array || is_range ? value.type->element : value.type->fields[i].type;
  if (value.is_known()) {
    if (value.value().is_undefined()) return {type, Value{Undefined{}}};
    if (value.type->is_union)
      return {type, evaluator.engine().variant(*value.type, value.value(), i, at)};
    return {type, value.value().elements()[i]};
  }
  const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
  if (const auto* parts = std::get_if<Parts>(&operand.place)) return (**parts)[i];
  const auto* storage = std::get_if<Storage>(&operand.place);
  if (storage == nullptr || evaluator.frame().code == nullptr) return {type, operand};
  if (is_range) return load_operand(evaluator, type, moved(*storage, part_offset(*type, i)), at);
  if (!is_array) return load_operand(evaluator, type, field_storage(*storage, *value.type, i), at);
  const std::int32_t offset = offset_of(*value.type, {static_cast<std::int64_t>(i)});
  return load_operand(evaluator, type, moved(*storage, offset), at);
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

namespace {

/// A union is its bits, whatever field was given.
void copy_words(Evaluator& evaluator, const Type& type, const Storage& storage, const Result& value,
                const Node& at) {
  const auto* from = std::get_if<Storage>(&std::get<RunTimeOperand>(value.operand).place);
  if (from == nullptr) {
    evaluator.engine().known(value, at);
    return;
  }
  if (storage.width > 0 || from->width > 0) {
    const Type* first = type.fields[0].type;
    const Storage a = field_storage(storage, type, 0), b = field_storage(*from, type, 0);
    return store_operand(evaluator, *first, a, load_operand(evaluator, first, b, at), at);
  }
  ir::Builder& builder = code_of(evaluator).builder;
  for (std::int64_t k = 0; k < size_of(type); k += 2) {
    const Storage a = moved(storage, k), b = moved(*from, k);
    builder.store(a.address, builder.load(ir::Type::kU16, b.address, b.offset), a.offset);
  }
}

}  // namespace

void store_operand(Evaluator& evaluator, const Type& type, const Storage& storage,
                   const Result& value, const Node& at) {
  if (value.is_known() && is_void_of_values(value.value())) return;
  if (type.is(TypeKind::kDsd)) return store_dsd(evaluator, storage, value, at);
  if (storage.width > 0 && is_wide_integer(type)) words_around(evaluator, type, storage, at);
  if (is_wide_integer(type)) return store_wide(evaluator, storage, value, at);
  if (const std::optional<ir::Type> in_register = register_type(type)) {
    if (storage.width > 0)
      return store_bits(evaluator, type, storage, scalar(evaluator, value, at), at);
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
  if (type.is_union && !value.is_known()) return copy_words(evaluator, type, storage, value, at);
  if (type.is(TypeKind::kStruct)) {
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      if (type.is_union && value.value().elements()[i].is_undefined()) continue;
      store_operand(evaluator, *type.fields[i].type, field_storage(storage, type, i),
                    part_of(evaluator, value, i, at), at);
    }
    return;
  }
  if (type.is(TypeKind::kRange)) {
    for (std::size_t i = 0; i < 3; ++i)
      store_operand(evaluator, *type.element, moved(storage, part_offset(*type.element, i)),
                    part_of(evaluator, value, i, at), at);
    return;
  }
  if (!type.is(TypeKind::kArray))
    evaluator.engine().fail(Id::kComptimeOnly, at, "a value of type ", in_quotes(type.name),
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

ir::VariableId declare_variable(Evaluator& evaluator, std::string_view name, const Result& value,
                                const Node& at) {
  auto cell = std::make_shared<Cell>();
  cell->kind = Cell::Kind::kRunTimeVariable;
  cell->type = value.type;
  cell->name = name;
  ir::VariableId variable = 0;
  const Storage storage = local_memory(evaluator, name, *value.type, &variable);
  code_of(evaluator).tile.set_storage(cell, variable);
  name_variable(evaluator, variable, name, *value.type, at);
  store_operand(evaluator, *value.type, storage, value, at);
  evaluator.frame().locals.push_back({name, std::move(cell)});
  return variable;
}

Storage memory_for(Evaluator& evaluator, const Type& type) {
  return local_memory(evaluator, "bits", type);
}

Storage in_memory(Evaluator& evaluator, const Result& value, std::string_view name,
                  const Node& at) {
  if (value.is_known()) {
    auto table = std::make_shared<Cell>();
    table->type = value.type;
    table->value = value.value();
    table->name = name;
    return {ir::address_of(code_of(evaluator).tile.variable_of(table, at)), 0};
  }
  const Storage copy = local_memory(evaluator, name, *value.type);
  store_operand(evaluator, *value.type, copy, value, at);
  return copy;
}

Result kept_operand(Evaluator& evaluator, const Result& value, std::string_view name,
                    const Node& at) {
  if (value.type->is(TypeKind::kDsd)) return kept_dsd(evaluator, value, std::string(name));
  const RunTimeOperand& operand = std::get<RunTimeOperand>(value.operand);
  // An array is indexed by what only the running program knows.
  const bool is_array = value.type->is(TypeKind::kArray);
  if (!std::holds_alternative<Storage>(operand.place) && !is_array) return value;
  if (register_type(*value.type))
    return {value.type, RunTimeOperand{operand.what, scalar(evaluator, value, at)}};
  return operand_at(value.type, in_memory(evaluator, value, name, at));
}

}  // namespace tessera::csl
