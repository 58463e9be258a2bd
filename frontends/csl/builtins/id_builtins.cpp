// Builtins on ids, queues and tasks (csl.md 7.2).
#include <algorithm>
#include <set>

#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

// Until SDK 1.1 a color is also the number of a task and, from 24 on, a way to say that there is none:
// it matters where the color is configured or bound to a queue.
constexpr std::int64_t kMostColor = 63;
constexpr std::int64_t kMostLocalTask = 30;
constexpr std::int64_t kMostControlTask = 63;
constexpr std::int64_t kMostQueue = 7;
constexpr std::int64_t kMostOutputQueueOfWse2 = 5;
constexpr unsigned kTeardownTask = 29;

/// A handle of a number in a range; the running program may be the only one to know it.
Result handle_of(const BuiltinCall& call, std::int64_t lowest, std::int64_t highest) {
  const Result& value = call.operand(0);
  const Type* type = call.types().word(std::string(call.node.name.substr(4)));
  if (value.is_known()) {
    call.check_range(0, value, lowest, highest);
    return {type, value.operand};
  }
  return {type, cast_operand(call.evaluator, value, call.types().word("u16"), call.node).operand};
}

Result get_color(const BuiltinCall& call) {
  return handle_of(call, 0, kMostColor);
}
Result get_input_queue(const BuiltinCall& call) {
  return handle_of(call, 0, kMostQueue);
}
Result get_output_queue(const BuiltinCall& call) {
  return handle_of(call, 0, call.is_wse3() ? kMostQueue : kMostOutputQueueOfWse2);
}
Result get_local_task_id(const BuiltinCall& call) {
  return handle_of(call, call.is_wse3() ? 8 : 0, kMostLocalTask);
}
Result get_control_task_id(const BuiltinCall& call) {
  return handle_of(call, 0, kMostControlTask);
}
Result get_ut_id(const BuiltinCall& call) {
  return handle_of(call, 0, kMostQueue);
}
Result get_data_task_id(const BuiltinCall& call) {
  const Result& channel = call.operand(0);
  const Type* type = call.types().word("data_task_id");
  if (channel.is_known()) return {type, channel.operand};
  const Type* u16 = call.types().word("u16");
  return {type, cast_operand(call.evaluator, {u16, channel.operand}, u16, call.node).operand};
}

void check_task(const BuiltinCall& call, const FunctionValue& task, TaskKind kind,
                bool may_be_empty = false) {
  const Function& function = *task.function;
  if (!function.is_task)
    call.fail(Id::kNotATask, text::in_quotes(function.name.text),
              " is a function instead of a task");
  const std::size_t count = function.parameters.size();
  if (kind == TaskKind::kLocal && count != 0)
    call.fail(Id::kTaskForm, "a local task has no parameters, and ",
              text::in_quotes(function.name.text), " has ", count);
  if (kind == TaskKind::kData && ((count == 0 && !may_be_empty) || count > 2))
    call.fail(Id::kTaskForm, "a data task has one or two parameters, and ",
              text::in_quotes(function.name.text), " has ", count);
  if (kind == TaskKind::kControl && count > 2)
    call.fail(Id::kTaskForm, "a control task has at most two parameters, and ",
              text::in_quotes(function.name.text), " has ", count);
  // A wavelet has one value of 32 bits or two of 16; a control wavelet has 16 bits of data, then its identifier.
  Frame frame(*task.instance);
  for (const Parameter& parameter : function.parameters) {
    const Type* type = Evaluator(call.engine(), frame).type(*parameter.type);
    const bool has_words = type->bits == 16 || type->bits == 32;
    if (type->is(TypeKind::kInteger) && !has_words)
      call.fail(Id::kTaskForm, "a parameter of a task has 16 or 32 bits, and ",
                text::in_quotes(parameter.name.text), " of ", text::in_quotes(function.name.text),
                " is of type ", text::in_quotes(type->name));
    if (kind == TaskKind::kControl && type->bits != 16)
      call.fail(Id::kTaskForm, "a parameter of a control task has 16 bits, and one of ",
                text::in_quotes(function.name.text), " is of type ", text::in_quotes(type->name));
    if (count == 2 && type->bits != 16)
      call.fail(Id::kTaskForm, "two parameters of a data task have 16 bits each, and ",
                text::in_quotes(parameter.name.text), " of ", text::in_quotes(function.name.text),
                " is of type ", text::in_quotes(type->name));
  }
}

/// The task of teardown handlers takes the id.
void check_teardown_task(const BuiltinCall& call) {
  for (const TaskBinding& task : call.tile().tasks) {
    const bool is_taken = task.id == kTeardownTask && task.kind != TaskKind::kControl;
    if (is_taken && !call.tile().teardown_handlers.empty())
      call.fail(Id::kIdTaken, "the teardown handlers need the task id ", kTeardownTask,
                ", which has the task ", text::in_quotes(task.task.function->name.text));
  }
}

void add_task(const BuiltinCall& call, const TaskBinding& made) {
  const bool is_control = made.kind == TaskKind::kControl;
  for (const TaskBinding& other : call.tile().tasks) {
    if (other.id == made.id && (other.kind == TaskKind::kControl) == is_control)
      call.fail(Id::kIdTaken, "the id ", made.id, " has the task ",
                text::in_quotes(other.task.function->name.text), " already");
  }
  call.tile().tasks.push_back(made);
}

/// `@bind_rotating_tasks` has bound it to the id.
bool is_main_of_a_pair(const Tile& tile, const TaskBinding& made) {
  return made.kind == TaskKind::kData &&
         std::any_of(tile.rotating_tasks.begin(), tile.rotating_tasks.end(),
                     [&](const RotatingTasks& pair) {
                       return pair.id == made.id && pair.main.function == made.task.function;
                     });
}

Result bind(const BuiltinCall& call, TaskKind kind, bool by_color = false) {
  const TaskBinding made{kind, call.handle(1), call.function(0), by_color};
  check_task(call, made.task, kind);
  if (is_main_of_a_pair(call.tile(), made)) return call.nothing();
  add_task(call, made);
  check_teardown_task(call);
  return call.nothing();
}
Result bind_local_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kLocal);
}
Result bind_data_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kData);
}
Result bind_control_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kControl);
}

/// SDK 0.4 to 0.9: the number of a color is the id of the task. Its parameters tell whether wavelets start it, unless a handle
/// does.
Result bind_task(const BuiltinCall& call) {
  call.engine().saw(Version::k1_4, call.node);
  call.tile().has_old_host = true;
  const Type& type = *call.value(1).type;
  if (type.is_handle("local_task_id")) return bind(call, TaskKind::kLocal);
  if (type.is_handle("control_task_id")) return bind(call, TaskKind::kControl);
  const bool has_parameters = !call.function(0).function->parameters.empty();
  if (has_parameters && call.handle(1) >= kColorCount)
    call.fail(Id::kTaskForm, "wavelets start a task with a parameter, and the color ",
              call.handle(1), " is only a number: no wavelet has it");
  if (type.is_handle("data_task_id")) return bind(call, TaskKind::kData);
  const TaskKind kind = has_parameters                     ? TaskKind::kData
                        : call.handle(1) <= kMostLocalTask ? TaskKind::kLocal
                                                           : TaskKind::kControl;
  return bind(call, kind, true);
}

/// The two are started by the same wavelets, which some alternatives do not read.
void check_rotation(const BuiltinCall& call, const RotatingTasks& made) {
  if (made.id > kMostQueue)
    call.fail_operand(
        Id::kOutOfRange, 2, " is ", made.id,
        ", which is no input queue; tasks that take turns have the id of a queue, 0..", kMostQueue);
  if (call.tile().rotating_tasks.size() == pe::kMaxRotations)
    call.fail(Id::kSetTwice, "a PE has at most ", pe::kMaxRotations,
              " pairs of tasks that take turns");
  for (const RotatingTasks& other : call.tile().rotating_tasks) {
    if (other.id == made.id)
      call.fail(Id::kIdTaken, "the id ", made.id, " has rotating tasks already");
  }
}

/// Checks a task that takes turns. Whether the program has bound it.
bool is_bound_turn(const BuiltinCall& call, const TaskBinding& own) {
  const std::vector<TaskBinding>& tasks = call.tile().tasks;
  const auto bound = std::find_if(tasks.begin(), tasks.end(), [&](const TaskBinding& other) {
    return other.task.function == own.task.function;
  });
  if (bound == tasks.end()) {
    check_task(call, own.task, TaskKind::kData, own.kind == TaskKind::kControl);
    return false;
  }
  if (bound->kind != own.kind)
    call.fail(Id::kTaskForm,
              "of tasks that take turns the first is a data task and the second a control task; ",
              text::in_quotes(own.task.function->name.text), " is bound as another kind");
  if (own.kind == TaskKind::kData && bound->id != own.id)
    call.fail(Id::kIdTaken, text::in_quotes(own.task.function->name.text), " is bound to the id ",
              bound->id, " instead of ", own.id);
  return true;
}

Result bind_rotating_tasks(const BuiltinCall& call) {
  RotatingTasks made{call.handle(2), call.function(0), call.function(1),
                     fields_of(call.structure(3)), &call.node};
  check_options(call.engine(), rotation_options_table(), made.options, call.node,
                "@bind_rotating_tasks: ");
  const auto number = [&](const char* name) {
    const std::optional<Result> given = field_of(call.structure(3), name);
    return given ? static_cast<std::int64_t>(given->value().integer()) : 0;
  };
  if (number("init") > number("limit"))
    call.fail(Id::kOutOfRange, "the option .init is ", number("init"),
              ", more than .limit, which is ", number("limit"));
  check_rotation(call, made);
  const TaskBinding main{TaskKind::kData, made.id, made.main};
  if (!is_bound_turn(call, main)) add_task(call, main);
  // The end of the code binds the alternative: its id follows from the queue.
  is_bound_turn(call, {TaskKind::kControl, 0, made.alternative});
  call.tile().rotating_tasks.push_back(std::move(made));
  return call.nothing();
}

Result set_control_task_table(const BuiltinCall& call) {
  if (call.tile().control_table) call.fail(Id::kSetTwice, "the code calls it twice");
  ControlTable made;
  made.at = &call.node;
  const Fields options = fields_of(call.structure(0));
  check_options(call.engine(), control_table_options_table(), options, call.node,
                "@set_control_task_table: ");
  for (const auto& [name, value] : options)
    (name == "stride" ? made.stride : made.instructions) =
        static_cast<unsigned>(value.value().integer());
  if ((made.instructions & (made.instructions - 1)) != 0)
    call.fail(Id::kOutOfRange, "the option .instructions is 2, 4 or 8");
  call.tile().control_table = made;
  return call.nothing();
}

std::optional<unsigned> color_of(const QueueBinding& queue) {
  for (const auto& [name, option] : queue.options) {
    if (name == "color") return static_cast<unsigned>(option.value().integer());
  }
  return std::nullopt;
}

Result initialize_queue(const BuiltinCall& call) {
  QueueBinding made;
  made.id = call.handle(0);
  made.is_input = call.value(0).type->is_handle("input_queue");
  made.options = fields_of(call.structure(1));
  made.at = &call.node;
  check_options(call.engine(), queue_options_table(), made.options, call.node,
                "@initialize_queue: ");
  const bool needs_color = made.is_input || call.is_wse3();
  if (needs_color && !field_of(call.structure(1), "color"))
    call.fail(Id::kQueueOption, "the option .color is missing");
  if (!needs_color && !made.options.empty())
    call.fail(Id::kQueueOption, "output queues of WSE-2 have no options");
  if (!made.is_input && field_of(call.structure(1), "ctrl_table_id"))
    call.fail(Id::kQueueOption, "the option .ctrl_table_id is one of input queues");
  for (const QueueBinding& other : call.tile().queues) {
    if (other.id == made.id && other.is_input == made.is_input)
      call.fail(Id::kQueueTwice, "the ", made.is_input ? "input" : "output", " queue ", made.id,
                " is initialized twice");
    const bool is_same_color = made.is_input && other.is_input && color_of(other) == color_of(made);
    if (is_same_color)
      call.fail(Id::kQueueTwice, "the color ", *color_of(made), " has the input queue ", other.id,
                " already");
  }
  if (const auto color = color_of(made); color && *color >= kColorCount) {
    call.engine().warn(Id::kQueueWithoutColor, call.node,
                       "the color " + std::to_string(*color) +
                           " is only a number, so that the queue " + std::to_string(made.id) +
                           " stays without a color");
    return call.nothing();
  }
  call.tile().queues.push_back(std::move(made));
  return call.nothing();
}

/// The instruction names the id that it blocks. Where only the running program knows it, the one that it is of
/// those that the PE has is chosen.
void task_state_of_live_id(const BuiltinCall& call, pe::Opcode op) {
  TileCode& tile = code_of(call.evaluator).tile;
  ir::Builder& builder = builder_of(call);
  const Type& type = *call.operand(0).type;
  const bool is_microthread = type.is_handle("ut_id");
  const ir::Value id = scalar(call.evaluator, call.operand(0), call.node);
  std::set<unsigned> ids = is_microthread ? std::set<unsigned>{} : tile.channels();
  for (unsigned i = 0; is_microthread && i <= kMostQueue; ++i) ids.insert(i);
  for (const TaskBinding& task : tile.tile().tasks) {
    if (task.kind != TaskKind::kControl && !is_microthread) ids.insert(task.id);
  }
  const ir::BlockId end = builder.new_block();
  for (const unsigned number : ids) {
    const ir::BlockId found = builder.new_block(), next = builder.new_block();
    builder.branch(ir::Condition::kEq, id, ir::constant(id.type, number), found, next);
    builder.enter(found);
    if (is_microthread)
      builder.control(op, {pe::kMicrothread, static_cast<std::uint8_t>(number), 0});
    else
      builder.control(op, {pe::kTask, 0, static_cast<std::int32_t>(number)});
    builder.jump(end);
    builder.enter(next);
  }
  builder.jump(end);
  builder.enter(end);
}

/// In a comptime block: the state at the start. In code: an instruction.
Result task_state(const BuiltinCall& call, pe::Opcode op) {
  const Result& id = call.operand(0);
  if (!call.makes_code()) {
    call.tile().start.push_back(
        {std::string(call.node.name), id.type, task_id(call, 0), &call.node});
  } else if (!id.is_known() && op == pe::Opcode::kActvt) {
    instruction(call, op, {}, {scalar(call.evaluator, id, call.node)});
  } else if (!id.is_known()) {
    task_state_of_live_id(call, op);
  } else if (id.type->is_handle("ut_id")) {
    builder_of(call).control(op, {pe::kMicrothread, static_cast<std::uint8_t>(call.handle(0)), 0});
  } else {
    const unsigned number = task_id(call, 0);
    const std::vector<TaskBinding>& tasks = code_of(call.evaluator).tile.tile().tasks;
    const bool is_local = std::any_of(tasks.begin(), tasks.end(), [&](const TaskBinding& task) {
      return task.kind == TaskKind::kLocal && task.id == number;
    });
    if (!is_local) use_channel(code_of(call.evaluator).tile, *id.type, number, call.node);
    const bool is_bound = std::any_of(tasks.begin(), tasks.end(), [&](const TaskBinding& task) {
      return task.kind != TaskKind::kControl && task.id == number;
    });
    if (op == pe::Opcode::kActvt && !is_bound)
      call.fail(Id::kNoTask, "no local task is bound to the id ", number);
    if (op == pe::Opcode::kActvt && !activate_color(call.tile(), number) && !is_local)
      call.fail(Id::kActivatedKind, "the id ", number,
                " is that of a data task; only local tasks are activated");
    if (id.type->is_handle("local_task_id") && !is_bound) {
      call.engine().warn(Id::kNoEffect, call.node,
                         "no task is bound to the id " + std::to_string(number) + ", so that @" +
                             std::string(call.node.name) + " has no effect");
      return call.nothing();
    }
    builder_of(call).control(op, {pe::kTask, 0, static_cast<std::int32_t>(number)});
  }
  return call.nothing();
}
Result activate(const BuiltinCall& call) {
  return task_state(call, pe::Opcode::kActvt);
}
Result block(const BuiltinCall& call) {
  return task_state(call, pe::Opcode::kBlk);
}
Result unblock(const BuiltinCall& call) {
  return task_state(call, pe::Opcode::kUblk);
}

void check_handler(const BuiltinCall& call, const FunctionValue& handler) {
  if (handler.function->is_task || !handler.function->parameters.empty())
    call.fail(Id::kTaskForm, "the handler ", text::in_quotes(handler.function->name.text),
              " must be a function without parameters");
}

Result set_teardown_handler(const BuiltinCall& call) {
  const FunctionValue handler = call.function(0);
  const unsigned color = call.handle(1);
  check_handler(call, handler);
  if (!call.tile().teardown_handlers.emplace(color, handler).second)
    call.fail(Id::kSetTwice, "the color ", color, " has a teardown handler already");
  check_teardown_task(call);
  return call.nothing();
}

Result set_empty_queue_handler(const BuiltinCall& call) {
  const FunctionValue handler = call.function(0);
  const unsigned queue = call.handle(1);
  check_handler(call, handler);
  if (!call.tile().empty_queue_handlers.emplace(queue, handler).second)
    call.fail(Id::kSetTwice, "the output queue ", queue, " has a handler already");
  return call.nothing();
}

}  // namespace

const std::vector<BuiltinRow>& id_builtins() {
  const OperandRow number = live(takes(Takes::kInteger, "number")),
                   task = takes(Takes::kFunction, "task"),
                   handler = takes(Takes::kFunction, "function"),
                   options = optional(takes(Takes::kStruct, "options"));
  const auto id = [](std::vector<ChoiceRow> of) { return one_of(Takes::kHandle, "id", of); };
  const OperandRow blocked = live(one_of(Takes::kTaskId, "id",
                                         {{"local_task_id"},
                                          {"data_task_id"},
                                          {"color", Machines::kWse2},
                                          {"input_queue", Machines::kWse3},
                                          {"ut_id", Machines::kWse3}}));
  static const std::vector<BuiltinRow> kRows = {
      {"get_color",
       kOfOperands,
       {number},
       get_color,
       "0..63; those from 24 on are no routes, only numbers"},
      {"get_input_queue", kOfOperands, {number}, get_input_queue, "0..7"},
      {"get_output_queue", kOfOperands, {number}, get_output_queue, "0..5 on WSE-2, 0..7 on WSE-3"},
      {"get_local_task_id",
       kOfOperands,
       {number},
       get_local_task_id,
       "0..30 on WSE-2, 8..30 on WSE-3"},
      {"get_control_task_id", kOfOperands, {number}, get_control_task_id, "0..63"},
      {"get_data_task_id",
       kOfOperands,
       {live(one_of(Takes::kHandle, "channel",
                    {{"color", Machines::kWse2}, {"input_queue", Machines::kWse3}}))},
       get_data_task_id,
       "the task of a color (WSE-2) or of an input queue (WSE-3)"},
      {"get_ut_id", kOfOperands, {number}, get_ut_id, "0..7", Machines::kWse3},
      {"bind_local_task",
       kInTile,
       {task, id({{"local_task_id"}})},
       bind_local_task,
       "the task of an id"},
      {"bind_data_task", kInTile, {task, id({{"data_task_id"}})}, bind_data_task, "the same"},
      {"bind_control_task",
       kInTile,
       {task, id({{"control_task_id"}})},
       bind_control_task,
       "the same"},
      {"bind_task",
       kInTile,
       {task, id({{"color"}, {"local_task_id"}, {"data_task_id"}, {"control_task_id"}})},
       bind_task,
       "the task of the number of a color, until SDK 0.9",
       Machines::kWse2},
      {"bind_rotating_tasks",
       kInTile,
       {task, task, id({{"local_task_id"}, {"data_task_id"}, {"control_task_id"}}), options},
       bind_rotating_tasks,
       "two tasks that take turns",
       Machines::kWse3},
      {"set_control_task_table",
       kInTile,
       {options},
       set_control_task_table,
       "a table of their own for control tasks",
       Machines::kWse3},
      {"initialize_queue",
       kInTile,
       {one_of(Takes::kHandle, "queue", {{"input_queue"}, {"output_queue"}}), options},
       initialize_queue,
       "binds a queue to a color"},
      {"activate",
       kInTile | kInCode,
       {live(id({{"local_task_id"}, {"color", Machines::kWse2}}))},
       activate,
       "makes a local task ready; until SDK 1.0 the one with the number of a color"},
      {"block", kInTile | kInCode, {blocked}, block, "keeps a task or channel from running"},
      {"unblock", kInTile | kInCode, {blocked}, unblock, "lets it run again"},
      {"set_teardown_handler",
       kInTile,
       {handler, one_of(Takes::kHandle, "color", {{"color"}})},
       set_teardown_handler,
       "called when a color goes into teardown"},
      {"set_empty_queue_handler",
       kInTile,
       {handler, one_of(Takes::kHandle, "queue", {{"output_queue"}})},
       set_empty_queue_handler,
       "called when a queue is empty",
       Machines::kWse3}};
  return kRows;
}

}  // namespace tessera::csl
