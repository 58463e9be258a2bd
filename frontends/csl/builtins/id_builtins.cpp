// Builtins on ids, queues and tasks (csl.md 7.2).
#include <algorithm>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/builtins/options.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kMostQueue = 7;
constexpr std::int64_t kMostOutputQueueOfWse2 = 5;
constexpr unsigned kTeardownTask = 29;

Result get_color(const BuiltinCall& call) {
  return call.number("color", call.integer(0, 0, 23));
}
Result get_input_queue(const BuiltinCall& call) {
  return call.number("input_queue", call.integer(0, 0, kMostQueue));
}
Result get_output_queue(const BuiltinCall& call) {
  return call.number("output_queue",
                     call.integer(0, 0, call.is_wse3() ? kMostQueue : kMostOutputQueueOfWse2));
}
Result get_local_task_id(const BuiltinCall& call) {
  return call.number("local_task_id", call.integer(0, call.is_wse3() ? 8 : 0, 30));
}
Result get_control_task_id(const BuiltinCall& call) {
  return call.number("control_task_id", call.integer(0, 0, 63));
}
Result get_ut_id(const BuiltinCall& call) {
  if (!call.is_wse3()) call.fail("only WSE-3 has it");
  return call.number("ut_id", call.integer(0, 0, 7));
}
Result get_data_task_id(const BuiltinCall& call) {
  return call.number("data_task_id", call.handle(0, {call.is_wse3() ? "input_queue" : "color"}));
}

void check_task(const BuiltinCall& call, const FunctionValue& task, TaskKind kind) {
  const Function& function = *task.function;
  if (!function.is_task)
    call.fail(text::in_quotes(function.name.text), " is a function instead of a task");
  const std::size_t count = function.parameters.size();
  if (kind == TaskKind::kLocal && count != 0)
    call.fail("a local task has no parameters, and ", text::in_quotes(function.name.text), " has ",
              count);
  if (kind == TaskKind::kData && (count == 0 || count > 2))
    call.fail("a data task has one or two parameters, and ", text::in_quotes(function.name.text),
              " has ", count);
  if (kind == TaskKind::kControl && count > 1)
    call.fail("a control task has at most one parameter, and ", text::in_quotes(function.name.text),
              " has ", count);
  // A wavelet has one value of 32 bits or two of 16; a control wavelet has 16 bits of data.
  Frame frame(*task.instance);
  for (const Parameter& parameter : function.parameters) {
    const Type* type = Evaluator(call.engine(), frame).type(*parameter.type);
    if (kind == TaskKind::kControl && type->bits != 16)
      call.fail("the parameter of a control task has 16 bits, and that of ",
                text::in_quotes(function.name.text), " is of type ", text::in_quotes(type->name));
    if (count == 2 && type->bits != 16)
      call.fail("two parameters of a data task have 16 bits each, and ",
                text::in_quotes(parameter.name.text), " of ", text::in_quotes(function.name.text),
                " is of type ", text::in_quotes(type->name));
  }
}

/// The task of teardown handlers takes the id.
void check_teardown_task(const BuiltinCall& call) {
  for (const TaskBinding& task : call.tile().tasks) {
    const bool is_taken = task.id == kTeardownTask && task.kind != TaskKind::kControl;
    if (is_taken && !call.tile().teardown_handlers.empty())
      call.fail("the teardown handlers need the task id ", kTeardownTask, ", which has the task ",
                text::in_quotes(task.task.function->name.text));
  }
}

Result bind(const BuiltinCall& call, TaskKind kind, std::string_view handle) {
  const TaskBinding made{kind, call.handle(1, {handle}), call.function(0)};
  check_task(call, made.task, kind);
  const bool is_control = kind == TaskKind::kControl;
  for (const TaskBinding& other : call.tile().tasks) {
    if (other.id == made.id && (other.kind == TaskKind::kControl) == is_control)
      call.fail("the id ", made.id, " has the task ",
                text::in_quotes(other.task.function->name.text), " already");
  }
  call.tile().tasks.push_back(made);
  check_teardown_task(call);
  return call.nothing();
}
Result bind_local_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kLocal, "local_task_id");
}
Result bind_data_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kData, "data_task_id");
}
Result bind_control_task(const BuiltinCall& call) {
  return bind(call, TaskKind::kControl, "control_task_id");
}

Result bind_rotating_tasks(const BuiltinCall& call) {
  if (!call.is_wse3()) call.fail("only WSE-3 has it");
  RotatingTasks made{call.handle(2, {"local_task_id", "data_task_id", "control_task_id"}),
                     call.function(0), call.function(1), fields_of(call.structure(3))};
  check_options(call.engine(), rotation_options_table(), made.options, call.node,
                "@bind_rotating_tasks: ");
  for (const RotatingTasks& other : call.tile().rotating_tasks) {
    if (other.id == made.id) call.fail("the id ", made.id, " has rotating tasks already");
  }
  // The alternative is control task 0 of the queue (wse.md 3.3). Programs may bind both themselves.
  std::vector<TaskBinding>& tasks = call.tile().tasks;
  for (const TaskBinding& own : {TaskBinding{TaskKind::kData, made.id, made.main},
                                 TaskBinding{TaskKind::kControl, 0, made.alternative}}) {
    const bool is_bound = std::any_of(tasks.begin(), tasks.end(), [&](const TaskBinding& other) {
      return other.task.function == own.task.function;
    });
    if (!is_bound) tasks.push_back(own);
  }
  call.tile().rotating_tasks.push_back(std::move(made));
  return call.nothing();
}

Result set_control_task_table(const BuiltinCall& call) {
  if (!call.is_wse3()) call.fail("only WSE-3 has it");
  if (call.tile().control_table) call.fail("the code calls it twice");
  ControlTable made;
  made.at = &call.node;
  const Fields options = fields_of(call.structure(0));
  check_options(call.engine(), control_table_options_table(), options, call.node,
                "@set_control_task_table: ");
  for (const auto& [name, value] : options)
    (name == "stride" ? made.stride : made.instructions) =
        static_cast<unsigned>(value.value().integer());
  if ((made.instructions & (made.instructions - 1)) != 0)
    call.fail("the option .instructions is 2, 4 or 8");
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
  const Result queue = call.value(0);
  made.id = call.handle(0, {"input_queue", "output_queue"});
  made.is_input = queue.type->is_handle("input_queue");
  made.options = fields_of(call.structure(1));
  made.at = &call.node;
  check_options(call.engine(), queue_options_table(), made.options, call.node,
                "@initialize_queue: ");
  const bool needs_color = made.is_input || call.is_wse3();
  if (needs_color && !field_of(call.structure(1), "color"))
    call.fail("the option .color is missing");
  if (!needs_color && !made.options.empty()) call.fail("output queues of WSE-2 have no options");
  for (const QueueBinding& other : call.tile().queues) {
    if (other.id == made.id && other.is_input == made.is_input)
      call.fail("the ", made.is_input ? "input" : "output", " queue ", made.id,
                " is initialized twice");
    const bool is_same_color = made.is_input && other.is_input && color_of(other) == color_of(made);
    if (is_same_color)
      call.fail("the color ", *color_of(made), " has the input queue ", other.id, " already");
  }
  call.tile().queues.push_back(std::move(made));
  return call.nothing();
}

Result start_state(const BuiltinCall& call, const std::vector<std::string_view>& handles) {
  const unsigned id = call.handle(0, handles);
  call.tile().start.push_back({std::string(call.node.name), call.value(0).type, id, &call.node});
  return call.nothing();
}
Result activate(const BuiltinCall& call) {
  return start_state(call, {"local_task_id"});
}
Result block_or_unblock(const BuiltinCall& call) {
  std::vector<std::string_view> handles = {"local_task_id", "data_task_id", "control_task_id"};
  if (call.is_wse3()) {
    handles.insert(handles.end(), {"input_queue", "ut_id"});
  } else {
    handles.emplace_back("color");
  }
  return start_state(call, handles);
}

void check_handler(const BuiltinCall& call, const FunctionValue& handler) {
  if (handler.function->is_task || !handler.function->parameters.empty())
    call.fail("the handler ", text::in_quotes(handler.function->name.text),
              " must be a function without parameters");
}

Result set_teardown_handler(const BuiltinCall& call) {
  const FunctionValue handler = call.function(0);
  const unsigned color = call.handle(1, {"color"});
  check_handler(call, handler);
  if (!call.tile().teardown_handlers.emplace(color, handler).second)
    call.fail("the color ", color, " has a teardown handler already");
  check_teardown_task(call);
  return call.nothing();
}

Result set_empty_queue_handler(const BuiltinCall& call) {
  if (!call.is_wse3()) call.fail("only WSE-3 has it");
  const FunctionValue handler = call.function(0);
  const unsigned queue = call.handle(1, {"output_queue"});
  check_handler(call, handler);
  if (!call.tile().empty_queue_handlers.emplace(queue, handler).second)
    call.fail("the output queue ", queue, " has a handler already");
  return call.nothing();
}

}  // namespace

const std::vector<BuiltinRow>& id_builtins() {
  static const std::vector<BuiltinRow> kRows = {
      {"get_color", Where::kAnywhere, 1, 1, get_color},
      {"get_input_queue", Where::kAnywhere, 1, 1, get_input_queue},
      {"get_output_queue", Where::kAnywhere, 1, 1, get_output_queue},
      {"get_local_task_id", Where::kAnywhere, 1, 1, get_local_task_id},
      {"get_control_task_id", Where::kAnywhere, 1, 1, get_control_task_id},
      {"get_data_task_id", Where::kAnywhere, 1, 1, get_data_task_id},
      {"get_ut_id", Where::kAnywhere, 1, 1, get_ut_id},
      {"bind_local_task", Where::kTile, 2, 2, bind_local_task},
      {"bind_data_task", Where::kTile, 2, 2, bind_data_task},
      {"bind_control_task", Where::kTile, 2, 2, bind_control_task},
      {"bind_rotating_tasks", Where::kTile, 3, 4, bind_rotating_tasks},
      {"set_control_task_table", Where::kTile, 0, 1, set_control_task_table},
      {"initialize_queue", Where::kTile, 1, 2, initialize_queue},
      {"activate", Where::kTile, 1, 1, activate},
      {"block", Where::kTile, 1, 1, block_or_unblock},
      {"unblock", Where::kTile, 1, 1, block_or_unblock},
      {"set_teardown_handler", Where::kTile, 2, 2, set_teardown_handler},
      {"set_empty_queue_handler", Where::kTile, 2, 2, set_empty_queue_handler}};
  return kRows;
}

}  // namespace tessera::csl
