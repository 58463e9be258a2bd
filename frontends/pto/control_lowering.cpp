#include "frontends/pto/operation_lowering.h"

#include <algorithm>
#include <limits>

namespace tessera::pto {

namespace {

bool is_same(Operand a, Operand b) {
  return a.is_register == b.is_register && a.value == b.value;
}

/// Whether two views are the same part of one array.
bool is_same_view(const TileOperand& a, const TileOperand& b) {
  const auto same = [](const cluster::Dimension& x, const cluster::Dimension& y) {
    return is_same(x.size, y.size) && is_same(x.stride, y.stride);
  };
  return a.array == b.array && a.address.base == b.address.base &&
         a.address.products.size() == b.address.products.size() &&
         std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(),
                    b.dimensions.end(), same);
}

/// Whether the step after the last turn leaves 64 bits, as far as numbers are known before the run.
bool counts_too_far(Operand first, Operand last, Operand step) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (last.is_register || step.is_register || last.value <= kMost - (step.value - 1)) return false;
  if (first.is_register) return true;
  if (first.value >= last.value) return false;
  const std::uint64_t from_first =
      static_cast<std::uint64_t>(kMost) - static_cast<std::uint64_t>(first.value);
  const auto stride = static_cast<std::uint64_t>(step.value);
  const std::uint64_t highest = from_first / stride * stride;  // the last multiple that fits
  return highest < static_cast<std::uint64_t>(last.value) - static_cast<std::uint64_t>(first.value);
}

const char* cores(CoreKind kind) {
  return kind == CoreKind::kAic ? "the AIC" : "AIVs";
}

}  // namespace

// --- regions ---

void ControlLowering::region(const Region& region) {
  const Operation* end = nullptr;
  const std::vector<Operation>& list = region.operations;
  std::size_t last = 0;  // index of the last operation of the vector function that was opened here
  bool opened = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Operation& op = list[i];
    if (end != nullptr) fail(end->place, end->name, " stands before the end of its region");
    // Instructions on registers that stand together, and the scalar ones between them, are one function.
    if (!code_.is_open() && code_.has_registers(op) && code_.fits_body(op)) {
      for (std::size_t k = i; k < list.size() && code_.fits_body(list[k]); ++k)
        if (code_.has_registers(list[k])) last = k;
      code_.open(op.place);
      opened = true;
    }
    context_.lower(op);
    if (opened && i == last) {
      code_.close();
      opened = false;
    }
    if (operation_info(op.name).meaning == Meaning::kTerminator) end = &op;
  }
  if (end == nullptr) terminator_ = nullptr;  // the noted terminator ends an inner region
}

std::vector<Value> ControlLowering::values_of(const Region& body, const char* terminator,
                                              Place place) {
  terminator_ = nullptr;
  region(body);
  if (terminator_ != nullptr && terminator_->name != terminator)
    fail(terminator_->place, terminator_->name, " inside an operation, expected ", terminator);
  if (terminator_ == nullptr && std::string(terminator) == "scf.condition")
    fail(place, "expected scf.condition at the end of the first region");
  std::vector<Value> values;
  if (terminator_ == nullptr) return values;
  for (const Argument& a : terminator_->arguments)
    if (a.role == Role::kOperand) values.push_back(carried_.number_or_tile(a));
  return values;
}

void ControlLowering::body(const Region& body, const std::vector<Value>& targets, Place place,
                           const char* what) {
  scope_.enter_region();
  const std::vector<Value> values = values_of(body, "scf.yield", place);
  const Place end = terminator_ == nullptr ? place : terminator_->place;
  if (values.size() != targets.size())
    fail(end, "expected scf.yield with ", targets.size(), " values at the end of the ", what,
         ", found ", values.size());
  carried_.assign(targets, values, end);
  scope_.leave_region();
}

// --- loops and branches ---

// Code: counter = first; jump TEST; BODY: ..; counter += step; TEST: if counter < last, jump BODY.
void ControlLowering::for_loop(const Operation& op) {
  const Operand last = scope_.scalar(op.arguments[2]), step = scope_.scalar(op.arguments[3]);
  if (!step.is_register && step.value <= 0)
    fail(op.arguments[3].place, "the step of a loop is ", step.value, ", expected 1 or more");
  const Operand first = scope_.scalar(op.arguments[1]);
  if (counts_too_far(first, last, step))
    fail(op.arguments[2].place, "a loop up to ", last.value, " in steps of ", step.value,
         " does not end: its counter goes beyond 64 bits and begins anew below zero");
  const Operand counter = emitter_.new_register(op.place);
  emitter_.set(counter, first, op.place);
  scope_.enter_region();
  scope_.define(op.arguments[0].text, op.arguments[0].place, Value::of_scalar(counter));
  const std::vector<Value> carried = carried_.define_arguments(op, 4);
  const std::uint32_t to_test = emitter_.jump(op.place);
  body(op.regions[0], carried, op.place);
  emitter_.update(counter, Opcode::kAdd, step, op.place);
  emitter_.land(to_test);
  const Operand goes_on = emitter_.compare(Predicate::kLess, counter, last, op.place);
  emitter_.branch(goes_on, op.place, to_test + 1);
  scope_.leave_region();
  scope_.define_all(op, carried);
}

// Code: BEFORE: ..; if the condition holds, jump AFTER; jump END; AFTER: ..; jump BEFORE; END.
void ControlLowering::while_loop(const Operation& op) {
  scope_.enter_region();
  const std::vector<Value> carried = carried_.define_arguments(op, 0);
  const std::uint32_t before = emitter_.next();
  const std::vector<Value> values = values_of(op.regions[0], "scf.condition", op.place);
  const Place condition = terminator_->place;
  const Operand goes_on = scope_.scalar(argument(*terminator_, Role::kPredicate));
  std::vector<Value> passed;
  for (const Value& v : values) passed.push_back(carried_.like(v, condition));
  carried_.assign(passed, values, condition);
  emitter_.branch(goes_on, condition, emitter_.next() + 2);
  const std::uint32_t leave = emitter_.jump(condition);
  scope_.leave_region();

  scope_.enter_region();
  const std::vector<Parameter>& parameters = op.regions[1].parameters;
  if (parameters.size() != passed.size())
    fail(condition, "scf.condition passes ", passed.size(),
         " values on, and the block after do takes ", parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    scope_.define(parameters[i].name, parameters[i].place, passed[i]);
  body(op.regions[1], carried, op.place, "loop");
  scope_.leave_region();
  emitter_.jump(op.place, before);
  emitter_.land(leave);
  scope_.define_all(op, passed);
}

// The views of both branches have to be one and the same, which is defined in front of them: nothing
// is carried then.
Value ControlLowering::yielded_view(const Operation& op, std::size_t n) const {
  for (const Region& region : op.regions) {
    if (region.operations.empty() || region.operations.back().arguments.size() <= n) continue;
    const Value* v = scope_.find(region.operations.back().arguments[n].text);
    if (v != nullptr && (v->kind == Value::Kind::kView || v->kind == Value::Kind::kPointer))
      return *v;
  }
  fail(op, "a view that is a result has to be defined in front of the branch");
}

void ControlLowering::branch(const Operation& op) {
  std::vector<Value> results;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k) {
      const bool known = results.size() < op.result_types.size();
      const Type type = known ? op.result_types[results.size()] : Type();
      const bool is_view = type.kind == Type::Kind::kTensorView ||
                           type.kind == Type::Kind::kPartition ||
                           (type.kind == Type::Kind::kPointer && space_of(type) == Location::kGm);
      const Value like = type.kind == Type::Kind::kTile ? tile_of(type, r.name)
                         : is_view                      ? yielded_view(op, results.size())
                                                        : carried_.of_type(type);
      results.push_back(is_view ? like : carried_.like(like, r.place));
    }
  }
  if (!results.empty() && op.regions.size() < 2)
    fail(op.place, "an scf.if with results needs an else");
  const std::uint32_t to_then = emitter_.branch(scope_.scalar(op.arguments[0]), op.place);
  if (op.regions.size() > 1) body(op.regions[1], results, op.place);
  const std::uint32_t over = emitter_.jump(op.place);
  emitter_.land(to_then);
  body(op.regions[0], results, op.place);
  emitter_.land(over);
  scope_.define_all(op, results);
}

void ControlLowering::select(const Operation& op) {
  const Operand condition = scope_.scalar(op.arguments[0]);
  const Value a = scope_.any_value(op.arguments[1]), b = scope_.any_value(op.arguments[2]);
  if (!condition.is_register) return scope_.define(op, condition.value != 0 ? a : b);
  if (a.kind == Value::Kind::kTile) {
    const Value result = carried_.like(a, op.place);
    carried_.assign({result}, {b}, op.place);
    emitter_.unless(emitter_.compare(Predicate::kEqual, condition, 0, op.place), op.place,
                    [&] { carried_.assign({result}, {a}, op.place); });
    return scope_.define(op, result);
  }
  const bool real = a.kind == Value::Kind::kFloat;
  const auto bits = [&](std::size_t n) -> Operand {
    const Value& v = scope_.value(op.arguments[n], a.kind, "a number of the same kind");
    return real && !v.scalar.is_register ? Operand(cluster::bits_of_real(v.number)) : v.scalar;
  };
  if (!real) scope_.scalar(op.arguments[1]);
  Value result = Value::of_scalar(emitter_.new_register(op.place));
  result.kind = a.kind;
  emitter_.select(result.scalar, condition, bits(1), bits(2), op.place);
  scope_.define(op, result);
}

void ControlLowering::vector_scope(const Operation& op) {
  if (code_.is_open()) fail(op, "stands inside another one");
  for (const Region& region : op.regions)
    for (const Operation& inner : region.operations)
      if (!code_.fits_body(inner))
        fail(inner.place, inner.name, " cannot stand in ", op.name,
             ", expected instructions on registers and scalars");
  const Region& inside = op.regions[0];
  scope_.enter_region();
  for (std::size_t i = 0; i < inside.parameters.size(); ++i) {
    const Parameter& p = inside.parameters[i];
    scope_.define(p.name, p.place, scope_.any_value(argument(op, Role::kOperand, i)));
  }
  code_.open(op.place);
  terminator_ = nullptr;
  region(inside);
  terminator_ = nullptr;
  code_.close();
  scope_.leave_region();
}

void ControlLowering::inline_region(const Operation& op) {
  scope_.enter_region();
  terminator_ = nullptr;
  region(op.regions[0]);
  std::vector<Value> values;
  if (terminator_ != nullptr)
    for (const Argument& a : terminator_->arguments) values.push_back(scope_.any_value(a));
  scope_.leave_region();
  terminator_ = nullptr;
  scope_.define_all(op, values);
}

// --- calls ---

bool ControlLowering::runs_here(const Operation& op, const Function& callee) const {
  const FunctionKinds::Facts& facts = context_.kinds.of(callee);
  if (facts.is_neutral() || facts.runs_on(context_.core)) return true;
  const Argument& name = argument(op, Role::kCallee);
  const Function& caller = scope_.function();
  if (const auto declared = context_.kinds.of(caller).declared)
    fail(name.place, "@", caller.name, " runs on ", cores(*declared), " and calls ", name.text,
         ", which does not");
  if (!op.results.empty())
    fail(name.place, name.text, " does not run on ", cores(context_.core),
         ", which would need its results");
  return false;
}

void ControlLowering::call(const Operation& op) {
  const Argument& callee = argument(op, Role::kCallee);
  const Function* function = context_.kinds.find(callee.text.substr(1));
  if (function == nullptr) fail(callee.place, "the module has no function ", callee.text);
  if (scope_.is_open(*function))
    fail(callee.place, callee.text, " calls itself, here from @", scope_.function().name,
         "; calls are inlined");
  if (!function->has_body) {
    if (context_.options.unknown) return unknown(op);
    fail(callee.place, callee.text,
         " has no body, so nobody knows what it does; "
         "--pto-unknown=cost:N runs it as N cycles");
  }
  if (!runs_here(op, *function)) return;  // the other cores run it
  std::vector<Value> values;
  for (const Argument& a : op.arguments)
    if (a.role == Role::kOperand) values.push_back(scope_.any_value(a));
  if (values.size() != function->parameters.size())
    fail(callee.place, callee.text, " takes ", function->parameters.size(), " arguments, found ",
         values.size());
  scope_.enter_function(*function);
  for (std::size_t i = 0; i < values.size(); ++i)
    scope_.define(function->parameters[i].name, function->parameters[i].place,
                  std::move(values[i]));
  const TileMemory::Level level = context_.memory.level();
  terminator_ = nullptr;
  region(function->body);
  values.clear();
  if (terminator_ != nullptr)
    for (const Argument& a : terminator_->arguments) values.push_back(scope_.any_value(a));
  terminator_ = nullptr;
  scope_.leave_function();
  // The memory of the tiles of the function is free again, unless one of them is a result.
  const bool keeps = std::any_of(values.begin(), values.end(),
                                 [](const Value& v) { return v.kind == Value::Kind::kTile; });
  if (!keeps) context_.memory.return_to(level);
  scope_.define_all(op, values);
}

void ControlLowering::unknown(const Operation& op) {
  const auto& cost = context_.options.unknown;
  if (!cost) fail(op.place, "unknown operation ", text::in_quotes(op.name));
  emitter_.emit_tile(Opcode::kBusy, op.place, cost->pipe.value_or(is_cube() ? Pipe::kM : Pipe::kV))
      .size[0] = cost->cycles;
  std::vector<TileOperand> operands;
  for (const Argument& a : op.arguments) {
    const Value* known = scope_.find(a.text);
    if (known == nullptr || known->kind != Value::Kind::kTile) continue;
    if (operands.size() == cluster::kMostOperands) break;
    operands.push_back(tile_operand(*known, a.role == Role::kIn    ? Access::kRead
                                            : a.role == Role::kOut ? Access::kWrite
                                                                   : Access::kReadWrite));
  }
  emitter_.attach(std::move(operands));
  Value v{Value::Kind::kUnknown};
  scope_.define_all(op, std::vector<Value>(result_count(op), v));
}

// --- carried values ---

const Value& CarriedValues::number_or_tile(const Argument& a) const {
  const Value& v = scope_.any_value(a);
  using K = Value::Kind;
  const bool carried = v.kind == K::kView || v.kind == K::kTile || v.kind == K::kRegister ||
                       v.kind == K::kPointer || v.kind == K::kFloat;
  return carried ? v : scope_.value(a, K::kScalar, "a whole number");
}

Value CarriedValues::of_type(const Type& type) const {
  Value v;
  v.type = type;
  if (type.kind == Type::Kind::kRegister) v.kind = Value::Kind::kRegister;
  const bool is_float =
      type.kind == Type::Kind::kScalar && type.element.find('f') != std::string::npos;
  if (is_float) v.kind = Value::Kind::kFloat;
  if (type.kind == Type::Kind::kPointer) {
    v.kind = Value::Kind::kPointer;
    v.place.location = space_of(type);
    v.place.element = element(type);
  }
  return v;
}

std::vector<Value> CarriedValues::define_arguments(const Operation& op, std::size_t first) {
  std::vector<Value> carried;
  for (std::size_t i = first; i + 1 < op.arguments.size(); i += 2) {
    const Argument &name = op.arguments[i], &init = op.arguments[i + 1];
    const Value begin = number_or_tile(init);
    carried.push_back(like(begin, op.place));
    assign({carried.back()}, {begin}, init.place);
    scope_.define(name.text, name.place, carried.back());
  }
  return carried;
}

Value CarriedValues::like(const Value& like, Place place) {
  if (like.kind == Value::Kind::kView)
    fail(place, "a loop cannot carry a view; make it inside of the loop");
  Value v = like;
  if (v.kind == Value::Kind::kRegister) {
    v.scalar = code_.new_register(place);
    return v;
  }
  v.scalar = emitter_.new_register(place);
  if (v.kind == Value::Kind::kPointer) {
    v.place.address = {};
    v.place.address.add(v.scalar, 1);
  }
  if (v.kind != Value::Kind::kTile) return v;
  v.place.address = {};
  v.place.address.add(v.scalar, 1);
  for (Operand& size : v.sizes)
    if (size.is_register) size = emitter_.new_register(place);
  return v;
}

void CarriedValues::assign(const std::vector<Value>& targets, const std::vector<Value>& values,
                           Place place) {
  std::vector<std::pair<Operand, Operand>> moves;
  std::vector<std::pair<Value, Value>> registers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value &to = targets[i], &from = values[i];
    if (to.kind != from.kind) fail(place, "a tile and a number in one place");
    if (to.kind == Value::Kind::kView) {
      if (!is_same_view(to.place, from.place))
        fail(place, "the view ", from.place.name, " is another one than the other branch yields");
      continue;
    }
    if (to.kind == Value::Kind::kRegister) {
      registers.emplace_back(to, from);
      continue;
    }
    if (to.kind == Value::Kind::kPointer) {
      if (to.place.location != from.place.location || to.place.array != from.place.array)
        fail(place, "a pointer to another array or buffer comes in the place of ", to.place.name);
      moves.emplace_back(to.scalar, sum_of(from.place.address, place));
      continue;
    }
    if (to.kind != Value::Kind::kTile) {
      const bool known = from.kind == Value::Kind::kFloat && !from.scalar.is_register;
      moves.emplace_back(to.scalar,
                         known ? Operand(cluster::bits_of_real(from.number)) : from.scalar);
      continue;
    }
    check_alike(to, from, place);
    moves.emplace_back(to.scalar, sum_of(from.place.address, place));
    for (std::size_t k = 0; k < to.sizes.size(); ++k)
      if (to.sizes[k].is_register) moves.emplace_back(to.sizes[k], from.sizes[k]);
  }
  if (moves.size() > 1) {
    for (auto& [target, value] : moves) {
      if (!value.is_register) continue;
      const Operand copy = emitter_.new_register(place);
      emitter_.set(copy, value, place);
      value = copy;
    }
  }
  for (const auto& [target, value] : moves) emitter_.set(target, value, place);
  if (registers.size() > 1) {
    for (auto& [target, value] : registers) {
      Value copy = value;
      copy.scalar = code_.new_register(place);
      code_.move(copy, value, place);
      value = copy;
    }
  }
  for (const auto& [target, value] : registers) code_.move(target, value, place);
}

void CarriedValues::check_alike(const Value& to, const Value& from, Place place) const {
  const TileOperand &a = to.place, &b = from.place;
  bool alike = a.location == b.location && a.holder == b.holder && a.element == b.element &&
               a.full_rows == b.full_rows && a.row_stride == b.row_stride &&
               a.by_columns == b.by_columns;
  for (std::size_t k = 0; k < to.sizes.size(); ++k) {
    const bool known = !to.sizes[k].is_register;
    alike &= !known || (!from.sizes[k].is_register && from.sizes[k].value == to.sizes[k].value);
  }
  if (!alike)
    fail(place, "the tile ", b.name, " has another type than ", a.name,
         ", in whose place it comes");
}

}  // namespace tessera::pto
