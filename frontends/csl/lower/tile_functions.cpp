// The functions of a tile: which code a call or a launch needs, and the analysis of their bodies (csl.md 6).
#include <algorithm>

#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/local_names.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

bool TileCode::is_register_parameter(const Type* type, const Result& argument,
                                     const Parameter& parameter) const {
  if (parameter.is_comptime) return false;
  const Type& passed = type->is(TypeKind::kAnytype) ? *argument.type : *type;
  // Instructions and descriptors name queues, colors and ids: a call with one that is known has a function of its own.
  const bool is_named = passed.is(TypeKind::kFunction) || passed.is(TypeKind::kHandle);
  if (is_named && argument.is_known()) return false;
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
  // Each call with other known arguments is a function of its own: a cycle of such calls has no end. Functions without known
  // arguments are as many as the program has.
  const bool has_known =
      std::any_of(kept.begin(), kept.end(), [](const Result& one) { return one.is_known(); });
  if (has_known && depth_ >= engine_.options.most_calls)
    engine_.fail(Id::kLimit, at, "more than ", engine_.options.most_calls,
                 " calls, each with other known "
                 "arguments, lead to ",
                 in_quotes(function.name.text), " (--comptime-func-depth-limit)");
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
  pending_.push_back({id, callee, std::move(kept), depth_ + (has_known ? 1 : 0),
                      &engine_.place_of_user(at), std::nullopt});
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
    if (!in_register || type->is(TypeKind::kFunction))
      engine_.fail(Id::kTaskForm, function, "the parameter ", in_quotes(parameter.name.text),
                   " is of type ", in_quotes(type->name), ", which no ",
                   is_task ? "wavelet" : "launch", " delivers");
    made.parameters.push_back(made.new_register(*in_register));
    arguments.push_back({type, RunTimeOperand{}});
  }
  const Type* result = evaluator.type(*function.result);
  if (!result->is(TypeKind::kVoid)) {
    if (is_task) engine_.fail(Id::kTaskForm, function, "a task returns nothing");
    made.result = register_type(*result);  // the host ignores it
  }
  const ir::FunctionId id = ir::add_function(module_, std::move(made));
  pending_.push_back({id, value, std::move(arguments), 0, nullptr, std::nullopt});
  return id;
}

ir::FunctionId TileCode::function_of_pointer(const FunctionValue& callee, const Type& type,
                                             const PassedInMemory& passed, const Node& at) {
  std::vector<Result> arguments;
  for (std::size_t i = 0; i < type.parameters.size(); ++i) {
    const std::optional<Storage> place =
        passed.arguments.empty() ? std::nullopt : passed.arguments[i];
    arguments.push_back(place ? operand_at(type.parameters[i], *place)
                              : Result{type.parameters[i], RunTimeOperand{}});
  }
  if (!passed.is_used()) return *function_for(callee, arguments, at);
  ir::Function made;
  made.name = std::string(callee.function->name.text) + "_by_pointer";
  made.place = place_of(*callee.function);
  if (!type.element->is(TypeKind::kVoid)) made.result = register_type(*type.element);
  for (const Type* parameter : type.parameters) {
    if (const auto in_register = register_type(*parameter))
      made.parameters.push_back(made.new_register(*in_register));
  }
  const ir::FunctionId id = ir::add_function(module_, std::move(made));
  pending_.push_back(
      {id, callee, std::move(arguments), depth_, &engine_.place_of_user(at), passed.result});
  return id;
}

/// Registers, and copies of what lies in the memory that calls share.
void TileCode::take_parameters(const Pending& pending, Evaluator& evaluator, FunctionCode& code) {
  const Function& function = *pending.function.function;
  Frame& frame = evaluator.frame();
  std::size_t next = 0;
  for (std::size_t i = 0; i < pending.arguments.size(); ++i) {
    Result argument = pending.arguments[i];
    const auto* operand = std::get_if<RunTimeOperand>(&argument.operand);
    if (const auto* place = operand == nullptr ? nullptr : std::get_if<Storage>(&operand->place)) {
      frame.code = &code;
      const Result given = load_operand(evaluator, argument.type, *place, function);
      argument = kept_operand(evaluator, given, function.parameters[i].name.text, function);
      frame.code = nullptr;
    } else if (!argument.is_known()) {
      const ir::RegisterId number = module_.functions[pending.id].parameters[next++];
      argument = operand_of(argument.type, ir::reg(*register_type(*argument.type), number));
    }
    frame.code = &code;
    name_constant(evaluator, argument, function.parameters[i].name.text, function);
    frame.code = nullptr;
    bind_parameter(frame, function.parameters[i], std::move(argument));
  }
}

void TileCode::analyse(const Pending& pending) {
  const Function& function = *pending.function.function;
  // A mistake in a function of another file is one of who calls it.
  std::optional<Engine::Level> call;
  if (pending.called_at != nullptr && pending.called_at->file != function.file)
    call.emplace(engine_, *pending.called_at, "in the first call of", function.name.text);
  const Engine::Level level(engine_, function, function.is_task ? "in the task" : "in the function",
                            function.name.text);
  Frame frame(*pending.function.instance);
  frame.function = &function;
  Evaluator evaluator(engine_, frame);
  FunctionCode code(*this, module_, pending.id);
  code.builder.set_place(place_of(function));
  frame.last_line = function.body->last_line;
  take_parameters(pending, evaluator, code);
  code.result = evaluator.type(*function.result);
  code.result_place = pending.result_place;
  frame.code = &code;
  frame.return_type = code.result;
  const std::size_t mistakes = engine_.mistakes.count();
  const Flow flow = evaluator.run(*function.body);
  if (engine_.mistakes.count() != mistakes) return;  // nobody will run the code
  if (flow == Flow::kNext) {
    if (!code.result->is(TypeKind::kVoid))
      engine_.fail(Id::kReturn, function, "the function ", in_quotes(function.name.text),
                   " ends without a return");
    // What ends the function after an arm or a loop is no part of their lines.
    if (code.builder.is_at_join()) {
      Node end = function;
      end.place.line = function.body->last_line;
      code.builder.set_place(place_of(end));
    }
    code.builder.ret();
  }
  for (ir::BlockId b = 0; b < module_.functions[pending.id].blocks.size(); ++b) {
    code.builder.enter(b);
    if (!code.builder.is_closed()) code.builder.trap();  // nothing leads there
  }
  find_assignments(module_, code);
}

void TileCode::analyse_all() {
  while (!pending_.empty()) {
    const Pending next = pending_.front();
    pending_.erase(pending_.begin());
    depth_ = next.depth;
    engine_.goes_on([&] { analyse(next); });
  }
}

}  // namespace tessera::csl
