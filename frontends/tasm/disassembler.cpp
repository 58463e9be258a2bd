#include "frontends/tasm/disassembler.h"

#include <algorithm>
#include <vector>

#include "frontends/tasm/print.h"

namespace tessera::tasm {
namespace {

struct SectionHead {
  std::uint32_t entry = 0;
  std::string line;
};

std::vector<SectionHead> sections_of(const pe::Image& image) {
  std::vector<SectionHead> heads;
  for (const pe::Function& f : image.functions) heads.push_back({f.entry, "fn " + f.name});
  for (const pe::TaskBinding& t : image.tasks) heads.push_back({t.entry, task_line(image, t)});
  std::stable_sort(heads.begin(), heads.end(),
                   [](const SectionHead& a, const SectionHead& b) { return a.entry < b.entry; });
  return heads;
}

std::string code(const pe::Image& image) {
  const std::vector<SectionHead> heads = sections_of(image);
  std::string text;
  auto head = heads.begin();
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    for (; head != heads.end() && head->entry == pc; ++head) text += "\n" + head->line + "\n";
    for (const pe::Label& l : image.labels) {
      if (l.target == pc) text += l.name + ":\n";
    }
    text += "    " + to_string(image.code[pc], image) + "\n";
  }
  return text;
}

}  // namespace

std::string disassemble(const pe::Image& image) {
  return "; " + std::string(to_string(image.generation)) + ", " + std::to_string(image.data_end) +
         " bytes of SRAM\n" + declarations_text(image) + code(image);
}

std::string to_string(const pe::Instruction& instruction, const pe::Image& image) {
  const pe::OpcodeInfo& info = pe::info(instruction.op);
  std::string text(info.mnemonic);
  for (unsigned i = 0; i < info.operand_count; ++i) {
    text += (i == 0 ? " " : ", ") + operand_text(image, instruction, i);
  }
  return text + options_text(image, instruction.config);
}

}  // namespace tessera::tasm
