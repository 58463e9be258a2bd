#include "frontends/csl/lower/builtins.h"

#include <algorithm>
#include <map>

#include "frontends/csl/lower/dsd_builtins.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

using Slot = ir::Machine::Slot;

/// Code that is made as long as it lives is never run: only the types of its results count.
class Unreachable {
 public:
  explicit Unreachable(ir::Builder& builder) : builder_(builder), before_(builder.current()) {
    builder.enter(builder.new_block());
  }
  ~Unreachable() { builder_.enter(before_); }
  Unreachable(const Unreachable&) = delete;
  Unreachable& operator=(const Unreachable&) = delete;

 private:
  ir::Builder& builder_;
  const ir::BlockId before_;
};

ir::Builder& builder_of(const BuiltinCall& call) {
  return code_of(call.evaluator).builder;
}

/// One instruction without DSRs: values and results in the order of its operands.
std::vector<ir::Value> instruction(const BuiltinCall& call, pe::Opcode op,
                                   const std::vector<ir::Type>& results,
                                   const std::vector<ir::Value>& values) {
  ir::Machine m;
  m.op = op;
  for (std::size_t i = 0; i < results.size(); ++i)
    m.fields.push_back({Slot::kResult, static_cast<std::uint8_t>(i), {}});
  for (std::size_t i = 0; i < values.size(); ++i)
    m.fields.push_back({Slot::kValue, static_cast<std::uint8_t>(i), {}});
  return builder_of(call).machine(std::move(m), values, results);
}

ir::Value number_argument(const BuiltinCall& call, std::size_t i, const char* type) {
  const Type* to = call.types().word(type);
  const Result value = call.evaluator.operand(call.expr(i));
  if (!value.type->is_any_integer())
    call.engine().fail(call.expr(i), call.what(i), " is of type ",
                       text::in_quotes(value.type->name), " instead of an integer type");
  if (value.is_known() || value.type->bits <= to->bits)
    return scalar(call.evaluator,
                  value.is_known() ? call.engine().convert(value, to, call.node, call.what(i))
                                   : value,
                  call.node);
  return scalar(call.evaluator, cast_operand(call.evaluator, value, to, call.node), call.node);
}

std::optional<Result> cast_builtin(const BuiltinCall& call) {
  const Type* to = call.type(0);
  const Result from = call.evaluator.operand(call.expr(1));
  const bool is_pointer = to->is(TypeKind::kPointer) && from.type->is(TypeKind::kPointer);
  if (call.node.name == "ptrcast") {
    if (!is_pointer) call.fail("casts pointers to pointers");
    return Result{to, from.operand};
  }
  if (from.is_known()) {
    const bool is_address = from.type->is(TypeKind::kPointer) && !is_pointer &&
                            !from.value().is_undefined() && from.value().pointer().cell;
    if (!is_address) return std::nullopt;  // the address of a variable is known to the program only
  }
  if (is_pointer) return Result{to, from.operand};
  if (call.node.name == "as") return cast_operand(call.evaluator, from, to, call.node);
  return bitcast_operand(call.evaluator, from, to, call.node);
}

std::optional<Result> type_of_builtin(const BuiltinCall& call) {
  const Unreachable here(builder_of(call));
  return call.evaluator.type_result(call.evaluator.operand(call.expr(0)).type);
}

std::optional<Result> is_comptime_builtin(const BuiltinCall& call) {
  const Unreachable here(builder_of(call));
  return call.boolean(call.evaluator.operand(call.expr(0)).is_known());
}

std::optional<Result> range_builtin(const BuiltinCall& call) {
  const Type* type = call.type(0);
  if (!register_type(*type) || call.size() == 3) return std::nullopt;
  auto parts = std::make_shared<std::vector<Result>>();
  const auto part = [&](std::size_t i) {
    const Result value = call.evaluator.operand(call.expr(i));
    const bool is_undefined = value.is_known() && value.value().is_undefined();
    if (is_undefined || !(value.is_known() || value.type->is_any_integer()))
      call.engine().fail(call.expr(i), call.what(i), " is of type ",
                         text::in_quotes(value.type->name), " instead of an integer type");
    return value.is_known() ? call.engine().convert(value, type, call.expr(i), call.what(i))
                            : cast_operand(call.evaluator, value, type, call.expr(i));
  };
  const auto constant = [&](int n) { return Result{type, Value{BigInt(n)}}; };
  if (call.size() == 2) {
    *parts = {constant(0), part(1), constant(1)};
  } else {
    *parts = {part(1), part(2), part(3)};
  }
  if (std::all_of(parts->begin(), parts->end(), [](const Result& r) { return r.is_known(); }))
    return std::nullopt;
  return Result{call.types().range(type), RunTimeOperand{"the range", Parts(std::move(parts))}};
}

std::optional<Result> assert_builtin(const BuiltinCall& call) {
  const Result condition = call.evaluator.operand(call.expr(0));
  if (!condition.type->is(TypeKind::kBool))
    call.fail("the condition is of type ", text::in_quotes(condition.type->name));
  if (condition.is_known() && condition.value().get<bool>()) return call.nothing();
  ir::Value value = scalar(call.evaluator, condition, call.node);
  builder_of(call).assert_that(ir::Condition::kNe, value, ir::constant(ir::Type::kBool, 0));
  return call.nothing();
}

/// The number of a handle, or of a task's id.
std::optional<unsigned> known_id(const BuiltinCall& call, const Result& value) {
  if (!value.is_known()) return std::nullopt;
  if (value.value().holds<FunctionValue>())
    return code_of(call.evaluator)
        .tile.id_of(value.value().get<FunctionValue>(), call.node)
        .value();
  if (!value.type->is(TypeKind::kHandle))
    call.fail("the argument is of type ", text::in_quotes(value.type->name));
  return static_cast<unsigned>(value.value().integer());
}

std::optional<Result> task_state_builtin(const BuiltinCall& call) {
  const std::string_view name = call.node.name;
  const pe::Opcode op = name == "activate" ? pe::Opcode::kActvt
                        : name == "block"  ? pe::Opcode::kBlk
                                           : pe::Opcode::kUblk;
  const Result value = call.evaluator.operand(call.expr(0));
  if (op == pe::Opcode::kActvt && !value.type->is_handle("local_task_id"))
    call.fail("the argument is of type ", text::in_quotes(value.type->name),
              " instead of 'local_task_id'");
  const std::optional<unsigned> id = known_id(call, value);
  if (id && value.type->is_handle("ut_id")) {
    builder_of(call).control(op, {pe::kMicrothread, static_cast<std::uint8_t>(*id), 0});
  } else if (id) {
    std::int32_t number = static_cast<std::int32_t>(*id);
    if (value.type->is_handle("output_queue")) call.fail("an output queue cannot be blocked");
    if (value.type->is_handle(call.is_wse3() ? "color" : "input_queue"))
      call.fail(call.is_wse3() ? "WSE-3 blocks input queues instead of colors"
                               : "WSE-2 blocks colors instead of input queues");
    if (value.type->is_handle("color") && !call.is_wse3())
      code_of(call.evaluator).tile.use_queue(true, std::nullopt, *id, call.node);
    builder_of(call).control(op, {pe::kTask, 0, number});
  } else if (op == pe::Opcode::kActvt) {
    instruction(call, op, {}, {scalar(call.evaluator, value, call.node)});
  } else {
    call.engine().known(value, call.expr(0));
  }
  return call.nothing();
}

/// `@get_color` and the like of a number that the running program computes.
std::optional<Result> handle_builtin(const BuiltinCall& call) {
  const Result value = call.evaluator.operand(call.expr(0));
  if (value.is_known()) return std::nullopt;
  const bool takes_handle = call.node.name == "get_data_task_id";
  if (takes_handle ? !value.type->is(TypeKind::kHandle) : !value.type->is_any_integer())
    call.fail("the argument is of type ", text::in_quotes(value.type->name), " instead of ",
              takes_handle ? "a color or queue" : "an integer type");
  const std::string kind(call.node.name.substr(4));
  const Type* u16 = call.types().word("u16");
  return Result{call.types().word(kind),
                cast_operand(call.evaluator,
                             value.type->is(TypeKind::kHandle) ? Result{u16, value.operand} : value,
                             u16, call.node)
                    .operand};
}

std::optional<Result> get_int_builtin(const BuiltinCall& call) {
  const Result value = call.evaluator.operand(call.expr(0));
  if (value.is_known()) return std::nullopt;
  const Type* type = value.type->is(TypeKind::kEnum) ? value.type->element
                     : value.type->is_any_integer()  ? value.type
                                                     : call.types().word("u16");
  return Result{type, value.operand};
}

std::optional<Result> random_builtin(const BuiltinCall& call) {
  return operand_of(call.types().word("u16"),
                    instruction(call, pe::Opcode::kRand16, {ir::Type::kU16}, {})[0]);
}

std::optional<Result> prng_builtin(const BuiltinCall& call) {
  instruction(call, pe::Opcode::kSetprng, {}, {number_argument(call, 0, "u16")});
  return call.nothing();
}

std::optional<Result> load_config_builtin(const BuiltinCall& call) {
  return operand_of(call.types().word("u16"),
                    instruction(call, pe::Opcode::kLdcfg, {ir::Type::kU16},
                                {number_argument(call, 0, "u16")})[0]);
}

std::optional<Result> store_config_builtin(const BuiltinCall& call) {
  const ir::Value address = number_argument(call, 0, "u16");
  instruction(call, pe::Opcode::kStcfg, {}, {address, number_argument(call, 1, "u16")});
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

/// `@get_symbol_value`, `@get_tensor_ptr`: the exported variable with an id that the running program
/// may be the only one to know. Nothing is defined for an id without such a variable.
std::optional<Result> symbol_builtin(const BuiltinCall& call) {
  const bool is_tensor = call.node.name == "get_tensor_ptr";
  const Type* wanted = is_tensor ? nullptr : call.type(0);
  const Type* type =
      is_tensor ? call.types().pointer(call.types().word("u16"), true, false) : wanted;
  const std::optional<ir::Type> in_register = register_type(*type);
  const auto symbols = symbols_of(call, wanted);
  if (!in_register || symbols.empty())
    call.fail("the code exports no variable of type ", text::in_quotes(type->name));
  const ir::Value id = number_argument(call, call.size() - 1, "u16");
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

/// The wavelets of the color have an input queue of their own, for which the named one stands then.
std::optional<Result> bind_input_queue_builtin(const BuiltinCall& call) {
  constexpr std::uint32_t kInputColor = 0x7f78;
  const auto number = [&](std::size_t i) {
    const Result value = call.evaluator.operand(call.expr(i));
    return static_cast<unsigned>(call.engine().known(value, call.expr(i)).integer());
  };
  const unsigned queue = number(0), color = number(1);
  code_of(call.evaluator).tile.use_queue(true, std::nullopt, color, call.node, true);
  instruction(
      call, pe::Opcode::kStcfg, {},
      {ir::constant(ir::Type::kU16, kInputColor + queue), ir::constant(ir::Type::kU16, color)});
  return call.nothing();
}

std::optional<Result> queue_flush_builtin(const BuiltinCall& call) {
  if (!call.is_wse3()) call.fail("only WSE-3 has it");
  const Result queue = call.evaluator.operand(call.expr(0));
  constexpr std::uint32_t kFlushInput = 0x7f62, kFlushOutput = 0x7f63;
  const bool is_input = queue.type->is_handle("input_queue");
  if (!is_input && !queue.type->is_handle("output_queue"))
    call.fail("the argument is of type ", text::in_quotes(queue.type->name), " instead of a queue");
  const auto id = static_cast<std::uint32_t>(call.engine().known(queue, call.expr(0)).integer());
  instruction(call, pe::Opcode::kStcfg, {},
              {ir::constant(ir::Type::kU16, is_input ? kFlushInput : kFlushOutput),
               ir::constant(ir::Type::kU16, 1U << id)});
  return call.nothing();
}

// Builtins of the modules of our own

std::optional<Result> timestamp_builtin(const BuiltinCall& call) {
  const std::vector<ir::Value> now =
      instruction(call, pe::Opcode::kTsc, {ir::Type::kU32, ir::Type::kU16}, {});
  const Result pointer = call.evaluator.operand(call.expr(0));
  const ir::Value address = scalar(call.evaluator, pointer, call.node);
  constexpr std::int32_t kHigh = 4;  // bytes; words may lie at an odd multiple of two
  ir::Builder& builder = builder_of(call);
  builder.store(address, builder.convert(ir::Type::kU16, now[0]), 0);
  const ir::Value middle = builder.binary(ir::Op::kShr, now[0], ir::constant(ir::Type::kU32, 16));
  builder.store(address, builder.convert(ir::Type::kU16, middle), 2);
  builder.store(address, now[1], kHigh);
  return call.nothing();
}

std::optional<Result> coordinate_builtin(const BuiltinCall& call) {
  const std::int64_t axis = call.integer(0, 0, 1);
  const std::vector<ir::Value> both =
      instruction(call, pe::Opcode::kCoord, {ir::Type::kU16, ir::Type::kU16}, {});
  const auto& offsets = call.engine().options.offsets;
  const unsigned offset = axis == 0 ? offsets.first : offsets.second;
  const ir::Value fabric = both[static_cast<std::size_t>(axis)];
  if (offset == 0) return operand_of(call.types().word("u16"), fabric);
  return operand_of(
      call.types().word("u16"),
      builder_of(call).binary(ir::Op::kSub, fabric, ir::constant(ir::Type::kU16, offset)));
}

std::optional<Result> string_builtin(const BuiltinCall& call) {
  return call.number("u16", code_of(call.evaluator).tile.string(call.text(0)));
}

std::optional<Result> seed_builtin(const BuiltinCall& call) {
  instruction(call, pe::Opcode::kSeedprng, {}, {number_argument(call, 0, "u32")});
  return call.nothing();
}

std::optional<Result> main_priority_builtin(const BuiltinCall& call) {
  instruction(call, pe::Opcode::kSetmtp, {}, {number_argument(call, 0, "u16")});
  return call.nothing();
}

std::optional<Result> control_transform_builtin(const BuiltinCall& call) {
  instruction(call, pe::Opcode::kSetctm, {}, {number_argument(call, 0, "u16")});
  return call.nothing();
}

std::optional<Result> task_priority_builtin(const BuiltinCall& call) {
  const Result value = call.evaluator.operand(call.expr(0));
  const std::optional<unsigned> id = known_id(call, value);
  if (!id) call.engine().known(value, call.expr(0));
  ir::Machine m;
  m.op = pe::Opcode::kSettp;
  m.fields = {{Slot::kFixed, 0, {pe::kTask, 0, static_cast<std::int32_t>(*id)}},
              {Slot::kValue, 0, {}}};
  builder_of(call).machine(std::move(m), {number_argument(call, 1, "u16")});
  return call.nothing();
}

/// Operations of one register operand that no operator gives: private to the modules.
std::optional<Result> unary_builtin(const BuiltinCall& call) {
  static const std::map<std::string_view, ir::Op> kOps = {{"tessera_clz", ir::Op::kClz},
                                                          {"tessera_ctz", ir::Op::kCtz},
                                                          {"tessera_popcnt", ir::Op::kPopcnt},
                                                          {"tessera_abs", ir::Op::kAbs}};
  const Result value = call.evaluator.operand(call.expr(0));
  if (!register_type(*value.type)) call.fail("takes a typed value");
  return operand_of(value.type, builder_of(call).unary(kOps.at(call.node.name),
                                                       scalar(call.evaluator, value, call.node)));
}

std::optional<Result> binary_builtin(const BuiltinCall& call) {
  const ir::Op op = call.node.name == "tessera_max" ? ir::Op::kMax : ir::Op::kMin;
  const Result a = call.evaluator.operand(call.expr(0)), b = call.evaluator.operand(call.expr(1));
  if (!register_type(*a.type) || a.type != b.type) call.fail("takes two values of one type");
  return operand_of(a.type, builder_of(call).binary(op, scalar(call.evaluator, a, call.node),
                                                    scalar(call.evaluator, b, call.node)));
}

// Descriptors

/// Carried out at compile time if all operands are known; nothing: they are not.
std::optional<Result> at_compile_time(const BuiltinCall& call) {
  try {
    const AtCompileTime here(call.evaluator.frame());
    return call_builtin(call.evaluator, call.node);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::optional<Result> get_dsd_builtin(const BuiltinCall& call) {
  if (const std::optional<Result> known = at_compile_time(call)) return known;
  return live_get_dsd(call);
}

std::optional<Result> change_dsd_builtin(const BuiltinCall& call) {
  if (const std::optional<Result> known = at_compile_time(call)) return known;
  return live_change_dsd(call);
}

/// A handler that always makes code.
template <Result (*kHandler)(const BuiltinCall&)>
std::optional<Result> made_by(const BuiltinCall& call) {
  return kHandler(call);
}

struct Row {
  std::string_view name;
  std::size_t fewest;
  std::size_t most;
  std::optional<Result> (*handler)(const BuiltinCall&);
};

const Row* find_row(std::string_view name) {
  static const Row kRows[] = {{"as", 2, 2, cast_builtin},
                              {"bitcast", 2, 2, cast_builtin},
                              {"ptrcast", 2, 2, cast_builtin},
                              {"type_of", 1, 1, type_of_builtin},
                              {"is_comptime", 1, 1, is_comptime_builtin},
                              {"range", 2, 4, range_builtin},
                              {"assert", 1, 1, assert_builtin},
                              {"activate", 1, 1, task_state_builtin},
                              {"block", 1, 1, task_state_builtin},
                              {"unblock", 1, 1, task_state_builtin},
                              {"get_color", 1, 1, handle_builtin},
                              {"get_input_queue", 1, 1, handle_builtin},
                              {"get_output_queue", 1, 1, handle_builtin},
                              {"get_local_task_id", 1, 1, handle_builtin},
                              {"get_data_task_id", 1, 1, handle_builtin},
                              {"get_control_task_id", 1, 1, handle_builtin},
                              {"get_ut_id", 1, 1, handle_builtin},
                              {"get_int", 1, 1, get_int_builtin},
                              {"random16", 0, 0, random_builtin},
                              {"set_active_prng", 1, 1, prng_builtin},
                              {"get_config", 1, 2, load_config_builtin},
                              {"set_config", 2, 3, store_config_builtin},
                              {"get_config_unchecked", 1, 1, load_config_builtin},
                              {"set_config_unchecked", 2, 2, store_config_builtin},
                              {"queue_flush", 1, 1, queue_flush_builtin},
                              {"tessera_load_config", 1, 1, load_config_builtin},
                              {"tessera_store_config", 2, 2, store_config_builtin},
                              {"tessera_bind_input_queue", 2, 2, bind_input_queue_builtin},
                              {"tessera_timestamp", 1, 1, timestamp_builtin},
                              {"tessera_coordinate", 1, 1, coordinate_builtin},
                              {"tessera_string", 1, 1, string_builtin},
                              {"tessera_seed_prng", 1, 1, seed_builtin},
                              {"tessera_main_priority", 1, 1, main_priority_builtin},
                              {"tessera_control_transform", 1, 1, control_transform_builtin},
                              {"tessera_task_priority", 2, 2, task_priority_builtin},
                              {"tessera_clz", 1, 1, unary_builtin},
                              {"tessera_ctz", 1, 1, unary_builtin},
                              {"tessera_popcnt", 1, 1, unary_builtin},
                              {"tessera_abs", 1, 1, unary_builtin},
                              {"tessera_max", 2, 2, binary_builtin},
                              {"tessera_min", 2, 2, binary_builtin},
                              {"get_dsd", 2, 2, get_dsd_builtin},
                              {"set_dsd_base_addr", 2, 2, change_dsd_builtin},
                              {"increment_dsd_offset", 3, 3, change_dsd_builtin},
                              {"set_dsd_length", 2, 2, change_dsd_builtin},
                              {"set_dsd_stride", 2, 2, change_dsd_builtin},
                              {"set_fifo_read_length", 2, 2, made_by<set_fifo_length_builtin>},
                              {"set_fifo_write_length", 2, 2, made_by<set_fifo_length_builtin>},
                              {"map", 2, 16, made_by<map_builtin>},
                              {"load_to_dsr", 2, 3, made_by<load_to_dsr_builtin>},
                              {"load_to_dsr_xdsr", 3, 4, made_by<load_to_dsr_builtin>},
                              {"load_to_dsr_xdsr_sr", 4, 5, made_by<load_to_dsr_builtin>},
                              {"get_symbol_value", 2, 2, symbol_builtin},
                              {"get_tensor_ptr", 1, 1, symbol_builtin}};
  static const std::map<std::string_view, const Row*> kByName = [] {
    std::map<std::string_view, const Row*> rows;
    for (const Row& row : kRows) rows.emplace(row.name, &row);
    return rows;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

bool is_private(std::string_view name) {
  constexpr std::string_view kPrefix = "tessera_";
  return name.substr(0, kPrefix.size()) == kPrefix;
}

std::optional<Result> handled(Evaluator& evaluator, const Builtin& node) {
  const BuiltinCall call(evaluator, node);
  if (is_dsd_operation(node.name)) return dsd_operation_builtin(call);
  const Row* row = find_row(node.name);
  if (row == nullptr) return std::nullopt;
  if (is_private(node.name) && evaluator.frame().instance.file->name().front() != '<')
    return std::nullopt;  // only our own modules have it
  if (call.size() < row->fewest || call.size() > row->most)
    call.fail("takes ", row->fewest == row->most ? "" : std::to_string(row->fewest) + " to ",
              text::plural(row->most, "argument"), " instead of ", call.size());
  return row->handler(call);
}

}  // namespace

std::optional<Result> run_time_builtin(Evaluator& evaluator, const Builtin& node) {
  try {
    return handled(evaluator, node);
  } catch (const std::bad_variant_access&) {  // the handlers look at types only
    BuiltinCall(evaluator, node).fail("an operand is undefined or has no place for its type here");
  }
}

}  // namespace tessera::csl
