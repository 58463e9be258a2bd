#include "frontends/csl/lower/tile_code.h"

#include <algorithm>
#include <array>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/lower/tile_setup.h"
#include "frontends/csl/lower/wide.h"

namespace tessera::csl {

namespace {

/// Whether some part of it is not `undefined`.
bool has_value(const Value& value) {
  if (!value.holds<AggregateRef>()) return !value.is_undefined();
  const Aggregate& parts = value.elements();
  if (parts.size() > 0 && parts.is_uniform()) return has_value(parts[0]);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (has_value(parts[i])) return true;
  return false;
}

}  // namespace

TileCode::TileCode(Engine& engine, const Variant& variant,
                   const std::vector<pe::QueueBinding>& queues)
    : named_queues(queues), engine_(engine), variant_(variant), dsrs_(variant.tile) {}

// Places

ir::Place TileCode::place_of(const Node& at) {
  if (at.place.line == 0) return {};
  const auto [found, is_new] =
      files_.emplace(at.file, static_cast<std::uint32_t>(module_.files.size()));
  if (is_new) module_.files.push_back(engine_.file_name(at.file));
  return {found->second, at.place.line};
}

// Variables

namespace {

/// Bytes that a variable has a value for. Only variables of words have some of 8 bits.
std::int64_t bytes_given(const ir::Variable& variable) {
  return static_cast<std::int64_t>(variable.init.size()) * bytes_of(variable.type);
}

/// A byte of 8 bits; `offset`: from the start of the variable.
void put_byte(ir::Variable& variable, std::uint32_t bits, std::int64_t offset) {
  constexpr unsigned kHighByte = 8;
  constexpr std::uint32_t kByte = 0xff;
  const auto word = static_cast<std::size_t>(offset / 2);
  if (variable.init.size() <= word) variable.init.resize(word + 1);
  variable.init[word] |= (bits & kByte) << (offset % 2 == 0 ? 0 : kHighByte);
}

/// Whether parts of a value lie in one word, so that a store of one loads what the other has.
bool shares_words(const Type& type) {
  if (type.is(TypeKind::kArray)) return shares_words(*type.element);
  return is_byte(type) || type.is_packed() ||
         (type.is(TypeKind::kStruct) &&
          std::any_of(type.fields.begin(), type.fields.end(),
                      [](const Field& field) { return shares_words(*field.type); }));
}

}  // namespace

/// Appends a value of the type; `offset`: bytes from the start of the variable to it.
void TileCode::append_bits(ir::Variable& variable, const Type& type, const Value& value,
                           std::int64_t offset, const Node& at) {
  if (is_byte(type)) {
    const bool is_known = !value.is_undefined();
    return put_byte(variable, is_known ? bits_of(engine_, type, value) : 0, offset);
  }
  while (!type.is_aggregate() && bytes_given(variable) < offset) variable.init.push_back(0);
  if (value.is_undefined() && size_of(type) > 0 && !type.is_aggregate()) {
    const auto units = static_cast<std::size_t>(size_of(type)) / bytes_of(variable.type);
    variable.init.insert(variable.init.end(), std::max<std::size_t>(units, 1), 0);
    return;
  }
  if (value.is_undefined() && type.is(TypeKind::kArray)) {
    for (std::int64_t i = 0; i < type.count(); ++i)
      append_bits(variable, *type.element, value, offset + i * size_of(*type.element), at);
    return;
  }
  if (type.is(TypeKind::kArray)) {
    const Aggregate& elements = value.elements();
    const std::size_t before = variable.init.size();
    if (elements.is_uniform() && elements.size() > 0 && register_type(*type.element) &&
        !is_byte(*type.element)) {
      append_bits(variable, *type.element, elements[0], offset, at);
      variable.init.resize(before + elements.size(), variable.init.back());
      return;
    }
    for (std::size_t i = 0; i < elements.size(); ++i)
      append_bits(variable, *type.element, elements[i],
                  offset + static_cast<std::int64_t>(i) * size_of(*type.element), at);
    return;
  }
  if (type.is_packed()) return append_packed(variable, type, value, offset, at);
  if (type.is_union) {
    const bool is_known = value.holds<AggregateRef>();
    for (std::size_t i = 0; is_known && i < type.fields.size(); ++i) {
      if (value.elements()[i].is_undefined()) continue;
      append_bits(variable, *type.fields[i].type, value.elements()[i], offset, at);
      break;
    }
    while (bytes_given(variable) < offset + size_of(type)) variable.init.push_back(0);
    return;
  }
  if (type.is(TypeKind::kStruct)) {
    for (std::size_t i = 0; i < type.fields.size(); ++i)
      append_bits(variable, *type.fields[i].type,
                  value.is_undefined() ? value : value.elements()[i],
                  offset + offset_of_field(type, i), at);
    return;
  }
  if (type.is(TypeKind::kRange)) {
    for (std::size_t i = 0; i < 3; ++i)
      append_bits(variable, *type.element, value.is_undefined() ? value : value.elements()[i],
                  offset + static_cast<std::int64_t>(i) * size_of(type) / 3, at);
    return;
  }
  const auto number = static_cast<std::uint32_t>(variable.init.size());
  if (type.is(TypeKind::kDsd)) {
    const std::uint32_t index = descriptor_of(type, *value.get<std::shared_ptr<const Dsd>>(), at);
    const DsdRecord record = record_of(*this, type, index);
    const ir::Descriptor& d = module_.descriptors[index];
    variable.init.push_back(record.descriptor);
    variable.init.push_back(d.dsd.base);
    if (d.array) variable.addresses.push_back({number + 1, *d.array});
    variable.init.push_back(d.dsd.extent);
    variable.init.push_back(static_cast<std::uint16_t>(record.stride));
    return;
  }
  if (type.is(TypeKind::kPointer) && value.pointer().cell) {
    const PointerValue& to = value.pointer();
    variable.init.push_back(static_cast<std::uint16_t>(offset_of(*to.cell->type, to.path)));
    variable.addresses.push_back({number, variable_of(to.cell, at)});
    return;
  }
  if (is_wide_integer(type)) {
    BigInt bits =
        value.integer() < 0 ? value.integer() + (BigInt(1) << kWidestInteger) : value.integer();
    for (std::int64_t word = 0; word < size_of(type) / 2; ++word, bits >>= 16)
      variable.init.push_back(static_cast<std::uint32_t>(bits & 0xffffU));
    return;
  }
  const std::uint32_t bits = value.holds<FunctionValue>() ? pointers_.number_of({&type, value}, at)
                                                          : bits_of(engine_, type, value);
  const bool is_split = size_of(type) == 4 && bytes_of(variable.type) == 2;
  variable.init.push_back(is_split || size_of(type) == 2 ? bits & 0xffffU : bits);
  if (is_split) variable.init.push_back(bits >> 16);
}

void TileCode::append_packed(ir::Variable& variable, const Type& type, const Value& value,
                             std::int64_t offset, const Node& at) {
  constexpr unsigned kWordBits = 16;
  while (bytes_given(variable) < offset) variable.init.push_back(0);
  BigInt bits = 0;
  if (!value.is_undefined()) {
    std::string problem;
    const std::string integer = "u" + std::to_string(*packed_bits(type));
    const std::optional<Value> known =
        engine_.converter.bitcast({&type, value}, engine_.types.word(integer), problem);
    if (!known)
      engine_.fail(Id::kPackedPart, at, "a value of type ", in_quotes(type.name),
                   " has the address of a variable, ",
                   "which is not known where the first value of a packed struct is made");
    bits = known->integer();
  }
  for (std::int64_t byte = 0; byte < size_of(type); byte += 2, bits >>= kWordBits)
    variable.init.push_back(static_cast<std::uint32_t>(bits & 0xffffU));
}

std::optional<ir::VariableId> TileCode::find_variable(const Cell& cell) const {
  const auto found = variables_.find(&cell);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

std::string TileCode::name_of(const Cell& cell) const {
  if (!cell.link_name.empty()) return cell.link_name;
  const bool is_own = cell.instance == nullptr || cell.instance == variant_.root;
  return is_own ? cell.name : cell.instance->name() + "." + cell.name;
}

std::map<std::string, ir::VariableId> TileCode::globals() const {
  std::map<std::string, ir::VariableId> globals;
  std::map<std::string, unsigned> times;
  for (const auto& [cell, variable] : variables_) {  // in the order of their addresses
    if (cell->instance == nullptr) continue;
    const auto [same, is_new] = globals.emplace(name_of(*cell), variable);
    if (!is_new) same->second = std::min(same->second, variable);
    ++times[name_of(*cell)];
  }
  // A file that is imported several times: the constants of the modules tell their variables apart.
  for (const auto& [cell, variable] : variables_) {
    if (cell->instance == nullptr || times[name_of(*cell)] < 2) continue;
    const std::string module = imported_as(*cell->instance);
    if (!module.empty()) globals.emplace(module + "." + cell->name, variable);
  }
  return globals;
}

/// The constant that holds the module, "" if there is none.
std::string TileCode::imported_as(const Instance& instance) const {
  const std::string name = instance.constant_name();
  if (name.empty()) return "";
  const std::string outer = imported_as(*instance.importer);
  return outer.empty() ? name : outer + "." + name;
}

pe::PackedType packed_type(const Type& element) {
  using pe::PackedType;
  if (!element.is(TypeKind::kInteger)) return PackedType::kNone;
  if (element.bits == 8) return element.is_signed ? PackedType::kI8 : PackedType::kU8;
  if (element.bits == 64) return element.is_signed ? PackedType::kI64 : PackedType::kU64;
  return PackedType::kNone;
}

void TileCode::set_storage(const std::shared_ptr<Cell>& cell, ir::VariableId variable) {
  kept_.push_back(cell);
  variables_[cell.get()] = variable;
}

ir::VariableId TileCode::variable_of(const std::shared_ptr<Cell>& cell, const Node& at) {
  if (const auto found = find_variable(*cell)) return *found;
  const Type& type = *cell->type;
  require_own_half(engine_, type, at);
  const bool is_array = type.is(TypeKind::kArray);
  const bool has_bytes = is_array && is_byte(*type.element);
  const std::optional<ir::Type> element =
      has_bytes ? std::nullopt : register_type(is_array ? *type.element : type);
  const std::int64_t bytes = size_of(type);
  if (bytes == 0 && !(is_array && element))
    engine_.fail(Id::kNoMemory, at, in_quotes(cell->name), " is of type ", in_quotes(type.name),
                 ", which the memory of a PE does not hold");
  if (const Type* const part = part_without_memory(type))
    engine_.fail(Id::kNoMemory, at, in_quotes(cell->name), " has a part of type ",
                 in_quotes(part->name), ", which the memory of a PE does not hold");
  if (bytes > (1 << 24))
    engine_.fail(Id::kMemoryFull, at, in_quotes(cell->name), " takes ", bytes,
                 " bytes, and a PE has ", pe::kSramBytes);
  ir::Variable made;
  made.type = element.value_or(ir::Type::kU16);
  made.count =
      static_cast<std::uint32_t>(element ? (is_array ? type.count() : 1) : (bytes + 1) / 2);
  made.count = std::max<std::uint32_t>(made.count, 1);
  made.align = static_cast<std::uint32_t>(cell->alignment);
  made.packed = element ? pe::PackedType::kNone : packed_type(is_array ? *type.element : type);
  if (made.packed != pe::PackedType::kNone)
    made.packed_count = is_array ? static_cast<std::uint32_t>(type.count()) : 1;
  made.name = name_of(*cell);
  made.place = place_of(at);
  const Variable* const named = cell->declaration;
  made.is_internal = named != nullptr && named->linkage == Linkage::kNone &&
                     named->attributes.empty() && !tile().has_old_host;
  // Constants and tables of functions lie after the variables.
  made.order = cell->instance != nullptr ? engine_.order_of(*cell) : ~std::uint64_t{0};
  if (const Node* declared = engine_.declaration_of(*cell)) made.place = place_of(*declared);
  const ir::VariableId id = ir::add_variable(module_, made);
  set_storage(cell, id);
  const auto section = engine_.options.sections.find(cell->section);
  if (section != engine_.options.sections.end()) sections.emplace(id, *section);
  ir::Variable initial = std::move(made);
  if (!cell->value.is_undefined()) append_bits(initial, type, cell->value, 0, at);
  dsr_uses.add_values(id, type, cell->value);
  // One value says that the program gives it any (`--check-memory`).
  if (initial.init.empty() && shares_words(type)) initial.init.push_back(0);
  const std::size_t least = has_value(cell->value) || shares_words(type) ? 1 : 0;
  while (initial.init.size() > least && initial.init.back() == 0 &&
         (initial.addresses.empty() || initial.addresses.back().element + 1 < initial.init.size()))
    initial.init.pop_back();
  module_.variables[id] = std::move(initial);
  return id;
}

// Descriptors

std::uint32_t TileCode::add_descriptor(ir::Descriptor descriptor) {
  const pe::Dsd& d = descriptor.dsd;
  std::string key = text::joined(
      static_cast<int>(d.kind), ",", d.extent, ",", d.base, ",", unsigned{d.element_bytes}, ",",
      d.stated ? static_cast<int>(*d.stated) : -1, ",", d.wavelet_index_offset, ",",
      unsigned{d.dimensions}, ",", d.wrap_base, ",", d.wrap_count, ",", d.queue.value(), ",",
      d.color.value(), ",", static_cast<int>(d.simd), ",",
      d.priority ? static_cast<int>(*d.priority) : -1, ",", d.control_transform, ",", d.control,
      ",", d.advance_switch, ",", static_cast<int>(d.zero), ",",
      descriptor.array ? static_cast<long>(*descriptor.array) : -1L);
  for (unsigned i = 0; i < d.dimensions; ++i)
    key += text::joined(",", d.extents[i], ",", d.strides[i]);
  const auto [found, is_new] =
      descriptors_.emplace(key, static_cast<std::uint32_t>(module_.descriptors.size()));
  if (is_new) {
    descriptor.dsd.name = "d" + std::to_string(found->second);
    module_.descriptors.push_back(std::move(descriptor));
  }
  return found->second;
}

std::uint32_t TileCode::descriptor_of(const Type& kind, const Dsd& dsd, const Node& at) {
  return add_descriptor(lowered(*this, kind, dsd, at));
}

std::uint32_t TileCode::string(const std::string& text) {
  const auto [found, is_new] =
      strings_.emplace(text, static_cast<std::uint32_t>(module_.settings.strings.size()));
  if (is_new) {
    pe::PrintedString made;
    made.name = "text" + std::to_string(found->second);
    made.text = text;
    module_.settings.strings.push_back(std::move(made));
  }
  return found->second;
}

TaskId TileCode::id_of(const FunctionValue& task, const Node& at) const {
  for (const TaskBinding& binding : tile().tasks) {
    if (binding.task.function == task.function && binding.task.instance == task.instance)
      return TaskId(binding.id);
  }
  engine_.fail(Id::kNoTask, at, in_quotes(task.function->name.text), " is not bound to a task id");
}

ir::Module TileCode::make() {
  const std::size_t mistakes = engine_.mistakes.count();
  set_up_image(*this);
  engine_.goes_on([&] { add_tasks(*this); });
  const bool has_tasks = engine_.mistakes.count() == mistakes;
  for (const auto step : {add_fifos, add_exports, add_initial_loads, add_handler_task})
    engine_.goes_on([&] { step(*this); });
  engine_.goes_on([&] {
    for (const std::shared_ptr<Cell>& cell : engine_.exported_variables(variant_))
      variable_of(cell, *engine_.declaration_of(*cell));
  });
  do {
    analyse_all();
    if (engine_.mistakes.has_any()) judge_mistaken(has_tasks);
  } while (pointers_.require_functions());
  dsr_uses.judge(engine_, tile().fifos);
  engine_.mistakes.require_none();
  pointers_.make_callers();
  engine_.goes_on([&] { add_fifos(*this); });  // those that the code was the first to mention
  add_silent_queues();
  set_start_states(*this);
  judge_overruns();
  dsr_uses.loosen(module_.descriptors);
  dsr_uses.leave_ends_to_loads(module_.functions);
  return std::move(module_);
}

void TileCode::judge_mistaken(bool has_tasks) {
  if (has_tasks) engine_.goes_on([&] { set_start_states(*this); });
  judge_overruns();
}

void TileCode::judge_overruns() {
  const bool is_alone = module_.variables.size() < 2;
  for (const Overrun& overrun : overruns_) {
    if (is_alone) {
      engine_.warn(Id::kOverrun, *overrun.at,
                   overrun.text + "; the code has no other variable that lies there");
    } else if (overrun.use == Beyond::kReads) {
      engine_.warn(Id::kOverrun, *overrun.at, overrun.text + "; what lies there is read");
    } else if (engine_.options.allows_overrun) {
      engine_.warn(Id::kOverrun, *overrun.at, overrun.text);
    } else {
      engine_.goes_on([&] {
        engine_.fail(Id::kOverrun, *overrun.at, overrun.text,
                     " (--allow-dsd-overrun makes this a warning)");
      });
    }
  }
  engine_.mistakes.require_none();
}

const pe::Fifo& TileCode::fifo(std::size_t number) {
  add_fifos(*this);
  return module_.fifos.at(number).fifo;
}

void TileCode::note_load(const pe::Operand& dsr, const pe::Dsd& dsd, const pe::OpConfig& config) {
  const bool is_fabric = dsd.kind == pe::DsdKind::kFabin || dsd.kind == pe::DsdKind::kFabout;
  if (is_fabric)
    dsr_queues[{dsr.kind, dsr.reg}] = config.ut ? config.ut->value() : dsd.queue.value();
}

}  // namespace tessera::csl
