// The part of the evaluator that deals with objects that have addresses, and with calls.
#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kMostChanged = 1 << 22;  // elements of an array
constexpr std::int64_t kLowestIndex = -(std::int64_t{1} << 31);
constexpr std::int64_t kHighestIndex = std::int64_t{1} << 31;

/// Whether an expression is an element or field of a value that is no path: of what a function
/// returns, for example.
bool is_part(const Expr& e) {
  return e.kind == ExprKind::kIndex || e.kind == ExprKind::kMember;
}

const Type& type_at(const Type& type, const std::vector<std::int64_t>& path, std::size_t steps) {
  const Type* t = &type;
  for (std::size_t i = 0; i < steps; ++i) {
    if (t->is(TypeKind::kStruct))
      t = t->fields[static_cast<std::size_t>(path[i])].type;
    else if (t->is(TypeKind::kArray))
      t = t->element;
  }
  return *t;
}

/// Whether the path of a location leads to its parts too. After `@ptrcast` a pointer counts other elements
/// than those of its variable.
bool leads_to_parts(const Location& location) {
  const Type& type = *location.type;
  const std::vector<std::int64_t>& path = location.path;
  const Type& there = type_at(*location.cell->type, path, path.size());
  if (type.is(TypeKind::kArray) && type.count() == 1 && type.element == &there) return true;
  return &there == &type;
}

/// Whether the last step of the path counts elements of an array that are what the location is.
bool counts_elements(const Location& location) {
  const std::vector<std::int64_t>& path = location.path;
  if (path.empty()) return false;
  const Type& container = type_at(*location.cell->type, path, path.size() - 1);
  return container.is(TypeKind::kArray) && container.element == location.type;
}

/// Whether the variable has a value of another type at the place.
bool is_cast(const Location& location) {
  const Type& there = type_at(*location.cell->type, location.path, location.path.size());
  return &there != location.type && register_type(*location.type) &&
         register_type(there) != register_type(*location.type);
}

bool is_tuple(const Type& type) {
  return type.is(TypeKind::kStruct) && type.is_tuple;
}

/// The type of a variable after an element of a tuple in it, at the end of the path, became a struct of
/// another type, as elements of `[n]comptime_struct` may.
const Type* with_element(Types& types, const Type& type, const std::vector<std::int64_t>& path,
                         const Type* element, std::size_t step = 0) {
  if (step == path.size()) return element;
  if (!type.is(TypeKind::kStruct) || type.is_named) return nullptr;
  std::vector<Field> fields = type.fields;
  Field& field = fields[static_cast<std::size_t>(path[step])];
  field.type = with_element(types, *field.type, path, element, step + 1);
  return field.type == nullptr ? nullptr : types.structure(std::move(fields), type.is_tuple);
}

/// Whether a location is an anonymous struct in a tuple.
bool is_struct_in_tuple(const Location& location) {
  const std::vector<std::int64_t>& path = location.path;
  return location.type->is(TypeKind::kStruct) && !location.type->is_named && !path.empty() &&
         is_tuple(type_at(*location.cell->type, path, path.size() - 1));
}

Location whole(const std::shared_ptr<Cell>& cell) {
  return Location{cell, {}, cell->type, cell->kind == Cell::Kind::kConstant, {}};
}

}  // namespace

bool is_path(const Expr& e) {
  if (const Index* index = if_is<Index>(e)) return is_path(*index->object);
  if (const Member* member = if_is<Member>(e)) return is_path(*member->object);
  return e.kind == ExprKind::kName || e.kind == ExprKind::kDereference;
}

bool lies_in_packed(const Location& location) {
  if (location.storage) return location.storage->is_packed;
  if (!location.cell) return false;
  for (std::size_t i = 0; i < location.path.size(); ++i) {
    if (type_at(*location.cell->type, location.path, i).is_packed()) return true;
  }
  if (!location.cell->operand) return false;
  const auto* storage = std::get_if<Storage>(&location.cell->operand->place);
  return storage != nullptr && storage->is_packed;
}

bool points_to_struct(const Type& type) {
  return type.is_single_pointer() && type.element->is(TypeKind::kStruct);
}

std::optional<Location> Evaluator::locate(const Expr& e) {
  if (const Builtin* builtin = if_is<Builtin>(e)) return locate_named_field(*builtin);
  if (!is_path(e) && !is_part(e)) return std::nullopt;
  if (const NameExpr* name = if_is<NameExpr>(e)) return locate_name(*name);
  if (const Dereference* star = if_is<Dereference>(e)) return locate_pointee(*star);
  if (const Index* index = if_is<Index>(e)) return locate_element(*index);
  return locate_member(as<Member>(e));
}

std::optional<Location> Evaluator::locate_name(const NameExpr& e) {
  if (const LocalName* local = find_local(e.name)) return whole(local->cell);
  const Item* const item = engine_.name_facts(e).item;
  if (item == nullptr) return std::nullopt;
  const std::shared_ptr<Cell> cell = engine_.cell_of(frame_.instance, frame_.instance.of(*item), e);
  if (!cell) return std::nullopt;
  return whole(cell);
}

std::optional<Location> Evaluator::locate_pointee(const Dereference& e) {
  const Result pointer = frame_.code != nullptr ? operand(*e.pointer) : value(*e.pointer);
  if (!pointer.type->is_single_pointer())
    engine_.fail(Id::kOperands, e, "'.*' does not take a value of type ",
                 in_quotes(pointer.type->name));
  return pointee_of(pointer, e);
}

Location Evaluator::pointee_of(const Result& pointer, const Node& at) {
  if (!pointer.is_known()) return pointee(*this, pointer, at);
  if (pointer.value().is_undefined()) engine_.fail(Id::kUndefined, at, "the pointer is undefined");
  const PointerValue& to = pointer.value().pointer();
  if (!to.cell && frame_.code != nullptr) return pointee(*this, pointer, at);
  return Location{to.cell, to.path, pointer.type->element, pointer.type->is_const, {}};
}

std::optional<Location> Evaluator::locate_element(const Index& e) {
  std::optional<Location> base;
  if (is_path(*e.object)) base = locate(*e.object);
  if (base && base->type->is(TypeKind::kArray)) return element_of(std::move(base), e);
  if (base && is_tuple(*base->type)) {
    if (e.indices.size() != 1)
      engine_.fail(Id::kIndexCount, e, "a tuple takes one index instead of ", e.indices.size());
    const auto last = static_cast<std::int64_t>(base->type->fields.size()) - 1;
    const auto index = static_cast<int>(integer(*e.indices[0], 0, last, "the index of a tuple"));
    return field_of(*std::move(base), index, e);
  }
  if (base && !base->type->is(TypeKind::kPointer)) return std::nullopt;
  return element_of_value(base ? load(*base, *e.object) : operand(*e.object), e);
}

/// An element of a pointer, or of an array that lies in memory.
std::optional<Location> Evaluator::element_of_value(const Result& pointer, const Index& e) {
  std::optional<Location> base;
  if (pointer.type->is(TypeKind::kArray)) {
    const auto* place = std::get_if<RunTimeOperand>(&pointer.operand);
    const auto* storage = place == nullptr ? nullptr : std::get_if<Storage>(&place->place);
    if (storage == nullptr) return std::nullopt;
    base = Location{nullptr, {}, pointer.type, false, *storage};
  } else {
    if (!pointer.type->is(TypeKind::kPointer)) return std::nullopt;
    const bool is_to_array = pointer.type->element->is(TypeKind::kArray);
    if (!pointer.type->to_many && !is_to_array) return std::nullopt;
    const bool has_cell = pointer.is_known() && !pointer.value().is_undefined() &&
                          pointer.value().pointer().cell != nullptr;
    if (frame_.code != nullptr && !has_cell) {
      base = pointee(*this, pointer, e);
    } else {
      const Value& known = engine_.known(pointer, e);
      if (known.is_undefined()) engine_.fail(Id::kUndefined, e, "the pointer is undefined");
      base = Location{known.pointer().cell,
                      known.pointer().path,
                      pointer.type->element,
                      pointer.type->is_const,
                      {}};
    }
  }
  return element_of(std::move(base), e);
}

/// An element, by indices of the running program, of an array that is a value. Nothing: the indices are known.
std::optional<Location> Evaluator::element_of_copy(const Result& array, const Index& e) {
  if (frame_.code == nullptr || !array.type->is(TypeKind::kArray) ||
      e.indices.size() != array.type->extents.size())
    return std::nullopt;
  std::vector<Result> indices;
  for (const Expr* index : e.indices) indices.push_back(operand(*index));
  const bool are_known = std::all_of(indices.begin(), indices.end(),
                                     [](const Result& index) { return index.is_known(); });
  if (are_known) return std::nullopt;
  for (const Result& index : indices)
    if (!index.type->is_any_integer())
      engine_.fail(Id::kNotInteger, e, "an index is of type ", in_quotes(index.type->name),
                   " instead of an integer type");
  const Location base{nullptr, {}, array.type, false, in_memory(*this, array, "elements", e)};
  check_indices(*this, base, indices, e);
  return element_location(*this, base, indices, e);
}

std::optional<Location> Evaluator::element_of(std::optional<Location> base, const Index& e) {
  const bool is_array = base->type->is(TypeKind::kArray);
  const std::size_t dimensions = is_array ? base->type->extents.size() : 1;
  if (e.indices.size() != dimensions)
    engine_.fail(Id::kIndexCount, e, is_array ? "an array of " : "a pointer with elements of ",
                 text::plural(dimensions, "dimension"), " takes as many indices instead of ",
                 e.indices.size());
  const bool is_in_path =
      !base->storage && (is_array ? leads_to_parts(*base) : counts_elements(*base));
  if (frame_.code != nullptr) {
    if (!is_in_path && !base->storage) base->storage = storage_of(*this, *base, e);
    std::vector<Result> indices;
    bool are_known = is_in_path;
    for (const Expr* index : e.indices) {
      indices.push_back(operand(*index));
      if (!indices.back().type->is_any_integer())
        engine_.fail(Id::kNotInteger, *index, "an index is of type ",
                     in_quotes(indices.back().type->name), " instead of an integer type");
      are_known = are_known && indices.back().is_known();
    }
    check_indices(*this, *base, indices, e);
    if (!are_known) return element_location(*this, *base, indices, e);
  }
  if (is_array && is_in_path) {
    base->path.push_back(element_number(*base->type, e.indices, e));
    base->type = base->type->element;
    return base;
  }
  const std::int64_t index = integer(*e.indices[0], kLowestIndex, kHighestIndex, "an index");
  if (is_in_path)
    base->path.back() += index;
  else if (is_array || index != 0)
    engine_.fail(Id::kOtherView, e, "the pointer is to ", in_quotes(base->type->name),
                 ", which its variable has not at compile time");
  return base;
}

/// `@field(x, "name")`, which is `x.name`.
std::optional<Location> Evaluator::locate_named_field(const Builtin& e) {
  if (e.name != "field" || e.arguments.size() != 2) return std::nullopt;
  const Result name = value(*e.arguments[1]);
  if (!name.type->is(TypeKind::kString)) return std::nullopt;
  return locate_field(*e.arguments[0], name.value().text(), e);
}

std::optional<Location> Evaluator::locate_member(const Member& e) {
  return locate_field(*e.object, e.name.text, e);
}

std::optional<Location> Evaluator::locate_field(const Expr& of, std::string_view name,
                                                const Node& at) {
  // Once: what leads to the place may call functions.
  std::optional<Location> location = is_path(of) ? locate(of) : std::nullopt;
  if (location && location->type->is(TypeKind::kStruct)) {
    const int field = location->type->find_field(name);
    return field < 0 ? std::nullopt : std::optional(field_of(*std::move(location), field, at));
  }
  const Result object = location ? load(*location, of) : operand(of);
  if (object.type->is(TypeKind::kModule)) {
    Instance& instance = *engine_.known(object, at).get<Instance*>();
    Declaration* declaration = instance.find(name);
    if (declaration == nullptr) return std::nullopt;
    const std::shared_ptr<Cell> cell = engine_.cell_of(instance, *declaration, at);
    if (!cell) return std::nullopt;
    return whole(cell);
  }
  if (points_to_struct(*object.type)) return field_behind(object, name, at);
  const int field = object.type->is(TypeKind::kStruct) ? object.type->find_field(name) : -1;
  const auto* place = std::get_if<RunTimeOperand>(&object.operand);
  const auto* storage = place == nullptr ? nullptr : std::get_if<Storage>(&place->place);
  if (storage == nullptr || field < 0) return std::nullopt;
  return field_of(Location{nullptr, {}, object.type, false, *storage}, field, at);
}

Location Evaluator::field_of(Location location, int field, const Node& at) {
  const Type& type = *location.type;
  if (!location.storage && frame_.code != nullptr && !leads_to_parts(location))
    location.storage = storage_of(*this, location, at);
  if (location.storage) {
    location.storage = field_storage(*location.storage, type, static_cast<std::size_t>(field));
  } else {
    location.path.push_back(field);
  }
  location.type = type.fields[static_cast<std::size_t>(field)].type;
  return location;
}

Location Evaluator::field_behind(const Result& pointer, std::string_view name, const Node& at) {
  const Type& type = *pointer.type->element;
  const int field = type.find_field(name);
  if (field < 0)
    engine_.fail(Id::kNoMember, at, in_quotes(type.name), " has no field ", in_quotes(name));
  return field_of(pointee_of(pointer, at), field, at);
}

Result Evaluator::load(const Location& location, const Node& at) {
  if (location.storage) return load_operand(*this, location.type, *location.storage, at);
  if (!location.cell)
    return {location.type, RunTimeOperand{"the memory at an address that is a number", {}}};
  const Cell& cell = *location.cell;
  if (cell.operand) {
    if (location.path.empty()) return {cell.type, *cell.operand};
    if (std::holds_alternative<Storage>(cell.operand->place))
      return load_operand(*this, location.type, storage_of(*this, location, at), at);
    Result part{cell.type, *cell.operand};
    for (const std::int64_t step : location.path)
      part = part_of(*this, part, static_cast<std::size_t>(step), at);
    return part;
  }
  if (cell.kind == Cell::Kind::kRunTimeVariable) {
    if (frame_.code != nullptr)
      return load_operand(*this, location.type, storage_of(*this, location, at), at);
    return {location.type, RunTimeOperand{"the variable " + in_quotes(cell.name), {}}};
  }
  if (is_cast(location)) {
    if (frame_.code != nullptr)
      return load_operand(*this, location.type, storage_of(*this, location, at), at);
    engine_.fail(Id::kOtherView, at, "what lies at the pointer is no value of type ",
                 in_quotes(location.type->name), " at compile time");
  }
  for (std::size_t i = 0; i < location.path.size(); ++i) {
    const Type& type = type_at(*cell.type, location.path, i);
    if (!type.is_union) continue;
    const std::vector<std::int64_t> head(location.path.begin(),
                                         location.path.begin() + static_cast<std::ptrdiff_t>(i));
    if (const Value* object = element_at(cell.value, head))
      return variant_at(*object, location, i, at);
  }
  const Value* value = element_at(cell.value, location.path);
  if (value == nullptr)
    engine_.fail(Id::kIndexOutside, at, "the index ", location.path.back(), " lies outside of ",
                 in_quotes(cell.name));
  return {location.type, *value};
}

Result Evaluator::variant_at(const Value& object, const Location& location, std::size_t step,
                             const Node& at) {
  const Type& type = type_at(*location.cell->type, location.path, step);
  Result part{&type, object};
  for (std::size_t i = step; i < location.path.size(); ++i) {
    const auto index = static_cast<std::size_t>(location.path[i]);
    if (part.value().holds<AggregateRef>() && index >= part.value().elements().size())
      engine_.fail(Id::kIndexOutside, at, "the index ", location.path[i], " lies outside of ",
                   in_quotes(location.cell->name));
    part = part_of(*this, part, index, at);
  }
  return {location.type, part.value()};
}

/// A field of a union becomes the one that it has.
void Evaluator::take_variant(Cell& cell, const std::vector<std::int64_t>& path, const Node& at) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Type& type = type_at(*cell.type, path, i);
    if (!type.is_union) continue;
    const std::vector<std::int64_t> head(path.begin(),
                                         path.begin() + static_cast<std::ptrdiff_t>(i));
    const Value* object = element_at(std::as_const(cell.value), head);
    if (object == nullptr || !object->holds<AggregateRef>()) return;
    const auto field = static_cast<std::size_t>(path[i]);
    const bool is_last = i + 1 == path.size();
    const Value now = engine_.variant(type, *object, field, at);
    std::vector<Value> fields(type.fields.size(), Value{Undefined{}});
    fields[field] =
        is_last || !now.is_undefined() ? now : engine_.undefined_value(*type.fields[field].type);
    *element_at(cell.value, head) = make_aggregate(std::move(fields));
  }
}

void Evaluator::store(const Location& location, const Result& value, const Node& at) {
  const bool is_run_time =
      location.storage || !location.cell || location.cell->kind == Cell::Kind::kRunTimeVariable;
  if (is_run_time && frame_.code == nullptr)
    engine_.fail(Id::kComptimeChange, at,
                 "a variable of the tile cannot be changed at compile time");
  const std::string name = location.cell ? in_quotes(location.cell->name) : "the object";
  if (location.is_const)
    engine_.fail(Id::kConstant, at, name, " is a constant and cannot be assigned to");
  const std::string what = location.cell ? "the variable " + name : name;
  if (is_run_time) {
    const Storage storage = storage_of(*this, location, at);
    const Result stored = converted(value, location.type, at, what);
    return store_operand(*this, *location.type, storage, stored, at);
  }
  Cell& cell = *location.cell;
  if (frame_.code != nullptr && frame_.code->conditions > cell.conditions)
    engine_.fail(Id::kComptimeChange, at, what,
                 " exists at compile time only and cannot change where the running "
                 "program decides, in its branches and loops");
  if (location.path.empty()) {
    const bool takes_any = cell.takes_any_struct;
    Result converted =
        engine_.convert(value, takes_any ? engine_.types.any_struct : cell.type, at, what);
    if (takes_any) cell.type = converted.type;
    cell.value = std::move(converted.value());
    return;
  }
  if (cell.type->is(TypeKind::kArray) && cell.type->count() > kMostChanged)
    engine_.fail(Id::kComptimeChange, at, what, " has more than ", kMostChanged,
                 " elements, too many to be changed at compile time");
  const Type* type = location.type;
  if (is_struct_in_tuple(location) && value.type->is(TypeKind::kStruct)) {
    if (const Type* now = with_element(engine_.types, *cell.type, location.path, value.type)) {
      cell.type = now;
      type = value.type;
    }
  }
  const Result converted = engine_.convert(value, type, at, what);
  take_variant(cell, location.path, at);
  Value* element = element_at(cell.value, location.path);
  if (element == nullptr)
    engine_.fail(Id::kIndexOutside, at, "the index ", location.path.back(), " lies outside of ",
                 in_quotes(cell.name));
  *element = converted.value();
}

Result Evaluator::call(const FunctionValue& callee, const std::vector<Result>& arguments,
                       const Node& at) {
  const Function& function = *callee.function;
  const std::string_view name = function.name.text;
  if (function.is_task && (frame_.code == nullptr || engine_.version() != Version::k1_4))
    engine_.fail(Id::kNotAFunction, at, "the task ", in_quotes(name), " cannot be called");
  if (function.is_task)
    engine_.remark(at,
                   "a task that is called runs as a function does; SDK 1.4 and later refuse it");
  if (function.body == nullptr && frame_.code == nullptr)
    engine_.fail(Id::kExtern, at, "the function ", in_quotes(name),
                 " is extern and cannot be called at compile time");
  if (function.body == nullptr)
    return call(engine_.exported_function(*callee.instance, function, at), arguments, at);
  if (arguments.size() != function.parameters.size())
    engine_.fail(Id::kArgumentCount, at, "the function ", in_quotes(name), " takes ",
                 text::plural(function.parameters.size(), "argument"), " instead of ",
                 arguments.size());
  return frame_.code != nullptr ? run_time_call(*this, callee, arguments, at)
                                : interpret(callee, arguments, at);
}

Result Evaluator::interpret(const FunctionValue& callee, const std::vector<Result>& arguments,
                            const Node& at) {
  const unsigned mode = 2 * static_cast<unsigned>(engine_.version()) + engine_.is_trying();
  const CallMemo::Call call{*callee.function, arguments, mode};
  CallMemo& calls = callee.instance->calls;
  const std::optional<std::size_t> key = calls.key_of(call);
  Recorder* const recorder = callee.instance->tile != nullptr ? engine_.recorder() : nullptr;
  if (const CallMemo::Kept* known = key ? calls.find(*key, call) : nullptr) {
    engine_.step(at);
    if (recorder != nullptr) recorder->add_or_give_up(known->asked);
    return known->value;
  }
  const std::uint64_t effects = engine_.effects();
  Recorder::Part part(recorder);
  Result result = interpret_anew(callee, arguments, at);
  AnswersRef asked;
  if (recorder != nullptr) recorder->add(asked = part.take());
  if (key && engine_.effects() == effects) calls.keep(*key, call, {result, asked});
  return result;
}

Result Evaluator::interpret_anew(const FunctionValue& callee, const std::vector<Result>& arguments,
                                 const Node& at) {
  const Function& function = *callee.function;
  const std::string_view name = function.name.text;
  const Engine::Depth depth(engine_, at, true);
  const Engine::Level level(engine_, at, "in a call of", name);
  Frame frame(*callee.instance);
  frame.function = &function;
  Evaluator evaluator(engine_, frame);
  const Type* const signature = engine_.known_signature(callee);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const Type* type =
        signature != nullptr ? signature->parameters[i] : evaluator.type(*parameter.type);
    auto cell = std::make_shared<Cell>();
    if (arguments[i].type == type && !engine_.known(arguments[i], at).is_undefined()) {
      cell->type = type;
      cell->value = arguments[i].value();
    } else {
      Result argument = engine_.convert(arguments[i], type, at,
                                        "the parameter " + in_quotes(parameter.name.text));
      cell->type = argument.type;
      cell->value = std::move(argument.value());
    }
    cell->name = parameter.name.text;
    frame.locals.push_back({parameter.name.text, std::move(cell)});
  }
  const Type* result = signature != nullptr ? signature->element : evaluator.type(*function.result);
  frame.return_type = result;
  const Flow flow = evaluator.run(*function.body);
  if (flow != Flow::kReturn) {
    if (!result->is(TypeKind::kVoid))
      engine_.fail(Id::kReturn, at, "the function ", in_quotes(name), " ends without a return");
    return void_result();
  }
  if (frame.result.type == result && !engine_.known(frame.result, at).is_undefined())
    return std::move(frame.result);
  return engine_.convert(frame.result, result, at, "the result of " + in_quotes(name));
}

}  // namespace tessera::csl
