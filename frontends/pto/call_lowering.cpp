// scf.while, calls, and what runs on which kind of core.
#include <algorithm>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Instruction;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;

const char* cores(CoreKind kind) {
  return kind == CoreKind::kAic ? "the AIC" : "AIVs";
}

}  // namespace

// What needs several instructions or other functions; the rest is scalar.
void FunctionLowering::lower_extended(const Operation& op, const OperationInfo& info) {
  switch (info.meaning) {
  case Meaning::kRecordEvent:
  case Meaning::kWaitEvent:
    return lower_event(op, info.meaning == Meaning::kRecordEvent);
  case Meaning::kOperationBarrier:
    return lower_operation_barrier(op);
  case Meaning::kSyncAll:
    return lower_sync_all(op);
  case Meaning::kEventArray:
  case Meaning::kEventArraySet:
  case Meaning::kEventArrayGet:
    return lower_events(op, info.meaning);
  case Meaning::kReserveBuffer:
  case Meaning::kImportBuffer:
  case Meaning::kOpenPipe:
  case Meaning::kPipeHandle:
  case Meaning::kAllocEntry:
  case Meaning::kPush:
  case Meaning::kPop:
  case Meaning::kFree:
  case Meaning::kFifoTile:
  case Meaning::kDeclareTile:
    return lower_pipe_operation(op, info.meaning);
  case Meaning::kUnknown:
    return lower_unknown(op);
  case Meaning::kWhile:
    return lower_while(op);
  case Meaning::kCall:
    return lower_call(op);
  default:
    return lower_scalar(op, info);
  }
}

// before: .. branch to after if it goes on; jump to the end; after: ..; jump to before
void FunctionLowering::lower_while(const Operation& op) {
  scopes_.emplace_back();
  const std::vector<Value> carried = carry_arguments(op, 0);
  const std::uint32_t before = next();
  std::vector<Value> values = lower_region(op.regions[0], "scf.condition", op.place);
  const Place condition = yield_->place;
  const Operand goes_on = scalar(argument(*yield_, Role::kPredicate));
  std::vector<Value> passed;
  for (const Value& v : values) passed.push_back(carried_like(v, condition));
  assign(passed, values, condition);
  Instruction& branch = emit(Opcode::kBranch, condition, Pipe::kS);
  branch.a = goes_on;
  branch.target = next() + 1;
  const std::uint32_t leave = next();
  emit(Opcode::kJump, condition, Pipe::kS);
  scopes_.pop_back();

  scopes_.emplace_back();
  const std::vector<Parameter>& parameters = op.regions[1].parameters;
  if (parameters.size() != passed.size())
    diagnostics_.fail(condition, "scf.condition passes " + std::to_string(passed.size()) +
                                     " values on, and the block behind do takes " +
                                     std::to_string(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    define(parameters[i].name, parameters[i].place, passed[i]);
  scopes_.emplace_back();
  values = lower_region(op.regions[1], "scf.yield", op.place);
  const Place end = yield_ == nullptr ? op.place : yield_->place;
  if (values.size() != carried.size())
    diagnostics_.fail(end, "expected scf.yield with " + std::to_string(carried.size()) +
                               " values at the end of the loop, found " +
                               std::to_string(values.size()));
  assign(carried, values, end);
  scopes_.pop_back();
  scopes_.pop_back();
  emit(Opcode::kJump, op.place, Pipe::kS).target = before;
  program_.code[leave].target = next();
  define_results(op, passed);
}

void FunctionLowering::define_results(const Operation& op, const std::vector<Value>& values) {
  std::size_t n = 0;
  for (const Result& r : op.results) {
    for (unsigned k = 0; k < r.count; ++k, ++n) {
      if (n >= values.size())
        diagnostics_.fail(r.place, op.name + " gives " + std::to_string(values.size()) +
                                       " values, expected one for each result");
      define(r.count > 1 ? r.name + "#" + std::to_string(k) : r.name, r.place, values[n]);
    }
  }
}

// The body of the function in place of the call: its names are its own, its arguments are our
// values, whatever they are.
void FunctionLowering::lower_call(const Operation& op) {
  const Argument& callee = argument(op, Role::kCallee);
  const Function* function = kinds_.find(callee.text.substr(1));
  if (function == nullptr)
    diagnostics_.fail(callee.place, "the module has no function " + callee.text);
  if (std::count(calls_.begin(), calls_.end(), function) != 0)
    diagnostics_.fail(callee.place, callee.text + " calls itself, here from @" +
                                        calls_.back()->name + "; calls are inlined");
  if (!function->has_body) {
    if (options_.unknown) return lower_unknown(op);
    diagnostics_.fail(callee.place, callee.text + " has no body, so nobody knows what it does; "
                                                  "--pto-unknown=cost:N runs it as N cycles");
  }
  const auto declared = kinds_.declared(*calls_.back());
  if (!kinds_.is_neutral(*function) && !kinds_.runs_on(*function, kind_)) {
    if (declared)
      diagnostics_.fail(callee.place, "@" + calls_.back()->name + " runs on " + cores(*declared) +
                                          " and calls " + callee.text + ", which does not");
    if (!op.results.empty())
      diagnostics_.fail(callee.place, callee.text + " does not run on " + cores(kind_) +
                                          ", which would need its results");
    return;  // the other cores run it
  }
  std::vector<Value> values;
  for (const Argument& a : op.arguments)
    if (a.role == Role::kOperand) values.push_back(any_value(a));
  if (values.size() != function->parameters.size())
    diagnostics_.fail(callee.place, callee.text + " takes " +
                                        std::to_string(function->parameters.size()) +
                                        " arguments, found " + std::to_string(values.size()));
  std::vector<Names> outer(1);
  outer.swap(scopes_);
  for (std::size_t i = 0; i < values.size(); ++i)
    define(function->parameters[i].name, function->parameters[i].place, std::move(values[i]));
  calls_.push_back(function);
  const auto allotted = allotted_;
  auto resized = resized_;
  collect_resized(*function);
  yield_ = nullptr;
  lower(function->body);
  resized_.swap(resized);
  values.clear();
  if (yield_ != nullptr)
    for (const Argument& a : yield_->arguments) values.push_back(any_value(a));
  // Tiles of the function are gone with it, unless it gives one of them.
  const bool keeps = std::any_of(values.begin(), values.end(),
                                 [](const Value& v) { return v.kind == Value::Kind::kTile; });
  if (!keeps) allotted_ = allotted;
  yield_ = nullptr;
  calls_.pop_back();
  outer.swap(scopes_);
  define_results(op, values);
}

bool FunctionLowering::belongs_elsewhere(const Operation& op) const {
  if (calls_.empty() || !kinds_.is_mixed(*calls_.back())) return false;
  const auto kind = FunctionKinds::kind_of(op);
  const Meaning meaning = operation_info(op.name).meaning;
  const bool signals = operation_info(op.name).form == Form::kPipeIds &&
                       (meaning == Meaning::kSyncSet || meaning == Meaning::kSyncWait ||
                        operation_info(op.name).opcode >= Opcode::kSetCrossCore);
  if (!kind && signals)
    diagnostics_.fail(op.place, op.name + ": both kinds of core have this pipe; put it into "
                                          "pto.section.cube or pto.section.vector");
  return kind && *kind != kind_;
}

// N cycles of one pipe. What it gives may only be used by other unknown operations.
void FunctionLowering::lower_unknown(const Operation& op) {
  if (!options_.unknown) diagnostics_.fail(op.place, "unknown operation " + text::quoted(op.name));
  const Pipe usual = kind_ == CoreKind::kAiv ? Pipe::kV : Pipe::kM;
  Instruction& busy = emit_tile(Opcode::kBusy, op, options_.unknown->pipe.value_or(usual));
  busy.size[0] = options_.unknown->cycles;
  std::vector<cluster::TileOperand> operands;
  for (const Argument& a : op.arguments) {
    const Value* known = find_value(a.text);
    if (known == nullptr || known->kind != Value::Kind::kTile) continue;
    if (operands.size() == cluster::kMostOperands) break;
    operands.push_back(tile_operand(a, a.role == Role::kIn    ? Access::kRead
                                       : a.role == Role::kOut ? Access::kWrite
                                                              : Access::kReadWrite));
  }
  attach(std::move(operands));
  Value v;
  v.kind = Value::Kind::kUnknown;
  unsigned count = 0;
  for (const Result& r : op.results) count += r.count;
  define_results(op, std::vector<Value>(count, v));
}

}  // namespace tessera::pto
