#include "frontends/csl/lower/calls.h"

#include <algorithm>

#include "frontends/csl/lower/control.h"
#include "frontends/csl/lower/local_names.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

bool are_known(const std::vector<Result>& arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Result& argument) { return argument.is_known(); });
}

/// A function of known arguments that touches nothing of the running program is a constant. What needs the running program makes
/// the call code: there numbers wrap around and assertions stop the PE. A mistake is one in either case; the code of the call is
/// made all the same, because the function may have others.
std::optional<Result> interpreted(Evaluator& evaluator, const FunctionValue& callee,
                                  const std::vector<Result>& arguments, const Node& at) {
  Engine::Trial trial(evaluator.engine());
  try {
    const AtCompileTime here(evaluator.frame());
    Result value = evaluator.interpret(callee, arguments, at);
    trial.keep();
    return value;
  } catch (const NeedsCode&) {
    return std::nullopt;
  } catch (const Mistakes&) {
    throw;
  } catch (const UserError& mistake) {
    evaluator.engine().mistakes.note(mistake);
    return std::nullopt;
  }
}

}  // namespace

void bind_parameter(Frame& frame, const Parameter& parameter, Result argument) {
  auto cell = std::make_shared<Cell>();
  cell->type = argument.type;
  cell->name = parameter.name.text;
  if (argument.is_known()) {
    cell->value = argument.value();
  } else {
    cell->operand = std::get<RunTimeOperand>(argument.operand);
  }
  frame.locals.push_back({parameter.name.text, std::move(cell)});
}

Result expand_call(Evaluator& evaluator, const FunctionValue& callee,
                   const std::vector<Result>& arguments, const Node& at) {
  Engine& engine = evaluator.engine();
  const Function& function = *callee.function;
  FunctionCode& code = code_of(evaluator);
  const Engine::Depth depth(engine, at, true);
  const Engine::Level level(engine, at, "in a call of", function.name.text);
  Frame frame(*callee.instance);
  Evaluator inner(engine, frame);
  Ends returns;
  frame.function = &function;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const Type* type = inner.type(*parameter.type);
    frame.code = &code;  // conversions make code
    const std::string what = "the parameter " + in_quotes(parameter.name.text);
    Result argument = inner.converted(arguments[i], type, at, what);
    if (!argument.is_known()) argument = kept_operand(inner, argument, parameter.name.text, at);
    frame.last_line = function.body->last_line;
    name_constant(inner, argument, parameter.name.text, function);
    frame.code = nullptr;
    bind_parameter(frame, parameter, std::move(argument));
  }
  const Type* result = inner.type(*function.result);
  frame.code = &code;
  frame.returns = &returns;
  frame.return_type = result;
  const std::size_t mistakes = engine.mistakes.count();
  const Flow flow = inner.run(*function.body);
  if (engine.mistakes.count() != mistakes) throw FollowUp();
  if (flow == Flow::kNext && result->is(TypeKind::kVoid))
    returns.add(code.builder.current(), inner.void_result());
  if (flow == Flow::kNext && !result->is(TypeKind::kVoid))
    engine.fail(Id::kReturn, at, "the function ", in_quotes(function.name.text),
                " ends without a return");
  if (returns.empty()) return {engine.types.noreturn, Value{Void{}}};
  const Result value = returns.join(inner, result->is(TypeKind::kVoid) ? nullptr : result, at);
  code.builder.set_place(code.tile.place_of(at));
  return value;
}

Result call_through(Evaluator& evaluator, const Result& pointer,
                    const std::vector<Result>& arguments, const Node& at) {
  const Type& type = *pointer.type;
  Engine& engine = evaluator.engine();
  FunctionCode& code = code_of(evaluator);
  if (arguments.size() != type.parameters.size())
    engine.fail(Id::kArgumentCount, at, "a function of type ", in_quotes(type.name), " takes ",
                text::plural(type.parameters.size(), "argument"), " instead of ", arguments.size());
  // Checks the types. A copy: others are made meanwhile.
  const FunctionPointers::Caller caller = code.tile.pointers().caller(*pointer.type, at);
  std::vector<ir::Value> passed{scalar(evaluator, pointer, at)};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "argument " + std::to_string(i + 1);
    const Result argument = evaluator.converted(arguments[i], type.parameters[i], at, what);
    if (const std::optional<Storage>& place = caller.passed.arguments[i]) {
      store_operand(evaluator, *type.parameters[i], *place, argument, at);
    } else {
      passed.push_back(scalar(evaluator, argument, at));
    }
  }
  const ir::Value value = code.builder.call(caller.id, std::move(passed));
  if (type.element->is(TypeKind::kVoid)) return evaluator.void_result();
  if (!caller.passed.result) return operand_of(type.element, value);
  const Result result = load_operand(evaluator, type.element, *caller.passed.result, at);
  return kept_operand(evaluator, result, "result", at);
}

Result run_time_call(Evaluator& evaluator, const FunctionValue& callee,
                     const std::vector<Result>& arguments, const Node& at) {
  const Function& function = *callee.function;
  Engine& engine = evaluator.engine();
  FunctionCode& code = code_of(evaluator);
  Frame frame(*callee.instance);
  Evaluator inner(engine, frame);
  std::vector<const Type*> types;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    types.push_back(inner.type(*parameter.type));
    const bool is_live = !arguments[i].is_known() && arguments[i].type != engine.types.noreturn;
    if (parameter.is_comptime && is_live)
      engine.fail(Id::kComptimeArgument, at, "the parameter ", in_quotes(parameter.name.text),
                  " of ", in_quotes(function.name.text),
                  " is comptime; its argument is known to the running program only");
    bind_parameter(frame, parameter, arguments[i]);  // types of later parameters may use it
  }
  const Type* result = inner.type(*function.result);
  if (are_known(arguments) && !result->is(TypeKind::kVoid)) {
    const std::optional<Result> value = interpreted(evaluator, callee, arguments, at);
    if (value) return *value;
  }
  const bool has_register = result->is(TypeKind::kVoid) || register_type(*result);
  std::optional<ir::FunctionId> id;
  if (has_register && function.inlining != Function::Inlining::kInline)
    id = code.tile.function_for(callee, arguments, at);
  if (!id) return expand_call(evaluator, callee, arguments, at);
  std::vector<ir::Value> passed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "the parameter " + in_quotes(function.parameters[i].name.text);
    const Result argument = evaluator.converted(arguments[i], types[i], at, what);
    if (code.tile.is_register_parameter(types[i], argument, function.parameters[i]))
      passed.push_back(scalar(evaluator, argument, at));
  }
  const ir::Value value = code.builder.call(*id, std::move(passed));
  if (result->is(TypeKind::kVoid)) return evaluator.void_result();
  return operand_of(result, value);
}

}  // namespace tessera::csl
