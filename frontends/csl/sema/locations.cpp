// The part of the evaluator that deals with objects that have addresses, and with calls.
#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kMostChanged = 1 << 22;  // elements of an array

/// Whether an expression goes from a name to a part of its object: looking at it twice does nothing
/// twice.
bool is_path(const Expr& e) {
  if (const Index* index = if_is<Index>(e)) return is_path(*index->object);
  if (const Member* member = if_is<Member>(e)) return is_path(*member->object);
  return e.kind == ExprKind::kName || e.kind == ExprKind::kDereference;
}

}  // namespace

std::optional<Location> Evaluator::locate(const Expr& e) {
  if (!is_path(e)) return std::nullopt;
  if (const NameExpr* name = if_is<NameExpr>(e)) {
    if (const LocalName* local = find_local(name->name))
      return Location{
          local->cell, {}, local->cell->type, local->cell->kind == Cell::Kind::kConstant};
    Declaration* declaration = frame_.instance.find(name->name);
    if (declaration == nullptr) return std::nullopt;
    const std::shared_ptr<Cell> cell = engine_.cell_of(frame_.instance, *declaration, e);
    if (!cell) return std::nullopt;
    return Location{cell, {}, cell->type, cell->kind == Cell::Kind::kConstant};
  }
  if (const Dereference* star = if_is<Dereference>(e)) {
    const Result pointer = value(*star->pointer);
    if (!pointer.type->is_single_pointer())
      engine_.fail(e, "'.*' does not take a value of type ", in_quotes(pointer.type->name));
    if (pointer.value().is_undefined()) engine_.fail(e, "the pointer is undefined");
    const PointerValue& to = pointer.value().pointer();
    return Location{to.cell, to.path, pointer.type->element, pointer.type->is_const};
  }
  if (const Index* index = if_is<Index>(e)) {
    if (std::optional<Location> array = locate(*index->object)) {
      const Type& type = *array->type;
      if (type.is(TypeKind::kArray)) {
        array->path.push_back(element_number(type, index->indices, e));
        array->type = type.element;
        return array;
      }
      if (!type.is(TypeKind::kPointer)) return std::nullopt;
    }
    const Result pointer = operand(*index->object);
    if (!pointer.type->is(TypeKind::kPointer) || !pointer.type->to_many) return std::nullopt;
    const Value& known = engine_.known(pointer, e);
    if (known.is_undefined()) engine_.fail(e, "the pointer is undefined");
    Location element{known.pointer().cell, known.pointer().path, pointer.type->element,
                     pointer.type->is_const};
    if (!element.path.empty())
      element.path.back() += integer(*index->indices[0], -65536, 65535, "an index");
    return element;
  }
  if (const Member* member = if_is<Member>(e)) {
    const Result object = operand(*member->object);
    if (object.type->is(TypeKind::kModule)) {
      Instance& instance = *engine_.known(object, e).get<Instance*>();
      Declaration* declaration = instance.find(member->name.text);
      if (declaration == nullptr) return std::nullopt;
      const std::shared_ptr<Cell> cell = engine_.cell_of(instance, *declaration, e);
      if (!cell) return std::nullopt;
      return Location{cell, {}, cell->type, cell->kind == Cell::Kind::kConstant};
    }
    if (!object.type->is(TypeKind::kStruct)) return std::nullopt;
    std::optional<Location> location = locate(*member->object);
    const int field = object.type->find_field(member->name.text);
    if (!location || field < 0) return std::nullopt;
    location->path.push_back(field);
    location->type = object.type->fields[static_cast<std::size_t>(field)].type;
    return location;
  }
  return std::nullopt;
}

Result Evaluator::load(const Location& location, const Node& at) {
  if (!location.cell)
    return {location.type, RunTimeOperand{"the memory at an address that is a number"}};
  const Cell& cell = *location.cell;
  if (cell.kind == Cell::Kind::kRunTimeVariable)
    return {location.type, RunTimeOperand{"the variable " + in_quotes(cell.name)}};
  const Value* value = element_at(cell.value, location.path);
  if (value == nullptr)
    engine_.fail(at, "the index ", location.path.back(), " lies outside of ", in_quotes(cell.name));
  return {location.type, *value};
}

void Evaluator::store(const Location& location, const Result& value, const Node& at) {
  if (!location.cell || location.cell->kind == Cell::Kind::kRunTimeVariable)
    engine_.fail(at, "a variable of the tile cannot be changed at compile time");
  Cell& cell = *location.cell;
  if (location.is_const)
    engine_.fail(at, in_quotes(cell.name), " is a constant and cannot be assigned to");
  const std::string what = "the variable " + in_quotes(cell.name);
  if (location.path.empty()) {
    const bool takes_any = cell.takes_any_struct;
    Result converted =
        engine_.convert(value, takes_any ? engine_.types.any_struct : cell.type, at, what);
    if (takes_any) cell.type = converted.type;
    cell.value = std::move(converted.value());
    return;
  }
  if (cell.type->is(TypeKind::kArray) && cell.type->count() > kMostChanged)
    engine_.fail(at, what, " has more than ", kMostChanged,
                 " elements, too many to be changed at compile time");
  const Result converted = engine_.convert(value, location.type, at, what);
  Value* element = element_at(cell.value, location.path);
  if (element == nullptr)
    engine_.fail(at, "the index ", location.path.back(), " lies outside of ", in_quotes(cell.name));
  *element = converted.value();
}

Result Evaluator::call(const FunctionValue& callee, const std::vector<Result>& arguments,
                       const Node& at) {
  const Function& function = *callee.function;
  const std::string_view name = function.name.text;
  if (function.is_task) engine_.fail(at, "the task ", in_quotes(name), " cannot be called");
  if (function.body == nullptr)
    engine_.fail(at, "the function ", in_quotes(name), " is extern: its body is not known here");
  if (arguments.size() != function.parameters.size())
    engine_.fail(at, "the function ", in_quotes(name), " takes ",
                 text::plural(function.parameters.size(), "argument"), " instead of ",
                 arguments.size());
  const Engine::Depth depth(engine_, at, true);
  const Engine::Level level(engine_, at, "in a call of", name);
  Frame frame(*callee.instance);
  frame.function = &function;
  Evaluator evaluator(engine_, frame);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const Type* type = evaluator.type(*parameter.type);
    const Result argument =
        engine_.convert(arguments[i], type, at, "the parameter " + in_quotes(parameter.name.text));
    auto cell = std::make_shared<Cell>();
    cell->type = argument.type;
    cell->value = argument.value();
    cell->name = parameter.name.text;
    frame.locals.push_back({parameter.name.text, std::move(cell)});
  }
  const Type* result = evaluator.type(*function.result);
  const Flow flow = evaluator.run(*function.body);
  if (flow != Flow::kReturn) {
    if (!result->is(TypeKind::kVoid))
      engine_.fail(at, "the function ", in_quotes(name), " ends without a return");
    return void_result();
  }
  return engine_.convert(frame.result, result, at, "the result of " + in_quotes(name));
}

}  // namespace tessera::csl
