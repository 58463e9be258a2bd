#include "frontends/compiled/code_files.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

#include "frontends/compiled/listing.h"
#include "frontends/tasm/print.h"

namespace tessera::compiled {
namespace {

/// Numbers of a code that may become params. Further ones, as those of large tables, stand in the text.
constexpr std::size_t kMostNumbers = 1024;
/// Codes that need more params than this do not share a file.
constexpr std::size_t kMostParams = 64;
constexpr char kMark = '\x01';  // "\x01N\x01" stands for number N; no program has this character

/// Leaves a mark in place of each number, and keeps the number.
class Marks : public tasm::NumberWriter {
 public:
  std::string integer(std::int64_t value) override {
    return mark(value, false, tasm::NumberWriter::integer(value));
  }
  std::string real(std::uint32_t bits, const std::string& literal) override {
    return mark(bits, true, literal);
  }

  std::vector<std::int64_t> values;
  std::vector<bool> are_real;
  std::vector<std::string> literals;

 private:
  std::string mark(std::int64_t value, bool is_real, const std::string& literal) {
    if (values.size() == kMostNumbers) return literal;
    const std::string text = kMark + std::to_string(values.size()) + kMark;
    values.push_back(value);
    are_real.push_back(is_real);
    literals.push_back(literal);
    return text;
  }
};

/// `text` with `number_of(n)` in place of the mark of number n.
template <class NumberOf>
std::string filled(const std::string& text, NumberOf number_of) {
  std::string made;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find(kMark, at);
    made.append(text, at, open - at);
    if (open == std::string::npos) return made;
    const std::size_t close = text.find(kMark, open + 1);
    std::size_t n = 0;
    std::from_chars(text.data() + open + 1, text.data() + close, n);
    made += number_of(n);
    at = close + 1;
  }
}

/// Codes whose assembly is the same but for its numbers.
class Group {
 public:
  Group(std::string text, Marks marks) : text_(std::move(text)), marks_(std::move(marks)) {}

  void add(std::size_t code, std::vector<std::int64_t> values) {
    codes_.push_back(code);
    values_.push_back(std::move(values));
  }

  void write(const Program& program, CodeFiles& files) const {
    const std::vector<std::size_t> differing = differing_numbers();
    if (differing.size() > kMostParams) {
      for (const std::size_t code : codes_) {
        files.uses[code].file = files.texts.size();
        files.first.push_back(code);
        files.texts.push_back(listing(*program.layout.programs[code].image));
      }
      return;
    }
    std::map<std::size_t, std::string> names;
    const std::string prefix = free_prefix();
    for (const std::size_t n : differing)
      names.emplace(n, prefix + std::to_string(first_like(differing, n)));
    files.first.push_back(codes_.front());
    files.texts.push_back(with_sources(with_params(names)));
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      CodeFiles::Use& use = files.uses[codes_[i]];
      use.file = files.texts.size() - 1;
      std::map<std::string, std::int64_t> params;
      for (const auto& [n, name] : names) params.emplace(name, values_[i][n]);
      use.params.assign(params.begin(), params.end());
    }
  }

 private:
  bool are_equal(std::size_t a, std::size_t b) const {
    return std::all_of(values_.begin(), values_.end(),
                       [a, b](const std::vector<std::int64_t>& row) { return row[a] == row[b]; });
  }
  std::vector<std::size_t> differing_numbers() const {
    std::vector<std::size_t> differing;
    for (std::size_t n = 0; n < marks_.values.size(); ++n) {
      const bool is_same = std::all_of(
          values_.begin(), values_.end(),
          [this, n](const std::vector<std::int64_t>& row) { return row[n] == values_[0][n]; });
      if (!is_same) differing.push_back(n);
    }
    return differing;
  }
  /// Numbers that are equal in all codes are one param, that of the first of them.
  std::size_t first_like(const std::vector<std::size_t>& differing, std::size_t n) const {
    return *std::find_if(differing.begin(), differing.end(),
                         [this, n](std::size_t m) { return are_equal(m, n); });
  }
  /// Begins no name of the code.
  std::string free_prefix() const {
    std::string prefix = "number_";
    while (text_.find(prefix) != std::string::npos) prefix += '_';
    return prefix;
  }
  std::string with_params(const std::map<std::size_t, std::string>& names) const {
    std::string params;
    for (const auto& [n, name] : names) {
      const std::string line = "param " + name + '\n';
      if (params.find(line) == std::string::npos) params += line;
    }
    const std::size_t head = text_.find('\n') + 1;  // a comment
    return text_.substr(0, head) + params + filled(text_.substr(head), [&](std::size_t n) {
             const auto name = names.find(n);
             if (name == names.end()) return marks_.literals[n];
             return marks_.are_real[n] ? "bits(" + name->second + ")" : name->second;
           });
  }
  std::string text_;
  Marks marks_;  ///< of the first code
  std::vector<std::size_t> codes_;
  std::vector<std::vector<std::int64_t>> values_;
};

/// What codes of one file have in common beside the text.
std::string symbols_text(const Symbols& symbols) {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += name + '=' + value + '\n';
  };
  for (const auto& [name, address] : symbols.pointers) add(name, std::to_string(address));
  for (const std::string& name : symbols.constants) add(name, "constant");
  for (const auto& [name, function] : symbols.functions) add(name, function);
  for (const auto& [name, variable] : symbols.variables) add(name, variable);
  if (symbols.locals == nullptr) return text;
  for (const Local& local : *symbols.locals) {
    add(local.name, local.file + ':' + std::to_string(local.line));
    for (const Local::Place& at : local.places) {
      for (const std::uint32_t n : {at.number, at.begin, at.end}) text += std::to_string(n) + ' ';
      text += at.kind;
    }
    if (local.global) add("global", std::to_string(*local.global));
    if (local.inlined != 0) add("inlined", std::to_string(local.inlined));
  }
  if (symbols.inlined == nullptr) return text;
  for (const Inlined::Call& call : symbols.inlined->calls)
    add(call.function,
        call.file + ':' + std::to_string(call.line) + ' ' + std::to_string(call.parent));
  for (const Inlined::Range& range : symbols.inlined->code)
    add(std::to_string(range.begin), std::to_string(range.end) + ' ' + std::to_string(range.call));
  return text;
}

}  // namespace

CodeFiles code_files(const Program& program) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  const std::vector<layout::Program>& codes = program.layout.programs;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    Marks marks;
    std::string text = assembly_of(*codes[i].image, marks);
    const auto [known, is_new] =
        group_of.emplace(text + symbols_text(program.symbols[i]), groups.size());
    std::vector<std::int64_t> values = marks.values;
    if (is_new) groups.emplace_back(std::move(text), std::move(marks));
    groups[known->second].add(i, std::move(values));
  }
  CodeFiles files;
  files.uses.resize(codes.size());
  for (const Group& group : groups) group.write(program, files);
  return files;
}

}  // namespace tessera::compiled
