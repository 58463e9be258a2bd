#include "frontends/csl/sema/evaluator.h"

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/control.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/arithmetic.h"
#include "frontends/csl/sema/constant_expressions.h"
#include "frontends/csl/sema/foreign_names.h"
#include "frontends/csl/syntax/lexer.h"
#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {

Result Evaluator::operand(const Expr& e, const Type* expected) {
  const Engine::Depth depth(engine_, e, false);
  expected_ = expected;
  const auto evaluated = [&] { return visit(e, [this](const auto& node) { return on(node); }); };
  Recorder* const recorder = engine_.recorder();
  if (recorder == nullptr || !is_of_constants(engine_, frame_, e)) return evaluated();
  Recorder::Part part(recorder);
  Result result = evaluated();
  recorder->add(frame_.instance, e, result, part.take());
  return result;
}

Result Evaluator::value(const Expr& e, const Type* expected) {
  Result result = operand(e, expected);
  engine_.known(result, e);
  return result;
}

Result Evaluator::value_as(const Expr& e, const Type* type, const std::string& what) {
  return engine_.convert(operand(e, type), type, e, what);
}

Result Evaluator::converted(const Result& from, const Type* to, const Node& at,
                            const std::string& what) {
  if (from.is_known() || frame_.code == nullptr) return engine_.convert(from, to, at, what);
  return convert_operand(*this, from, to, at, what);
}

const Type* Evaluator::type(const Expr& e) {
  const Result result = value(e);
  if (!result.value().holds<const Type*>())
    engine_.fail(Id::kNotAType, e, "a type is expected instead of a value of type ",
                 in_quotes(result.type->name));
  return result.value().get<const Type*>();
}

const Type* Evaluator::type_of_value(const Expr& e) {
  const Type* found = type(e);
  if (found->is(TypeKind::kAnyopaque))
    engine_.fail(Id::kTypeForm, e, "nothing is of type 'anyopaque'; only pointers to it exist");
  return found;
}

bool Evaluator::condition(const Expr& e, const std::string& what) {
  const Result result = value(e);
  if (!result.value().holds<bool>())
    engine_.fail(Id::kNotBool, e, what, " is of type ", in_quotes(result.type->name),
                 " instead of 'bool'");
  return result.value().get<bool>();
}

std::int64_t Evaluator::integer(const Expr& e, std::int64_t lowest, std::int64_t highest,
                                const std::string& what) {
  const Result result = value(e);
  if (!result.value().holds<BigInt>() || !result.type->is_any_integer())
    engine_.fail(Id::kNotInteger, e, what, " is of type ", in_quotes(result.type->name),
                 " instead of an integer type");
  const BigInt& number = result.value().integer();
  if (number < lowest || number > highest)
    engine_.fail(Id::kOutOfRange, e, what, " is ", number.str(), ", which is not in ", lowest, "..",
                 highest);
  return static_cast<std::int64_t>(number);
}

const LocalName* Evaluator::find_local(std::string_view name) const {
  for (auto local = frame_.locals.rbegin(); local != frame_.locals.rend(); ++local) {
    if (local->name.size() != name.size() || local->name.front() != name.front() ||
        local->name != name)
      continue;
    if (local->cell->is_mistaken) throw FollowUp();
    return &*local;
  }
  return nullptr;
}

/// What code reads of a variable of the running program.
Result Evaluator::loaded(Result result, const Expr& e) {
  if (frame_.code == nullptr || result.is_known()) return result;
  const auto& operand = std::get<RunTimeOperand>(result.operand);
  if (!std::holds_alternative<std::monostate>(operand.place)) return result;
  const std::optional<Location> location = locate(e);
  return location ? load(*location, e) : result;
}

Result Evaluator::on(const NameExpr& e) {
  if (const LocalName* local = find_local(e.name)) {
    const Cell& cell = *local->cell;
    if (cell.operand) return {cell.type, *cell.operand};
    if (cell.kind == Cell::Kind::kRunTimeVariable)
      return loaded({cell.type, RunTimeOperand{"the variable " + in_quotes(cell.name), {}}}, e);
    return {cell.type, cell.value};
  }
  const NodeFacts& facts = engine_.name_facts(e);
  if (facts.item != nullptr)
    return loaded(engine_.mention(frame_.instance, frame_.instance.of(*facts.item), e), e);
  if (const Type* type = facts.type) {
    if (type->is(TypeKind::kAnyStruct)) engine_.saw(Version::k1_4, e);
    return type_result(type);
  }
  for (std::size_t i = 0; i < kDirectionNames.size(); ++i) {
    if (e.name == kDirectionNames[i]) return {engine_.types.direction, Value{BigInt(i)}};
  }
  std::vector<std::string> known = frame_.instance.names();
  for (const LocalName& local : frame_.locals) known.emplace_back(local.name);
  const std::string advice = advice_on_name(e.name);
  engine_.fail(Id::kUnknownName, e, "nothing is called ", in_quotes(e.name),
               advice.empty() ? did_you_mean(e.name, known) : advice);
}

Result Evaluator::binary(BinaryOp op, Result left, Result right, const Node& at) {
  if (frame_.code != nullptr && !(left.is_known() && right.is_known()))
    return binary_operand(*this, op, std::move(left), std::move(right), at);
  if (engine_.known(left, at).is_undefined() || engine_.known(right, at).is_undefined())
    engine_.fail(Id::kUndefined, at, "an operand of ", in_quotes(spelling(op).text),
                 " is undefined");
  const bool is_shift = op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRight;
  const Type* common = is_shift ? left.type : engine_.converter.common(left, right);
  // Most operands are of the type already, and layouts of large grids evaluate millions of operators.
  if (common != nullptr && !is_shift && left.type != common)
    left = engine_.convert(left, common, at, "the left operand");
  if (common != nullptr && !is_shift && right.type != common)
    right = engine_.convert(right, common, at, "the right operand");
  std::string problem;
  std::optional<Result> result;
  if (common != nullptr) result = binary_value(engine_.types, op, left, right, problem);
  if (!result && !problem.empty()) engine_.fail(Id::kArithmetic, at, problem);
  if (!result)
    engine_.fail(Id::kOperands, at, in_quotes(spelling(op).text),
                 " does not take operands of the types ", in_quotes(left.type->name), " and ",
                 in_quotes(right.type->name));
  return *std::move(result);
}

Result Evaluator::on(const Binary& e) {
  if (e.op == BinaryOp::kAnd || e.op == BinaryOp::kOr) {
    if (frame_.code != nullptr) return logic_operand(*this, e);
    static const std::string of_and = "an operand of 'and'", of_or = "an operand of 'or'";
    const std::string& what = e.op == BinaryOp::kAnd ? of_and : of_or;
    const bool left = condition(*e.left, what);
    const bool decides = left == (e.op == BinaryOp::kOr);
    return {engine_.types.bool_type, Value{decides ? left : condition(*e.right, what)}};
  }
  if (frame_.code == nullptr) {
    Result left = value(*e.left);
    return binary(e.op, std::move(left), value(*e.right), e);
  }
  const Type* const expected = expected_;
  const bool is_shift = e.op == BinaryOp::kShiftLeft || e.op == BinaryOp::kShiftRight;
  Result left = operand(*e.left, is_shift ? expected : nullptr);
  Result right = operand(*e.right, left.type);
  // `x & 1 << n`: the number is of the type that is wanted.
  if (is_shift && left.type->is(TypeKind::kComptimeInt) && !right.is_known() &&
      expected != nullptr && expected->is(TypeKind::kInteger))
    left = engine_.convert(left, expected, *e.left, "the left operand");
  return binary(e.op, std::move(left), std::move(right), e);
}

Result Evaluator::on(const Unary& e) {
  if (e.op == UnaryOp::kAddress) {
    const std::optional<Location> location = locate(*e.operand);
    const bool is_function =
        location ? location->type->is(TypeKind::kFunction) : is_path(*e.operand);
    if (is_function) {
      Result function = location ? load(*location, e) : operand(*e.operand);
      if (function.type->is(TypeKind::kFunction) && !function.type->is_task) return function;
    }
    if (!location) engine_.fail(Id::kNoAddress, e, "only variables and constants have an address");
    if (part_for_compiler(*location->type) != nullptr)
      engine_.fail(Id::kNoAddress, e, "a value of type ", in_quotes(location->type->name),
                   " exists at compile time only and has no address");
    if (lies_in_packed(*location))
      engine_.fail(Id::kNoAddress, e,
                   "a field of a packed struct or union has no address; it may begin inside of a "
                   "word");
    const Type* pointer = engine_.types.pointer(location->type, false, location->is_const);
    if (location->storage || (location->cell && location->cell->operand && frame_.code != nullptr))
      return operand_of(pointer, address_value(*this, storage_of(*this, *location, e)));
    return {pointer, Value{location->pointer()}};
  }
  const Result operand_value = frame_.code != nullptr ? operand(*e.operand) : value(*e.operand);
  if (!operand_value.is_known()) return unary_operand(*this, e.op, operand_value, e);
  std::string problem;
  std::optional<Result> result = unary_value(engine_.types, e.op, operand_value, problem);
  if (!result)
    engine_.fail(Id::kOperands, e, in_quotes(spelling(e.op)), " does not take an operand of type ",
                 in_quotes(operand_value.type->name), problem.empty() ? "" : "; ", problem);
  return *std::move(result);
}

Result Evaluator::on(const Member& e) {
  const Result object = operand(*e.object);
  const Type& type = *object.type;
  const std::string_view name = e.name.text;
  if (type.is(TypeKind::kModule)) {
    Instance& instance = *engine_.known(object, e).get<Instance*>();
    Declaration* declaration = instance.find(name);
    if (declaration == nullptr)
      engine_.fail(Id::kUnknownName, e, "the module ", in_quotes(instance.file->name()),
                   " declares no ", in_quotes(name), did_you_mean(name, instance.names()));
    return loaded(engine_.mention(instance, *declaration, e), e);
  }
  if (type.is(TypeKind::kStruct)) {
    const int index = type.find_field(name);
    if (index < 0)
      engine_.fail(Id::kNoMember, e, in_quotes(type.name), " has no field ", in_quotes(name));
    return part_of(*this, object, static_cast<std::size_t>(index), e);
  }
  if (points_to_struct(type)) return load(field_behind(object, e.name.text, e), e);
  if (type.is(TypeKind::kType)) {
    const Type* container = engine_.known(object, e).get<const Type*>();
    for (const EnumMemberValue& member : container->members) {
      if (member.name == name) return {container, Value{BigInt(member.value)}};
    }
    engine_.fail(Id::kNoMember, e, in_quotes(container->name), " has no member ", in_quotes(name));
  }
  engine_.fail(Id::kNoMember, e, "a value of type ", in_quotes(type.name),
               " has no members; only modules, "
               "structs and enums do");
}

Result Evaluator::on(const Dereference& e) {
  if (is_path(*e.pointer)) {  // of a pointer to a function
    Result pointer = operand(*e.pointer);
    if (pointer.type->is(TypeKind::kFunction)) return pointer;
  }
  const std::optional<Location> location = locate(e);
  return load(*location, e);
}

std::int64_t Evaluator::element_number(const Type& array, const List<const Expr*>& indices,
                                       const Node& at) {
  if (indices.size() != array.extents.size())
    engine_.fail(Id::kIndexCount, at, "an array of ",
                 text::plural(array.extents.size(), "dimension"),
                 " takes as many indices instead of ", indices.size());
  std::int64_t number = 0;
  for (std::size_t i = 0; i < indices.size(); ++i)
    number = number * array.extents[i] +
             integer(*indices[i], -(std::int64_t{1} << 31), std::int64_t{1} << 31, "an index");
  return number;
}

Result Evaluator::on(const Index& e) {
  const bool has_path = is_path(*e.object);
  if (std::optional<Location> location = has_path ? locate(e) : std::nullopt)
    return load(*location, e);
  const Result object = operand(*e.object);
  if (std::optional<Location> location = has_path ? std::nullopt : element_of_value(object, e))
    return load(*location, e);
  if (const auto location = element_of_copy(object, e)) return load(*location, e);
  const Type& type = *object.type;
  std::int64_t number = 0;
  const Type* element = nullptr;
  if (type.is(TypeKind::kArray)) {
    number = element_number(type, e.indices, e);
    element = type.element;
  } else if (type.is(TypeKind::kStruct) && e.indices.size() == 1) {
    const auto last = static_cast<std::int64_t>(type.fields.size()) - 1;
    number = integer(*e.indices[0], 0, last, "the index of a tuple");
    element = type.fields[static_cast<std::size_t>(number)].type;
  } else {
    engine_.fail(Id::kNoMember, e, "a value of type ", in_quotes(type.name), " has no elements");
  }
  if (!object.is_known()) {
    if (number < 0)
      engine_.fail(Id::kIndexOutside, e, "the index ", number, " lies outside of ",
                   in_quotes(type.name));
    return part_of(*this, object, static_cast<std::size_t>(number), e);
  }
  const Value* value = element_at(object.value(), {number});
  if (value == nullptr)
    engine_.fail(Id::kIndexOutside, e, "the index ", number, " lies outside of ",
                 in_quotes(type.name));
  return {element, *value};
}

Result Evaluator::on(const Call& e) {
  const Result callee = operand(*e.callee);
  const bool is_function = callee.is_known() ? callee.value().holds<FunctionValue>()
                                             : callee.type->is(TypeKind::kFunction);
  if (!is_function)
    engine_.fail(Id::kNotAFunction, *e.callee, "a value of type ", in_quotes(callee.type->name),
                 " cannot be called");
  const bool is_pointer = !callee.is_known() && frame_.code != nullptr;
  if (!is_pointer && engine_.known(callee, *e.callee).is_undefined())
    engine_.fail(Id::kUndefined, *e.callee, "the function is undefined");
  std::vector<Result> arguments;
  arguments.reserve(e.arguments.size());
  for (const Expr* argument : e.arguments)
    arguments.push_back(frame_.code != nullptr ? operand(*argument) : value(*argument));
  if (is_pointer) return call_through(*this, callee, arguments, e);
  return call(callee.value().get<FunctionValue>(), arguments, e);
}

Result Evaluator::on(const Builtin& e) {
  return call_builtin(*this, e);
}

Result Evaluator::on(const If& e) {
  if (frame_.code != nullptr) return if_operand(*this, e, expected_);
  const Type* const expected = expected_;
  if (condition(*e.condition, "the condition")) return arm_value(*e.then, expected);
  return e.otherwise == nullptr ? void_result() : arm_value(*e.otherwise, expected);
}

// The running program gives a number without a type of its own that of the other arms, whichever is chosen.
Result Evaluator::arm_value(const Expr& arm, const Type* expected) {
  Result chosen = operand(arm, expected);
  const bool is_open =
      chosen.type->is(TypeKind::kComptimeInt) || chosen.type->is(TypeKind::kComptimeFloat);
  const bool is_free = expected == nullptr || expected->is(TypeKind::kAnytype);
  if (is_open && is_free && engine_.is_trying())
    engine_.fail(Id::kNotKnown, arm, "the other arms say which type this number has");
  return chosen;
}

const Binary* Evaluator::range_of(const Expr& candidate) {
  const Binary* binary = if_is<Binary>(candidate);
  return binary != nullptr && binary->op == BinaryOp::kThrough ? binary : nullptr;
}

std::pair<Result, Result> Evaluator::ends_of_range(const Binary& range) {
  Result first = value(*range.left), last = value(*range.right);
  for (const Result* end : {&first, &last}) {
    if (!end->type->is_any_integer())
      engine_.fail(Id::kRange, range,
                   "a range goes from integer to integer, not to a value of type ",
                   in_quotes(end->type->name));
  }
  if (first.value().integer() > last.value().integer())
    engine_.fail(Id::kRange, range, "the range is empty: ", first.value().integer().str(),
                 " is above ", last.value().integer().str());
  return {std::move(first), std::move(last)};
}

bool Evaluator::is_between(const Result& value_of, const Binary& range) {
  const auto [first, last] = ends_of_range(range);
  const auto holds = [&](BinaryOp op, const Result& end) {
    return binary(op, value_of, end, range).value().get<bool>();
  };
  return holds(BinaryOp::kGreaterOrEqual, first) && holds(BinaryOp::kLessOrEqual, last);
}

Result Evaluator::on(const Switch& e) {
  if (frame_.code != nullptr) return switch_operand(*this, e, expected_);
  const Type* const expected = expected_;
  return arm_value(*chosen(value(*e.subject), e.arms, e)->body, expected);
}

Result Evaluator::on(const Block& e) {
  if (frame_.code != nullptr) return block_operand(*this, e, expected_);
  const Flow flow = run(e);
  if (flow == Flow::kNext) return void_result();
  if (flow == Flow::kBreak && !e.label.text.empty() && frame_.target == e.label.text) {
    frame_.target = {};
    return frame_.result;
  }
  engine_.fail(Id::kLabel, e, "a block that is a value can be left with 'break :label value' only");
}

}  // namespace tessera::csl
