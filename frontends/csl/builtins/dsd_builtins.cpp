// Builtins that make and change descriptors (csl.md 7.3, 8). A descriptor whose fields are all known is a value; one with fields of
// the running program is a descriptor of the program and the operands that replace some of its fields (csl.md 8.3).
#include <algorithm>
#include <set>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/builtins/tensor_access.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

/// A type whose arrays operations on descriptors take.
void check_element(const BuiltinCall& call, const Type& type, const Node& at) {
  if (!type.is_number() || size_of(type) < 2 || size_of(type) > 4)
    call.engine().fail(Id::kElementType, at,
                       "an element of a descriptor is a number of 16 or 32 bits instead of a ",
                       text::in_quotes(type.name));
}

constexpr std::int64_t kMostExtent = 0xffff;
constexpr std::size_t kMostLoops = 4;
constexpr std::pair<std::int64_t, std::int64_t> kI16{-32768, 32767}, kI8{-128, 127},
    kU16{0, kMostExtent};

bool is_fabric(const Type& kind) {
  return kind.name == "fabin_dsd" || kind.name == "fabout_dsd";
}

/// An operand of the running program as a word.
ir::Value word_of(const BuiltinCall& call, const Result& value, const Node& at) {
  const ir::Value number = scalar(call.evaluator, value, at);
  return ir::is_wide(number.type) ? builder_of(call).convert(ir::Type::kU16, number) : number;
}

/// Where the running program has a base.
Storage storage_of_base(const BuiltinCall& call, const DsdBase& base, const Node& at) {
  if (base.location) return storage_of(call.evaluator, *base.location, at);
  return {scalar(call.evaluator, *base.pointer, at), 0};
}

/// What is known of a base; nothing: the running program has to say where it lies.
std::shared_ptr<const PointerValue> known_base(const DsdBase& base) {
  PointerValue made;
  if (base.location) {
    if (base.location->storage || !base.location->cell) return nullptr;
    made = *base.location->pointer();
    made.path.push_back(0);
    return std::make_shared<const PointerValue>(std::move(made));
  }
  if (!base.pointer->is_known()) return nullptr;
  made = base.pointer->value().pointer();
  if (base.array->is(TypeKind::kArray) && made.cell) made.path.push_back(0);
  return std::make_shared<const PointerValue>(std::move(made));
}

const Type* element_of(const DsdBase& base) {
  return base.array->is(TypeKind::kArray) ? base.array->element : base.array;
}

/// A number that is known, or an operand of the running program.
struct LiveNumber {
  std::int64_t known = 0;
  std::optional<Result> live;
};

/// Reads the fields of `@get_dsd`, each once.
class DescriptorReader {
 public:
  DescriptorReader(const BuiltinCall& call, const Type& kind) : call_(call), kind_(kind) {}

  Result read() {
    if (const Literal* literal = if_is<Literal>(call_.expr(1))) {
      read_literal(*literal, false);
    } else {
      const Result fields = call_.evaluator.operand(call_.expr(1));
      if (!fields.type->is(TypeKind::kStruct))
        call_.fail_operand(Id::kOperandType, 1, " is of type ", text::in_quotes(fields.type->name),
                           " instead of a struct");
      for (const auto& [name, value] : fields_of(call_.evaluator, fields, call_.node))
        read_field(name, value, call_.expr(1), false);
    }
    finish();
    const std::shared_ptr<const PointerValue> known = base_ ? known_base(*base_) : nullptr;
    const bool is_live =
        extent_.live || stride_.live || offset_.live || (base_ && !known) || is_one_of_several_;
    if (known) dsd_.base = known;
    if (!is_live) return {&kind_, Value{std::make_shared<const Dsd>(std::move(dsd_))}};
    return made_live();
  }

 private:
  void read_literal(const Literal& literal, bool is_access) {
    for (const LiteralField& field : literal.values) {
      const std::string name(field.name.text);
      if (name.empty())
        call_.engine().fail(Id::kDescriptorField, *field.value,
                            "a field of a descriptor has a name");
      const bool is_memory = !is_fabric(kind_);
      if (is_linear() && name == "tensor_access" && !is_access) {
        read_access(*field.value);
      } else if (is_memory && name == "base_address") {
        note(name, *field.value);
        base_ = base_of(call_.evaluator, *field.value);
      } else {
        read_field(name, call_.evaluator.operand(*field.value), *field.value, is_access);
      }
    }
  }

  bool is_linear() const { return kind_.name == "mem1d_dsd" || kind_.name == "mem4d_dsd"; }

  /// `tensor_access` as an access or as an anonymous struct of what it stands for.
  void read_access(const Expr& e) {
    note("tensor_access", e);
    if (const Literal* literal = if_is<Literal>(e); literal != nullptr && literal->type == nullptr)
      return read_literal(*literal, true);
    const TensorAccess* access = if_is<TensorAccess>(e);
    if (access == nullptr) {
      const Result fields = call_.evaluator.operand(e);
      if (!fields.type->is(TypeKind::kStruct))
        call_.engine().fail(Id::kTensorAccess, e,
                            "a tensor access |i|{n} -> A[i] is expected, or a struct of "
                            ".base_address, .offset, .stride and .extent");
      for (const auto& [name, value] : fields_of(call_.evaluator, fields, e))
        read_field(name, value, e, true);
      return;
    }
    for (const char* part : {"base_address", "offset", "stride", "extent"}) note(part, e);
    TensorAccessParts parts = read_tensor_access(call_.evaluator, *access);
    base_ = std::move(parts.base);
    offset_ = {parts.offset, parts.rest};
    dsd_.extents = std::move(parts.extents);
    dsd_.strides = std::move(parts.strides);
    dsd_.has_steps = true;
  }

  /// A field stands once, in the access or beside it.
  void note(const std::string& name, const Node& at) {
    if (!given_.insert(name).second)
      call_.engine().fail(Id::kDescriptorField, at, "the field .", name, " is given twice",
                          given_.count("tensor_access") != 0 && name != "tensor_access"
                              ? ": in .tensor_access and beside it"
                              : "");
  }

  void read_field(const std::string& name, const Result& value, const Expr& at, bool is_access) {
    const bool is_memory = !is_fabric(kind_);
    if (name == "extent") {
      note(name, at);
      read_numbers(value, name, at, kU16, dsd_.extents, extent_);
    } else if (is_linear() && name == "stride") {
      note(name, at);
      read_numbers(value, name, at, kind_.name == "mem1d_dsd" ? kI8 : kI16, dsd_.strides, stride_);
      std::reverse(dsd_.strides.begin(), dsd_.strides.end());  // given inner first
    } else if (is_linear() && name == "offset") {
      note(name, at);
      offset_ = number(value, name, at, kI16);
    } else if (is_memory && name == "base_address") {
      note(name, at);
      if (!value.type->is(TypeKind::kPointer))
        call_.engine().fail(Id::kDescriptorBase, at,
                            "a base address is an array or a pointer instead of a value of type ",
                            text::in_quotes(value.type->name));
      if (!value.is_known() && !call_.makes_code()) call_.engine().known(value, at);
      if (value.is_known() && value.value().is_undefined())
        call_.engine().fail(Id::kUndefined, at, "the base address is undefined");
      base_ = DsdBase{value.type->element, std::nullopt, value};
    } else if (is_access) {
      call_.engine().fail(Id::kDescriptorField, at, "a struct as .tensor_access has no field ",
                          text::in_quotes(name),
                          "; it has .base_address, .offset, .stride and .extent");
    } else {
      note(name, at);
      const Result option = queue_of(value, name, at);
      check_option(call_.engine(), dsd_fields_table(kind_.name), name, option, at, "@get_dsd: ");
      if (!option.is_known() && !call_.makes_code()) call_.engine().known(option, at);
      is_one_of_several_ = is_one_of_several_ || !option.is_known();
      dsd_.options.emplace_back(name, option);
    }
  }

  /// Until SDK 1.0 the id of a queue was an integer.
  Result queue_of(const Result& value, const std::string& name, const Node& at) {
    const bool is_queue = name == "input_queue" || name == "output_queue";
    if (!is_queue || !value.type->is_any_integer() || call_.engine().version() == Version::k2_10)
      return value;
    constexpr std::int64_t kMostQueue = 7;
    const LiveNumber id = number(value, name, at, {0, kMostQueue});
    call_.engine().saw(Version::k1_4, at);
    call_.engine().remark(at, "the field ." + name +
                                  " is an integer; since SDK 1.1 it is written @get_" + name +
                                  "(..)");
    const Type* type = call_.types().word(name);
    if (!id.live) return {type, value.operand};
    return {type, cast_operand(call_.evaluator, value, call_.types().word("u16"), at).operand};
  }

  LiveNumber number(const Result& value, const std::string& name, const Node& at,
                    std::pair<std::int64_t, std::int64_t> range) {
    if (!value.type->is_any_integer())
      call_.engine().fail(Id::kOptionType, at, "the field .", name, " is of type ",
                          text::in_quotes(value.type->name), " instead of an integer type");
    if (!value.is_known()) {
      if (!call_.makes_code() || kind_.name == "circbuf_dsd") call_.engine().known(value, at);
      return {0, value};
    }
    if (value.value().is_undefined())
      call_.engine().fail(Id::kUndefined, at, "the field .", name, " is undefined");
    const BigInt& known = value.value().integer();
    if (known < range.first || known > range.second)
      call_.engine().fail(Id::kOutOfRange, at, "the field .", name, " is ", known.str(),
                          ", which is not in ", range.first, "..", range.second);
    return {static_cast<std::int64_t>(known), std::nullopt};
  }

  /// Extents and strides: a number, or a list of known ones.
  void read_numbers(const Result& field, const std::string& name, const Node& at,
                    std::pair<std::int64_t, std::int64_t> range, std::vector<std::int64_t>& all,
                    LiveNumber& live) {
    if (!field.type->is_aggregate()) {
      live = number(field, name, at, range);
      if (live.live && kind_.name == "mem4d_dsd")
        call_.engine().fail(Id::kNotKnown, at, "the field .", name,
                            " of a mem4d_dsd is known at compile time; ",
                            ".base_address and .offset take values of the running program");
      all = {live.live ? 1 : live.known};
      return;
    }
    const bool is_array = field.type->is(TypeKind::kArray);
    const Value& values = call_.engine().known(field, at);
    if (values.is_undefined())
      call_.engine().fail(Id::kUndefined, at, "the field .", name, " is undefined");
    for (std::size_t i = 0; i < values.elements().size(); ++i) {
      const Type* type = is_array ? field.type->element : field.type->fields[i].type;
      all.push_back(number({type, values.elements()[i]}, name, at, range).known);
    }
  }

  void finish() {
    if (dsd_.extents.empty()) call_.fail(Id::kDescriptorField, "the descriptor has no extent");
    if (is_fabric(kind_)) return finish_fabric();
    if (!base_)
      call_.fail(Id::kDescriptorField, "a memory descriptor needs .tensor_access or .base_address");
    dsd_.element = element_of(*base_);
    check_element(call_, *dsd_.element, call_.node);
    if (dsd_.strides.empty()) dsd_.strides.assign(dsd_.extents.size(), 1);
    if (dsd_.strides.size() != dsd_.extents.size())
      call_.fail(Id::kDescriptorShape, "the descriptor has ",
                 text::plural(dsd_.strides.size(), "stride"), " and ",
                 text::plural(dsd_.extents.size(), "extent"));
    if (!offset_.live) dsd_.offset = offset_.known;
    if (kind_.name == "mem1d_dsd") return finish_mem1d();
    if (dsd_.extents.size() > kMostLoops)
      call_.fail(Id::kDescriptorShape, "a descriptor runs over at most ", kMostLoops,
                 " variables instead of ", dsd_.extents.size());
    if (kind_.name == "circbuf_dsd") finish_circular();
  }

  void finish_mem1d() {
    if (dsd_.extents.size() > 1)
      call_.fail(Id::kDescriptorShape, "a mem1d_dsd runs over one variable instead of ",
                 dsd_.extents.size(), "; a mem4d_dsd takes up to 4");
    // A tensor access may step further than the 8 bits of the field .stride: lowered() makes it two loops.
    const std::int64_t stride = dsd_.strides.empty() ? 1 : dsd_.strides[0];
    if (stride < kI16.first || stride > kI16.second)
      call_.fail(Id::kDescriptorShape, "the stride of a mem1d_dsd is ", stride,
                 ", which is not in ", kI16.first, "..", kI16.second);
  }

  void finish_circular() {
    const bool is_array = base_->array->is(TypeKind::kArray);
    const auto given = std::find_if(dsd_.options.begin(), dsd_.options.end(),
                                    [](const auto& one) { return one.first == "wraparound"; });
    if (given == dsd_.options.end()) {
      if (!is_array)
        call_.fail(Id::kCircularBuffer,
                   "the field .wraparound is missing; only a pointer to an array has a size");
      return;
    }
    const BigInt& count = given->second.value().integer();
    if (is_array && count >= base_->array->count())
      call_.fail(Id::kCircularBuffer, "the field .wraparound is ", count.str(),
                 ", and it has to be less than the size of the array, ", base_->array->count(),
                 "; without it the buffer is the whole array");
  }

  void finish_fabric() {
    if (dsd_.extents.size() > 1)
      call_.fail(Id::kDescriptorShape, "a descriptor of the fabric has one extent");
  }

  Result made_live() {
    Evaluator& evaluator = call_.evaluator;
    LiveDsd live;
    if (!is_fabric(kind_)) {
      if (kind_.name == "circbuf_dsd")
        call_.fail(Id::kCircularBuffer, "all fields of a circbuf_dsd are known at compile time");
      const bool all_known = !offset_.live && !extent_.live && !stride_.live;
      if (all_known && base_->array->is(TypeKind::kArray))
        check_reach(code_of(evaluator).tile, dsd_, *base_->array, call_.node);
      const std::int64_t bytes = size_of(*dsd_.element);
      Storage base = storage_of_base(call_, *base_, call_.node);
      base.offset += static_cast<std::int32_t>(offset_.known * bytes);
      live.base = address_value(evaluator, base);
      if (offset_.live)
        live.base = builder_of(call_).element(live.base, word_of(call_, *offset_.live, call_.node),
                                              static_cast<unsigned>(bytes), 0);
      dsd_.base = nullptr;
      dsd_.offset = 0;
    }
    if (extent_.live) live.extent = word_of(call_, *extent_.live, call_.node);
    if (stride_.live) live.stride = word_of(call_, *stride_.live, call_.node);
    if (is_one_of_several_) {
      const LiveDsd chosen = live_fabric(call_, kind_, dsd_);
      live.descriptor = chosen.descriptor;
      live.several = chosen.several;
      live.chosen = chosen.chosen;
    } else {
      live.descriptor = code_of(evaluator).tile.descriptor_of(kind_, dsd_, call_.node);
    }
    live.element = dsd_.element;
    return live_result(&kind_, live);
  }

  const BuiltinCall& call_;
  const Type& kind_;
  Dsd dsd_;
  std::optional<DsdBase> base_;
  LiveNumber extent_, stride_, offset_;
  bool is_one_of_several_ = false;  ///< the running program knows the queue or the color
  std::set<std::string> given_;
};

Result get_dsd(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  if (!kind->is(TypeKind::kDsd))
    call.fail(Id::kOperandType, text::in_quotes(kind->name), " is no kind of descriptor");
  return DescriptorReader(call, *kind).read();
}

Dsd copy_of(const Result& dsd) {
  return *dsd.value().get<std::shared_ptr<const Dsd>>();
}
Result changed(const Result& from, Dsd dsd) {
  return {from.type, Value{std::make_shared<const Dsd>(std::move(dsd))}};
}

LiveDsd moved(const BuiltinCall& call, LiveDsd dsd, const DsdBase& base) {
  TileCode& tile = code_of(call.evaluator).tile;
  if (dsd.record) {
    tile.dsr_uses.add_moved(*element_of(base));
  } else if (dsd.element != element_of(base)) {
    ir::Descriptor other = tile.module().descriptors[dsd.descriptor];
    if (other.dsd.stated) other.dsd.stated = stated_type(*element_of(base));
    dsd.descriptor = tile.add_descriptor(std::move(other));
  }
  dsd.base = address_value(call.evaluator, storage_of_base(call, base, call.expr(1)));
  dsd.element = element_of(base);
  return dsd;
}

Result set_dsd_base_addr(const BuiltinCall& call) {
  const Result& from = call.operand(0);
  const DsdBase base = base_of(call.evaluator, call.expr(1));
  check_element(call, *element_of(base), call.expr(1));
  const std::shared_ptr<const PointerValue> known = known_base(base);
  if (from.is_known() && known) {
    Dsd dsd = copy_of(from);
    dsd.base = known;
    dsd.element = element_of(base);
    dsd.offset = dsd.bytes = 0;
    return changed(from, std::move(dsd));
  }
  return live_result(from.type, moved(call, live_dsd(call.evaluator, from, call.expr(0)), base));
}

ir::Value byte_distance(const BuiltinCall& call, const Result& steps, std::int64_t bytes) {
  ir::Builder& builder = builder_of(call);
  if (steps.is_known())
    return ir::constant(
        ir::Type::kAddress,
        static_cast<std::uint32_t>(static_cast<std::int64_t>(steps.value().integer()) * bytes) &
            0xffffU);
  const ir::Value n = word_of(call, steps, call.node);
  if (bytes == 1) return n;
  return builder.binary(ir::Op::kMul, n,
                        ir::constant(n.type, static_cast<std::uint32_t>(bytes) & 0xffffU));
}

Result increment_dsd_offset(const BuiltinCall& call) {
  const Result &from = call.operand(0), &steps = call.operand(1);
  const Type& type = *call.type(2);
  check_element(call, type, call.expr(2));
  const std::int64_t size = size_of(type);
  if (from.is_known() && steps.is_known()) {
    Dsd dsd = copy_of(from);
    const std::int64_t element = size_of(*dsd.element), bytes = call.number(1) * size + dsd.bytes;
    dsd.bytes = (bytes % element + element) % element;
    dsd.offset += (bytes - dsd.bytes) / element;
    return changed(from, std::move(dsd));
  }
  LiveDsd dsd = live_dsd(call.evaluator, from, call.expr(0));
  ir::Builder& builder = builder_of(call);
  const ir::Value distance = byte_distance(call, steps, size);
  const ir::Value base = base_address(call.evaluator, dsd);
  dsd.base = builder.binary(
      ir::Op::kAdd, base.type == ir::Type::kAddress ? base : builder.copy(ir::Type::kAddress, base),
      distance);
  return live_result(from.type, dsd);
}

Result set_dsd_length(const BuiltinCall& call) {
  const Result &from = call.operand(0), &length = call.operand(1);
  if (from.is_known() && length.is_known()) {
    Dsd dsd = copy_of(from);
    dsd.extents.assign(1, call.number(1));
    return changed(from, std::move(dsd));
  }
  LiveDsd dsd = with_one_loop(call.evaluator, from, call.expr(0));
  dsd.extent = scalar(call.evaluator, number_as(call, 1, "u16"), call.node);
  return live_result(from.type, dsd);
}

Result set_dsd_stride(const BuiltinCall& call) {
  const Result &from = call.operand(0), &stride = call.operand(1);
  if (from.is_known() && stride.is_known()) {
    Dsd dsd = copy_of(from);
    dsd.strides.assign(1, call.number(1));
    return changed(from, std::move(dsd));
  }
  Result one = from;
  if (from.is_known()) {
    Dsd steps = copy_of(from);
    steps.strides.assign(1, 1);
    one = changed(from, std::move(steps));
  }
  LiveDsd dsd = live_dsd(call.evaluator, one, call.expr(0));
  dsd.stride = scalar(call.evaluator, number_as(call, 1, "i16"), call.node);
  return live_result(from.type, dsd);
}

}  // namespace

DsdAtAddress at_address(const BuiltinCall& call, LiveDsd dsd, std::size_t place) {
  const DsdBase base = base_of(call.evaluator, call.expr(place));
  check_element(call, *element_of(base), call.expr(place));
  return {moved(call, std::move(dsd), base), known_base(base), element_of(base)};
}

const std::vector<BuiltinRow>& dsd_builtins() {
  const auto dsd = [](std::vector<ChoiceRow> kinds) {
    return live(one_of(Takes::kDsd, "descriptor", std::move(kinds)));
  };
  const OperandRow memory = dsd({{"mem1d_dsd"}, {"mem4d_dsd"}}), type = takes(Takes::kType, "type");
  static const std::vector<BuiltinRow> kRows = {
      {"get_dsd",
       kAnywhere,
       {type, takes(Takes::kFields, "fields")},
       get_dsd,
       "a descriptor of a kind"},
      {"set_dsd_base_addr",
       kAnywhere,
       {memory, takes(Takes::kPlace, "array or pointer")},
       set_dsd_base_addr,
       "the descriptor at another address"},
      {"increment_dsd_offset",
       kAnywhere,
       {memory, live(integer("elements", kI16.first, kI16.second)), type},
       increment_dsd_offset,
       "the descriptor so many elements of the type further"},
      {"set_dsd_length",
       kAnywhere,
       {dsd({{"mem1d_dsd"}, {"circbuf_dsd"}, {"fabin_dsd"}, {"fabout_dsd"}}),
        live(integer("length", 0, kMostExtent))},
       set_dsd_length,
       "the descriptor with another length"},
      {"set_dsd_stride",
       kAnywhere,
       {dsd({{"mem1d_dsd"}}), live(integer("stride", kI8.first, kI8.second))},
       set_dsd_stride,
       "the descriptor with another stride"}};
  return kRows;
}

}  // namespace tessera::csl
