#include "frontends/compiled/listing.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "frontends/csl/sema/library.h"
#include "frontends/tasm/disassembler.h"

namespace tessera::compiled {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& file) {
  Lines lines;
  std::stringstream text;
  const bool is_library = file.size() > 2 && file.front() == '<';
  if (is_library) {
    text << csl::find_library(file.substr(1, file.size() - 2)).value_or("");
  } else {
    text << std::ifstream(file).rdbuf();
  }
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

class Sources {
 public:
  /// The text after `line "FILE" N`, without indentation; empty: there is none.
  std::string text_of(const std::string& directive) {
    const std::size_t open = directive.find('"');
    const std::size_t close = directive.rfind('"');
    if (directive.find("line \"") == std::string::npos || close <= open) return {};
    const std::string file = directive.substr(open + 1, close - open - 1);
    const auto known = files_.find(file);
    const Lines& lines =
        known != files_.end() ? known->second : files_.emplace(file, lines_of(file)).first->second;
    const std::size_t number = std::strtoul(directive.c_str() + close + 1, nullptr, 10);
    if (number == 0 || number > lines.size()) return {};
    const std::string& line = lines[number - 1];
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? "" : line.substr(first);
  }

 private:
  std::map<std::string, Lines> files_;
};

/// The program as text called `file`, in which all places name the files that they had.
pe::Image with_own_places(pe::Image image, const std::string& file) {
  std::vector<pe::SourceFile> files = {{file, ""}};
  if (image.files.empty()) files.push_back({image.file, ""});
  files.insert(files.end(), image.files.begin(), image.files.end());
  image.files = std::move(files);
  const auto move_all = [](auto& placed) {
    for (auto& one : placed) {
      if (one.line != 0) ++one.file;
    }
  };
  move_all(image.code);
  move_all(image.symbols);
  move_all(image.strings);
  move_all(image.dsds);
  move_all(image.fifos);
  move_all(image.initial_loads);
  move_all(image.queues);
  move_all(image.tasks);
  move_all(image.rotations);
  move_all(image.functions);
  if (image.control_table) ++image.control_table->file;
  image.file = file;
  return image;
}

}  // namespace

std::string assembly_of(const pe::Image& image, tasm::NumberWriter& numbers) {
  return tasm::disassemble(with_own_places(image, "the assembly of " + image.file), numbers);
}

std::string with_sources(const std::string& assembly) {
  std::stringstream lines(assembly);
  std::string text;
  Sources sources;
  for (std::string line; std::getline(lines, line);) {
    const std::string source = sources.text_of(line);
    text += line + (source.empty() ? "" : "  ; " + source) + '\n';
  }
  return text;
}

std::string listing(const pe::Image& image) {
  tasm::NumberWriter numbers;
  return with_sources(assembly_of(image, numbers));
}

}  // namespace tessera::compiled
