#include "frontends/csl/builtins/dsd_values.h"

#include <algorithm>
#include <map>
#include <utility>

#include "frontends/csl/builtins/options.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

constexpr std::int32_t kRecordBase = 2;  // bytes; the number of the descriptor comes first
constexpr std::int32_t kRecordExtent = 4;
constexpr std::int32_t kRecordStride = 6;

pe::DsdKind kind_of(const Type& kind) {
  if (kind.name == "mem1d_dsd") return pe::DsdKind::kMem1d;
  if (kind.name == "mem4d_dsd") return pe::DsdKind::kMem4d;
  if (kind.name == "circbuf_dsd") return pe::DsdKind::kCircbuf;
  return kind.name == "fabin_dsd" ? pe::DsdKind::kFabin : pe::DsdKind::kFabout;
}

bool is_true(const Value& value) {
  return value.holds<bool>() && value.get<bool>();
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

/// Whether a stride does not fit into the 8 bits that a mem1d_dsd has for it.
bool is_far(std::int64_t stride) {
  return stride != static_cast<std::int8_t>(stride);
}

void lower_memory(TileCode& tile, pe::Dsd& dsd, std::optional<ir::VariableId>& array,
                  const Dsd& from, const Node& at) {
  std::int64_t base =
      from.offset * (from.element == nullptr ? 0 : size_of(*from.element)) + from.bytes;
  if (from.base) {
    if (from.base->cell) {
      array = tile.variable_of(from.base->cell, at);
      base += offset_of(*from.base->cell->type, from.base->path);
    } else {
      base += from.base->address;
    }
  }
  dsd.base = static_cast<std::uint16_t>(base);
  const std::size_t loops = from.extents.size();
  dsd.dimensions = static_cast<std::uint8_t>(loops);
  if (loops > pe::kMaxDimensions)
    tile.engine().fail(Id::kDescriptorShape, at, "a descriptor has at most four loops");
  std::int64_t inner = 0;
  for (std::size_t k = 0; k < loops; ++k) {  // inner first
    const std::size_t outer_first = loops - 1 - k;
    // Without elements no loop runs, whatever its extent is.
    const std::int64_t extent = std::max<std::int64_t>(from.extents[outer_first], 1);
    std::int64_t stride = outer_first < from.strides.size() ? from.strides[outer_first] : 1;
    const std::int64_t step = stride;
    if (from.has_steps && k > 0) stride -= inner;
    inner += step * (extent - 1);
    dsd.extents[k] = static_cast<std::uint16_t>(extent);
    dsd.strides[k] = static_cast<std::int16_t>(stride);
  }
  if (dsd.kind == pe::DsdKind::kMem1d && is_far(dsd.strides[0])) {
    dsd.kind =
        pe::DsdKind::kMem4d;  // a loop of one element inside of a loop with a stride of 16 bits
    dsd.dimensions = 2;
    dsd.extents[1] = std::exchange(dsd.extents[0], std::uint16_t{1});
    dsd.strides[1] = std::exchange(dsd.strides[0], std::int16_t{1});
  }
  dsd.extent = static_cast<std::uint32_t>(product(from.extents));
  if (dsd.kind == pe::DsdKind::kCircbuf) {
    dsd.wrap_base = dsd.base;
    dsd.element_bytes = static_cast<std::uint8_t>(size_of(*from.element));
    std::int64_t whole = 0;
    if (from.base && from.base->cell && from.base->cell->type->is(TypeKind::kArray))
      whole = from.base->cell->type->count();
    dsd.wrap_count = static_cast<std::uint16_t>(whole);
  } else {
    dsd.element_bytes = 0;
    if (from.element != nullptr) dsd.stated = stated_type(*from.element);
  }
  for (const auto& [name, value] : from.options) {
    if (name == "wavelet_index_offset") dsd.wavelet_index_offset = is_true(value.value());
    if (name == "wraparound") dsd.wrap_count = static_cast<std::uint16_t>(value.value().integer());
  }
}

pe::SimdMode simd_of(TileCode& tile, const Result* option, const Node& at) {
  if (option == nullptr) {
    tile.engine().depends_on_version();
    const bool is_old = tile.engine().version() == Version::k1_4;
    return is_old ? pe::SimdMode::kOff
                  : pe::default_simd(tile.is_wse3() ? Generation::kWse3 : Generation::kWse2);
  }
  const std::string choice = choice_of(*option);
  const pe::SimdMode mode = simd_mode_of(choice);
  const bool is_new = mode == pe::SimdMode::kOff || mode == pe::SimdMode::kMax;
  if (tile.is_wse3()) tile.engine().saw(is_new ? Version::k2_10 : Version::k1_4, at);
  const bool is_of_wse3 = mode == pe::SimdMode::kMax;
  if (mode == pe::SimdMode::kOff || is_of_wse3 == tile.is_wse3()) return mode;
  if (is_of_wse3)
    tile.engine().fail(Id::kSimdMode, at,
                       "WSE-2 has the modes simd_32, simd_64, simd_32_or_64, not ",
                       in_quotes(choice));
  // Before SDK 2.10 both generations have the same names.
  if (tile.engine().version() == Version::k2_10)
    tile.engine().fail(Id::kSimdMode, at,
                       "WSE-3 has the modes simd_off and simd_max since SDK 2.10, not ",
                       in_quotes(choice), " (--csl-version=1.4 takes it)");
  return pe::SimdMode::kMax;
}

void lower_fabric(TileCode& tile, pe::Dsd& dsd, const Dsd& from, const Node& at) {
  dsd.extent = static_cast<std::uint32_t>(from.extents.at(0));
  const bool is_input = dsd.kind == pe::DsdKind::kFabin;
  const Result* simd = nullptr;
  std::optional<unsigned> queue, color;
  for (const auto& [name, value] : from.options) {
    if (name == "input_queue" || name == "output_queue")
      queue = static_cast<unsigned>(value.value().integer());
    if (name == "fabric_color") color = static_cast<unsigned>(value.value().integer());
    if (name == "simd_mode") simd = &value;
    if (name == "priority") dsd.priority = priority_of(choice_of(value));
    if (name == "control") dsd.control = is_true(value.value());
    if (name == "control_transform") dsd.control_transform = is_true(value.value());
    if (name == "wavelet_index_offset") dsd.wavelet_index_offset = is_true(value.value());
    if (name == "advance_switch") dsd.advance_switch = is_true(value.value());
    if (name == "zero") {
      const std::string source = choice_of(value);
      dsd.zero = source == "first_source"    ? pe::ZeroSource::kFirst
                 : source == "second_source" ? pe::ZeroSource::kSecond
                                             : pe::ZeroSource::kNone;
    }
  }
  dsd.simd = simd_of(tile, simd, at);
  const QueueUse use = tile.use_queue(is_input, queue, color, at);
  dsd.queue = use.queue;
  if (!is_input) dsd.color = use.color;  // wavelets come in by the color of their queue
}

}  // namespace

pe::SimdMode simd_mode_of(std::string_view choice) {
  return choice == "simd_off"        ? pe::SimdMode::kOff
         : choice == "simd_32"       ? pe::SimdMode::k32
         : choice == "simd_64"       ? pe::SimdMode::k64
         : choice == "simd_32_or_64" ? pe::SimdMode::k32Or64
                                     : pe::SimdMode::kMax;
}

pe::Priority priority_of(std::string_view choice) {
  return choice == "high"     ? pe::Priority::kHigh
         : choice == "medium" ? pe::Priority::kMedium
                              : pe::Priority::kLow;
}

ir::Descriptor lowered(TileCode& tile, const Type& kind, const Dsd& from, const Node& at) {
  ir::Descriptor made;
  made.dsd.kind = kind_of(kind);
  made.dsd.name = "d" + std::to_string(tile.module().descriptors.size());
  ir::set_place(made.dsd, tile.place_of(at));
  if (pe::is_memory(made.dsd.kind)) {
    lower_memory(tile, made.dsd, made.array, from, at);
  } else {
    lower_fabric(tile, made.dsd, from, at);
  }
  return made;
}

void unify_simd(TileCode& tile, std::vector<ir::DsdOperand>& operands) {
  const auto dsd_of = [&tile](const ir::DsdOperand& o) -> const pe::Dsd* {
    if (o.kind != ir::DsdOperand::Kind::kDescriptor) return nullptr;
    const pe::Dsd& dsd = tile.module().descriptors[o.descriptor].dsd;
    return pe::is_memory(dsd.kind) ? nullptr : &dsd;
  };
  const bool is_off = std::any_of(operands.begin(), operands.end(), [&](const auto& o) {
    const pe::Dsd* dsd = dsd_of(o);
    return dsd != nullptr && dsd->simd == pe::SimdMode::kOff;
  });
  if (!is_off) return;
  for (ir::DsdOperand& o : operands) {
    const pe::Dsd* dsd = dsd_of(o);
    if (dsd == nullptr || dsd->simd == pe::SimdMode::kOff) continue;
    ir::Descriptor other = tile.module().descriptors[o.descriptor];
    other.dsd.simd = pe::SimdMode::kOff;
    o.descriptor = tile.add_descriptor(std::move(other));
  }
}

LiveDsd live_or_several(Evaluator& evaluator, const Result& value, const Node& at) {
  if (!value.type->is(TypeKind::kDsd))
    evaluator.engine().fail(Id::kOperandType, at, "a value of type ", in_quotes(value.type->name),
                            " is no descriptor");
  if (const auto* operand = std::get_if<RunTimeOperand>(&value.operand)) {
    if (const auto* live = std::get_if<LiveDsd>(&operand->place)) return *live;
    if (const auto* storage = std::get_if<Storage>(&operand->place)) {
      LiveDsd live;
      live.record = *storage;
      return live;
    }
    evaluator.engine().known(value, at);
  }
  if (value.value().is_undefined())
    evaluator.engine().fail(Id::kUndefined, at, "the descriptor is undefined");
  LiveDsd live;
  const Dsd& dsd = *value.value().get<std::shared_ptr<const Dsd>>();
  live.descriptor = code_of(evaluator).tile.descriptor_of(*value.type, dsd, at);
  live.element = dsd.element;
  live.is_variable = dsd.is_variable;
  return live;
}

LiveDsd live_dsd(Evaluator& evaluator, const Result& value, const Node& at) {
  const LiveDsd live = live_or_several(evaluator, value, at);
  if (live.several.empty()) return live;
  const ir::VariableId variable =
      code_of(evaluator).builder.local("descriptor", ir::Type::kU16, pe::kRecordBytes / 2);
  LiveDsd kept;
  kept.record = Storage{ir::address_of(variable), 0};
  store_dsd(evaluator, *kept.record, value, at);
  return kept;
}

ir::DsdOperand operand_of_dsd(const LiveDsd& dsd) {
  ir::DsdOperand made;
  if (dsd.record) {
    made.kind = ir::DsdOperand::Kind::kRecord;
    made.value = dsd.record->address;
    made.offset = dsd.record->offset;
  } else {
    made.descriptor = dsd.descriptor;
    made.several = dsd.several;
    made.chosen = dsd.chosen;
  }
  made.base = dsd.base;
  made.extent = dsd.extent;
  made.stride = dsd.stride;
  return made;
}

std::optional<ir::VariableId> variable_with(const LiveDsd& dsd) {
  if (!dsd.record || !dsd.record->address.is_address() || dsd.element != nullptr)
    return std::nullopt;
  return dsd.record->address.number;
}

Result live_result(const Type* kind, LiveDsd dsd) {
  return {kind, RunTimeOperand{"a descriptor", std::move(dsd)}};
}

ir::Value base_address(Evaluator& evaluator, const LiveDsd& dsd) {
  if (dsd.base.kind != ir::Value::Kind::kNone) return dsd.base;
  FunctionCode& code = code_of(evaluator);
  if (dsd.record)
    return code.builder.load(ir::Type::kAddress, dsd.record->address,
                             dsd.record->offset + kRecordBase);
  const ir::Descriptor& d = code.tile.module().descriptors[dsd.descriptor];
  if (d.array) return ir::address_of(*d.array, static_cast<std::int16_t>(d.dsd.base));
  return ir::constant(ir::Type::kAddress, d.dsd.base);
}

namespace {

bool is_given(const ir::Value& value) {
  return value.kind != ir::Value::Kind::kNone;
}

/// `given`, else that of the record at the offset, else the extent of the known descriptor.
ir::Value field_of_record(Evaluator& evaluator, const LiveDsd& dsd, const ir::Value& given,
                          std::int32_t offset) {
  if (is_given(given)) return given;
  FunctionCode& code = code_of(evaluator);
  if (dsd.record)
    return code.builder.load(ir::Type::kU16, dsd.record->address, dsd.record->offset + offset);
  return ir::constant(ir::Type::kU16, code.tile.module().descriptors[dsd.descriptor].dsd.extent);
}

bool is_same(const Storage& a, const Storage& b) {
  return a.address == b.address && a.offset == b.offset;
}

}  // namespace

DsdRecord record_of(TileCode& tile, const Type& kind, std::uint32_t descriptor) {
  const ir::Descriptor& from = tile.module().descriptors[descriptor];
  const bool is_stretched = kind.name == "mem1d_dsd" && from.dsd.kind == pe::DsdKind::kMem4d;
  if (!is_stretched) return {descriptor, from.dsd.strides[0]};
  const std::int16_t stride = from.dsd.strides[1];
  ir::Descriptor one = from;
  one.dsd.kind = pe::DsdKind::kMem1d;
  one.dsd.dimensions = 1;
  one.dsd.extents = {from.dsd.extents[1]};
  one.dsd.strides = {1};
  return {tile.add_descriptor(std::move(one)), stride};
}

void store_dsd(Evaluator& evaluator, const Storage& storage, const Result& value, const Node& at) {
  const LiveDsd dsd = live_or_several(evaluator, value, at);
  ir::Builder& builder = code_of(evaluator).builder;
  const auto store = [&](const ir::Value& field, std::int32_t offset) {
    builder.store(storage.address, field, storage.offset + offset);
  };
  const bool is_own = dsd.record && is_same(*dsd.record, storage);
  DsrUses& uses = code_of(evaluator).tile.dsr_uses;
  if (!storage.address.is_address()) {
    uses.add_value_somewhere();
  } else if (!is_own || dsd.element != nullptr) {
    uses.add_value(storage.address.number, dsd.element);
  } else {
    uses.add_change(storage.address.number);
  }
  const DsdRecord known =
      dsd.record ? DsdRecord{} : record_of(code_of(evaluator).tile, *value.type, dsd.descriptor);
  if (!is_own) {
    const ir::Value number =
        dsd.record ? builder.load(ir::Type::kU16, dsd.record->address, dsd.record->offset)
        : dsd.several.empty() ? ir::constant(ir::Type::kU16, known.descriptor)
                              : dsd.chosen;
    store(number, 0);
  }
  if (!is_own || is_given(dsd.base)) store(base_address(evaluator, dsd), kRecordBase);
  if (!is_own || is_given(dsd.extent))
    store(field_of_record(evaluator, dsd, dsd.extent, kRecordExtent), kRecordExtent);
  if (!is_own || is_given(dsd.stride))
    store(dsd.record || is_given(dsd.stride)
              ? field_of_record(evaluator, dsd, dsd.stride, kRecordStride)
              : ir::constant(ir::Type::kU16, static_cast<std::uint16_t>(known.stride)),
          kRecordStride);
}

LiveDsd with_one_loop(Evaluator& evaluator, const Result& value, const Node& at) {
  const LiveDsd dsd = live_or_several(evaluator, value, at);
  FunctionCode& code = code_of(evaluator);
  if (dsd.record || record_of(code.tile, *value.type, dsd.descriptor).descriptor == dsd.descriptor)
    return dsd;
  const ir::VariableId copy =
      code.builder.local("descriptor", ir::Type::kU16, pe::kRecordBytes / 2);
  LiveDsd made;
  made.record = Storage{ir::address_of(copy), 0};
  store_dsd(evaluator, *made.record, value, at);
  return made;
}

namespace {

bool begins_at_word(const Storage& storage) {
  return storage.address.is_address() && (storage.address.offset + storage.offset) % 2 == 0;
}

}  // namespace

Result kept_dsd(Evaluator& evaluator, const Result& value, const std::string& name) {
  const LiveDsd dsd = live_or_several(evaluator, value, Node{});
  if (!dsd.record) return value;
  ir::Builder& builder = code_of(evaluator).builder;
  const ir::VariableId copy = builder.local(name, ir::Type::kU16, pe::kRecordBytes / 2);
  const Storage storage{ir::address_of(copy), 0};
  store_dsd(evaluator, storage, value, Node{});
  LiveDsd kept;
  kept.record = storage;
  return live_result(value.type, kept);
}
bool copy_array(Evaluator& evaluator, const Type& type, const Storage& storage, const Result& value,
                const Node& at) {
  const std::optional<ir::Type> element = register_type(*type.element);
  if (!element) return false;
  // Bytes are copied by words; both begin at one.
  const bool has_bytes = is_byte(*type.element);
  if (has_bytes && !begins_at_word(storage)) return false;
  const std::int64_t count = has_bytes ? type.count() / 2 : type.count();
  FunctionCode& code = code_of(evaluator);
  const auto memory = [&](const Storage& where) {
    ir::Descriptor made;
    made.dsd.kind = pe::DsdKind::kMem1d;
    made.dsd.extent = static_cast<std::uint32_t>(count);
    made.dsd.extents[0] = static_cast<std::uint16_t>(count);
    made.dsd.element_bytes = 0;
    LiveDsd live;
    if (where.address.is_address()) {
      made.array = where.address.number;
      made.dsd.base = static_cast<std::uint16_t>(where.address.offset + where.offset);
    } else {
      live.base = address_value(evaluator, where);
    }
    live.descriptor = code.tile.add_descriptor(std::move(made));
    return live;
  };
  ir::DsdOperand source;
  if (value.is_known()) {
    const Aggregate& elements = value.value().elements();
    if (elements.is_uniform()) {
      source.kind = ir::DsdOperand::Kind::kScalar;
      source.value = scalar(evaluator, {type.element, elements[0]}, at);
      if (has_bytes) source.value.number = (source.value.number & 0xffU) * 0x101U;
    } else {
      auto table = std::make_shared<Cell>();
      table->type = &type;
      table->value = value.value();
      table->name = "table";
      const ir::VariableId variable = code.tile.variable_of(table, at);
      source = operand_of_dsd(memory({ir::address_of(variable), 0}));
    }
  } else {
    const auto& operand = std::get<RunTimeOperand>(value.operand);
    const auto* from = std::get_if<Storage>(&operand.place);
    if (from == nullptr || (has_bytes && !begins_at_word(*from))) return false;
    source = operand_of_dsd(memory(*from));
  }
  ir::dsd_operation(code.builder, code.tile.module(),
                    ir::is_wide(*element) ? pe::Opcode::kMov32 : pe::Opcode::kMov16,
                    {operand_of_dsd(memory(storage)), source}, {}, false,
                    code.tile.dsrs().choice());
  if (has_bytes && type.count() % 2 != 0)
    store_operand(evaluator, *type.element,
                  {storage.address, storage.offset + static_cast<std::int32_t>(2 * count)},
                  part_of(evaluator, value, static_cast<std::size_t>(2 * count), at), at);
  return true;
}

}  // namespace tessera::csl
