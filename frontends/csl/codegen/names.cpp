#include "frontends/csl/codegen/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "models/pe/isa.h"

namespace tessera::csl::codegen {
namespace {

constexpr std::array<std::string_view, 22> kWords = {"param",
                                                     "const",
                                                     "half",
                                                     "data",
                                                     "queue",
                                                     "dsd",
                                                     "fifo",
                                                     "dsr",
                                                     "task",
                                                     "fn",
                                                     "control_table",
                                                     "rotate",
                                                     "microthread",
                                                     "main_thread",
                                                     "macro",
                                                     "if",
                                                     "include",
                                                     "repeat",
                                                     "control_transform",
                                                     "endmacro",
                                                     "endrepeat",
                                                     "bits"};

/// "r1", "dds12", "ut3": file and number.
bool reads_as_register(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size()) return false;
  const std::string file = name.substr(0, digits);
  constexpr std::array<std::string_view, 6> kFiles = {"r", "d", "dds", "s0ds", "s1ds", "ut"};
  return std::find(kFiles.begin(), kFiles.end(), file) != kFiles.end();
}

bool is_word(const std::string& name) {
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end() ||
         pe::find_opcode(name) != nullptr || reads_as_register(name);
}

}  // namespace

std::string Names::unique(const std::string& name) {
  std::string legal = name.empty() ? "_" : name;
  for (char& c : legal) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (std::isdigit(static_cast<unsigned char>(legal[0])) != 0) legal.insert(0, "_");
  if (is_word(legal)) legal += '_';
  std::string result = legal;
  for (unsigned n = 2; !taken_.insert(result).second; ++n)
    result = legal + "__" + std::to_string(n);
  return result;
}

}  // namespace tessera::csl::codegen
