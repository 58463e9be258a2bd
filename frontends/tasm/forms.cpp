#include <algorithm>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

/// "D,S; p,S; D,v" in parts.
std::vector<std::string> forms_of(pe::VectorForm form) {
  constexpr std::string_view kSeparator = "; ";
  std::vector<std::string> forms;
  std::string_view rest = to_string(form);
  for (;;) {
    const std::size_t end = rest.find(kSeparator);
    forms.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return forms;
    rest.remove_prefix(end + kSeparator.size());
  }
}

std::string form_of(const pe::Instruction& instruction, unsigned count) {
  std::string form = instruction.operands[0].is_dsr() ? "D" : "p";
  for (unsigned i = 1; i < count; ++i) form += instruction.operands[i].is_dsr() ? ",S" : ",v";
  return form;
}

}  // namespace

void check_vector_form(const Assembly& a, const InstructionStatement& s,
                       const pe::Instruction& instruction) {
  // Its only operand is a source; the slot takes nothing else.
  if (s.info->form == pe::VectorForm::kFilter) return;
  const std::vector<std::string> forms = forms_of(s.info->form);
  const std::string form = form_of(instruction, s.info->operand_count);
  if (std::find(forms.begin(), forms.end(), form) != forms.end()) return;
  a.diagnostics.fail(
      s.place, "expected the operands " + text::alternatives(forms, "; ") +
                   " for the DSD operation " + std::string(s.info->mnemonic) + ", found " + form +
                   " (D: destination DSR, S: source DSR, v: register or immediate, p: destination "
                   "register or memory)");
}

}  // namespace tessera::tasm
