#include "platforms/vp/script.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "models/host/host_port_core.h"
#include "platforms/vp/place_names.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::vp {

namespace {

using Kind = Statement::Kind;

std::string at(unsigned line, std::size_t column) {
  return std::to_string(line) + ":" + std::to_string(column);
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Words between spaces; "quoted" ones may hold spaces; '#' at the start of a word ends the line.
std::vector<Token> split(const std::string& text, const std::string& file, unsigned line) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (true) {
    while (i < text.size() && is_space(text[i])) ++i;
    if (i == text.size() || text[i] == '#') return tokens;
    const std::size_t begin = i;
    if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      if (end == std::string::npos)
        throw UserError(file, at(line, begin + 1), "expected a \" at the end of the word");
      tokens.push_back({text.substr(i + 1, end - i - 1), begin + 1});
      i = end + 1;
      continue;
    }
    while (i < text.size() && !is_space(text[i])) ++i;
    tokens.push_back({text.substr(begin, i - begin), begin + 1});
  }
}

DeviceStatement device_of(const ScriptText& script, const Line& line) {
  if (line.tokens[0].text != "device" || line.tokens.size() != 3) {
    throw UserError(script.file, at(line.number, 1),
                    "expected 'device wse LAYOUT' or 'device ascend PROGRAM' as the first "
                    "statement, found '" +
                        line.tokens[0].text + "'");
  }
  const std::filesystem::path folder = std::filesystem::path(script.file).parent_path();
  return {line.tokens[1].text, (folder / line.tokens[2].text).string(),
          at(line.number, line.tokens[2].column)};
}

/// Reads the words of one statement from left to right.
class StatementReader {
 public:
  StatementReader(const ScriptText& script, const Line& line, const PlaceNames& names)
      : script_(script), line_(line), names_(names) {
    out_.line = line.number;
    for (const Token& token : line.tokens) out_.text += (out_.text.empty() ? "" : " ") + token.text;
  }

  Statement read() {
    if (peek() == "refused") {
      ++next_;
      out_.refused = one_of({"command", "address", "burst", "byte_enable", "generic"});
    }
    const std::string verb =
        one_of({"write", "push", "read", "peek", "expect", "poll", "copy", "wait", "dmi", "print"});
    const bool accesses = verb == "write" || verb == "push" || verb == "read";
    if (!out_.refused.empty() && !accesses)
      fail(next_ - 1, "expected write, push or read behind 'refused', found '" + verb + "'");
    if (verb == "write" || verb == "push") write(verb == "push");
    if (verb == "read" || verb == "peek") look(verb == "peek");
    if (verb == "expect") expect();
    if (verb == "poll") poll();
    if (verb == "copy") copy();
    if (verb == "wait") wait();
    if (verb == "dmi") dmi();
    if (verb == "print") print();
    if (next_ < line_.tokens.size())
      fail(next_, "expected the end of the line, found '" + line_.tokens[next_].text + "'");
    return out_;
  }

 private:
  static constexpr std::uint64_t kMostWords = 1 << 20;

  void write(bool push) {
    out_.kind = push ? Kind::kPush : Kind::kWrite;
    out_.at = place();
    words();
  }
  void look(bool debug) {
    out_.kind = debug ? Kind::kPeek : Kind::kRead;
    out_.at = place();
    out_.count = next_ < line_.tokens.size() ? count() : 1;
  }
  void expect() {
    out_.kind = Kind::kExpect;
    out_.at = place();
    const std::size_t first = next_;
    words();
    if (peek() != "within") return;
    const std::size_t end_of_values = next_++;
    const std::string& text = word("a tolerance").text;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), out_.tolerance);
    if (error != std::errc() || end != text.data() + text.size() ||
        !std::isfinite(out_.tolerance) || out_.tolerance < 0)
      fail(next_ - 1, "expected a tolerance of 0 or more, found '" + text + "'");
    for (std::size_t i = first; i < end_of_values; ++i) {
      // The bits of 3 are an f32 that is almost 0.
      const std::string& value = line_.tokens[i].text;
      if (value.find('.') == std::string::npos && value.rfind("0x", 0) != 0)
        fail(i, "expected an f32 such as 1.0 in front of 'within', found '" + value + "'");
    }
  }
  void poll() {
    out_.kind = Kind::kPoll;
    out_.at = place();
    out_.mask = names_.value(word("a mask"), script_.file, line_.number);
    out_.words = {names_.value(word("a value"), script_.file, line_.number)};
    keyword("every");
    out_.duration_ps = duration();
    more_than_no_time();
    keyword("limit");
    out_.limit = count();
  }
  void copy() {
    out_.kind = Kind::kCopy;
    out_.at = place();
    out_.to = place();
    out_.count = count();
  }
  void wait() {
    if (peek() != "irq") {
      out_.kind = Kind::kWait;
      out_.duration_ps = duration();
      return;
    }
    ++next_;
    out_.kind = Kind::kWaitIrq;
    if (next_ == line_.tokens.size()) return;
    out_.duration_ps = duration();
    more_than_no_time();
  }
  void dmi() {
    out_.kind = Kind::kDmi;
    out_.on = one_of({"on", "off"}) == "on";
  }
  void print() {
    out_.kind = Kind::kPrint;
    out_.text = word("a text").text;
  }

  void words() {
    do {
      out_.words.push_back(names_.value(word("a value"), script_.file, line_.number));
    } while (next_ < line_.tokens.size() && peek() != "within");
  }
  Address place() { return names_.place(word("a place"), script_.file, line_.number); }
  std::uint64_t duration() {
    const Token& token = word("a duration");
    return duration_ps(token.text, script_.file, at(line_.number, token.column));
  }
  void more_than_no_time() const {
    if (out_.duration_ps == 0) fail(next_ - 1, "expected a duration above 0");
  }
  std::uint32_t count() {
    const Token& token = word("a number of words");
    std::uint32_t number = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, number);
    if (error == std::errc() && stop == end && number > 0 && number <= kMostWords) return number;
    fail(next_ - 1, "expected a number of 1 to " + std::to_string(kMostWords) + ", found '" +
                        token.text + "'");
  }
  void keyword(const std::string& expected) {
    const Token& token = word("'" + expected + "'");
    if (token.text != expected)
      fail(next_ - 1, "expected '" + expected + "', found '" + token.text + "'");
  }
  std::string one_of(const std::vector<std::string>& allowed) {
    std::string list;
    for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
    const Token& token = word("one of " + list);
    if (std::count(allowed.begin(), allowed.end(), token.text) != 0) return token.text;
    fail(next_ - 1, "expected one of " + list + ", found '" + token.text + "'" +
                        did_you_mean(token.text, allowed));
  }
  std::string peek() const {
    return next_ < line_.tokens.size() ? line_.tokens[next_].text : std::string();
  }
  const Token& word(const std::string& what) {
    if (next_ < line_.tokens.size()) return line_.tokens[next_++];
    const Token& last = line_.tokens.back();
    throw UserError(script_.file, at(line_.number, last.column + last.text.size()),
                    "expected " + what + ", found the end of the line");
  }
  [[noreturn]] void fail(std::size_t token, const std::string& problem) const {
    throw UserError(script_.file, at(line_.number, line_.tokens[token].column), problem);
  }

  const ScriptText& script_;
  const Line& line_;
  const PlaceNames& names_;
  std::size_t next_ = 0;
  Statement out_;
};

}  // namespace

ScriptText read_script(const std::string& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw UserError(file, "", "cannot be read; expected a host script (docs/vp-platform.md)");
  ScriptText script;
  script.file = file;
  std::string text;
  bool has_device = false;
  for (unsigned number = 1; std::getline(in, text); ++number) {
    Line line{number, split(text, file, number)};
    if (line.tokens.empty()) continue;
    if (has_device) {
      script.lines.push_back(std::move(line));
      continue;
    }
    script.device = device_of(script, line);
    has_device = true;
  }
  if (!has_device)
    throw UserError(file, "", "is empty; expected 'device wse LAYOUT' or 'device ascend PROGRAM'");
  return script;
}

std::uint64_t duration_ps(const std::string& text, const std::string& file,
                          const std::string& place) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string_view name(unit, static_cast<std::size_t>(end - unit));
  std::uint64_t factor = 0;
  if (name == "ps") factor = 1;
  if (name == "ns") factor = 1000;
  if (name == "us") factor = 1'000'000;
  if (name == "ms") factor = 1'000'000'000;
  constexpr std::uint64_t kLongest = 1'000'000'000'000'000;  // 1000 s
  if (error == std::errc() && factor > 0 && number <= kLongest / factor) return number * factor;
  throw UserError(file, place,
                  "expected a duration of at most 1000 s such as 10ns, found '" + text +
                      "'; units are ps, ns, us and ms");
}

std::vector<Statement> compile(const ScriptText& script, const PlaceNames& names) {
  std::vector<Statement> statements;
  statements.reserve(script.lines.size());
  for (const Line& line : script.lines)
    statements.push_back(StatementReader(script, line, names).read());
  return statements;
}

}  // namespace tessera::vp
