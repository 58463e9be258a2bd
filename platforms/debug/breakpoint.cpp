#include "platforms/debug/breakpoint.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

#include "platforms/cli/option.h"
#include "platforms/debug/words.h"
#include "platforms/report/report.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::debug {

namespace fs = std::filesystem;

namespace {

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

[[noreturn]] void refuse_filter(const std::string& text) {
  throw UserError("", "",
                  "'" + text +
                      "' names no places; expected such as (3,0), (0..7,0), row 3, col 0 or all");
}

int number_in(const std::string& text, const std::string& all) {
  const auto number = cli::whole_number_in(trimmed(text));
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) refuse_filter(all);
  return static_cast<int>(*number);
}

std::optional<std::pair<int, int>> range_in(const std::string& text, const std::string& all) {
  if (trimmed(text) == "*") return {};
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    const int n = number_in(text, all);
    return std::pair(n, n);
  }
  const std::pair range(number_in(text.substr(0, dots), all),
                        number_in(text.substr(dots + 2), all));
  if (range.first > range.second) refuse_filter(all);
  return range;
}

}  // namespace

PlaceFilter::PlaceFilter(const std::string& text) : text_(text) {
  std::string inside = trimmed(text);
  if (inside.empty() || inside == "all") return;
  for (const auto& [word, dimension] : {std::pair("row", 1), {"column", 0}, {"col", 0}}) {
    if (!begins_with(inside, word)) continue;
    names_axis_ = true;
    ranges_.resize(2);
    ranges_[static_cast<std::size_t>(dimension)] =
        range_in(inside.substr(std::string(word).size()), text);
    return;
  }
  if (inside.front() == '(' && inside.back() == ')') inside = inside.substr(1, inside.size() - 2);
  for (std::size_t from = 0; from <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', from), inside.size());
    ranges_.push_back(range_in(inside.substr(from, comma - from), text));
    from = comma + 1;
  }
}

void PlaceFilter::require_rank(std::size_t rank) const {
  if (names_axis_ || is_all() || ranges_.size() == rank) return;
  throw UserError("", "",
                  "'" + text_ + "' names " + report::plural(ranges_.size(), "coordinate") +
                      ", and a place here has " + std::to_string(rank));
}

bool PlaceFilter::has(const std::vector<int>& at) const {
  for (std::size_t i = 0; i < ranges_.size() && i < at.size(); ++i) {
    const auto& range = ranges_[i];
    if (range && (at[i] < range->first || at[i] > range->second)) return false;
  }
  return true;
}

Condition::Condition(const std::string& text) {
  std::string rest = trimmed(text);
  for (const std::string word : {"pe=", "pe ", "at ", "core=", "node="}) {
    if (!begins_with(rest, word)) continue;
    rest = rest.substr(word.size());
    std::size_t end = rest.find(" if ");
    if (end == std::string::npos && !rest.empty() && rest.front() == '(') {
      const std::size_t close = rest.find(')');
      end = close == std::string::npos ? close : close + 1;
    }
    places = PlaceFilter(rest.substr(0, end));
    rest = end == std::string::npos ? "" : trimmed(rest.substr(end));
    break;
  }
  for (const std::string word : {"if ", "&& ", "and "}) {
    if (begins_with(rest, word)) {
      rest = trimmed(rest.substr(word.size()));
      break;
    }
  }
  if (!rest.empty()) expression.emplace(rest);
}

HitCondition::HitCondition(const std::string& text) {
  std::string rest = trimmed(text);
  if (rest.empty()) return;
  kind_ = Kind::kEqual;
  std::uint64_t more = 0;
  if (begins_with(rest, ">=")) {
    kind_ = Kind::kFrom;
    rest = rest.substr(2);
  } else if (begins_with(rest, ">")) {
    kind_ = Kind::kFrom;
    more = 1;
    rest = rest.substr(1);
  } else if (begins_with(rest, "%")) {
    kind_ = Kind::kEvery;
    rest = rest.substr(1);
  } else {
    while (begins_with(rest, "=")) rest = rest.substr(1);
  }
  const auto number = cli::whole_number_in(trimmed(rest));
  if (!number || *number < 0 || (kind_ == Kind::kEvery && *number == 0))
    throw UserError("", "", "'" + text + "' is no number of hits; expected such as 3, >=3 or %3");
  number_ = static_cast<std::uint64_t>(*number) + more;
}

bool HitCondition::holds(std::uint64_t hits) const {
  switch (kind_) {
  case Kind::kAll:
    return true;
  case Kind::kEqual:
    return hits == number_;
  case Kind::kFrom:
    return hits >= number_;
  case Kind::kEvery:
    return hits % number_ == 0;
  }
  return true;
}

SourceLine ProgramText::line_of(std::uint32_t pc) const {
  if (pc >= lines.size() || lines[pc].second == 0) return {};
  return {files.at(lines[pc].first), lines[pc].second};
}

const ProgramText::Function* ProgramText::function_of(std::uint32_t pc) const {
  const Function* found = nullptr;
  for (const Function& function : functions) {
    if (function.entry <= pc) found = &function;
  }
  return found;
}

bool ProgramText::begins_line(std::uint32_t pc) const {
  if (!begins.empty()) return begins[pc];
  const Function* const function = function_of(pc);
  return pc == 0 || lines[pc - 1] != lines[pc] || (function != nullptr && function->entry == pc);
}

SourceLine ProgramText::outer_line_of(std::uint32_t pc) const {
  SourceLine at = line_of(pc);
  for (std::uint32_t call = call_of(pc); call != 0; call = calls[call - 1].parent)
    at = calls[call - 1].at;
  return at;
}

bool ProgramText::is_within(std::uint32_t call, std::uint32_t other) const {
  while (call != 0 && call != other) call = calls[call - 1].parent;
  return call == other;
}

std::string path_of(const std::string& file) {
  if (file.empty() || file.front() == '<') return file;
  std::error_code error;
  const fs::path path = fs::weakly_canonical(file, error);
  return error ? file : path.string();
}

bool is_same_file(const std::string& asked, const std::string& file) {
  if (asked == file) return true;
  if (asked.find('/') == std::string::npos)
    return fs::path(file).filename() == asked || file == "<" + asked + ">";
  return file.front() != '<' && path_of(asked) == path_of(file);
}

void find_line(const std::vector<ProgramText>& programs, const std::string& file,
               std::uint32_t line, Breakpoint& breakpoint) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t nearest = kNone;
  std::set<std::string> files;
  const auto for_all = [&](auto visit) {
    for (std::uint32_t p = 0; p < programs.size(); ++p) {
      const ProgramText& text = programs[p];
      std::vector<bool> same;
      for (const std::string& f : text.files) {
        same.push_back(is_same_file(file, f));
        if (f.front() != '<') files.insert(fs::path(f).filename().string());
      }
      for (std::uint32_t pc = 0; pc < text.lines.size(); ++pc) {
        if (text.lines[pc].second != 0 && same[text.lines[pc].first]) visit(p, pc);
      }
    }
  };
  bool has_file = false;
  for_all([&](std::uint32_t p, std::uint32_t pc) {
    has_file = true;
    const std::uint32_t here = programs[p].lines[pc].second;
    if (here >= line) nearest = std::min(nearest, here);
  });
  if (nearest == kNone) {
    std::string names;
    for (const std::string& f : files) names += (names.empty() ? "" : ", ") + f;
    breakpoint.message =
        has_file
            ? "no program has code for line " + std::to_string(line) + " or a later one of " + file
            : "no program has code of " + file + "; there is code of " + names;
    return;
  }
  for_all([&](std::uint32_t p, std::uint32_t pc) {
    const ProgramText& text = programs[p];
    if (text.lines[pc].second != nearest) return;
    if (!text.begins_line(pc)) return;
    if (breakpoint.positions.empty()) breakpoint.at = text.line_of(pc);
    breakpoint.positions.emplace_back(p, pc);
  });
  breakpoint.is_verified = true;
}

void find_function(const std::vector<ProgramText>& programs, const std::string& name,
                   Breakpoint& breakpoint) {
  std::string wanted = trimmed(name);
  for (const std::string word : {"task ", "fn "}) {
    if (begins_with(wanted, word)) wanted = trimmed(wanted.substr(word.size()));
  }
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < programs.size(); ++p) {
    for (const ProgramText::Function& function : programs[p].functions) {
      if (std::find(names.begin(), names.end(), function.name) == names.end())
        names.push_back(function.name);
      if (function.name != wanted) continue;
      if (breakpoint.positions.empty()) breakpoint.at = programs[p].outer_line_of(function.entry);
      breakpoint.positions.emplace_back(p, function.entry);
    }
  }
  breakpoint.is_verified = !breakpoint.positions.empty();
  if (!breakpoint.is_verified)
    breakpoint.message = "no program has a function or task '" + wanted +
                         "'; an inlined one has only lines" + did_you_mean(wanted, names);
}

void find_instruction(const std::vector<ProgramText>& programs, std::uint32_t program,
                      std::uint32_t pc, Breakpoint& breakpoint) {
  breakpoint.is_verified = program < programs.size() && pc < programs[program].lines.size();
  if (!breakpoint.is_verified) {
    breakpoint.message = "there is no such instruction";
    return;
  }
  breakpoint.at = programs[program].line_of(pc);
  breakpoint.positions.emplace_back(program, pc);
}

}  // namespace tessera::debug
