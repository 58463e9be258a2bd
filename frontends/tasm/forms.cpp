#include <algorithm>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

using Forms = std::vector<std::string>;

/// wse.md 6.7. D: destination DSR, S: source DSR, v: register or immediate, p: destination
/// register, which keeps the result of the last element.
const Forms& forms_of(const pe::OpcodeInfo& info) {
  static const Forms kMove = {"D,S", "p,S", "D,v"};
  static const Forms kUnary = {"D,S", "D,v"};
  static const Forms kBinary = {"D,S,S", "D,v,S", "D,S,v"};
  static const Forms kSubtract16 = {"D,S,S", "D,S,v"};
  static const Forms kFloatBinary = {"D,S,S", "D,v,S", "D,S,v", "p,v,S"};
  static const Forms kMultiplyAdd = {"D,S,S,v"};
  if (info.op_class == pe::OpClass::kMove) return kMove;
  if (info.op == pe::Opcode::kFmacs) return kMultiplyAdd;
  if (info.operand_count == 2) return kUnary;
  if (info.op == pe::Opcode::kSub16) return kSubtract16;
  return info.is_float ? kFloatBinary : kBinary;
}

std::string form_of(const pe::Instruction& instruction, unsigned count) {
  std::string form = instruction.operands[0].is_dsr() ? "D" : "p";
  for (unsigned i = 1; i < count; ++i) form += instruction.operands[i].is_dsr() ? ",S" : ",v";
  return form;
}

std::string listed(const Forms& forms) {
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) text += i + 1 == forms.size() ? " or " : "; ";
    text += forms[i];
  }
  return text;
}

}  // namespace

void check_vector_form(const Assembly& a, const InstructionStatement& s,
                       const pe::Instruction& instruction) {
  const Forms& forms = forms_of(*s.info);
  const std::string form = form_of(instruction, s.info->operand_count);
  if (std::find(forms.begin(), forms.end(), form) != forms.end()) return;
  a.diagnostics.fail(
      s.place, "expected the operands " + listed(forms) + " for the DSD operation " +
                   std::string(s.info->mnemonic) + ", found " + form +
                   " (D: destination DSR, S: source DSR, v: register or immediate, p: destination "
                   "register)");
}

}  // namespace tessera::tasm
