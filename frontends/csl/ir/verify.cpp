#include "frontends/csl/ir/verify.h"

#include <algorithm>
#include <stdexcept>

#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/print.h"
#include "frontends/text/diagnostics.h"

namespace tessera::csl::ir {
namespace {

using text::joined;

struct Arity {
  unsigned operands;
  unsigned results;
};

/// The numbers for operations that have fixed numbers of operands and results.
Arity arity_of(Op op) {
  switch (op) {
  case Op::kCopy:
  case Op::kConvert:
  case Op::kNeg:
  case Op::kAbs:
  case Op::kNormalize:
  case Op::kClz:
  case Op::kCtz:
  case Op::kPopcnt:
  case Op::kHighWord:
  case Op::kLoad:
    return {1, 1};
  case Op::kChoose:
    return {4, 1};
  case Op::kLowShift:
    return {1, 2};
  case Op::kMultiplyAdd:
  case Op::kSelect:
    return {3, 1};
  case Op::kStore:
  case Op::kAssert:
  case Op::kBranch:
    return {2, 0};
  case Op::kJump:
  case Op::kTrap:
    return {0, 0};
  default:
    return {2, 1};
  }
}

/// Whether the operation exists for values of this type.
bool exists_for(Op op, Type type) {
  switch (op) {
  case Op::kRem:
  case Op::kAnd:
  case Op::kOr:
  case Op::kXor:
  case Op::kShl:
  case Op::kShr:
    return !is_float(type);
  case Op::kJoin:
    return is_wide(type) && !is_float(type);
  case Op::kHighWord:
  case Op::kLowShift:
    return !is_wide(type) && !is_float(type);
  case Op::kMin:
  case Op::kMax:
  case Op::kScale:
  case Op::kMultiplyAdd:
  case Op::kAbs:
  case Op::kNormalize:
    return is_float(type);
  case Op::kClz:
  case Op::kCtz:
  case Op::kPopcnt:
    return !is_wide(type) && !is_float(type);
  default:
    return true;
  }
}

class FunctionCheck {
 public:
  FunctionCheck(const Module& module, const Function& function, std::vector<std::string>& problems)
      : module_(module), function_(function), problems_(problems) {}

  void run() {
    if (function_.blocks.empty()) return report("has no block");
    for (BlockId b = 0; b < function_.blocks.size(); ++b) check_block(b);
    if (sound_) check_definitions();
  }

 private:
  template <class... Parts>
  void report(const Parts&... parts) {
    problems_.push_back(joined(function_.name, ": ", parts...));
    sound_ = false;
  }
  template <class... Parts>
  void report_at(const Instruction& in, const Parts&... parts) {
    const std::string text =
        printable(in) ? to_string(module_, function_, in) : std::string(to_string(in.op));
    report("b", block_, ": '", text, "' ", parts...);
  }
  bool printable(const Instruction& in) const {
    return std::all_of(in.results.begin(), in.results.end(),
                       [this](RegisterId r) { return r < function_.registers.size(); });
  }

  void check_block(BlockId b) {
    block_ = b;
    const std::vector<Instruction>& code = function_.blocks[b].code;
    if (code.empty() || !is_terminator(code.back().op)) return report("b", b, " has no terminator");
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (is_terminator(code[i].op) && i + 1 < code.size())
        report("b", b, " goes on after its terminator");
      check_numbers(code[i]);
      if (sound_) check_instruction(code[i]);
    }
  }

  void check_numbers(const Instruction& in) {
    for (const RegisterId r : in.results) {
      if (r >= function_.registers.size()) report_at(in, "assigns a register that does not exist");
    }
    for (const Value& v : in.operands) {
      if (v.kind == Value::Kind::kNone) report_at(in, "has an operand without value");
      if (v.is_register() && v.number >= function_.registers.size())
        report_at(in, "reads a register that does not exist");
      else if (v.is_register() && !same_bits(function_.registers[v.number], v.type))
        report_at(in, "reads %", v.number, " as ", to_string(v.type));
      if (v.is_address() && v.number >= module_.variables.size())
        report_at(in, "takes the address of a variable that does not exist");
    }
    for (unsigned i = 0; i < in.target_count(); ++i) {
      if (in.targets[i] >= function_.blocks.size())
        report_at(in, "goes to a block that does not exist");
    }
  }

  void check_instruction(const Instruction& in) {
    if (in.op == Op::kCall) return check_call(in);
    if (in.op == Op::kMachine) return check_machine(in);
    if (in.op == Op::kReturn) return check_return(in);
    const Arity arity = arity_of(in.op);
    if (in.operands.size() != arity.operands || in.results.size() != arity.results)
      return report_at(in, "has the wrong number of operands or results");
    if (!exists_for(in.op, in.type)) report_at(in, "does not exist for ", to_string(in.type));
    check_types(in);
  }

  void require(const Instruction& in, unsigned operand, Type type) {
    const Type found = in.operands[operand].type;
    if (found != type)
      report_at(in, "expects ", to_string(type), " as operand ", operand, ", found ",
                to_string(found));
  }

  void check_types(const Instruction& in) {
    for (unsigned i = 0; i < in.operands.size(); ++i) {
      if (const std::optional<Type> type = operand_type(in, i)) require(in, i, *type);
    }
    if (in.op == Op::kCopy && bytes_of(in.operands[0].type) != bytes_of(in.type))
      report_at(in, "copies to another width");
    const Type result = in.op == Op::kCompare ? Type::kBool : in.type;
    if (!in.results.empty() && function_.registers[in.results[0]] != result)
      report_at(in, "has a result of another type than ", to_string(result));
  }

  void check_call(const Instruction& in) {
    if (in.number >= module_.functions.size()) return report_at(in, "calls no function");
    const Function& callee = module_.functions[in.number];
    if (callee.is_task) report_at(in, "calls a task");
    if (in.operands.size() != callee.parameters.size() ||
        in.results.size() != (callee.result ? 1U : 0U))
      return report_at(in, "does not fit the parameters or the result of ", callee.name);
    for (unsigned i = 0; i < in.operands.size(); ++i)
      require(in, i, callee.registers[callee.parameters[i]]);
  }

  void check_machine(const Instruction& in) {
    const Machine& m = *in.machine;
    const unsigned results = static_cast<unsigned>(in.results.size()) - (m.flag_result ? 1U : 0U);
    if (m.fields.size() != pe::info(m.op).operand_count)
      report_at(in, "has the wrong number of operands");
    for (const Machine::Field& field : m.fields) {
      const bool is_result = field.slot == Machine::Slot::kResult;
      const std::size_t limit = is_result ? results : in.operands.size();
      if (field.slot != Machine::Slot::kFixed && field.index >= limit)
        report_at(in, "names an operand that it does not have");
    }
    if (m.initial_operand && (*m.initial_operand >= in.operands.size() || in.results.empty()))
      report_at(in, "begins with an operand that it does not have");
    if (m.index_operand && *m.index_operand >= in.operands.size())
      report_at(in, "names an index that it does not have");
  }

  void check_return(const Instruction& in) {
    if (in.operands.size() != (function_.result ? 1U : 0U))
      return report_at(in, "does not fit the result of the function");
    if (function_.result) require(in, 0, *function_.result);
  }

  /// A register that is live at the entry and is no parameter is read before it has a value.
  void check_definitions() {
    const RegisterSet live = liveness_of(function_).in[0];
    for (RegisterId r = 0; r < live.size(); ++r) {
      const auto& p = function_.parameters;
      if (live[r] && std::find(p.begin(), p.end(), r) == p.end())
        report("%", r, " may be read before it has a value");
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<std::string>& problems_;
  BlockId block_ = 0;
  bool sound_ = true;
};

}  // namespace

std::vector<std::string> problems_of(const Module& module) {
  std::vector<std::string> problems;
  for (const Function& f : module.functions) FunctionCheck(module, f, problems).run();
  for (const Task& task : module.tasks) {
    if (task.function >= module.functions.size() || !module.functions[task.function].is_task)
      problems.push_back(joined("task ", task.binding.name, " has no function"));
  }
  return problems;
}

std::vector<std::string> problems_of(const Module& module, const Function& function) {
  std::vector<std::string> problems;
  FunctionCheck(module, function, problems).run();
  return problems;
}

void require_valid(const Module& module) {
  std::string all;
  for (const std::string& problem : problems_of(module)) all += problem + "\n";
  if (!all.empty()) throw std::logic_error("invalid intermediate code:\n" + all);
}

}  // namespace tessera::csl::ir
