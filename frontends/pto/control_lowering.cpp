// Loops and branches, and the values that they carry: whole numbers, and tiles, whose place is carried.
#include "frontends/pto/fifo.h"

namespace tessera::pto {

namespace {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;

unsigned register_of(const Operand& operand) {
  return static_cast<unsigned>(operand.value);
}

}  // namespace

// counter = first; jump to test; body: ..; counter += step; test: branch to body if it goes on
void FunctionLowering::lower_for(const Operation& op) {
  const Operand last = scalar(op.arguments[2]), step = scalar(op.arguments[3]);
  if (!step.is_register && step.value <= 0)
    diagnostics_.fail(op.arguments[3].place, "the step of a loop is " + std::to_string(step.value) +
                                                 ", expected 1 or more");
  const unsigned counter = new_register(op.place);
  set(counter, scalar(op.arguments[1]), op.place);
  scopes_.emplace_back();
  Value v;
  v.scalar = cluster::reg(counter);
  define(op.arguments[0].text, op.arguments[0].place, v);
  const std::vector<Value> carried = carry_arguments(op, 4);
  const std::uint32_t entry = next();
  emit(Opcode::kJump, op.place, Pipe::kS);
  lower_body(op.regions[0], carried, op.place);
  Instruction& add = emit(Opcode::kAdd, op.place, Pipe::kS);
  add.rd = static_cast<std::uint16_t>(counter);
  add.a = cluster::reg(counter);
  add.b = step;
  program_.code[entry].target = next();
  const Operand goes_on = compute(Opcode::kCompare, cluster::reg(counter), last, op.place);
  program_.code.back().predicate = Predicate::kLess;
  Instruction& branch = emit(Opcode::kBranch, op.place, Pipe::kS);
  branch.a = goes_on;
  branch.target = entry + 1;
  scopes_.pop_back();
  define_results(op, carried);
}

void FunctionLowering::lower_if(const Operation& op) {
  std::vector<Value> results;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k) {
      const bool known = results.size() < op.result_types.size();
      const Type type = known ? op.result_types[results.size()] : Type();
      const Value like = type.kind == Type::Kind::kTile ? tile_of(type, r.name) : Value();
      results.push_back(carried_like(like, r.place));
    }
  }
  if (!results.empty() && op.regions.size() < 2)
    diagnostics_.fail(op.place, "an scf.if with results needs an else");
  const std::uint32_t branch = next();
  emit(Opcode::kBranch, op.place, Pipe::kS).a = scalar(op.arguments[0]);
  if (op.regions.size() > 1) lower_body(op.regions[1], results, op.place);
  const std::uint32_t over = next();
  emit(Opcode::kJump, op.place, Pipe::kS);
  program_.code[branch].target = next();
  lower_body(op.regions[0], results, op.place);
  program_.code[over].target = next();
  define_results(op, results);
}

void FunctionLowering::lower_body(const Region& region, const std::vector<Value>& targets,
                                  Place place) {
  scopes_.emplace_back();
  const std::vector<Value> values = lower_region(region, "scf.yield", place);
  const Place end = yield_ == nullptr ? place : yield_->place;
  if (values.size() != targets.size())
    diagnostics_.fail(end, "expected scf.yield with " + std::to_string(targets.size()) +
                               " values at the end of the region, found " +
                               std::to_string(values.size()));
  assign(targets, values, end);
  scopes_.pop_back();
}

std::vector<FunctionLowering::Value>
FunctionLowering::lower_region(const Region& region, const char* terminator, Place place) {
  yield_ = nullptr;
  lower(region);
  if (yield_ != nullptr && yield_->name != terminator)
    diagnostics_.fail(yield_->place, yield_->name + " inside an operation, expected " + terminator);
  if (yield_ == nullptr && std::string(terminator) == "scf.condition")
    diagnostics_.fail(place, "expected scf.condition at the end of the first region");
  std::vector<Value> values;
  if (yield_ == nullptr) return values;
  for (const Argument& a : yield_->arguments)
    if (a.role == Role::kOperand) values.push_back(number_or_tile(a));
  return values;
}

// --- carried values ---

const FunctionLowering::Value& FunctionLowering::number_or_tile(const Argument& a) const {
  const Value& v = any_value(a);
  return v.kind == Value::Kind::kTile ? v : value(a, Value::Kind::kScalar, "a whole number");
}

/// The arguments `name = init` of a loop from `first` on, defined with their first values.
std::vector<FunctionLowering::Value> FunctionLowering::carry_arguments(const Operation& op,
                                                                       std::size_t first) {
  std::vector<Value> carried;
  for (std::size_t i = first; i + 1 < op.arguments.size(); i += 2) {
    const Argument &name = op.arguments[i], &init = op.arguments[i + 1];
    const Value begin = number_or_tile(init);
    carried.push_back(carried_like(begin, op.place));
    assign({carried.back()}, {begin}, init.place);
    define(name.text, name.place, carried.back());
  }
  return carried;
}

// What its type says does not change; the address, and valid sizes that are values, do.
FunctionLowering::Value FunctionLowering::carried_like(const Value& like, Place place) {
  Value v = like;
  v.scalar = cluster::reg(new_register(place));
  if (v.kind != Value::Kind::kTile) return v;
  v.place.address = {};
  v.place.address.add(v.scalar, 1);
  for (Operand& size : v.sizes)
    if (size.is_register) size = cluster::reg(new_register(place));
  return v;
}

Operand FunctionLowering::address_of(const Value& tile, Place place) {
  Operand sum = tile.place.address.base;
  for (const auto& product : tile.place.address.products) {
    const Operand more = compute(Opcode::kMul, product.a, product.b, place);
    sum = compute(Opcode::kAdd, sum, more, place);
  }
  return sum;
}

// All are read before one is written: a yield may exchange two values.
void FunctionLowering::assign(const std::vector<Value>& targets, const std::vector<Value>& values,
                              Place place) {
  std::vector<std::pair<unsigned, Operand>> moves;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value &to = targets[i], &from = values[i];
    if (to.kind != from.kind) diagnostics_.fail(place, "a tile and a number in one place");
    if (to.kind != Value::Kind::kTile) {
      moves.emplace_back(register_of(to.scalar), from.scalar);
      continue;
    }
    check_alike(to, from, place);
    moves.emplace_back(register_of(to.scalar), address_of(from, place));
    for (std::size_t k = 0; k < to.sizes.size(); ++k)
      if (to.sizes[k].is_register) moves.emplace_back(register_of(to.sizes[k]), from.sizes[k]);
  }
  if (moves.size() > 1) {
    for (auto& [target, value] : moves) {
      if (!value.is_register) continue;
      const unsigned copy = new_register(place);
      set(copy, value, place);
      value = cluster::reg(copy);
    }
  }
  for (const auto& [target, value] : moves) set(target, value, place);
}

void FunctionLowering::check_alike(const Value& to, const Value& from, Place place) const {
  const cluster::TileOperand &a = to.place, &b = from.place;
  bool alike = a.location == b.location && a.holder == b.holder && a.element == b.element &&
               a.full_rows == b.full_rows && a.row_stride == b.row_stride;
  for (std::size_t k = 0; k < to.sizes.size(); ++k) {
    const bool known = !to.sizes[k].is_register;
    alike &= !known || (!from.sizes[k].is_register && from.sizes[k].value == to.sizes[k].value);
  }
  if (!alike)
    diagnostics_.fail(place, "the tile " + b.name + " has another type than " + a.name +
                                 ", in whose place it comes");
}

}  // namespace tessera::pto
