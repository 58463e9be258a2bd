#include "frontends/csl/ir/print.h"

#include "frontends/text/diagnostics.h"

namespace tessera::csl::ir {
namespace {

using text::joined;

std::string value_text(const Module& module, const Value& v) {
  if (v.is_register()) return joined("%", v.number);
  if (v.is_constant()) {
    if (v.type == Type::kI16) return std::to_string(static_cast<std::int16_t>(v.number));
    if (v.type == Type::kI32) return std::to_string(static_cast<std::int32_t>(v.number));
    return std::to_string(v.number);
  }
  if (!v.is_address()) return "none";
  const std::string name = v.number < module.variables.size() ? module.variables[v.number].name
                                                              : joined("variable ", v.number);
  return joined("&", name, v.offset == 0 ? "" : joined(v.offset < 0 ? "" : "+", v.offset));
}

std::string list_of(const Module& module, const Instruction& in) {
  std::string text;
  for (const Value& v : in.operands) text += (text.empty() ? " " : ", ") + value_text(module, v);
  return text;
}

bool has_condition(Op op) {
  return op == Op::kCompare || op == Op::kBranch || op == Op::kAssert || op == Op::kChoose;
}

std::string head_of(const Module& module, const Instruction& in) {
  if (in.op == Op::kCall)
    return in.number < module.functions.size() ? "call " + module.functions[in.number].name
                                               : joined("call ", in.number);
  if (in.op == Op::kMachine) return std::string(pe::info(in.machine->op).mnemonic);
  std::string text(to_string(in.op));
  if (has_condition(in.op))
    text += joined(".", to_string(in.op == Op::kChoose ? in.compared : in.type), " ",
                   to_string(in.condition));
  if (in.op == Op::kLoad || in.op == Op::kStore || in.op == Op::kConvert)
    text += joined(".", to_string(in.op == Op::kConvert ? in.operands[0].type : in.type));
  return text;
}

}  // namespace

std::string to_string(const Module& module, const Function& function, const Instruction& in) {
  std::string text;
  for (const RegisterId r : in.results)
    text += joined(text.empty() ? "%" : ", %", r, ":", to_string(function.registers.at(r)));
  if (!text.empty()) text += " = ";
  text += head_of(module, in) + list_of(module, in);
  if (in.op == Op::kElement) text += joined(" * ", in.number);
  if (in.offset != 0) text += joined(" offset ", in.offset);
  for (unsigned i = 0; i < in.target_count(); ++i)
    text += joined(i == 0 && in.op == Op::kBranch ? " ? b" : i == 0 ? " b" : " : b", in.targets[i]);
  return text;
}

std::string print(const Module& module, const Function& function) {
  std::string text = joined(function.is_task ? "task " : "fn ", function.name, "(");
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const RegisterId r = function.parameters[i];
    text += joined(i == 0 ? "%" : ", %", r, ":", to_string(function.registers.at(r)));
  }
  text += function.result ? joined(") ", to_string(*function.result), "\n") : ")\n";
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    text += joined("b", b, ":\n");
    for (const Instruction& in : function.blocks[b].code)
      text += joined("  ", to_string(module, function, in), "\n");
  }
  return text;
}

std::string print(const Module& module) {
  std::string text;
  for (const Variable& v : module.variables)
    text += joined(v.owner ? "local " : "global ", v.name, ": ", to_string(v.type), "[", v.count,
                   "]\n");
  for (const Function& f : module.functions) text += print(module, f);
  return text;
}

}  // namespace tessera::csl::ir
