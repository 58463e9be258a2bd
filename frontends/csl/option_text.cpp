#include "frontends/csl/option_text.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::csl {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    if (end > from) parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

}  // namespace

std::uint64_t option_number(const std::string& text, const std::string& option) {
  std::size_t end = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(text, &end, 0);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size() || text[0] == '-')
    throw UserError("", "", option + ": '" + text + "' is no unsigned integer");
  return value;
}

void add_option_numbers(const std::string& text, const std::string& option, NamedNumbers& numbers) {
  for (const std::string& part : parts_of(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || colon == 0)
      throw UserError("", "", option + ": '" + part + "' is not of the form NAME:VALUE");
    const std::string name = part.substr(0, colon);
    for (const auto& [other, value] : numbers) {
      if (other == name) throw UserError("", "", option + ": '" + name + "' is given twice");
    }
    numbers.emplace_back(name, option_number(part.substr(colon + 1), option));
  }
}

void add_option_sections(const std::string& text, const std::string& option, Options& options) {
  NamedNumbers sections;
  add_option_numbers(text, option, sections);
  for (const auto& [name, address] : sections) {
    constexpr std::uint64_t kMost = 0xffff;
    if (address > kMost || address % 2 != 0)
      throw UserError("", "",
                      option + ": " + std::to_string(address) + " is no address of a word of a PE");
    if (!options.sections.emplace(name, static_cast<std::uint32_t>(address)).second)
      throw UserError("", "", option + ": '" + name + "' is given twice");
  }
}

std::pair<unsigned, unsigned> option_pair(const std::string& text, const std::string& option) {
  const std::vector<std::string> parts = parts_of(text, ',');
  if (parts.size() != 2)
    throw UserError("", "", option + ": '" + text + "' is not of the form A,B");
  return {static_cast<unsigned>(option_number(parts[0], option)),
          static_cast<unsigned>(option_number(parts[1], option))};
}

Version option_version(const std::string& text) {
  if (text == "1.4") return Version::k1_4;
  if (text == "2.10") return Version::k2_10;
  throw UserError("", "", "the version of CSL is '" + text + "'; 1.4 and 2.10 are known");
}

void add_environment(Options& options) {
  if (const char* paths = std::getenv("CSL_IMPORT_PATH")) {
    for (const std::string& path : parts_of(paths, ':')) options.import_paths.push_back(path);
  }
  const char* version = std::getenv("TESSERA_CSL_VERSION");
  if (version != nullptr && options.version == Version::kUnknown)
    options.version = option_version(version);
}

}  // namespace tessera::csl
