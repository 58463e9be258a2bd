#include "frontends/csl/run_time/dsd_values.h"

#include <algorithm>
#include <map>

#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/run_time/operands.h"

namespace tessera::csl {
namespace {

constexpr std::int32_t kRecordBase = 2;  // bytes; the number of the descriptor comes first
constexpr std::int32_t kRecordExtent = 4;
constexpr std::int32_t kRecordStride = 6;
constexpr std::int64_t kLargestExtent = 0xffff;

pe::DsdKind kind_of(const Type& kind) {
  if (kind.name == "mem1d_dsd") return pe::DsdKind::kMem1d;
  if (kind.name == "mem4d_dsd") return pe::DsdKind::kMem4d;
  if (kind.name == "circbuf_dsd") return pe::DsdKind::kCircbuf;
  return kind.name == "fabin_dsd" ? pe::DsdKind::kFabin : pe::DsdKind::kFabout;
}

bool is_true(const Value& value) {
  return value.holds<bool>() && value.get<bool>();
}

/// The one field of a struct that is true, or a text: how programs write choices.
std::string choice_of(const Result& option) {
  if (option.value().holds<std::string>()) return option.value().text();
  if (option.type->is(TypeKind::kStruct)) {
    for (const auto& [name, field] : fields_of(option)) {
      if (is_true(field.value())) return name;
    }
  }
  return "";
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

void lower_memory(TileCode& tile, pe::Dsd& dsd, std::optional<ir::VariableId>& array,
                  const Dsd& from, const Node& at) {
  std::int64_t base = from.offset * (from.element == nullptr ? 0 : size_of(*from.element));
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
  if (loops > pe::kMaxDimensions) tile.engine().fail(at, "a descriptor has at most four loops");
  std::int64_t inner = 0;
  for (std::size_t k = 0; k < loops; ++k) {  // inner first
    const std::size_t outer_first = loops - 1 - k;
    const std::int64_t extent = from.extents[outer_first];
    std::int64_t stride = outer_first < from.strides.size() ? from.strides[outer_first] : 1;
    const std::int64_t step = stride;
    if (from.has_steps && k > 0) stride -= inner;
    inner += step * (extent - 1);
    dsd.extents[k] = static_cast<std::uint16_t>(extent);
    dsd.strides[k] = static_cast<std::int16_t>(stride);
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
  }
  for (const auto& [name, value] : from.options) {
    if (name == "wavelet_index_offset") dsd.wavelet_index_offset = is_true(value.value());
    if (name == "wraparound") dsd.wrap_count = static_cast<std::uint16_t>(value.value().integer());
  }
}

pe::SimdMode simd_of(TileCode& tile, const Result* option, const Node& at) {
  if (option == nullptr) {
    const bool is_old = tile.engine().version() == Version::k1_4;
    return is_old ? pe::SimdMode::kOff
                  : pe::default_simd(tile.is_wse3() ? Generation::kWse3 : Generation::kWse2);
  }
  const std::string choice = choice_of(*option);
  static const std::map<std::string, pe::SimdMode> kModes = {
      {"simd_off", pe::SimdMode::kOff},         {"off", pe::SimdMode::kOff},
      {"simd_32", pe::SimdMode::k32},           {"simd_64", pe::SimdMode::k64},
      {"simd_32_or_64", pe::SimdMode::k32Or64}, {"simd_max", pe::SimdMode::kMax}};
  const auto found = kModes.find(choice);
  if (found == kModes.end()) tile.engine().fail(at, "there is no mode ", in_quotes(choice));
  return found->second;
}

pe::Priority priority_of(const std::string& choice) {
  return choice == "high"     ? pe::Priority::kHigh
         : choice == "medium" ? pe::Priority::kMedium
                              : pe::Priority::kLow;
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

LiveDsd live_dsd(Evaluator& evaluator, const Result& value, const Node& at) {
  if (!value.type->is(TypeKind::kDsd))
    evaluator.engine().fail(at, "a value of type ", in_quotes(value.type->name),
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
  if (value.value().is_undefined()) evaluator.engine().fail(at, "the descriptor is undefined");
  LiveDsd live;
  live.descriptor = code_of(evaluator).tile.descriptor_of(
      *value.type, *value.value().get<std::shared_ptr<const Dsd>>(), at);
  return live;
}

ir::DsdOperand operand_of_dsd(const LiveDsd& dsd) {
  ir::DsdOperand made;
  if (dsd.record) {
    made.kind = ir::DsdOperand::Kind::kRecord;
    made.value = dsd.record->address;
    made.offset = dsd.record->offset;
  } else {
    made.descriptor = dsd.descriptor;
  }
  made.base = dsd.base;
  made.extent = dsd.extent;
  made.stride = dsd.stride;
  return made;
}

Result live_result(const Type* kind, LiveDsd dsd) {
  return {kind, RunTimeOperand{"a descriptor", std::move(dsd)}};
}

namespace {

bool is_given(const ir::Value& value) {
  return value.kind != ir::Value::Kind::kNone;
}

/// The address that the first element of a descriptor has.
ir::Value base_of(Evaluator& evaluator, const LiveDsd& dsd) {
  if (is_given(dsd.base)) return dsd.base;
  FunctionCode& code = code_of(evaluator);
  if (dsd.record)
    return code.builder.load(ir::Type::kAddress, dsd.record->address,
                             dsd.record->offset + kRecordBase);
  const ir::Descriptor& d = code.tile.module().descriptors[dsd.descriptor];
  if (d.array) return ir::address_of(*d.array, static_cast<std::int16_t>(d.dsd.base));
  return ir::constant(ir::Type::kAddress, d.dsd.base);
}

ir::Value field_of_record(Evaluator& evaluator, const LiveDsd& dsd, const ir::Value& given,
                          std::int32_t offset) {
  if (is_given(given)) return given;
  FunctionCode& code = code_of(evaluator);
  if (dsd.record)
    return code.builder.load(ir::Type::kU16, dsd.record->address, dsd.record->offset + offset);
  const pe::Dsd& d = code.tile.module().descriptors[dsd.descriptor].dsd;
  const auto stride = static_cast<std::uint16_t>(d.strides[0]);
  return ir::constant(ir::Type::kU16, offset == kRecordExtent ? d.extent : stride);
}

bool is_same(const Storage& a, const Storage& b) {
  return a.address == b.address && a.offset == b.offset;
}

}  // namespace

void store_dsd(Evaluator& evaluator, const Storage& storage, const Result& value, const Node& at) {
  const LiveDsd dsd = live_dsd(evaluator, value, at);
  ir::Builder& builder = code_of(evaluator).builder;
  const auto store = [&](const ir::Value& field, std::int32_t offset) {
    builder.store(storage.address, field, storage.offset + offset);
  };
  const bool is_own = dsd.record && is_same(*dsd.record, storage);
  if (!is_own) {
    const ir::Value number =
        dsd.record ? builder.load(ir::Type::kU16, dsd.record->address, dsd.record->offset)
                   : ir::constant(ir::Type::kU16, dsd.descriptor);
    store(number, 0);
  }
  if (!is_own || is_given(dsd.base)) store(base_of(evaluator, dsd), kRecordBase);
  if (!is_own || is_given(dsd.extent))
    store(field_of_record(evaluator, dsd, dsd.extent, kRecordExtent), kRecordExtent);
  if (!is_own || is_given(dsd.stride))
    store(field_of_record(evaluator, dsd, dsd.stride, kRecordStride), kRecordStride);
}

Result kept_dsd(Evaluator& evaluator, const Result& value, const std::string& name) {
  const LiveDsd dsd = live_dsd(evaluator, value, Node{});
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
  FunctionCode& code = code_of(evaluator);
  const auto memory = [&](const Storage& where) {
    ir::Descriptor made;
    made.dsd.kind = pe::DsdKind::kMem1d;
    made.dsd.extent = static_cast<std::uint32_t>(type.count());
    made.dsd.extents[0] = static_cast<std::uint16_t>(type.count());
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
    if (from == nullptr) return false;
    source = operand_of_dsd(memory(*from));
  }
  ir::dsd_operation(code.builder, code.tile.module(),
                    ir::is_wide(*element) ? pe::Opcode::kMov32 : pe::Opcode::kMov16,
                    {operand_of_dsd(memory(storage)), source}, {}, false, code.tile.dsr_choice());
  return true;
}

// Builtins

namespace {

void check_integer_field(const BuiltinCall& call, const Result& field, std::string_view name) {
  if (!field.type->is_any_integer())
    call.fail("the field .", std::string(name), " is of type ", in_quotes(field.type->name),
              " instead of an integer type");
}

/// An extent or a stride that is known.
std::int64_t known_field(const BuiltinCall& call, const Result& field, std::string_view name,
                         std::int64_t lowest, std::int64_t highest) {
  check_integer_field(call, field, name);
  const BigInt& number = field.value().integer();
  if (number < lowest || number > highest)
    call.fail("the field .", std::string(name), " is ", number.str(), ", which is not in ", lowest,
              "..", highest);
  return static_cast<std::int64_t>(number);
}

/// An index as a sum: factors of the variables of a tensor access, and the rest.
struct Sum {
  std::vector<std::int64_t> factors;
  std::int64_t known = 0;
  ir::Value rest;
};

class LiveAccess {
 public:
  LiveAccess(const BuiltinCall& call, const TensorAccess& access)
      : call_(call), evaluator_(call.evaluator), access_(access) {}

  /// One variable. `dsd` gets the stride and what else is known of it.
  LiveDsd read(Dsd& dsd) {
    FunctionCode& code = code_of(evaluator_);
    const Index* index = if_is<Index>(*access_.access);
    if (index == nullptr || access_.variables.size() != 1)
      call_.fail("a tensor access with operands of the running program has one variable");
    const auto [array, base] = base_of_object(*index->object);
    dsd.element = array->is(TypeKind::kArray) ? array->element : array;
    const std::int64_t bytes = size_of(*dsd.element);
    Sum all;
    all.factors = {0};
    const std::size_t dimensions = array->is(TypeKind::kArray) ? array->extents.size() : 1;
    if (index->indices.size() != dimensions)
      call_.fail("the access has another number of indices than the array has dimensions");
    for (std::size_t i = 0; i < index->indices.size(); ++i) {
      std::int64_t weight = 1;
      for (std::size_t k = i + 1; k < dimensions; ++k) weight *= array->extents[k];
      add(all, sum_of(*index->indices[i]), weight);
    }
    LiveDsd live;
    live.base = address_value(
        evaluator_, {base.address, static_cast<std::int32_t>(base.offset + all.known * bytes)});
    if (all.rest.kind != ir::Value::Kind::kNone)
      live.base = code.builder.element(live.base, all.rest, static_cast<unsigned>(bytes), 0);
    const Result extent = evaluator_.operand(*access_.extents[0]);
    dsd.strides = {all.factors[0]};
    dsd.extents = {1};
    if (extent.is_known()) {
      dsd.extents = {known_field(call_, extent, "extent", 0, kLargestExtent)};
    } else {
      live.extent = number_of(extent, *access_.extents[0]);
    }
    return live;
  }

  ir::Value number_of(const Result& value, const Node& at) {
    ir::Value number = scalar(evaluator_, value, at);
    ir::Builder& builder = code_of(evaluator_).builder;
    if (ir::is_wide(number.type)) number = builder.convert(ir::Type::kU16, number);
    return number.type == ir::Type::kU16 || number.is_constant()
               ? number
               : builder.copy(ir::Type::kU16, number);
  }

 private:
  std::pair<const Type*, Storage> base_of_object(const Expr& object) {
    if (std::optional<Location> location = evaluator_.locate(object)) {
      if (location->type->is(TypeKind::kArray))
        return {location->type, storage_of(evaluator_, *location, object)};
    }
    const Result pointer = evaluator_.operand(object);
    if (!pointer.type->is(TypeKind::kPointer))
      call_.engine().fail(object, "an array or a pointer is expected instead of a value of type ",
                          text::in_quotes(pointer.type->name));
    return {pointer.type->element, {scalar(evaluator_, pointer, object), 0}};
  }

  bool mentions(const Expr& e) const {
    if (const NameExpr* name = if_is<NameExpr>(e)) return name->name == access_.variables[0].text;
    if (const Binary* binary = if_is<Binary>(e))
      return mentions(*binary->left) || mentions(*binary->right);
    if (const Unary* unary = if_is<Unary>(e)) return mentions(*unary->operand);
    if (const Builtin* builtin = if_is<Builtin>(e)) {
      return std::any_of(builtin->arguments.begin(), builtin->arguments.end(),
                         [this](const Expr* a) { return mentions(*a); });
    }
    return false;
  }

  void add(Sum& to, const Sum& part, std::int64_t weight) {
    ir::Builder& builder = code_of(evaluator_).builder;
    to.factors[0] += weight * part.factors[0];
    to.known += weight * part.known;
    if (part.rest.kind == ir::Value::Kind::kNone) return;
    ir::Value rest = part.rest;
    if (weight != 1)
      rest = builder.binary(
          ir::Op::kMul, rest,
          ir::constant(ir::Type::kU16, static_cast<std::uint32_t>(weight) & 0xffffU));
    to.rest =
        to.rest.kind == ir::Value::Kind::kNone ? rest : builder.binary(ir::Op::kAdd, to.rest, rest);
  }

  Sum sum_of(const Expr& e) {
    Sum sum;
    sum.factors = {0};
    if (!mentions(e)) {
      const Result value = evaluator_.operand(e);
      if (value.is_known()) {
        sum.known = static_cast<std::int64_t>(value.value().integer());
      } else {
        sum.rest = number_of(value, e);
      }
      return sum;
    }
    if (if_is<NameExpr>(e) != nullptr) {
      sum.factors[0] = 1;
      return sum;
    }
    const Binary* binary = if_is<Binary>(e);
    if (const Builtin* cast = if_is<Builtin>(e); cast != nullptr && cast->name == "as")
      return sum_of(*cast->arguments[1]);
    if (binary != nullptr && (binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSubtract)) {
      add(sum, sum_of(*binary->left), 1);
      add(sum, sum_of(*binary->right), binary->op == BinaryOp::kAdd ? 1 : -1);
      return sum;
    }
    if (binary != nullptr && binary->op == BinaryOp::kMultiply) {
      const bool left_varies = mentions(*binary->left);
      const Expr& constant = left_varies ? *binary->right : *binary->left;
      if (!mentions(constant)) {
        add(sum, sum_of(left_varies ? *binary->left : *binary->right),
            evaluator_.integer(constant, -65536, 65535, "a factor of the variable"));
        return sum;
      }
    }
    call_.engine().fail(e, "the index is no sum of the variable with a constant factor and others");
  }

  const BuiltinCall& call_;
  Evaluator& evaluator_;
  const TensorAccess& access_;
};

ir::Value byte_distance(const BuiltinCall& call, const Result& steps, std::int64_t bytes) {
  FunctionCode& code = code_of(call.evaluator);
  if (steps.is_known())
    return ir::constant(
        ir::Type::kAddress,
        static_cast<std::uint32_t>(static_cast<std::int64_t>(steps.value().integer()) * bytes) &
            0xffffU);
  ir::Value n = scalar(call.evaluator, steps, call.node);
  if (ir::is_wide(n.type)) n = code.builder.convert(ir::Type::kU16, n);
  if (bytes == 1) return n;
  return code.builder.binary(ir::Op::kMul, n,
                             ir::constant(n.type, static_cast<std::uint32_t>(bytes) & 0xffffU));
}

/// What a pointer, an array or an address stands for.
ir::Value base_value(const BuiltinCall& call, const Expr& e, const Type** element) {
  Evaluator& evaluator = call.evaluator;
  if (const std::optional<Location> location = evaluator.locate(e)) {
    if (location->type->is(TypeKind::kArray)) {
      if (element != nullptr) *element = location->type->element;
      return address_value(evaluator, storage_of(evaluator, *location, e));
    }
  }
  const Result pointer = evaluator.operand(e);
  if (!pointer.type->is(TypeKind::kPointer))
    call.engine().fail(e, "a base address is an array or a pointer instead of a value of type ",
                       text::in_quotes(pointer.type->name));
  if (element != nullptr) {
    *element = pointer.type->element;
    if ((*element)->is(TypeKind::kArray)) *element = (*element)->element;
  }
  return scalar(evaluator, pointer, e);
}

}  // namespace

namespace {

/// A field that is a number, which is known or an operand of the running program.
void read_number(const BuiltinCall& call, const LiteralField& field, const Result& value,
                 std::pair<std::int64_t, std::int64_t> range, std::int64_t& known,
                 ir::Value& live) {
  if (value.is_known()) {
    known = known_field(call, value, field.name.text, range.first, range.second);
    return;
  }
  check_integer_field(call, value, field.name.text);
  const ir::Value number = scalar(call.evaluator, value, *field.value);
  live = ir::is_wide(number.type) ? code_of(call.evaluator).builder.convert(ir::Type::kU16, number)
                                  : number;
}

}  // namespace

std::optional<Result> live_get_dsd(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  const Literal* literal = if_is<Literal>(call.expr(1));
  if (!kind->is(TypeKind::kDsd) || literal == nullptr) return std::nullopt;
  const bool is_mem1d = kind->name == "mem1d_dsd";
  const bool is_fabric = kind->name == "fabin_dsd" || kind->name == "fabout_dsd";
  if (!is_mem1d && !is_fabric) return std::nullopt;
  Evaluator& evaluator = call.evaluator;
  Dsd dsd;
  dsd.strides = {1};
  LiveDsd live;
  ir::Value offset;
  std::int64_t known_offset = 0;
  for (const LiteralField& field : literal->values) {
    const std::string name(field.name.text);
    if (name == "tensor_access") {
      const TensorAccess* access = if_is<TensorAccess>(*field.value);
      if (access == nullptr) return std::nullopt;
      live = LiveAccess(call, *access).read(dsd);
      continue;
    }
    if (name == "base_address") {
      live.base = base_value(call, *field.value, &dsd.element);
      continue;
    }
    const Result value = evaluator.operand(*field.value);
    if (name == "extent") {
      dsd.extents = {1};
      read_number(call, field, value, {0, kLargestExtent}, dsd.extents[0], live.extent);
    } else if (name == "stride") {
      read_number(call, field, value, {-128, 127}, dsd.strides[0], live.stride);
    } else if (name == "offset") {
      read_number(call, field, value, {-32768, kLargestExtent}, known_offset, offset);
    } else {
      call.engine().known(value, *field.value);
      check_dsd_field(call, is_fabric, name, value);
      dsd.options.emplace_back(name, value);
    }
  }
  if (dsd.extents.empty()) call.fail("the descriptor has no extent");
  if (is_mem1d && (offset.kind != ir::Value::Kind::kNone || known_offset != 0)) {
    ir::Builder& builder = code_of(evaluator).builder;
    const std::int64_t bytes = size_of(*dsd.element);
    live.base =
        address_value(evaluator, {live.base, static_cast<std::int32_t>(known_offset * bytes)});
    if (offset.kind != ir::Value::Kind::kNone)
      live.base = builder.element(live.base, offset, static_cast<unsigned>(bytes), 0);
  }
  if (live.base.is_address()) {  // known after all
    live.descriptor = 0;
  }
  live.descriptor = code_of(evaluator).tile.descriptor_of(*kind, dsd, call.node);
  return live_result(kind, live);
}

std::optional<Result> live_change_dsd(const BuiltinCall& call) {
  Evaluator& evaluator = call.evaluator;
  const Result from = evaluator.operand(call.expr(0));
  if (!from.type->is(TypeKind::kDsd)) return std::nullopt;
  LiveDsd dsd = live_dsd(evaluator, from, call.expr(0));
  ir::Builder& builder = code_of(evaluator).builder;
  const std::string_view name = call.node.name;
  const bool is_memory = from.type->name != "fabin_dsd" && from.type->name != "fabout_dsd";
  if (name != "set_dsd_length" && !is_memory)
    call.fail("only a descriptor of memory has an address and a stride");
  if (name == "set_dsd_length" && from.type->name == "mem4d_dsd")
    call.fail("a mem4d_dsd has no single length");
  if (name == "set_dsd_base_addr") {
    dsd.base = base_value(call, call.expr(1), nullptr);
  } else if (name == "increment_dsd_offset") {
    const Result steps = evaluator.operand(call.expr(1));
    if (!steps.type->is_any_integer())
      call.engine().fail(call.expr(1), call.what(1), " is of type ",
                         text::in_quotes(steps.type->name), " instead of an integer type");
    const ir::Value distance = byte_distance(call, steps, size_of(*call.type(2)));
    const ir::Value base = base_of(evaluator, dsd);
    dsd.base = builder.binary(
        ir::Op::kAdd,
        base.type == ir::Type::kAddress ? base : builder.copy(ir::Type::kAddress, base), distance);
  } else {
    const Result number = evaluator.operand(call.expr(1));
    if (!number.type->is_any_integer())
      call.engine().fail(call.expr(1), call.what(1), " is of type ",
                         text::in_quotes(number.type->name), " instead of an integer type");
    const Type* type = call.types().word(name == "set_dsd_length" ? "u16" : "i16");
    const Result typed = number.is_known()
                             ? call.engine().convert(number, type, call.node, call.what(1))
                             : cast_operand(evaluator, number, type, call.node);
    (name == "set_dsd_length" ? dsd.extent : dsd.stride) = scalar(evaluator, typed, call.node);
  }
  return live_result(from.type, dsd);
}

}  // namespace tessera::csl
