// scf.for and scf.if, and the values that regions end with.
#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;

// The test stands behind the body: one jump to it, then one branch a round.
void FunctionLowering::lower_for(const Operation& op) {
  const Operand last = scalar(op.arguments[2]), step = scalar(op.arguments[3]);
  if (!step.is_register && step.value <= 0)
    diagnostics_.fail(op.arguments[3].place, "the step of a loop is " + std::to_string(step.value) +
                                                 ", expected 1 or more");
  const unsigned counter = new_register(op.place);
  set(counter, scalar(op.arguments[1]), op.place);
  std::vector<unsigned> carried;
  scopes_.emplace_back();
  Value v;
  v.scalar = cluster::reg(counter);
  define(op.arguments[0].text, op.arguments[0].place, v);
  for (std::size_t i = 4; i + 1 < op.arguments.size(); i += 2) {
    carried.push_back(new_register(op.place));
    set(carried.back(), scalar(op.arguments[i + 1]), op.place);
    v.scalar = cluster::reg(carried.back());
    define(op.arguments[i].text, op.arguments[i].place, v);
  }
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
  std::vector<Operand> results;
  for (const unsigned r : carried) results.push_back(cluster::reg(r));
  std::size_t n = 0;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k, ++n) {
      if (n >= results.size())
        diagnostics_.fail(r.place, "the loop has " + std::to_string(results.size()) +
                                       " iter_args, expected one for each result");
      v.scalar = results[n];
      define(r.count > 1 ? r.name + "#" + std::to_string(k) : r.name, r.place, v);
    }
  }
}

void FunctionLowering::lower_if(const Operation& op) {
  std::vector<unsigned> results;
  for (const Result& r : op.results)
    for (unsigned k = 0; k < r.count; ++k) results.push_back(new_register(r.place));
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
  std::size_t n = 0;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k) {
      Value v;
      v.scalar = cluster::reg(results[n++]);
      define(r.count > 1 ? r.name + "#" + std::to_string(k) : r.name, r.place, std::move(v));
    }
  }
}

void FunctionLowering::lower_body(const Region& region, const std::vector<unsigned>& targets,
                                  Place place) {
  scopes_.emplace_back();
  std::vector<Operand> values = lower_region(region, "scf.yield", place);
  if (values.size() != targets.size())
    diagnostics_.fail(yield_ == nullptr ? place : yield_->place,
                      "expected scf.yield with " + std::to_string(targets.size()) +
                          " values at the end of the region, found " +
                          std::to_string(values.size()));
  assign(targets, std::move(values), place);
  scopes_.pop_back();
}

std::vector<FunctionLowering::Operand>
FunctionLowering::lower_region(const Region& region, const char* terminator, Place place) {
  yield_ = nullptr;
  lower(region);
  if (yield_ != nullptr && yield_->name != terminator)
    diagnostics_.fail(yield_->place, yield_->name + " inside an operation, expected " + terminator);
  if (yield_ == nullptr && std::string(terminator) == "scf.condition")
    diagnostics_.fail(place, "expected scf.condition at the end of the first region");
  std::vector<Operand> values;
  if (yield_ == nullptr) return values;
  for (const Argument& a : yield_->arguments)
    if (a.role == Role::kOperand) values.push_back(scalar(a));
  return values;
}

// All are read before one is written: a yield may exchange two values.
void FunctionLowering::assign(const std::vector<unsigned>& targets, std::vector<Operand> values,
                              Place place) {
  if (values.size() > 1) {
    for (Operand& v : values) {
      if (!v.is_register) continue;
      const unsigned copy = new_register(place);
      set(copy, v, place);
      v = cluster::reg(copy);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) set(targets[i], values[i], place);
}

}  // namespace tessera::pto
