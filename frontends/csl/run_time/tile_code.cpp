#include "frontends/csl/run_time/tile_code.h"

#include <algorithm>

#include "frontends/csl/run_time/builtins.h"
#include "frontends/csl/run_time/calls.h"
#include "frontends/csl/run_time/dsd_values.h"
#include "frontends/csl/run_time/operands.h"

namespace tessera::csl {
namespace {

std::uint16_t file_of(const std::string& dsr) {
  if (dsr == "dsr_dest" || dsr == "dsr_fifo_dest") return pe::kDest;
  if (dsr == "dsr_src0") return pe::kSrc0;
  if (dsr == "dsr_src1" || dsr == "dsr_fifo_src1") return pe::kSrc1;
  return pe::kNoOperand;
}

/// The parts of a value in registers; arrays and structs one after the other.
pe::HalfFormat half_of(const std::string& name) {
  return name == "bf16"   ? pe::HalfFormat::kBf16
         : name == "cb16" ? pe::HalfFormat::kCb16
                          : pe::HalfFormat::kF16;
}

}  // namespace

TileCode::TileCode(Engine& engine, const Variant& variant,
                   const std::vector<pe::QueueBinding>& queues)
    : named_queues(queues), engine_(engine), variant_(variant) {
  named_dsrs_ = variant.tile.dsr_ids;
  constexpr std::uint16_t kFiles[] = {pe::kDest, pe::kSrc0, pe::kSrc1};
  const std::size_t fifos = variant.tile.fifos.size();
  for (unsigned slot = 0; slot < 3; ++slot) {
    std::vector<std::uint8_t> free;
    for (std::uint8_t n = 1; n <= pe::kDsrsPerFile; ++n) {
      const std::uint8_t number = n % pe::kDsrsPerFile;
      const bool is_named =
          std::any_of(named_dsrs_.begin(), named_dsrs_.end(), [&](const auto& named) {
            return file_of(named.first) == kFiles[slot] && named.second == number;
          });
      bool is_fifo = false;
      for (std::size_t f = 0; f < fifos && slot != 1; ++f)
        is_fifo = is_fifo || fifo_registers(f).first == number;
      if (!is_named && !is_fifo) free.push_back(number);
    }
    if (free.empty()) continue;
    dsr_choice_.synchronous[slot] = free.front();
    // Those from 8 on have the number of their microthread; a taken one gets the highest free one.
    std::vector<std::uint8_t> rest(free.begin() + (free.size() > 1 ? 1 : 0), free.end());
    for (unsigned ut = 0; ut < dsr_choice_.asynchronous[slot].size(); ++ut) {
      const auto usual = static_cast<std::uint8_t>(8 + ut);
      const bool is_free = std::find(free.begin(), free.end(), usual) != free.end();
      if (is_free) {
        dsr_choice_.asynchronous[slot][ut] = usual;
        continue;
      }
      const auto low = std::find_if(rest.begin(), rest.end(), [](std::uint8_t n) { return n < 8; });
      const auto other = low != rest.end() ? low : rest.begin();
      if (other == rest.end()) continue;
      dsr_choice_.asynchronous[slot][ut] = *other;
      if (rest.size() > 1) rest.erase(other);
    }
  }
}

std::pair<unsigned, unsigned> TileCode::fifo_registers(std::size_t fifo) const {
  const auto is_free = [this](unsigned number) {
    return std::none_of(named_dsrs_.begin(), named_dsrs_.end(), [number](const auto& named) {
      const std::uint16_t file = file_of(named.first);
      return (file == pe::kDest || file == pe::kSrc1) && named.second == number;
    });
  };
  // FIFOs keep their registers: they get those that no microthread of a queue usually has.
  std::vector<unsigned> order = {7, 6, 5, 4, 3, 2, 15, 14, 13, 12};
  std::size_t nth = 0;
  for (const unsigned number : order) {
    if (is_free(number) && nth++ == fifo)
      return {number, static_cast<unsigned>(pe::kXdsrCount - 1 - fifo % pe::kXdsrCount)};
  }
  return {order.back(), 0};
}

// Places

ir::Place TileCode::place_of(const Node& at) {
  if (at.place.line == 0) return {};
  const auto [found, is_new] =
      files_.emplace(at.file, static_cast<std::uint32_t>(module_.files.size()));
  if (is_new) module_.files.push_back(engine_.file_name(at.file));
  return {found->second, at.place.line};
}

// Variables

void TileCode::append_bits(ir::Variable& variable, const Type& type, const Value& value,
                           const Node& at) {
  if (value.is_undefined() && size_of(type) > 0 && !type.is_aggregate()) {
    const auto units = static_cast<std::size_t>(size_of(type)) / bytes_of(variable.type);
    variable.init.insert(variable.init.end(), std::max<std::size_t>(units, 1), 0);
    return;
  }
  if (type.is(TypeKind::kArray)) {
    const Aggregate& elements = value.elements();
    const std::size_t before = variable.init.size();
    if (elements.is_uniform() && elements.size() > 0 && register_type(*type.element)) {
      append_bits(variable, *type.element, elements[0], at);
      variable.init.resize(before + elements.size(), variable.init.back());
      return;
    }
    for (std::size_t i = 0; i < elements.size(); ++i)
      append_bits(variable, *type.element, elements[i], at);
    return;
  }
  if (type.is(TypeKind::kStruct)) {
    for (std::size_t i = 0; i < type.fields.size(); ++i)
      append_bits(variable, *type.fields[i].type, value.elements()[i], at);
    return;
  }
  const auto number = static_cast<std::uint32_t>(variable.init.size());
  if (type.is(TypeKind::kDsd)) {
    const std::uint32_t index = descriptor_of(type, *value.get<std::shared_ptr<const Dsd>>(), at);
    const ir::Descriptor& d = module_.descriptors[index];
    variable.init.push_back(index);
    variable.init.push_back(d.dsd.base);
    if (d.array) variable.addresses.push_back({number + 1, *d.array});
    variable.init.push_back(d.dsd.extent);
    variable.init.push_back(static_cast<std::uint16_t>(d.dsd.strides[0]));
    return;
  }
  if (type.is(TypeKind::kPointer) && value.pointer().cell) {
    const PointerValue& to = value.pointer();
    variable.init.push_back(static_cast<std::uint16_t>(offset_of(*to.cell->type, to.path)));
    variable.addresses.push_back({number, variable_of(to.cell, at)});
    return;
  }
  const std::uint32_t bits = bits_of(engine_, type, value);
  const bool is_split = size_of(type) == 4 && bytes_of(variable.type) == 2;
  variable.init.push_back(is_split || size_of(type) == 2 ? bits & 0xffffU : bits);
  if (is_split) variable.init.push_back(bits >> 16);
}

std::optional<ir::VariableId> TileCode::find_variable(const Cell& cell) const {
  const auto found = variables_.find(&cell);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

std::string TileCode::name_of(const Cell& cell) const {
  if (!cell.link_name.empty()) return cell.link_name;
  const bool is_own = cell.instance == nullptr || cell.instance == variant_.root;
  return is_own ? cell.name : cell.instance->name() + "." + cell.name;
}

std::map<std::string, ir::VariableId> TileCode::globals() const {
  std::map<std::string, ir::VariableId> globals;
  for (const auto& [cell, variable] : variables_) {
    if (cell->instance != nullptr) globals.emplace(name_of(*cell), variable);
  }
  return globals;
}

void TileCode::set_storage(const std::shared_ptr<Cell>& cell, ir::VariableId variable) {
  kept_.push_back(cell);
  variables_[cell.get()] = variable;
}

ir::VariableId TileCode::variable_of(const std::shared_ptr<Cell>& cell, const Node& at) {
  if (const auto found = find_variable(*cell)) return *found;
  const Type& type = *cell->type;
  const bool is_array = type.is(TypeKind::kArray);
  const std::optional<ir::Type> element = register_type(is_array ? *type.element : type);
  const std::int64_t bytes = size_of(type);
  if (bytes == 0 && !(is_array && element))
    engine_.fail(at, in_quotes(cell->name), " is of type ", in_quotes(type.name),
                 ", which the memory of a PE does not hold");
  if (bytes > (1 << 24))
    engine_.fail(at, in_quotes(cell->name), " takes ", bytes, " bytes, and a PE has ",
                 pe::kSramBytes);
  ir::Variable made;
  made.type = element.value_or(ir::Type::kU16);
  made.count =
      static_cast<std::uint32_t>(element ? (is_array ? type.count() : 1) : (bytes + 1) / 2);
  made.count = std::max<std::uint32_t>(made.count, 1);
  made.align = static_cast<std::uint32_t>(cell->alignment);
  made.name = name_of(*cell);
  made.place = place_of(at);
  // Constants and tables of functions lie behind the variables.
  made.order = cell->instance != nullptr ? engine_.order_of(*cell) : ~std::uint64_t{0};
  if (const Node* declared = engine_.declaration_of(*cell)) made.place = place_of(*declared);
  const ir::VariableId id = ir::add_variable(module_, made);
  set_storage(cell, id);
  ir::Variable initial = std::move(made);
  if (!cell->value.is_undefined()) append_bits(initial, type, cell->value, at);
  while (!initial.init.empty() && initial.init.back() == 0 &&
         (initial.addresses.empty() || initial.addresses.back().element + 1 < initial.init.size()))
    initial.init.pop_back();
  module_.variables[id] = std::move(initial);
  return id;
}

// Functions

bool TileCode::is_register_parameter(const Type* type, const Result& argument,
                                     const Parameter& parameter) const {
  if (parameter.is_comptime) return false;
  const Type& passed = type->is(TypeKind::kAnytype) ? *argument.type : *type;
  return register_type(passed).has_value();
}

std::optional<ir::FunctionId> TileCode::function_for(const FunctionValue& callee,
                                                     const std::vector<Result>& arguments,
                                                     const Node& at) {
  const Function& function = *callee.function;
  Frame frame(*callee.instance);
  Evaluator evaluator(engine_, frame);
  std::string key = callee.instance->label() + "/" + std::string(function.name.text);
  std::vector<Result> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const Type* type = evaluator.type(*parameter.type);
    bind_parameter(frame, parameter, arguments[i]);
    if (is_register_parameter(type, arguments[i], parameter)) {
      const Type* passed = type->is(TypeKind::kAnytype) ? arguments[i].type : type;
      kept.push_back({passed, RunTimeOperand{}});
      key += "," + passed->name;
      continue;
    }
    if (!arguments[i].is_known()) return std::nullopt;
    kept.push_back(
        engine_.convert(arguments[i], type, at, "the parameter " + in_quotes(parameter.name.text)));
    key += "," + text_of(*kept.back().type, kept.back().value());
  }
  const auto found = functions_.find(key);
  if (found != functions_.end()) return found->second;
  const Type* result = evaluator.type(*function.result);
  ir::Function made;
  made.name = callee.instance == variant_.root
                  ? std::string(function.name.text)
                  : callee.instance->name() + "." + std::string(function.name.text);
  made.place = place_of(function);
  made.never_inlined = function.inlining == Function::Inlining::kNoinline;
  if (!result->is(TypeKind::kVoid)) made.result = register_type(*result);
  for (const Result& argument : kept) {
    if (!argument.is_known())
      made.parameters.push_back(made.new_register(*register_type(*argument.type)));
  }
  const ir::FunctionId id = ir::add_function(module_, std::move(made));
  functions_.emplace(key, id);
  pending_.push_back({id, callee, std::move(kept)});
  return id;
}

ir::FunctionId TileCode::entry(const FunctionValue& value, const std::string& name, bool is_task) {
  const Function& function = *value.function;
  Frame frame(*value.instance);
  Evaluator evaluator(engine_, frame);
  ir::Function made;
  made.name = name;
  made.is_task = is_task;
  made.exported = !is_task;
  made.place = place_of(function);
  std::vector<Result> arguments;
  for (const Parameter& parameter : function.parameters) {
    const Type* type = evaluator.type(*parameter.type);
    const std::optional<ir::Type> in_register = register_type(*type);
    if (!in_register)
      engine_.fail(function, "the parameter ", in_quotes(parameter.name.text), " is of type ",
                   in_quotes(type->name), ", which no ", is_task ? "wavelet" : "launch",
                   " delivers");
    made.parameters.push_back(made.new_register(*in_register));
    arguments.push_back({type, RunTimeOperand{}});
  }
  const Type* result = evaluator.type(*function.result);
  if (!result->is(TypeKind::kVoid))
    engine_.fail(function, "a ", is_task ? "task" : "function that the host launches",
                 " returns nothing");
  const ir::FunctionId id = ir::add_function(module_, std::move(made));
  pending_.push_back({id, value, std::move(arguments)});
  return id;
}

void TileCode::analyse(const Pending& pending) {
  const Function& function = *pending.function.function;
  const Engine::Level level(engine_, function, function.is_task ? "in the task" : "in the function",
                            function.name.text);
  Frame frame(*pending.function.instance);
  frame.function = &function;
  Evaluator evaluator(engine_, frame);
  FunctionCode code(*this, module_, pending.id);
  std::size_t next = 0;
  for (std::size_t i = 0; i < pending.arguments.size(); ++i) {
    Result argument = pending.arguments[i];
    if (!argument.is_known()) {
      const ir::RegisterId number = module_.functions[pending.id].parameters[next++];
      argument = operand_of(argument.type, ir::reg(*register_type(*argument.type), number));
    }
    bind_parameter(frame, function.parameters[i], std::move(argument));
  }
  code.result = evaluator.type(*function.result);
  frame.code = &code;
  frame.return_type = code.result;
  code.builder.set_place(place_of(function));
  const Flow flow = evaluator.run(*function.body);
  if (flow == Flow::kNext) {
    if (!code.result->is(TypeKind::kVoid))
      engine_.fail(function, "the function ", in_quotes(function.name.text),
                   " ends without a return");
    code.builder.ret();
  }
  for (ir::BlockId b = 0; b < module_.functions[pending.id].blocks.size(); ++b) {
    code.builder.enter(b);
    if (!code.builder.is_closed()) code.builder.trap();  // nothing leads there
  }
}

// Descriptors and queues

std::uint32_t TileCode::add_descriptor(ir::Descriptor descriptor) {
  const pe::Dsd& d = descriptor.dsd;
  std::string key = text::joined(
      static_cast<int>(d.kind), ",", d.extent, ",", d.base, ",", unsigned{d.element_bytes}, ",",
      d.wavelet_index_offset, ",", unsigned{d.dimensions}, ",", d.wrap_base, ",", d.wrap_count, ",",
      d.queue.value(), ",", d.color.value(), ",", static_cast<int>(d.simd), ",",
      d.priority ? static_cast<int>(*d.priority) : -1, ",", d.control_transform, ",", d.control,
      ",", d.advance_switch, ",", static_cast<int>(d.zero), ",",
      descriptor.array ? static_cast<long>(*descriptor.array) : -1L);
  for (unsigned i = 0; i < d.dimensions; ++i)
    key += text::joined(",", d.extents[i], ",", d.strides[i]);
  const auto [found, is_new] =
      descriptors_.emplace(key, static_cast<std::uint32_t>(module_.descriptors.size()));
  if (is_new) {
    descriptor.dsd.name = "d" + std::to_string(found->second);
    module_.descriptors.push_back(std::move(descriptor));
  }
  return found->second;
}

std::uint32_t TileCode::descriptor_of(const Type& kind, const Dsd& dsd, const Node& at) {
  return add_descriptor(lowered(*this, kind, dsd, at));
}

QueueUse TileCode::use_queue(bool is_input, std::optional<unsigned> queue,
                             std::optional<unsigned> color, const Node& at, bool later) {
  std::vector<pe::QueueBinding>& queues = module_.settings.queues;
  const auto find = [&](auto&& matches) -> pe::QueueBinding* {
    for (pe::QueueBinding& q : queues) {
      if (q.input == is_input && matches(q)) return &q;
    }
    return nullptr;
  };
  const bool has_own_colors = !is_input && !is_wse3();  // output queues of WSE-2 carry several
  pe::QueueBinding* found = nullptr;
  if (queue) {
    found = find([&](const pe::QueueBinding& q) { return q.id.value() == *queue; });
  } else if (color && !has_own_colors) {
    found = find([&](const pe::QueueBinding& q) { return q.color && q.color->value() == *color; });
  } else if (has_own_colors) {
    found = find([](const pe::QueueBinding&) { return true; });
  }
  if (found == nullptr) {
    if (is_wse3() && !queue && !later)
      engine_.fail(at, "the descriptor names no queue, which WSE-3 needs");
    // Operations on a queue without a color of its own wait for ever; programs have such for PEs
    // that never carry them out.
    const bool is_taken_color = is_input && color && find([&](const pe::QueueBinding& q) {
                                                       return q.color && q.color->value() == *color;
                                                     }) != nullptr;
    if (queue && (!color || is_taken_color)) color = unused_color();
    if (!color) engine_.fail(at, "the descriptor names no color, and no queue is bound to one");
    const bool is_named = queue.has_value();
    static constexpr unsigned kOrder[] = {2, 3, 4, 5, 6, 7, 1, 0};
    for (const unsigned candidate : kOrder) {
      const bool is_taken =
          find([&](const pe::QueueBinding& q) { return q.id.value() == candidate; }) != nullptr;
      if (!queue && !is_taken) queue = candidate;
    }
    if (!queue) engine_.fail(at, "all eight queues are taken");
    has_chosen_queue = has_chosen_queue || !is_named;
    if (!is_named && is_input) chosen_queues_.insert(*queue);
    pe::QueueBinding made;
    made.name = std::string(is_input ? "in" : "out") + std::to_string(*queue);
    made.input = is_input;
    made.id = QueueId(*queue);
    if (is_input || is_wse3()) made.color = Color(*color);
    ir::set_place(made, place_of(at));
    if (is_named) named_queues.push_back(made);
    queues.push_back(std::move(made));
    found = &queues.back();
  }
  const bool is_other = is_input && color && found->color && found->color->value() != *color;
  const bool was_chosen = is_other && queue && chosen_queues_.count(*queue) != 0;
  if (was_chosen) {  // the queue belongs to this color; the next analysis chooses another one
    pe::QueueBinding named = *found;
    named.color = Color(*color);
    named_queues.push_back(std::move(named));
  } else if (is_other) {
    engine_.fail(at, "the input queue ", found->id.value(), " is bound to the color ",
                 found->color->value(), " instead of ", *color);
  }
  if (has_own_colors && !color) engine_.fail(at, "the descriptor names no color");
  const Color used = color ? Color(*color) : *found->color;
  return {found->id, is_wse3() && found->color ? *found->color : used};
}

unsigned TileCode::unused_color() const {
  unsigned color = kColorCount - 1;
  const auto is_bound = [this](unsigned c) {
    const auto& queues = module_.settings.queues;
    return std::any_of(queues.begin(), queues.end(),
                       [c](const pe::QueueBinding& q) { return q.color && q.color->value() == c; });
  };
  while (color > 0 && is_bound(color)) --color;
  return color;
}

std::uint32_t TileCode::string(const std::string& text) {
  const auto [found, is_new] =
      strings_.emplace(text, static_cast<std::uint32_t>(module_.settings.strings.size()));
  if (is_new) {
    pe::PrintedString made;
    made.name = "text" + std::to_string(found->second);
    made.text = text;
    module_.settings.strings.push_back(std::move(made));
  }
  return found->second;
}

TaskId TileCode::id_of(const FunctionValue& task, const Node& at) const {
  for (const TaskBinding& binding : tile().tasks) {
    if (binding.task.function == task.function && binding.task.instance == task.instance)
      return TaskId(binding.id);
  }
  engine_.fail(at, in_quotes(task.function->name.text), " is not bound to a task id");
}

// The whole tile

void TileCode::set_up_image() {
  pe::Image& image = module_.settings;
  image.generation = is_wse3() ? Generation::kWse3 : Generation::kWse2;
  image.half = half_of(engine_.options.half);
  module_.files.push_back(variant_.file);  // number 0 is the program itself, not a source
  for (const csl::QueueBinding& q : tile().queues) {
    pe::QueueBinding made;
    made.name = std::string(q.is_input ? "in" : "out") + std::to_string(q.id);
    made.input = q.is_input;
    made.id = QueueId(q.id);
    if (q.is_input && !is_wse3()) made.priority = pe::Priority::kHigh;
    for (const auto& [name, value] : q.options) {
      if (name == "color") made.color = Color(static_cast<unsigned>(value.value().integer()));
      if (name == "ctrl_table_id")
        made.control_table = static_cast<std::uint8_t>(value.value().integer());
      if (name == "dense_mode") made.dense = value.value().get<bool>();
      if (name == "priority") {
        for (const auto& [level, is_it] : fields_of(value)) {
          if (!is_it.value().get<bool>()) continue;
          made.priority = level == "high"     ? pe::Priority::kHigh
                          : level == "medium" ? pe::Priority::kMedium
                                              : pe::Priority::kLow;
        }
      }
    }
    const ir::Place place = place_of(*q.at);
    made.line = place.line;
    made.file = place.file;
    image.queues.push_back(std::move(made));
  }
  if (const auto& table = tile().control_table) {
    const ir::Place place = place_of(*table->at);
    image.control_table =
        pe::ControlTable{static_cast<std::uint8_t>(table->instructions),
                         static_cast<std::uint8_t>(table->stride), place.line, place.file};
  }
  for (pe::QueueBinding q : named_queues) {
    if (image.find_queue(q.input, q.id) == nullptr) image.queues.push_back(std::move(q));
  }
}

void TileCode::add_fifos() {
  for (std::size_t i = module_.fifos.size(); i < tile().fifos.size(); ++i) {
    const FifoDeclaration& declared = tile().fifos[i];
    const Node& at = *declared.at;
    ir::Fifo made;
    made.array = variable_of(std::const_pointer_cast<Cell>(declared.buffer), at);
    const ir::Place place = place_of(at);
    made.fifo.line = place.line;
    made.fifo.file = place.file;
    ir::Variable& array = module_.variables[made.array];
    array.align = std::max<std::uint32_t>(array.align, pe::kFifoAlignment);
    made.fifo.name = "fifo" + std::to_string(i);
    const auto [dsr, xdsr] = fifo_registers(i);
    made.fifo.dsr = static_cast<std::uint8_t>(dsr);
    made.fifo.xdsr = static_cast<std::uint8_t>(xdsr);
    for (const auto& [name, value] : declared.options) {
      const auto task = [&]() -> TaskId {
        if (value.value().holds<FunctionValue>())
          return id_of(value.value().get<FunctionValue>(), at);
        return TaskId(static_cast<unsigned>(value.value().integer()));
      };
      if (name == "activate_push") made.fifo.activate_push = task();
      if (name == "activate_pop") made.fifo.activate_pop = task();
      if (name == "dest" || name == "src")
        made.fifo.dsr = static_cast<std::uint8_t>(value.value().integer());
      if (name == "xdsr") made.fifo.xdsr = static_cast<std::uint8_t>(value.value().integer());
      if (name == "empty_action" || name == "full_action") {
        pe::FifoAction action = pe::FifoAction::kTestOrSuspend;
        for (const auto& [choice, is_it] : fields_of(value)) {
          if (!is_it.value().holds<bool>() || !is_it.value().get<bool>()) continue;
          action = choice == "terminate" ? pe::FifoAction::kTerminate
                   : choice == "suspend" ? pe::FifoAction::kSuspend
                   : choice == "fault"   ? pe::FifoAction::kFault
                                         : pe::FifoAction::kTestOrSuspend;
        }
        (name == "empty_action" ? made.fifo.empty_action : made.fifo.full_action) = action;
      }
    }
    module_.fifos.push_back(std::move(made));
  }
}

pe::TaskBinding* TileCode::find_task(const Type& handle, unsigned id) {
  for (ir::Task& task : module_.tasks) {
    const bool is_control = task.binding.kind == pe::TaskKind::kControl;
    const bool wants_control = handle.is_handle("control_task_id");
    if (task.binding.id.value() == id && is_control == wants_control) return &task.binding;
  }
  return nullptr;
}

void TileCode::add_tasks() {
  for (const TaskBinding& bound : tile().tasks) {
    ir::Task made;
    made.function = entry(bound.task, std::string(bound.task.function->name.text), true);
    made.binding.id = TaskId(bound.id);
    made.binding.kind = bound.kind == TaskKind::kData      ? pe::TaskKind::kData
                        : bound.kind == TaskKind::kControl ? pe::TaskKind::kControl
                                                           : pe::TaskKind::kLocal;
    if (bound.kind == TaskKind::kData) {
      const Function& at = *bound.task.function;
      made.binding.queue =
          is_wse3() ? QueueId(bound.id) : use_queue(true, std::nullopt, bound.id, at).queue;
    }
    module_.tasks.push_back(std::move(made));
  }
  for (const RotatingTasks& rotating : tile().rotating_tasks) {
    pe::Rotation made;
    const auto index_of = [&](const FunctionValue& task) {
      for (std::size_t i = 0; i < tile().tasks.size(); ++i) {
        if (tile().tasks[i].task.function == task.function) return static_cast<std::uint32_t>(i);
      }
      engine_.fail(*task.function, in_quotes(task.function->name.text),
                   " is not bound to a task id");
    };
    made.main = index_of(rotating.main);
    made.alternative = index_of(rotating.alternative);
    for (const auto& [name, value] : rotating.options) {
      const auto number = static_cast<std::uint16_t>(value.value().integer());
      if (name == "init") made.init = number;
      if (name == "limit") made.limit = number;
    }
    module_.settings.rotations.push_back(made);
  }
}

// A local task of WSE-2 may have the id of a color that the PE receives (csl.md 5): the channel starts
// unblocked as the task does, so that control wavelets of the color start their tasks.
void TileCode::open_channels_of_local_tasks() {
  const Program& program = engine_.program();
  const auto reaches_ramp = [](const ColorConfig& config) {
    constexpr Directions kRamp = 16;
    return (config.tx & kRamp) != 0;
  };
  for (const TaskBinding& task : tile().tasks) {
    if (task.kind != TaskKind::kLocal || is_wse3()) continue;
    const auto receives = [&](const std::map<unsigned, ColorConfig>& colors) {
      const auto found = colors.find(task.id);
      return found != colors.end() && reaches_ramp(found->second);
    };
    const bool is_received =
        receives(tile().colors) ||
        std::any_of(program.pes.begin(), program.pes.end(), [&](const Pe& pe) {
          return pe.variant >= 0 &&
                 program.variants[static_cast<std::size_t>(pe.variant)].get() == &variant_ &&
                 receives(pe.colors);
        });
    if (!is_received) continue;
    const QueueId queue = use_queue(true, std::nullopt, task.id, *task.task.function).queue;
    for (pe::QueueBinding& q : module_.settings.queues) {
      if (q.input && q.id == queue) q.unblocked = true;
    }
  }
}

void TileCode::set_start_states() {
  open_channels_of_local_tasks();
  for (const StartState& state : tile().start) {
    if (state.handle->is_handle("ut_id")) {
      const auto bit = static_cast<std::uint8_t>(1U << state.id);
      if (state.action == "block") module_.settings.blocked_microthreads |= bit;
      continue;
    }
    pe::TaskBinding* task = find_task(*state.handle, state.id);
    if (task != nullptr) {
      if (state.action == "activate") task->active = true;
      if (state.action == "block") task->blocked = true;
      if (state.action == "unblock") task->blocked = false;
      continue;
    }
    if (state.action == "activate")
      engine_.fail(*state.at, "@activate: no task is bound to the local task id ", state.id);
    if (state.action != "unblock") continue;
    // Control wavelets of a color without a data task arrive in a queue too.
    if (!is_wse3() && state.handle->is_handle("color"))
      use_queue(true, std::nullopt, state.id, *state.at);
    for (pe::QueueBinding& q : module_.settings.queues) {
      const bool is_it =
          is_wse3() ? q.id.value() == state.id : q.color && q.color->value() == state.id;
      if (q.input && is_it) q.unblocked = true;
    }
  }
}

/// On WSE-2 a local task may have the number of a color that leads to the PE: control wavelets of
/// the color then start control tasks, and data waits for operations (csl.md 9).
void TileCode::add_queues_of_local_tasks() {
  if (is_wse3()) return;
  constexpr Directions kRamp = 1U << 4U;
  const auto arrives = [&](const std::map<unsigned, ColorConfig>& colors, unsigned color) {
    const auto found = colors.find(color);
    return found != colors.end() && (found->second.tx & kRamp) != 0;
  };
  const Program& program = engine_.program();
  for (const TaskBinding& bound : tile().tasks) {
    if (bound.kind != TaskKind::kLocal || bound.id >= kColorCount) continue;
    bool is_routed = arrives(tile().colors, bound.id);
    for (const Pe& pe : program.pes) {
      const bool is_ours =
          pe.variant >= 0 &&
          program.variants[static_cast<std::size_t>(pe.variant)].get() == &variant_;
      is_routed = is_routed || (is_ours && arrives(pe.colors, bound.id));
    }
    const auto& queues = module_.settings.queues;
    const bool has_queue =
        std::any_of(queues.begin(), queues.end(), [&](const pe::QueueBinding& q) {
          return q.input && q.color && q.color->value() == bound.id;
        });
    if (!is_routed || has_queue) continue;
    const QueueUse use = use_queue(true, std::nullopt, bound.id, *bound.task.function);
    for (pe::QueueBinding& q : module_.settings.queues)
      if (q.input && q.id == use.queue) q.unblocked = true;
  }
}

void TileCode::add_exports() {
  for (const ExportedSymbol& symbol : tile().exports) {
    if (symbol.function.function != nullptr) {
      exported[symbol.name] = entry(symbol.function, symbol.name, false);
    } else {
      variable_of(std::const_pointer_cast<Cell>(symbol.variable), *symbol.at);
    }
  }
}

ir::Module TileCode::make() {
  set_up_image();
  add_tasks();
  add_fifos();
  add_exports();
  add_initial_loads();
  add_handler_task();
  for (const std::shared_ptr<Cell>& cell : engine_.exported_variables(variant_))
    variable_of(cell, *engine_.declaration_of(*cell));
  while (!pending_.empty()) {
    const Pending next = pending_.front();
    pending_.erase(pending_.begin());
    analyse(next);
  }
  add_fifos();  // those that the code has mentioned first
  add_queues_of_local_tasks();
  set_start_states();
  return std::move(module_);
}

const pe::Fifo& TileCode::fifo(std::size_t number) {
  add_fifos();
  return module_.fifos.at(number).fifo;
}

void TileCode::note_load(const pe::Operand& dsr, const pe::Dsd& dsd, const pe::OpConfig& config) {
  const bool is_fabric = dsd.kind == pe::DsdKind::kFabin || dsd.kind == pe::DsdKind::kFabout;
  if (is_fabric)
    dsr_queues[{dsr.kind, dsr.reg}] = config.ut ? config.ut->value() : dsd.queue.value();
}

std::uint8_t TileCode::map_dsr(std::uint16_t file, unsigned nth, const Node& at) const {
  const unsigned slot = file == pe::kDest ? 0 : 2;
  unsigned found = 0;
  for (std::uint8_t number = 2; number < pe::kDsrsPerFile; ++number) {
    const bool is_named =
        std::any_of(named_dsrs_.begin(), named_dsrs_.end(), [&](const auto& named) {
          return file_of(named.first) == file && named.second == number;
        });
    bool is_fifo = false;
    for (std::size_t f = 0; f < tile().fifos.size(); ++f)
      is_fifo = is_fifo || fifo_registers(f).first == number;
    if (is_named || is_fifo || number == dsr_choice_.synchronous[slot]) continue;
    if (found++ == nth) return number;
  }
  engine_.fail(at, "@map: the DSRs of the PE are all taken");
}

void TileCode::add_initial_loads() {
  for (const DsrLoad& load : tile().dsrs) {
    const Node& at = *load.at;
    pe::InitialLoad made;
    made.dsr = dsr_operand(*this, {load.dsr, Value{BigInt(load.id)}}, false);
    made.dsd =
        descriptor_of(*load.dsd.type, *load.dsd.value().get<std::shared_ptr<const Dsd>>(), at);
    made.config = operation_options(*this, load.options, at);
    const pe::Dsd& dsd = module_.descriptors[made.dsd].dsd;
    const unsigned slot = made.dsr.kind == pe::kSrc1 ? 2 : made.dsr.kind == pe::kSrc0 ? 1 : 0;
    add_extension(dsd, made.config, slot);
    if (load.extended) name_extension(load, made.config);
    note_load(made.dsr, dsd, made.config);
    const ir::Place place = place_of(at);
    made.line = place.line;
    made.file = place.file;
    module_.settings.initial_loads.push_back(made);
  }
}

/// Task 29 calls the handlers of the colors that went into teardown. A read clears the register.
void TileCode::add_handler_task() {
  if (tile().teardown_handlers.empty() && tile().empty_queue_handlers.empty()) return;
  const FunctionValue& first = tile().teardown_handlers.empty()
                                   ? tile().empty_queue_handlers.begin()->second
                                   : tile().teardown_handlers.begin()->second;
  ir::Function made;
  made.name = "teardown";
  made.is_task = true;
  made.place = place_of(*first.function);
  const ir::FunctionId id = ir::add_function(module_, std::move(made));
  FunctionCode code(*this, module_, id);
  ir::Builder& builder = code.builder;
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
      builder.call(*function_for(handler, {}, *handler.function), {});
      builder.jump(next);
      builder.enter(next);
    }
  };
  call_handlers(0x7f60, 0, tile().teardown_handlers);
  call_handlers(0x7f61, kWordBits, tile().teardown_handlers);
  call_handlers(0x7f63, 0, tile().empty_queue_handlers);
  builder.ret();
  ir::Task task;
  task.function = id;
  task.binding.id = TaskId(pe::kTeardownTask);
  task.binding.kind = pe::TaskKind::kLocal;
  module_.tasks.push_back(std::move(task));
}

}  // namespace tessera::csl
