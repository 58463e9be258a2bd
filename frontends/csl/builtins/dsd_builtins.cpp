// Builtins that make descriptors, DSRs and FIFOs (csl.md 7.3, 8).
#include <algorithm>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/builtins/options.h"
#include "frontends/csl/builtins/tensor_access.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kLargestExtent = 0xffff;
constexpr std::int64_t kExtendedDsrs = 8;  // number of XDSRs in the model (wse.md 5.11)
constexpr std::int64_t kStrideRegisters = 8;
/// Extents and strides: a number, or a list of them.
std::vector<std::int64_t> numbers(const BuiltinCall& call, const Result& field,
                                  const std::string& name) {
  std::vector<std::int64_t> all;
  const auto add = [&](const Type& type, const Value& value) {
    if (!type.is_any_integer()) call.fail("the field .", name, " is no integer");
    const BigInt& number = value.integer();
    if (number < (name == "extent" ? 0 : -kLargestExtent) || number > kLargestExtent)
      call.fail("the field .", name, " is ", number.str(), ", which does not fit into 16 bits");
    all.push_back(static_cast<std::int64_t>(number));
  };
  if (!field.type->is_aggregate()) {
    add(*field.type, field.value());
    return all;
  }
  for (std::size_t i = 0; i < field.value().elements().size(); ++i)
    add(field.type->is(TypeKind::kArray) ? *field.type->element : *field.type->fields[i].type,
        field.value().elements()[i]);
  return all;
}

/// What a pointer or the name of an array stands for: where it begins, and its element.
void set_base(const BuiltinCall& call, Dsd& dsd, const Expr& e) {
  std::optional<Location> location = call.evaluator.locate(e);
  if (location && location->type->is(TypeKind::kArray)) {
    dsd.element = location->type->element;
    location->path.push_back(0);
    dsd.base = location->pointer();
    return;
  }
  const Result pointer = call.evaluator.value(e);
  if (!pointer.type->is(TypeKind::kPointer))
    call.engine().fail(e, "a base address is an array or a pointer instead of a value of type ",
                       text::in_quotes(pointer.type->name));
  dsd.element = pointer.type->element;
  if (pointer.value().is_undefined()) return;
  PointerValue base = pointer.value().pointer();
  if (dsd.element->is(TypeKind::kArray)) {
    dsd.element = dsd.element->element;
    if (base.cell) base.path.push_back(0);
  }
  dsd.base = std::make_shared<const PointerValue>(std::move(base));
}

void read_memory_field(const BuiltinCall& call, const Type& kind, Dsd& dsd,
                       const LiteralField& field) {
  const std::string name(field.name.text);
  if (name == "base_address") {
    set_base(call, dsd, *field.value);
    return;
  }
  const Result value = call.evaluator.value(*field.value);
  if (name == "extent") {
    dsd.extents = numbers(call, value, name);
  } else if (name == "stride") {
    dsd.strides = numbers(call, value, name);
    std::reverse(dsd.strides.begin(), dsd.strides.end());  // given inner first
  } else if (name == "offset") {
    dsd.offset = numbers(call, value, name).at(0);
  } else {
    check_dsd_field(call, kind, name, value);
    dsd.options.emplace_back(name, value);
  }
}

void check_memory_dsd(const BuiltinCall& call, const Type& kind, const Dsd& dsd) {
  if (kind.name != "mem1d_dsd") return;
  if (dsd.extents.size() > 1)
    call.fail("a mem1d_dsd runs over one variable instead of ", dsd.extents.size(),
              "; a mem4d_dsd takes up to 4");
  if (dsd.strides[0] < -128 || dsd.strides[0] > 127)
    call.fail("the stride of a mem1d_dsd is ", dsd.strides[0], ", which is not in -128..127");
}

Dsd memory_dsd(const BuiltinCall& call, const Type& kind, const Literal& fields) {
  Dsd dsd;
  for (const LiteralField& field : fields.values) {
    if (field.name.text != "tensor_access") {
      read_memory_field(call, kind, dsd, field);
      continue;
    }
    const TensorAccess* access = if_is<TensorAccess>(*field.value);
    if (access == nullptr)
      call.engine().fail(*field.value, "a tensor access |i|{n} -> A[i] is expected");
    read_tensor_access(call.evaluator, *access, dsd);
  }
  if (!dsd.base && dsd.element == nullptr)
    call.fail("a memory descriptor needs .tensor_access or .base_address");
  if (dsd.extents.empty()) call.fail("the descriptor has no extent");
  if (dsd.strides.empty()) dsd.strides.assign(1, 1);
  check_memory_dsd(call, kind, dsd);
  return dsd;
}

Dsd fabric_dsd(const BuiltinCall& call, const Type& kind, const Result& fields) {
  Dsd dsd;
  for (auto& [name, value] : fields_of(fields)) {
    if (name == "extent") {
      dsd.extents = numbers(call, value, name);
    } else {
      check_dsd_field(call, kind, name, value);
      dsd.options.emplace_back(name, value);
    }
  }
  if (dsd.extents.empty()) call.fail("the descriptor has no extent");
  if (fields.type->find_field("simd_mode") < 0) {
    call.engine().depends_on_version();
  } else {
    call.engine().saw(Version::k2_10, call.node);
  }
  return dsd;
}

Result get_dsd(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  if (!kind->is(TypeKind::kDsd))
    call.fail(text::in_quotes(kind->name), " is no kind of descriptor");
  const bool is_fabric = kind->name == "fabin_dsd" || kind->name == "fabout_dsd";
  const Literal* literal = if_is<Literal>(call.expr(1));
  if (!is_fabric && literal == nullptr)
    call.fail("the fields of a memory descriptor are written as .{ .. }");
  Dsd dsd = is_fabric ? fabric_dsd(call, *kind, call.structure(1)) : memory_dsd(call, *kind, *literal);
  return {kind, Value{std::make_shared<const Dsd>(std::move(dsd))}};
}

/// The descriptor of the first argument, to be changed.
Dsd copy_of_dsd(const BuiltinCall& call, const Result& from) {
  if (!from.type->is(TypeKind::kDsd))
    call.fail("the first argument is of type ", text::in_quotes(from.type->name),
              " instead of a descriptor");
  return *from.value().get<std::shared_ptr<const Dsd>>();
}
Result changed(const Result& from, Dsd dsd) {
  return {from.type, Value{std::make_shared<const Dsd>(std::move(dsd))}};
}

Result set_dsd_base_addr(const BuiltinCall& call) {
  const Result from = call.value(0);
  Dsd dsd = copy_of_dsd(call, from);
  set_base(call, dsd, call.expr(1));
  dsd.offset = 0;
  return changed(from, std::move(dsd));
}

Result increment_dsd_offset(const BuiltinCall& call) {
  const Result from = call.value(0);
  Dsd dsd = copy_of_dsd(call, from);
  if (dsd.element == nullptr) call.fail("only a descriptor of memory has an address");
  const std::int64_t steps = call.integer(1, -32768, 32767);
  const std::int64_t bytes = steps * size_of(*call.type(2)), element = size_of(*dsd.element);
  if (bytes % element != 0) call.fail("the offset is no multiple of the size of an element");
  dsd.offset += bytes / element;
  return changed(from, std::move(dsd));
}

Result set_dsd_length(const BuiltinCall& call) {
  const Result from = call.value(0);
  Dsd dsd = copy_of_dsd(call, from);
  if (from.type->name == "mem4d_dsd") call.fail("a mem4d_dsd has no single length");
  dsd.extents.assign(1, call.integer(1, 0, kLargestExtent));
  return changed(from, std::move(dsd));
}

Result set_dsd_stride(const BuiltinCall& call) {
  const Result from = call.value(0);
  Dsd dsd = copy_of_dsd(call, from);
  if (from.type->name != "mem1d_dsd") call.fail("only a mem1d_dsd has a stride");
  dsd.strides.assign(1, call.integer(1, -128, 127));
  return changed(from, std::move(dsd));
}

/// The array that an expression names, or that a pointer to a whole array points to.
std::shared_ptr<const Cell> fifo_buffer(const BuiltinCall& call) {
  const std::optional<Location> place = call.evaluator.locate(call.expr(0));
  std::shared_ptr<const Cell> cell;
  if (place && place->type->is(TypeKind::kArray)) {
    if (place->path.empty()) cell = place->cell;
  } else {
    const Result pointer = call.value(0);
    const bool is_whole = pointer.type->is(TypeKind::kPointer) &&
                          !pointer.value().is_undefined() &&
                          pointer.value().pointer().path.empty();
    if (is_whole) cell = pointer.value().pointer().cell;
  }
  if (!cell || !cell->type->is(TypeKind::kArray) || cell->kind != Cell::Kind::kRunTimeVariable ||
      cell->declaration == nullptr)
    call.fail("the buffer is a global array that is a variable, or a pointer to one");
  return cell;
}

void check_buffer(const BuiltinCall& call, const Cell& buffer) {
  constexpr std::int64_t kLeastAlignment = 16;  // bytes (wse.md 5.6)
  const Type& element = *buffer.type->element;
  if (!element.is_number() || size_of(element) < 2)
    call.fail("the buffer ", text::in_quotes(buffer.name), " has elements of type ",
              text::in_quotes(element.name), " instead of numbers of 16 or 32 bits");
  if (buffer.alignment != 0 && buffer.alignment < kLeastAlignment)
    call.fail("the buffer ", text::in_quotes(buffer.name), " is declared with align(",
              buffer.alignment, "), and a FIFO needs align(", kLeastAlignment, ") or more");
  if (buffer.alignment == 0 && buffer.declaration->linkage == Linkage::kExtern)
    call.engine().warn(call.node, "the extern buffer " + text::in_quotes(buffer.name) +
                                      " has no align(..); its definition needs 16 bytes or more");
}

Result allocate_fifo(const BuiltinCall& call) {
  if (call.engine().tile() == nullptr) call.fail("allowed only in the code of a PE");
  if (call.evaluator.frame().function != nullptr)
    call.fail("a FIFO is a constant of the file, not one of a function");
  const std::shared_ptr<const Cell> buffer = fifo_buffer(call);
  check_buffer(call, *buffer);
  const Fields options = fields_of(call.structure(1));
  check_options(call.engine(), fifo_options_table(), options, call.node, "@allocate_fifo: ");
  for (const FifoDeclaration& other : call.tile().fifos) {
    if (other.buffer == buffer)
      call.fail("the array ", text::in_quotes(buffer->name), " is the buffer of another FIFO");
  }
  call.tile().fifos.push_back({buffer, options, &call.node});
  return call.number("fifo", static_cast<std::int64_t>(call.tile().fifos.size()) - 1);
}

Result dsr(const BuiltinCall& call, const Type* kind, unsigned id) {
  // Several constants may name one DSR: operations that do not overlap share it.
  if (call.engine().tile() != nullptr) call.tile().dsr_ids.emplace(kind->name, id);
  return {kind, Value{BigInt(id)}};
}
Result get_dsr(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  if (!kind->is(TypeKind::kDsr)) call.fail(text::in_quotes(kind->name), " is no kind of DSR");
  return dsr(call, kind, static_cast<unsigned>(call.integer(1, 0, 15)));
}
Result get_xdsr(const BuiltinCall& call) {
  return dsr(call, call.types().word("xdsr"),
             static_cast<unsigned>(call.integer(0, 0, kExtendedDsrs - 1)));
}
Result get_sr(const BuiltinCall& call) {
  return dsr(call, call.types().word("sr"),
             static_cast<unsigned>(call.integer(0, 0, kStrideRegisters - 1)));
}

Result load_to_dsr(const BuiltinCall& call) {
  DsrLoad load = named_dsrs(call);
  const std::size_t at = dsd_argument(call);
  load.dsd = call.value(at);
  copy_of_dsd(call, load.dsd);
  check_loaded_kind(call, load.dsd.type->name);
  load.options = fields_of(call.structure(at + 1));
  call.tile().dsrs.push_back(std::move(load));
  return call.nothing();
}

}  // namespace

void check_dsd_field(const BuiltinCall& call, const Type& kind, const std::string& name,
                     const Result& value) {
  check_option(call.engine(), dsd_fields_table(kind.name), name, value, call.node, "@get_dsd: ");
}

std::size_t dsd_argument(const BuiltinCall& call) {
  const std::string_view name = call.node.name;
  return name == "load_to_dsr" ? 1 : name == "load_to_dsr_xdsr" ? 2 : 3;
}

void check_loaded_kind(const BuiltinCall& call, const std::string& kind) {
  const std::size_t at = dsd_argument(call);
  const std::string_view wanted = at == 2 ? "circbuf_dsd" : "mem4d_dsd";
  if (at > 1 && kind != wanted) call.fail("loads a ", wanted, " instead of a ", kind);
}

DsrLoad named_dsrs(const BuiltinCall& call) {
  const auto number = [&](const Result& value, const Expr& at, std::string_view kind) {
    const bool is_it = kind.empty() ? value.type->name != "xdsr" && value.type->name != "sr"
                                    : value.type->name == kind;
    if (!value.type->is(TypeKind::kDsr) || !is_it)
      call.engine().fail(at, "the argument is of type ", text::in_quotes(value.type->name),
                         " instead of ", kind.empty() ? "a DSR" : text::in_quotes(kind));
    return static_cast<unsigned>(value.value().integer());
  };
  DsrLoad load;
  const Result target = call.value(0);
  load.dsr = target.type;
  load.id = number(target, call.expr(0), "");
  load.at = &call.node;
  const std::size_t dsd = dsd_argument(call);
  if (dsd > 1) load.extended = number(call.value(1), call.expr(1), "xdsr");
  if (dsd < 3) return load;
  constexpr std::size_t kMost = 3;
  const Result strides = call.value(2);
  const bool is_list = strides.type->is(TypeKind::kStruct) && strides.type->fields.size() <= kMost;
  if (!is_list) call.engine().fail(call.expr(2), "a list of up to 3 stride registers is expected");
  for (const auto& [name, value] : fields_of(strides))
    load.strides.push_back(number(value, call.expr(2), "sr"));
  return load;
}

const std::vector<BuiltinRow>& dsd_builtins() {
  static const std::vector<BuiltinRow> kRows = {
      {"get_dsd", Where::kAnywhere, 2, 2, get_dsd},
      {"set_dsd_base_addr", Where::kAnywhere, 2, 2, set_dsd_base_addr},
      {"increment_dsd_offset", Where::kAnywhere, 3, 3, increment_dsd_offset},
      {"set_dsd_length", Where::kAnywhere, 2, 2, set_dsd_length},
      {"set_dsd_stride", Where::kAnywhere, 2, 2, set_dsd_stride},
      {"allocate_fifo", Where::kAnywhere, 1, 2, allocate_fifo},
      {"get_dsr", Where::kAnywhere, 2, 2, get_dsr},
      {"get_xdsr", Where::kAnywhere, 1, 1, get_xdsr},
      {"get_sr", Where::kAnywhere, 1, 1, get_sr},
      {"load_to_dsr", Where::kTile, 2, 3, load_to_dsr},
      {"load_to_dsr_xdsr", Where::kTile, 3, 4, load_to_dsr},
      {"load_to_dsr_xdsr_sr", Where::kTile, 4, 5, load_to_dsr}};
  return kRows;
}

}  // namespace tessera::csl
