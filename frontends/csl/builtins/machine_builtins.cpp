// Builtins that are one instruction or a few, and those of our own modules (csl.md 7, 12).
#include <map>

#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

using Slot = ir::Machine::Slot;

Result u16_result(const BuiltinCall& call, const ir::Value& value) {
  return operand_of(call.types().word("u16"), value);
}

Result random16(const BuiltinCall& call) {
  return u16_result(call, instruction(call, pe::Opcode::kRand16, {ir::Type::kU16}, {})[0]);
}

template <pe::Opcode kOp>
Result takes_u16(const BuiltinCall& call) {
  instruction(call, kOp, {}, {number_value(call, 0, "u16")});
  return call.nothing();
}

/// The addresses from the first number to the second. Fails if they are none, or a known address lies outside.
bool holds_address(const BuiltinCall& call, const Result& range) {
  const Fields bounds = fields_of(range);
  const bool is_pair = bounds.size() == 2 && bounds[0].second.type->is_any_integer() &&
                       bounds[1].second.type->is_any_integer();
  if (!is_pair) call.fail(Id::kConfigRange, "a range of addresses is .{ first, last }");
  const BigInt& first = bounds[0].second.value().integer();
  const BigInt& last = bounds[1].second.value().integer();
  if (first > last) call.fail(Id::kConfigRange, "the range of addresses ends before it begins");
  const Result& address = call.operand(0);
  return !address.is_known() ||
         (address.value().integer() >= first && address.value().integer() <= last);
}

/// `.{ first, last }` or several of them: where the program says that the address lies.
void check_accessed(const BuiltinCall& call, std::size_t i) {
  if (call.size() <= i) return;
  const Result given = call.structure(i);
  const Fields ranges = fields_of(given);
  const bool is_one = !ranges.empty() && !ranges[0].second.type->is(TypeKind::kStruct);
  bool holds = is_one && holds_address(call, given);
  for (std::size_t n = 0; !is_one && n < ranges.size(); ++n)
    holds = holds_address(call, ranges[n].second) || holds;
  if (!holds) call.fail(Id::kConfigRange, "the address lies in none of the ranges");
}

Result get_config(const BuiltinCall& call) {
  check_accessed(call, 1);
  if (!call.makes_code())
    call.fail(Id::kConfigAtStart, "the word at address ", call.number(0),
              " of the configuration space has no value before the program runs; read it in a task "
              "or function");
  return u16_result(call, instruction(call, pe::Opcode::kLdcfg, {ir::Type::kU16},
                                      {number_value(call, 0, "u16")})[0]);
}

Result set_config(const BuiltinCall& call) {
  check_accessed(call, 2);
  if (!call.makes_code()) {
    call.tile().configuration[call.number(0)] = {call.number(1), &call.node};
    return call.nothing();
  }
  const ir::Value address = number_value(call, 0, "u16");
  instruction(call, pe::Opcode::kStcfg, {}, {address, number_value(call, 1, "u16")});
  return call.nothing();
}

/// The exported variables of this code that have the type `type`, or any pointer type if it is
/// nullptr, by the id of their symbol.
std::map<unsigned, const ExportedSymbol*> symbols_of(const BuiltinCall& call, const Type* type) {
  std::map<unsigned, const ExportedSymbol*> found;
  const std::vector<ExportedName>& names = call.engine().program().exports;
  for (const ExportedSymbol& symbol : code_of(call.evaluator).tile.tile().exports) {
    const bool fits = symbol.variable &&
                      (type == nullptr ? symbol.type->is(TypeKind::kPointer) : symbol.type == type);
    if (!fits) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].name == symbol.name) found.emplace(static_cast<unsigned>(i), &symbol);
    }
  }
  return found;
}

/// The exported variable with an id that the running program may be the only one to know. Nothing
/// is defined for an id without such a variable.
Result symbol_value(const BuiltinCall& call, const Type* type, const Type* wanted) {
  const std::optional<ir::Type> in_register = register_type(*type);
  const auto symbols = symbols_of(call, wanted);
  if (!in_register || symbols.empty())
    call.fail(Id::kExportName, "the code exports no variable of type ",
              text::in_quotes(type->name));
  const ir::Value id = number_value(call, call.size() - 1, "u16");
  ir::Builder& builder = builder_of(call);
  const ir::Value result = ir::reg(*in_register, builder.new_register(*in_register));
  builder.assign(result, ir::constant(*in_register, 0));
  const ir::BlockId join = builder.new_block();
  for (const auto& [number, symbol] : symbols) {
    const ir::BlockId yes = builder.new_block(), next = builder.new_block();
    builder.branch(ir::Condition::kEq, id, ir::constant(ir::Type::kU16, number), yes, next);
    builder.enter(yes);
    const auto cell = std::const_pointer_cast<Cell>(symbol->variable);
    const Result value = call.evaluator.load(Location{cell, {}, cell->type, false, {}}, call.node);
    builder.assign(result, scalar(call.evaluator, value, call.node));
    builder.jump(join);
    builder.enter(next);
  }
  builder.jump(join);
  builder.enter(join);
  return operand_of(type, result);
}

Result get_symbol_value(const BuiltinCall& call) {
  return symbol_value(call, call.type(0), call.type(0));
}
Result get_tensor_ptr(const BuiltinCall& call) {
  return symbol_value(call, call.types().pointer(call.types().word("u16"), true, false), nullptr);
}

Result queue_flush(const BuiltinCall& call) {
  constexpr std::uint32_t kFlushInput = 0x7f62, kFlushOutput = 0x7f63;
  const bool is_input = call.value(0).type->is_handle("input_queue");
  instruction(call, pe::Opcode::kStcfg, {},
              {ir::constant(ir::Type::kU16, is_input ? kFlushInput : kFlushOutput),
               ir::constant(ir::Type::kU16, 1U << call.handle(0))});
  return call.nothing();
}

// Builtins of the modules of our own

/// The wavelets of the color have an input queue of their own, for which the named one stands then.
Result bind_input_queue(const BuiltinCall& call) {
  constexpr std::uint32_t kInputColor = 0x7f78;
  const auto queue = static_cast<unsigned>(call.number(0));
  const auto color = static_cast<unsigned>(call.number(1));
  code_of(call.evaluator).tile.use_queue(true, std::nullopt, color, call.node, true);
  instruction(
      call, pe::Opcode::kStcfg, {},
      {ir::constant(ir::Type::kU16, kInputColor + queue), ir::constant(ir::Type::kU16, color)});
  return call.nothing();
}

Result timestamp(const BuiltinCall& call) {
  const std::vector<ir::Value> now =
      instruction(call, pe::Opcode::kTsc, {ir::Type::kU32, ir::Type::kU16}, {});
  const ir::Value address = scalar(call.evaluator, call.operand(0), call.node);
  constexpr std::int32_t kHigh = 4;  // bytes; words may lie at an odd multiple of two
  ir::Builder& builder = builder_of(call);
  builder.store(address, builder.convert(ir::Type::kU16, now[0]), 0);
  if (code_of(call.evaluator).tile.module().settings.generation == Generation::kWse2) {
    const ir::Value high = builder.binary(ir::Op::kShr, now[0], ir::constant(ir::Type::kU32, 16));
    builder.store(address, builder.convert(ir::Type::kU16, high), 2);
  } else {
    // The library for WSE-3 takes longer, as these instructions do (wse_timing_3.md C3, rule 7, and C11).
    ir::Machine shift;
    shift.op = pe::Opcode::kSlr32;
    shift.fields = {
        {Slot::kResult, 0, {}}, {Slot::kValue, 0, {}}, {Slot::kFixed, 0, {pe::kImm, 0, 16}}};
    const ir::Value middle = builder.machine(std::move(shift), {now[0]}, {ir::Type::kU32})[0];
    builder.store(address, builder.convert(ir::Type::kU16, middle), 2);
  }
  builder.store(address, now[1], kHigh);
  return call.nothing();
}

Result coordinate(const BuiltinCall& call) {
  const std::vector<ir::Value> both =
      instruction(call, pe::Opcode::kCoord, {ir::Type::kU16, ir::Type::kU16}, {});
  const auto axis = static_cast<std::size_t>(call.number(0));
  const auto& offsets = call.engine().options.offsets;
  const unsigned offset = axis == 0 ? offsets.first : offsets.second;
  if (offset == 0) return u16_result(call, both[axis]);
  return u16_result(call, builder_of(call).binary(ir::Op::kSub, both[axis],
                                                  ir::constant(ir::Type::kU16, offset)));
}

Result string_number(const BuiltinCall& call) {
  return call.number_result("u16", code_of(call.evaluator).tile.string(call.text(0)));
}

Result seed_prng(const BuiltinCall& call) {
  instruction(call, pe::Opcode::kSeedprng, {}, {number_value(call, 0, "u32")});
  return call.nothing();
}

Result main_priority(const BuiltinCall& call) {
  if (call.makes_code()) return takes_u16<pe::Opcode::kSetmtp>(call);
  call.tile().main_thread_priority = static_cast<std::uint8_t>(call.number(0));
  return call.nothing();
}

Result control_transform(const BuiltinCall& call) {
  constexpr std::int64_t kMask = 0x3f;
  if (call.makes_code()) return takes_u16<pe::Opcode::kSetctm>(call);
  call.tile().control_transform_mask = static_cast<std::uint8_t>(call.number(0) & kMask);
  return call.nothing();
}

Result task_priority(const BuiltinCall& call) {
  if (!call.makes_code()) {
    const bool is_high = call.number(1) != 0;
    call.tile().start.push_back(
        {is_high ? "high" : "low", call.value(0).type, task_id(call, 0), &call.node});
    return call.nothing();
  }
  ir::Machine m;
  m.op = pe::Opcode::kSettp;
  m.fields = {{Slot::kFixed, 0, {pe::kTask, 0, static_cast<std::int32_t>(task_id(call, 0))}},
              {Slot::kValue, 0, {}}};
  builder_of(call).machine(std::move(m), {number_value(call, 1, "u16")});
  return call.nothing();
}

/// Operations that no operator gives.
template <ir::Op kOp>
Result unary(const BuiltinCall& call) {
  const Result& value = call.operand(0);
  if (!register_type(*value.type)) call.fail(Id::kOperandType, "takes a typed value");
  return operand_of(value.type,
                    builder_of(call).unary(kOp, scalar(call.evaluator, value, call.node)));
}

template <ir::Op kOp>
Result binary(const BuiltinCall& call) {
  const Result &a = call.operand(0), &b = call.operand(1);
  if (!register_type(*a.type) || a.type != b.type)
    call.fail(Id::kOperandType, "takes two values of one type");
  return operand_of(a.type, builder_of(call).binary(kOp, scalar(call.evaluator, a, call.node),
                                                    scalar(call.evaluator, b, call.node)));
}

OperandRow word(std::string_view name) {
  return live(integer(name, 0, 65535));
}

}  // namespace

const std::vector<BuiltinRow>& machine_builtins() {
  const OperandRow address = word("address"), any = live(takes(Takes::kValue, "value")),
                   ranges = optional(takes(Takes::kStruct, "ranges"));
  static const std::vector<BuiltinRow> kRows = {
      {"random16", kInCode, {}, random16, "the next pseudo-random number"},
      {"set_active_prng",
       kInCode,
       {word("number")},
       takes_u16<pe::Opcode::kSetprng>,
       "chooses the generator of pseudo-random numbers"},
      {"get_config",
       kInTile | kInCode,
       {address, ranges},
       get_config,
       "a word of the configuration space"},
      {"get_config_unchecked", kInTile | kInCode, {address}, get_config, "the same"},
      {"set_config",
       kInTile | kInCode,
       {address, word("value"), ranges},
       set_config,
       "writes a word of the configuration space"},
      {"set_config_unchecked", kInTile | kInCode, {address, word("value")}, set_config, "the same"},
      {"get_symbol_value",
       kInCode,
       {takes(Takes::kType, "type"), word("id")},
       get_symbol_value,
       "the exported variable of this type with an id of @get_symbol_id"},
      {"get_tensor_ptr",
       kInCode,
       {word("id")},
       get_tensor_ptr,
       "the exported pointer with an id of @get_symbol_id"},
      {"queue_flush",
       kInCode,
       {one_of(Takes::kHandle, "queue", {{"input_queue"}, {"output_queue"}})},
       queue_flush,
       "empties a queue",
       Machines::kWse3},
      {"tessera_load_config", kInCode, {address}, get_config, "as @get_config"},
      {"tessera_store_config", kInCode, {address, word("value")}, set_config, "as @set_config"},
      {"tessera_bind_input_queue",
       kInCode,
       {integer("queue", 0, 7), integer("color", 0, 23)},
       bind_input_queue,
       "gives a color to an input queue"},
      {"tessera_timestamp",
       kInCode,
       {live(takes(Takes::kValue, "pointer"))},
       timestamp,
       "stores the three words of the cycle counter"},
      {"tessera_coordinate",
       kInCode,
       {integer("axis", 0, 1)},
       coordinate,
       "the column or row of the PE in the rectangle"},
      {"tessera_string",
       kInCode,
       {takes(Takes::kText, "text")},
       string_number,
       "the number of a text that the program prints"},
      {"tessera_seed_prng",
       kInCode,
       {live(integer("seed", -2147483648LL, 4294967295LL))},
       seed_prng,
       "sets the state of the generator"},
      {"tessera_main_priority",
       kInTile | kInCode,
       {live(integer("level", 0, 3))},
       main_priority,
       "the priority of the main thread"},
      {"tessera_control_transform",
       kInTile | kInCode,
       {word("mask")},
       control_transform,
       "the mask of control transforms"},
      {"tessera_task_priority",
       kInTile | kInCode,
       {one_of(Takes::kTaskId, "id",
               {{"local_task_id"},
                {"data_task_id"},
                {"control_task_id"},
                {"color", Machines::kWse2},
                {"input_queue", Machines::kWse3}}),
        live(integer("level", 0, 1))},
       task_priority,
       "the priority of a task"},
      {"tessera_clz", kInCode, {any}, unary<ir::Op::kClz>, "leading zeros"},
      {"tessera_ctz", kInCode, {any}, unary<ir::Op::kCtz>, "trailing zeros"},
      {"tessera_popcnt", kInCode, {any}, unary<ir::Op::kPopcnt>, "ones"},
      {"tessera_abs", kInCode, {any}, unary<ir::Op::kAbs>, "the magnitude"},
      {"tessera_max", kInCode, {any, any}, binary<ir::Op::kMax>, "the larger one"},
      {"tessera_min", kInCode, {any, any}, binary<ir::Op::kMin>, "the smaller one"}};
  return kRows;
}

}  // namespace tessera::csl
