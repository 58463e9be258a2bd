#include "platforms/wse/coverage.h"

#include <algorithm>
#include <map>

#include "frontends/csl/sema/library.h"
#include "models/pe/line_starts.h"

namespace tessera::wse {

namespace {

using observe::WaitReason;

const std::string& file_of(const pe::Image& image, std::uint32_t number) {
  return number < image.files.size() ? image.files[number].name : image.file;
}

/// The lines of one image.
class CoveredLines {
 public:
  CoveredLines(const pe::Image& image, std::uint64_t tiles, report::Coverage& coverage)
      : image_(image), coverage_(coverage), executions_(image.code.size()) {
    std::map<report::Coverage::Line*, std::uint32_t> numbers;
    for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
      report::Coverage::Line* const line = line_at(pc);
      const auto [entry, is_new] = numbers.emplace(line, static_cast<std::uint32_t>(lines_.size()));
      if (is_new) {
        lines_.push_back(line);
        if (line != nullptr) line->of_places += tiles;
      }
      line_of_.push_back(entry->second);
    }
    seen_by_.resize(lines_.size());
  }

  void add(const observe::LineWaits& counts) {
    for (std::uint32_t pc = 0; pc < image_.code.size(); ++pc) executions_[pc] += counts.issued(pc);
    for (const observe::LineWaits::Entry& entry : counts.entries()) {
      report::Coverage::Line* const line = lines_[line_of_[entry.pc]];
      if (line == nullptr || entry.reason == WaitReason::kBusy || entry.reason == WaitReason::kIdle)
        continue;
      line->waits[std::string(observe::info(entry.reason).name)] += entry.cycles;
    }
  }
  /// `number` tells the tiles apart and begins with 1.
  void add(const observe::TileWaits& tile, std::uint64_t number) {
    for (std::uint32_t pc = 0; pc < image_.code.size(); ++pc) {
      std::uint64_t& seen = seen_by_[line_of_[pc]];
      if (seen == number || !belongs(pc) || !tile.has_issued(pc)) continue;
      seen = number;
      if (report::Coverage::Line* const line = lines_[line_of_[pc]]) ++line->places;
    }
  }
  /// After all others.
  void finish() {
    std::vector<std::uint64_t> begun(lines_.size());
    for (std::uint32_t pc = 0; pc < image_.code.size(); ++pc) {
      const std::uint64_t executions = executions_[pc];
      if (lines_[line_of_[pc]] == nullptr)
        coverage_.without_line += executions;
      else
        lines_[line_of_[pc]]->instructions += executions;
      if (pe::begins_line(image_, pc)) begun[line_of_[pc]] += executions;
    }
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i] != nullptr) lines_[i]->executions += begun[i];
    for (const pe::Function& function : image_.functions) add_function(function);
    for (const pe::TaskBinding& task : image_.tasks) add_function(task);
  }

 private:
  /// Where a function or task ends without a statement, its last instruction stands in the line before it.
  bool belongs(std::uint32_t pc) const {
    const pe::Opcode op = image_.code[pc].op;
    return (op != pe::Opcode::kEnd && op != pe::Opcode::kRet) || pe::begins_line(image_, pc);
  }
  report::Coverage::Line* line_at(std::uint32_t pc) {
    const pe::Instruction& instruction = image_.code[pc];
    if (instruction.line == 0) return nullptr;
    return &coverage_.files[file_of(image_, instruction.file)].lines[instruction.line];
  }
  template <class Named>
  void add_function(const Named& named) {
    if (named.line == 0 || named.entry >= executions_.size()) return;
    coverage_.files[file_of(image_, named.file)].functions[{named.line, named.name}] +=
        executions_[named.entry];
  }

  const pe::Image& image_;
  report::Coverage& coverage_;
  std::vector<std::uint64_t> executions_;       // by pc
  std::vector<std::uint32_t> line_of_;          // by pc: its place in lines_
  std::vector<report::Coverage::Line*> lines_;  // nullptr: of instructions that have none
  std::vector<std::uint64_t> seen_by_;          // the last tile that executed a line
};

}  // namespace

report::Coverage coverage_of(const observe::WaitBook& book,
                             const std::vector<std::shared_ptr<const pe::Image>>& images,
                             const layout::Layout& layout) {
  std::vector<std::uint64_t> tiles(images.size());
  for (const std::int32_t program : layout.program_of_tile)
    if (program >= 0) ++tiles[static_cast<std::size_t>(program)];
  report::Coverage coverage;
  std::vector<CoveredLines> lines;
  lines.reserve(images.size());
  for (std::size_t i = 0; i < images.size(); ++i)
    lines.emplace_back(*images[i], tiles[i], coverage);
  for (std::size_t program = 0; program < book.programs(); ++program)
    lines[program % images.size()].add(book.lines(program));
  for (std::uint32_t place = 0; place < book.places(); ++place) {
    const std::int32_t program = layout.program_of_tile[place];
    if (program >= 0 && book.tile(place) != nullptr)
      lines[static_cast<std::size_t>(program)].add(*book.tile(place), place + std::uint64_t{1});
  }
  for (CoveredLines& of_image : lines) of_image.finish();
  return coverage;
}

std::string library_text(const std::string& name) {
  return std::string(csl::find_library(name).value_or(""));
}

}  // namespace tessera::wse
