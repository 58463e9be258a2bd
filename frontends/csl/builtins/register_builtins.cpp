// Builtins that name DSRs and load them, and FIFOs (csl.md 7.3, 8.3, 8.5).
#include <algorithm>
#include <set>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/alternatives.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kExtendedDsrs = 8;  // number of XDSRs in the model (wse.md 5.11)
constexpr std::int64_t kStrideRegisters = 8;
constexpr std::int64_t kMostDsr = 15;

/// The array that an expression names, or that a pointer to a whole array points to.
std::shared_ptr<const Cell> fifo_buffer(const BuiltinCall& call) {
  const std::optional<Location> place = call.evaluator.locate(call.expr(0));
  std::shared_ptr<const Cell> cell;
  if (place && place->type->is(TypeKind::kArray)) {
    if (place->path.empty()) cell = place->cell;
  } else {
    const Result pointer = call.evaluator.value(call.expr(0));
    const bool is_whole = pointer.type->is(TypeKind::kPointer) && !pointer.value().is_undefined() &&
                          pointer.value().pointer().path.empty();
    if (is_whole) cell = pointer.value().pointer().cell;
  }
  if (!cell || !cell->type->is(TypeKind::kArray) || cell->kind != Cell::Kind::kRunTimeVariable ||
      cell->declaration == nullptr)
    call.fail(Id::kFifoBuffer,
              "the buffer is a global array that is a variable, or a pointer to one");
  return cell;
}

void check_buffer(const BuiltinCall& call, const Cell& buffer) {
  constexpr std::int64_t kLeastAlignment = 16;  // bytes (wse.md 5.6)
  const Type& element = *buffer.type->element;
  if (!element.is_number() || size_of(element) < 2 || size_of(element) > 4)
    call.fail(Id::kFifoBuffer, "the buffer ", text::in_quotes(buffer.name),
              " has elements of type ", text::in_quotes(element.name),
              " instead of numbers of 16 or 32 bits");
  if (buffer.type->count() == 0)
    call.fail(Id::kFifoBuffer, "the buffer ", text::in_quotes(buffer.name), " has no elements");
  if (buffer.alignment != 0 && buffer.alignment < kLeastAlignment)
    call.fail(Id::kFifoBuffer, "the buffer ", text::in_quotes(buffer.name),
              " is declared with align(", buffer.alignment, "), and a FIFO needs align(",
              kLeastAlignment, ") or more");
}

/// The DSRs and the extended DSR that the program gives to a FIFO: all three or none.
std::optional<std::pair<unsigned, unsigned>> fifo_registers(const BuiltinCall& call,
                                                            const Fields& options) {
  std::optional<unsigned> dest, src, extended;
  for (const auto& [name, value] : options) {
    const auto number = [&value = value] { return static_cast<unsigned>(value.value().integer()); };
    if (name == "dest") dest = number();
    if (name == "src") src = number();
    if (name == "xdsr") extended = number();
  }
  if (!dest && !src && !extended) return std::nullopt;
  if (!dest || !src || !extended)
    call.fail(Id::kFifoRegisters,
              "the options .dest, .src and .xdsr are given together or not at all");
  if (*dest != *src)
    call.fail(Id::kFifoRegisters, "the options .dest and .src name the DSRs ", *dest, " and ", *src,
              "; those of a FIFO have one number");
  return std::pair{*dest, *extended};
}

void check_registers(const BuiltinCall& call, const FifoDeclaration& fifo,
                     const FifoDeclaration& other) {
  if (!fifo.registers || !other.registers) return;
  const auto& [dsr, extended] = *fifo.registers;
  const char* const of_other = " belongs to the FIFO of ";
  if (dsr == other.registers->first)
    call.fail(Id::kFifoRegisters, "the DSR ", dsr, of_other, text::in_quotes(other.buffer->name));
  if (extended == other.registers->second)
    call.fail(Id::kFifoRegisters, "the extended DSR ", extended, of_other,
              text::in_quotes(other.buffer->name));
}

Result allocate_fifo(const BuiltinCall& call) {
  if (call.engine().tile() == nullptr)
    call.fail(Id::kBuiltinPlace, "allowed only in the code of a PE");
  if (call.evaluator.frame().function != nullptr)
    call.fail(Id::kBuiltinPlace, "a FIFO is a constant of the file, not one of a function");
  const std::shared_ptr<const Cell> buffer = fifo_buffer(call);
  check_buffer(call, *buffer);
  const Fields options = fields_of(call.structure(1));
  check_options(call.engine(), fifo_options_table(), options, call.node, "@allocate_fifo: ");
  const FifoDeclaration fifo{buffer, options, &call.node, fifo_registers(call, options)};
  for (const FifoDeclaration& other : call.tile().fifos) {
    check_registers(call, fifo, other);
    if (other.buffer == buffer)
      call.fail(Id::kFifoBuffer, "the array ", text::in_quotes(buffer->name),
                " is the buffer of another FIFO");
  }
  call.tile().fifos.push_back(fifo);
  return call.number_result("fifo", static_cast<std::int64_t>(call.tile().fifos.size()) - 1);
}

Result set_fifo_length(const BuiltinCall& call) {
  FunctionCode& code = code_of(call.evaluator);
  const bool writes = call.node.name == "set_fifo_write_length";
  const Result& fifo = call.value(0);
  const ir::Value length = scalar(call.evaluator, number_as(call, 1, "u16"), call.node);
  ir::Machine set;
  set.op = pe::Opcode::kSetdsl;
  set.fields = {{ir::Machine::Slot::kFixed, 0, dsr_operand(code.tile, fifo, writes)},
                {ir::Machine::Slot::kValue, 0, {}}};
  code.builder.machine(std::move(set), {length});
  return call.nothing();
}

Result dsr(const BuiltinCall& call, const Type* kind, unsigned id) {
  // Several constants may name one DSR: operations that do not overlap share it.
  if (call.engine().tile() != nullptr) call.tile().dsr_ids.emplace(kind->name, id);
  return {kind, Value{BigInt(id)}};
}
Result get_dsr(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  if (!kind->is(TypeKind::kDsr) || kind->name == "xdsr" || kind->name == "sr")
    call.fail(Id::kOperandType, text::in_quotes(kind->name), " is no kind of DSR");
  const Result& from = call.value(1);
  if (from.type->is(TypeKind::kDsr)) {
    if (fifo_kind(from.type->name) != kind->name || from.type == kind)
      call.fail_operand(Id::kOperandType, 1, " is of type ", text::in_quotes(from.type->name),
                        ", of which there is no ", text::in_quotes(kind->name));
  } else if (!from.type->is_any_integer()) {
    call.fail_operand(Id::kOperandType, 1, " is of type ", text::in_quotes(from.type->name),
                      " instead of an integer type or a DSR of the same file");
  } else {
    call.check_range(1, from, 0, kMostDsr);
  }
  return dsr(call, kind, call.handle(1));
}
Result get_xdsr(const BuiltinCall& call) {
  return dsr(call, call.types().word("xdsr"), call.handle(0));
}
Result get_sr(const BuiltinCall& call) {
  return dsr(call, call.types().word("sr"), call.handle(0));
}

/// The DSRs that a load names; its descriptor is the operand `dsd`, after which come the options.
DsrLoad named_dsrs(const BuiltinCall& call, std::size_t dsd) {
  DsrLoad load;
  load.at = &call.node;
  load.dsr = call.value(0).type;
  load.id = call.handle(0);
  if (dsd > 1) load.extended = call.handle(1);
  if (dsd < 3) return load;
  constexpr std::size_t kMost = 3;
  const Fields strides = fields_of(call.value(2));
  if (strides.size() > kMost)
    call.fail_operand(Id::kStrideRegisters, 2, " is a list of up to 3 stride registers");
  for (const auto& [name, value] : strides) {
    if (value.type->name != "sr")
      call.fail_operand(Id::kStrideRegisters, 2, " has a value of type ",
                        text::in_quotes(value.type->name), " instead of 'sr'");
    load.strides.push_back(static_cast<unsigned>(value.value().integer()));
  }
  return load;
}

/// The load of one descriptor with options that are known.
void load_one(const BuiltinCall& call, const DsrLoad& named, const pe::Operand& dsr,
              const LiveDsd& live, pe::OpConfig config) {
  TileCode& tile = code_of(call.evaluator).tile;
  if (!live.record) {
    const pe::Dsd& dsd = tile.module().descriptors[live.descriptor].dsd;
    const unsigned slot = dsr.kind == pe::kSrc1 ? 2 : dsr.kind == pe::kSrc0 ? 1 : 0;
    ir::StrideRegisters alone;
    add_extension(tile, dsd, config, slot, alone);
    tile.note_load(dsr, dsd, config);
  }
  if (named.extended) name_extension(call.engine(), named, named.dsd, config);
  tile.dsr_uses.add_load(dsr, live.element, config, call.node);
  ir::DsdOperand operand = operand_of_dsd(live);
  operand.is_stored = tile.is_stored(live);
  ir::load_dsr(code_of(call.evaluator).builder, dsr, operand, std::move(config));
}

template <std::size_t kDsd>
Result load_to_dsr(const BuiltinCall& call) {
  DsrLoad named = named_dsrs(call, kDsd);
  const Result& from = call.operand(kDsd);
  if (kDsd == 1 && from.type->name == "circbuf_dsd")
    call.fail_operand(Id::kCircularBuffer, kDsd,
                      " is a circbuf_dsd, which needs an extended DSR: @load_to_dsr_xdsr loads it");
  const bool is_destination = named.dsr->name == "dsr_dest";
  const bool is_source = !is_destination;
  if ((is_destination && from.type->name == "fabin_dsd") ||
      (is_source && from.type->name == "fabout_dsd"))
    call.fail_operand(Id::kOperandDirection, kDsd, " is a ", from.type->name, ", which a ",
                      named.dsr->name, " does not take: one is a ",
                      is_source ? "source" : "destination", " of operations, the other is not");
  named.dsd = from;
  if (!call.makes_code()) {
    named.options = fields_of(call.structure(kDsd + 1));
    call.tile().dsrs.push_back(std::move(named));
    return call.nothing();
  }
  FunctionCode& code = code_of(call.evaluator);
  const pe::Operand dsr = dsr_operand(code.tile, {named.dsr, Value{BigInt(named.id)}}, false);
  const LiveDsd live = live_or_several(call.evaluator, from, call.expr(kDsd));
  DescriptorChecks checks(code);
  checks.add(dsr.kind == pe::kDest ? 0 : 1, from, live, call.expr(kDsd));
  const bool leaves_array = checks.finish();
  const Fields options = fields_of(call.evaluator, call.structure(kDsd + 1), call.node);
  std::vector<LiveOption> chosen;
  const pe::OpConfig common =
      operation_options(code.tile, load_options_table(), options, call.node, &chosen);
  check_load_options(call.engine(), *from.type, options, call.node);
  code.tile.dsr_uses.add_descriptor(dsr, live, from, common);
  std::vector<Alternative> all;
  if (!live.several.empty()) all.push_back({live.chosen, live.several});
  for (const LiveOption& option : chosen)
    all.push_back({scalar(call.evaluator, option.value, call.node), option.ids});
  for_each_alternative(code.builder, all, [&](const std::vector<std::uint32_t>& numbers) {
    LiveDsd one = live;
    pe::OpConfig config = common;
    std::size_t next = 0;
    if (!one.several.empty()) one.descriptor = numbers[next++];
    one.several.clear();
    for (const LiveOption& option : chosen) option.set(config, numbers[next++]);
    load_one(call, named, dsr, one, config);
  });
  const bool is_memory = from.type->name != "fabin_dsd" && from.type->name != "fabout_dsd";
  const bool is_held = is_memory && !leaves_array && all.empty();
  code.dsrs.load(dsr, code, {from.type, is_held ? known_in(from) : nullptr, common});
  return call.nothing();
}

/// The register keeps the descriptor that it has, at another address: one instruction, as published loops have it
/// (wse_timing_3.md C14).
Result set_dsr_base_addr(const BuiltinCall& call) {
  DsrLoad named = named_dsrs(call, 1);
  TileCode& tile = code_of(call.evaluator).tile;
  const pe::Operand dsr = dsr_operand(tile, {named.dsr, Value{BigInt(named.id)}}, false);
  const DsrUses::Loaded loaded = tile.dsr_uses.moved(call.engine(), dsr, call.node);
  if (loaded.kind->name != "mem1d_dsd")
    call.fail(Id::kDsrAddress, "the register has a ", loaded.kind->name, " instead of a mem1d_dsd");
  const DsdAtAddress there = at_address(call, loaded.dsd, 1);
  tile.dsr_uses.add_load(dsr, there.dsd.element, loaded.config, call.node);
  FunctionCode& code = code_of(call.evaluator);
  ir::set_base(code.builder, dsr, there.dsd.base);
  code.dsrs.forget(dsr);
  if (loaded.known == nullptr || there.base == nullptr) return call.nothing();
  auto moved = std::make_shared<Dsd>(*loaded.known);
  moved->base = there.base;
  moved->element = there.element;
  moved->offset = moved->bytes = 0;
  code.dsrs.load(dsr, code, {loaded.kind, std::move(moved), loaded.config});
  return call.nothing();
}

}  // namespace

void name_extension(const Engine& engine, const DsrLoad& load, const Result& dsd,
                    pe::OpConfig& config) {
  // A mem4d that only the running program knows may need all three (csl.md 7.3).
  constexpr std::size_t kMost = 3;
  const bool is_open = !dsd.is_known();
  const auto needed = static_cast<std::size_t>(std::count_if(
      config.sr.begin(), config.sr.end(), [](const auto& sr) { return sr.has_value(); }));
  const std::size_t wanted = is_open ? kMost : needed;
  if (dsd.type->name == "mem4d_dsd" && load.strides.size() != wanted)
    engine.fail(Id::kStrideRegisters, *load.at, "the load of this descriptor needs ",
                text::plural(wanted, "stride register"),
                is_open ? ", because only the running program knows it" : "", "; the list has ",
                load.strides.size());
  if (std::set<unsigned>(load.strides.begin(), load.strides.end()).size() != load.strides.size())
    engine.fail(Id::kStrideRegisters, *load.at, "the list has a stride register twice");
  config.xdsr = static_cast<std::uint8_t>(*load.extended);
  for (std::size_t i = 0; i < load.strides.size(); ++i)
    config.sr[i] = static_cast<std::uint8_t>(load.strides[i]);
}

const std::vector<BuiltinRow>& register_builtins() {
  const OperandRow dsr = one_of(Takes::kDsr, "dsr", {{"dsr_dest"}, {"dsr_src0"}, {"dsr_src1"}}),
                   xdsr = one_of(Takes::kDsr, "xdsr", {{"xdsr"}}),
                   options = optional(live(takes(Takes::kStruct, "options"))),
                   fifo = takes(Takes::kFifo, "fifo"), length = live(integer("length", 0, 0xffff));
  const auto dsd = [](std::vector<ChoiceRow> kinds) {
    return live(one_of(Takes::kDsd, "descriptor", std::move(kinds)));
  };
  static const std::vector<BuiltinRow> kRows = {
      {"allocate_fifo",
       kAnywhere,
       {takes(Takes::kPlace, "buffer"), optional(takes(Takes::kStruct, "options"))},
       allocate_fifo,
       "a FIFO in the memory of an array"},
      {"set_fifo_read_length",
       kInCode,
       {fifo, length},
       set_fifo_length,
       "the number of elements of the next pops"},
      {"set_fifo_write_length",
       kInCode,
       {fifo, length},
       set_fifo_length,
       "the number of elements of the next pushes"},
      {"get_dsr",
       kAnywhere,
       {takes(Takes::kType, "kind"),
        takes(Takes::kValue, "number: 0..15, or a DSR for the kind of a FIFO")},
       get_dsr,
       "a register for a descriptor"},
      {"get_xdsr",
       kAnywhere,
       {integer("number", 0, kExtendedDsrs - 1)},
       get_xdsr,
       "an extended register"},
      {"get_sr",
       kAnywhere,
       {integer("number", 0, kStrideRegisters - 1)},
       get_sr,
       "a stride register"},
      {"load_to_dsr",
       kInTile | kInCode,
       {dsr, dsd({}), options},
       load_to_dsr<1>,
       "loads a descriptor into a register"},
      {"set_dsr_base_addr",
       kInCode,
       {dsr, takes(Takes::kPlace, "array or pointer")},
       set_dsr_base_addr,
       "the descriptor of a register at another address"},
      {"load_to_dsr_xdsr",
       kInTile | kInCode,
       {dsr, xdsr, dsd({{"circbuf_dsd"}}), options},
       load_to_dsr<2>,
       "the same of a circular buffer"},
      {"load_to_dsr_xdsr_sr",
       kInTile | kInCode,
       {dsr, xdsr, takes(Takes::kStruct, "stride registers"), dsd({{"mem4d_dsd"}}), options},
       load_to_dsr<3>,
       "the same of a mem4d_dsd"}};
  return kRows;
}

}  // namespace tessera::csl
