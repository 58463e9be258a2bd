#include "frontends/csl/lower/tile_setup.h"

#include <algorithm>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/syntax/mentions.h"

namespace tessera::csl {
namespace {

pe::HalfFormat half_of(const std::string& name) {
  return name == "bf16"   ? pe::HalfFormat::kBf16
         : name == "cb16" ? pe::HalfFormat::kCb16
                          : pe::HalfFormat::kF16;
}

// A local task of WSE-2 may have the id of a color that the PE receives (csl.md 5): the channel starts
// unblocked as the task does, so that control wavelets of the color start their tasks.
void open_channels_of_local_tasks(TileCode& code) {
  const Program& program = code.engine().program();
  const auto reaches_ramp = [](const ColorConfig& config) {
    constexpr Directions kToRamp = 16;
    return (config.tx & kToRamp) != 0;
  };
  for (const TaskBinding& task : code.tile().tasks) {
    if (task.kind != TaskKind::kLocal || code.is_wse3()) continue;
    const auto receives = [&](const std::map<unsigned, ColorConfig>& colors) {
      const auto found = colors.find(task.id);
      return found != colors.end() && reaches_ramp(found->second);
    };
    const bool is_received =
        receives(code.tile().colors) ||
        std::any_of(code.variant().pes.begin(), code.variant().pes.end(),
                    [&](std::uint32_t pe) { return receives(program.pes[pe].colors); });
    if (!is_received) continue;
    const Function& function = *task.task.function;
    code.engine().warn(Id::kTaskOfColor, function,
                       text::joined("the local task ", in_quotes(function.name.text),
                                    " has the id ", task.id,
                                    ", which is the number of a color that this PE "
                                    "receives; on WSE-2 task and channel are one: they "
                                    "are blocked and unblocked together"));
    const QueueId queue = code.use_queue(true, std::nullopt, task.id, *task.task.function).queue;
    for (pe::QueueBinding& q : code.module().settings.queues) {
      if (q.input && q.id == queue) q.unblocked = true;
    }
  }
}

pe::FifoAction fifo_action_of(std::string_view choice) {
  return choice == "terminate" ? pe::FifoAction::kTerminate
         : choice == "suspend" ? pe::FifoAction::kSuspend
         : choice == "fault"   ? pe::FifoAction::kFault
                               : pe::FifoAction::kTestOrSuspend;
}

pe::TaskBinding* find_task(TileCode& code, const Type& handle, unsigned id) {
  for (ir::Task& task : code.module().tasks) {
    const bool is_control = task.binding.kind == pe::TaskKind::kControl;
    const bool wants_control = handle.is_handle("control_task_id");
    if (task.binding.id.value() == id && is_control == wants_control) return &task.binding;
  }
  return nullptr;
}

std::uint8_t sub_table(const TileCode& code, const csl::QueueBinding& queue, const Result& number) {
  const auto table = static_cast<std::uint8_t>(number.value().integer());
  if (table == 0 || code.tile().control_table) return table;
  code.engine().goes_on([&] {
    code.engine().fail(Id::kQueueOption, *queue.at, "the option .ctrl_table_id is ", table,
                       ", and the code has no table of control tasks with several parts; ",
                       "@set_control_task_table makes one");
  });
  return 0;
}

}  // namespace

void set_up_image(TileCode& code) {
  pe::Image& image = code.module().settings;
  image.generation = code.is_wse3() ? Generation::kWse3 : Generation::kWse2;
  image.half = half_of(code.engine().options.half);
  code.module().files.push_back(
      code.variant().file);  // number 0 is the program itself, not a source
  for (const csl::QueueBinding& q : code.tile().queues) {
    pe::QueueBinding made;
    made.name = std::string(q.is_input ? "in" : "out") + std::to_string(q.id);
    made.input = q.is_input;
    made.id = QueueId(q.id);
    if (q.is_input && !code.is_wse3()) made.priority = pe::Priority::kHigh;
    for (const auto& [name, value] : q.options) {
      if (name == "color") made.color = Color(static_cast<unsigned>(value.value().integer()));
      if (name == "ctrl_table_id") made.control_table = sub_table(code, q, value);
      if (name == "dense_mode") made.dense = value.value().get<bool>();
      if (name == "priority") made.priority = priority_of(choice_of(value));
    }
    const ir::Place place = code.place_of(*q.at);
    made.line = place.line;
    made.file = place.file;
    image.queues.push_back(std::move(made));
  }
  if (const auto& table = code.tile().control_table) {
    const ir::Place place = code.place_of(*table->at);
    image.control_table =
        pe::ControlTable{static_cast<std::uint8_t>(table->instructions),
                         static_cast<std::uint8_t>(table->stride), place.line, place.file};
  }
  for (pe::QueueBinding q : code.named_queues) {
    if (image.find_queue(q.input, q.id) != nullptr) continue;
    const bool is_taken =
        q.input && std::any_of(image.queues.begin(), image.queues.end(), [&](const auto& other) {
          return other.input && other.color && other.color == q.color;
        });
    if (is_taken) q.color.reset();  // a color has one input queue
    image.queues.push_back(std::move(q));
  }
}

void add_fifos(TileCode& code) {
  for (std::size_t i = code.module().fifos.size(); i < code.tile().fifos.size(); ++i) {
    const FifoDeclaration& declared = code.tile().fifos[i];
    const Node& at = *declared.at;
    ir::Fifo made;
    made.array = code.variable_of(std::const_pointer_cast<Cell>(declared.buffer), at);
    const ir::Place place = code.place_of(at);
    made.fifo.line = place.line;
    made.fifo.file = place.file;
    ir::Variable& array = code.module().variables[made.array];
    array.align = std::max<std::uint32_t>(array.align, pe::kFifoAlignment);
    made.fifo.name = "fifo" + std::to_string(i);
    const auto registers = code.dsrs().fifo_registers(i);
    if (!registers)
      code.engine().fail(Id::kRegistersTaken, at, "the FIFO of ", in_quotes(declared.buffer->name),
                         " finds no registers: a FIFO keeps two DSRs of one number and an extended "
                         "register while the program runs. ",
                         code.dsrs().why_no_fifo());
    made.fifo.dsr = static_cast<std::uint8_t>(registers->first);
    made.fifo.xdsr = static_cast<std::uint8_t>(registers->second);
    for (const auto& [name, value] : declared.options) {
      const auto task = [&, &name = name, &value = value] {
        return TaskId(activated_id(code.engine(), code.tile(), value, at, name));
      };
      if (name == "activate_push") made.fifo.activate_push = task();
      if (name == "activate_pop") made.fifo.activate_pop = task();
      if (name == "empty_action") made.fifo.empty_action = fifo_action_of(choice_of(value));
      if (name == "full_action") made.fifo.full_action = fifo_action_of(choice_of(value));
      if (name == "priority") made.fifo.priority = priority_of(choice_of(value));
      if (name == "simd_mode") made.fifo.simd = simd_mode_of(choice_of(value));
    }
    code.module().fifos.push_back(std::move(made));
  }
}

namespace {

/// The alternative of tasks that take turns is the first control task of the queue (wse.md 3.3).
/// The statements of the program have bound theirs: what is left gets the id that follows from the queue.
void place_alternative(TileCode& code, RotatingTasks& rotating) {
  const pe::Image& image = code.module().settings;
  const pe::QueueBinding* queue = image.find_queue(true, QueueId(rotating.id));
  const unsigned first = queue == nullptr ? 0 : image.first_control_task(*queue);
  const Function& function = *rotating.alternative.function;
  bool is_bound = false;
  for (TaskBinding& task : code.engine().tile()->tasks) {
    if (task.task.function != &function) continue;
    is_bound = true;
    if (task.kind != TaskKind::kControl)
      code.engine().fail(Id::kTaskForm, *rotating.at, "of tasks that take turns the second is a ",
                         "control task; ", in_quotes(function.name.text),
                         " is bound as another kind");
    if (rotating.binds_alternative) task.id = first;
    if (task.id != first)
      code.engine().fail(Id::kIdTaken, *rotating.at, in_quotes(function.name.text),
                         " is bound to the id ", task.id, " instead of ", first,
                         ", that of the first control task of the queue");
  }
  if (is_bound) return;
  rotating.binds_alternative = true;
  code.engine().tile()->tasks.push_back({TaskKind::kControl, first, rotating.alternative});
}

/// Tasks of all kinds have one table of ids, unless the code gives control tasks one of their own (wse.md 3.1).
void check_ids(TileCode& code) {
  const Tile& tile = code.tile();
  for (RotatingTasks& rotating : code.engine().tile()->rotating_tasks)
    code.engine().goes_on([&] { place_alternative(code, rotating); });
  const auto check = [&](const TaskBinding& control, const TaskBinding& other) {
    const bool is_other_control = other.kind == TaskKind::kControl;
    if (other.id != control.id || &other == &control) return;
    if (is_other_control ? &other > &control : tile.control_table.has_value()) return;
    code.engine().fail(
        Id::kIdTaken, *control.task.function, "the control task ",
        in_quotes(control.task.function->name.text), " and the task ",
        in_quotes(other.task.function->name.text), " are both bound to the id ", control.id,
        is_other_control ? "" : "; tasks of all kinds have one table of ids",
        !is_other_control && code.is_wse3() ? " without @set_control_task_table" : "");
  };
  for (const TaskBinding& control : tile.tasks) {
    for (const TaskBinding& other : tile.tasks) {
      if (control.kind == TaskKind::kControl) code.engine().goes_on([&] { check(control, other); });
    }
  }
}

/// A task with a parameter that the program activates (Tile::activated_colors): no wavelet is there to give the parameter a value.
void check_activated(TileCode& code, const TaskBinding& bound) {
  const Function& task = *bound.task.function;
  if (bound.kind != TaskKind::kLocal || task.parameters.empty()) return;
  if (code.is_received(bound.id))
    code.engine().fail(Id::kActivatedKind, task, in_quotes(task.name.text),
                       " is activated, and wavelets of the color ", bound.id,
                       ", which this PE receives, start it too; only one of both is possible");
  std::vector<std::string_view> names;
  for (const Parameter& parameter : task.parameters) names.push_back(parameter.name.text);
  if (mentions(*task.body, names))
    code.engine().fail(Id::kActivatedKind, task, in_quotes(task.name.text),
                       " is activated, so that no wavelet gives ", in_quotes(names.front()),
                       " a value");
}

void add_task(TileCode& code, const TaskBinding& bound) {
  check_activated(code, bound);
  ir::Task made;
  made.function = code.entry(bound.task, std::string(bound.task.function->name.text), true);
  made.binding.id = TaskId(bound.id);
  made.binding.kind = bound.kind == TaskKind::kData      ? pe::TaskKind::kData
                      : bound.kind == TaskKind::kControl ? pe::TaskKind::kControl
                                                         : pe::TaskKind::kLocal;
  if (bound.kind == TaskKind::kData) {
    const Function& at = *bound.task.function;
    made.binding.queue = code.is_wse3() ? QueueId(bound.id) : code.queue_of_task(bound.id, at);
  }
  code.module().tasks.push_back(std::move(made));
}

}  // namespace

void add_tasks(TileCode& code) {
  check_ids(code);
  for (const TaskBinding& bound : code.tile().tasks)
    code.engine().goes_on([&] { add_task(code, bound); });
  for (const RotatingTasks& rotating : code.tile().rotating_tasks) {
    pe::Rotation made;
    const auto index_of = [&](const FunctionValue& task) {
      for (std::size_t i = 0; i < code.tile().tasks.size(); ++i) {
        if (code.tile().tasks[i].task.function == task.function)
          return static_cast<std::uint32_t>(i);
      }
      code.engine().fail(Id::kNoTask, *task.function, in_quotes(task.function->name.text),
                         " is not bound to a task id");
    };
    made.main = index_of(rotating.main);
    made.alternative = index_of(rotating.alternative);
    for (const auto& [name, value] : rotating.options) {
      const auto number = static_cast<std::uint16_t>(value.value().integer());
      if (name == "init") made.init = number;
      if (name == "limit") made.limit = number;
    }
    code.module().settings.rotations.push_back(made);
  }
}

namespace {

/// The priority that a comptime block gives: to a task by its id, or by the channel of its wavelets.
void set_priority(TileCode& code, const StartState& state) {
  for (ir::Task& task : code.module().tasks) {
    if (task.binding.id.value() == state.id)
      task.binding.priority =
          state.action == "high" ? pe::TaskPriority::kHigh : pe::TaskPriority::kLow;
  }
}

void set_start_words(TileCode& code) {
  const Tile& tile = code.tile();
  if (const auto& priority = tile.main_thread_priority)
    code.module().settings.main_priority = static_cast<pe::MainPriority>(*priority);
  if (const auto& mask = tile.control_transform_mask) code.module().settings.control_mask = *mask;
  for (const auto& [address, word] : tile.configuration) {
    code.engine().goes_on([&, a = address, at = word.at] {
      code.engine().fail(Id::kConfigAtStart, *at, "the word at address ", a,
                         " of the configuration space has no value of ",
                         "its own before the program runs; write it in a task or function, or use ",
                         "@set_local_color_config, @initialize_queue or <tile_config>");
    });
  }
}

void set_start_state(TileCode& code, const StartState& state) {
  if (state.action == "high" || state.action == "low") {
    set_priority(code, state);
    return;
  }
  if (state.handle->is_handle("ut_id")) {
    const auto bit = static_cast<std::uint8_t>(1U << state.id);
    if (state.action == "block") code.module().settings.blocked_microthreads |= bit;
    return;
  }
  if (state.action == "activate") activate_color(*code.engine().tile(), state.id);
  pe::TaskBinding* task = find_task(code, *state.handle, state.id);
  if (task != nullptr) {
    if (state.action == "activate" && task->kind != pe::TaskKind::kLocal)
      code.engine().fail(Id::kActivatedKind, *state.at, "@activate: the id ", state.id,
                         " is that of a data task; only local tasks are activated");
    if (state.action == "activate") task->active = true;
    if (state.action == "block") task->blocked = true;
    if (state.action == "unblock") task->blocked = false;
    return;
  }
  if (state.action == "activate")
    code.engine().fail(Id::kNoTask, *state.at, "@activate: no task is bound to the local task id ",
                       state.id);
  if (state.action != "unblock") return;
  // Control wavelets of a color without a data task arrive in a queue too.
  const bool is_color = state.handle->is_handle("color") || state.handle->is_handle("data_task_id");
  if (!code.is_wse3() && is_color) code.use_queue(true, std::nullopt, state.id, *state.at);
  for (pe::QueueBinding& q : code.module().settings.queues) {
    const bool is_it =
        code.is_wse3() ? q.id.value() == state.id : q.color && q.color->value() == state.id;
    if (q.input && is_it) q.unblocked = true;
  }
}

}  // namespace

void set_start_states(TileCode& code) {
  open_channels_of_local_tasks(code);
  set_start_words(code);
  for (const StartState& state : code.tile().start)
    code.engine().goes_on([&] { set_start_state(code, state); });
}

void add_exports(TileCode& code) {
  for (const ExportedSymbol& symbol : code.tile().exports) {
    code.engine().goes_on([&] {
      if (symbol.function.function != nullptr) {
        code.exported[symbol.name] = code.entry(symbol.function, symbol.name, false);
      } else {
        const ir::VariableId exported =
            code.variable_of(std::const_pointer_cast<Cell>(symbol.variable), *symbol.at);
        code.module().variables[exported].is_internal = false;
      }
    });
  }
}

namespace {

void add_initial_load(TileCode& code, const DsrLoad& load) {
  const Node& at = *load.at;
  pe::InitialLoad made;
  made.dsr = dsr_operand(code, {load.dsr, Value{BigInt(load.id)}}, false);
  made.dsd =
      code.descriptor_of(*load.dsd.type, *load.dsd.value().get<std::shared_ptr<const Dsd>>(), at);
  DescriptorChecks checks(code);
  checks.add(made.dsr.kind == pe::kDest ? 0 : 1, load.dsd, {}, at);
  checks.finish();
  made.config = operation_options(code, load_options_table(), load.options, at);
  check_load_options(code.engine(), *load.dsd.type, load.options, at);
  const auto& loads = code.module().settings.initial_loads;
  const bool is_loaded = std::any_of(loads.begin(), loads.end(), [&](const pe::InitialLoad& other) {
    return other.dsr.kind == made.dsr.kind && other.dsr.reg == made.dsr.reg;
  });
  if (is_loaded)
    code.engine().fail(Id::kSetTwice, at, "the ", load.dsr->name, " ", load.id,
                       " is loaded a second time before the program runs");
  const pe::Dsd& dsd = code.module().descriptors[made.dsd].dsd;
  const unsigned slot = made.dsr.kind == pe::kSrc1 ? 2 : made.dsr.kind == pe::kSrc0 ? 1 : 0;
  ir::StrideRegisters alone;
  try {
    add_extension(code, dsd, made.config, slot, alone);
  } catch (const ir::NoRegister& error) {
    code.engine().fail(Id::kRegistersTaken, at, error.what());
  }
  if (load.extended) name_extension(code.engine(), load, load.dsd, made.config);
  code.note_load(made.dsr, dsd, made.config);
  LiveDsd loaded;
  loaded.descriptor = made.dsd;
  code.dsr_uses.add_descriptor(made.dsr, loaded, load.dsd, made.config);
  code.dsr_uses.add_load(made.dsr, load.dsd.value().get<std::shared_ptr<const Dsd>>()->element,
                         made.config, at);
  const ir::Place place = code.place_of(at);
  made.line = place.line;
  made.file = place.file;
  code.module().settings.initial_loads.push_back(made);
}

}  // namespace

void add_initial_loads(TileCode& code) {
  for (const DsrLoad& load : code.tile().dsrs)
    code.engine().goes_on([&] { add_initial_load(code, load); });
}

/// Task 29 calls the handlers of the colors that went into teardown. A read clears the register.
void add_handler_task(TileCode& code) {
  if (code.tile().teardown_handlers.empty() && code.tile().empty_queue_handlers.empty()) return;
  const FunctionValue& first = code.tile().teardown_handlers.empty()
                                   ? code.tile().empty_queue_handlers.begin()->second
                                   : code.tile().teardown_handlers.begin()->second;
  ir::Function made;
  made.name = "teardown";
  made.is_task = true;
  made.place = code.place_of(*first.function);
  const ir::FunctionId id = ir::add_function(code.module(), std::move(made));
  FunctionCode made_code(code, code.module(), id);
  ir::Builder& builder = made_code.builder;
  constexpr unsigned kWordBits = 16;
  const auto call_handlers = [&](std::uint32_t address, unsigned from,
                                 const std::map<unsigned, FunctionValue>& handlers) {
    const bool has_any = std::any_of(handlers.begin(), handlers.end(), [&](const auto& handler) {
      return handler.first / kWordBits == from / kWordBits;
    });
    if (!has_any) return;
    ir::Machine read;
    read.op = pe::Opcode::kLdcfg;
    read.fields = {{ir::Machine::Slot::kResult, 0, {}}, {ir::Machine::Slot::kValue, 0, {}}};
    const ir::Value bits = builder.machine(std::move(read), {ir::constant(ir::Type::kU16, address)},
                                           {ir::Type::kU16})[0];
    for (const auto& [number, handler] : handlers) {
      if (number / kWordBits != from / kWordBits) continue;
      const ir::BlockId yes = builder.new_block(), next = builder.new_block();
      const ir::Value bit = builder.binary(
          ir::Op::kAnd, bits, ir::constant(ir::Type::kU16, 1U << (number % kWordBits)));
      builder.branch(ir::Condition::kNe, bit, ir::constant(ir::Type::kU16, 0), yes, next);
      builder.enter(yes);
      builder.call(*code.function_for(handler, {}, *handler.function), {});
      builder.jump(next);
      builder.enter(next);
    }
  };
  call_handlers(0x7f60, 0, code.tile().teardown_handlers);
  call_handlers(0x7f61, kWordBits, code.tile().teardown_handlers);
  call_handlers(0x7f63, 0, code.tile().empty_queue_handlers);
  builder.ret();
  ir::Task task;
  task.function = id;
  task.binding.id = TaskId(pe::kTeardownTask);
  task.binding.kind = pe::TaskKind::kLocal;
  code.module().tasks.push_back(std::move(task));
}

}  // namespace tessera::csl
