#include "platforms/vp/script.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "frontends/text/cursor.h"
#include "platforms/vp/place_names.h"

namespace tessera::vp {

std::string found(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end of the line" : "'" + token.text + "'";
}

namespace {

using Kind = Statement::Kind;

// Words between spaces; "quoted" ones may hold spaces; '#' at the start of a word ends the line.
Line split(const std::string& text, unsigned number, const text::Diagnostics& diagnostics) {
  Line line;
  text::Cursor cursor(text, {number, 1});
  text::Place end = cursor.place();
  cursor.take_while(text::is_space);
  while (!cursor.at_end() && cursor.peek() != '#') {
    const text::Place place = cursor.place();
    const bool is_quoted = cursor.accept("\"");
    line.push_back({Token::Kind::kWord, "", place});
    line.back().text =
        cursor.take_while([=](char c) { return is_quoted ? c != '"' : !text::is_space(c); });
    if (is_quoted && !cursor.accept("\""))
      diagnostics.fail(place, "expected a \" at the end of the word");
    end = cursor.place();
    cursor.take_while(text::is_space);
  }
  line.push_back({Token::Kind::kEnd, "", end});
  return line;
}

DeviceStatement device_of(const Line& line, const text::Diagnostics& diagnostics) {
  if (line[0].text != "device" || line.size() < 4) {
    diagnostics.fail({line[0].place.line, 1},
                     "expected 'device wse LAYOUT', 'device ascend PROGRAM' or 'device numesh "
                     "PROGRAM' as the first statement, found '" +
                         line[0].text + "'");
  }
  const std::filesystem::path folder = std::filesystem::path(diagnostics.file()).parent_path();
  DeviceStatement device = {line[1].text, (folder / line[2].text).string(),
                            to_string(line[2].place)};
  for (std::size_t i = 3; i + 1 < line.size(); ++i)
    device.others.push_back((folder / line[i].text).string());
  return device;
}

/// Reads the words of one statement from left to right.
class StatementReader {
 public:
  StatementReader(const text::Diagnostics& diagnostics, const Line& line, const PlaceNames& names)
      : diagnostics_(diagnostics), cursor_(line, diagnostics), names_(names) {
    out_.line = line[0].place.line;
    for (const Token& token : line) out_.text += (token.text.empty() ? "" : " ") + token.text;
    out_.text.erase(0, 1);
  }

  Statement read() {
    if (cursor_.accept_word("refused"))
      out_.refused = one_of({"command", "address", "burst", "byte_enable", "generic"});
    const std::string verb =
        one_of({"write", "push", "read", "peek", "expect", "poll", "copy", "wait", "dmi", "print"});
    const bool accesses = verb == "write" || verb == "push" || verb == "read";
    if (!out_.refused.empty() && !accesses)
      fail("expected write, push or read after 'refused', found '" + verb + "'");
    if (verb == "write" || verb == "push") write(verb == "push");
    if (verb == "read" || verb == "peek") look(verb == "peek");
    if (verb == "expect") expect();
    if (verb == "poll") poll();
    if (verb == "copy") copy();
    if (verb == "wait") wait();
    if (verb == "dmi") dmi();
    if (verb == "print") print();
    cursor_.expect_kind(Token::Kind::kEnd, "the end of the line");
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
    out_.count = cursor_.at_end() ? 1 : count();
  }
  void expect() {
    out_.kind = Kind::kExpect;
    out_.at = place();
    const std::vector<Token> values = words();
    if (!cursor_.accept_word("within")) return;
    const std::string& text = word("a tolerance").text;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), out_.tolerance);
    if (error != std::errc() || end != text.data() + text.size() ||
        !std::isfinite(out_.tolerance) || out_.tolerance < 0)
      fail("expected a tolerance of 0 or more, found '" + text + "'");
    for (const Token& value : values) {
      // The bits of 3 are an f32 that is almost 0.
      if (value.text.find('.') != std::string::npos || value.text.rfind("0x", 0) == 0) continue;
      diagnostics_.fail(value.place, "expected an f32 such as 1.0 in front of 'within', found '" +
                                         value.text + "'");
    }
  }
  void poll() {
    out_.kind = Kind::kPoll;
    out_.at = place();
    out_.mask = names_.value(word("a mask"), diagnostics_);
    out_.words = {names_.value(word("a value"), diagnostics_)};
    cursor_.expect_word("every");
    out_.duration_ps = duration();
    more_than_no_time();
    cursor_.expect_word("limit");
    out_.limit = count();
  }
  void copy() {
    out_.kind = Kind::kCopy;
    out_.at = place();
    out_.to = place();
    out_.count = count();
  }
  void wait() {
    out_.kind = Kind::kWait;
    if (!cursor_.accept_word("irq")) {
      out_.duration_ps = duration();
      return;
    }
    out_.kind = Kind::kWaitIrq;
    if (cursor_.at_end()) return;
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

  /// One or more, up to "within".
  std::vector<Token> words() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(word("a value"));
      out_.words.push_back(names_.value(tokens.back(), diagnostics_));
    } while (!cursor_.at_end() && !cursor_.peek().is_word("within"));
    return tokens;
  }
  Address place() { return names_.place(word("a place"), diagnostics_); }
  std::uint64_t duration() {
    const Token& token = word("a duration");
    return duration_ps(token.text, diagnostics_.file(), to_string(token.place));
  }
  void more_than_no_time() const {
    if (out_.duration_ps == 0) fail("expected a duration above 0");
  }
  std::uint32_t count() {
    const std::string& text = word("a number of words").text;
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && number > 0 && number <= kMostWords) return number;
    fail("expected a number of 1 to " + std::to_string(kMostWords) + ", found '" + text + "'");
  }
  std::string one_of(const std::vector<std::string>& allowed) {
    const std::string& text = cursor_.peek().text;
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
      cursor_.fail_expected("one of " + text::listed(allowed), did_you_mean(text, allowed));
    return cursor_.take().text;
  }
  const Token& word(const std::string& what) {
    return cursor_.expect_kind(Token::Kind::kWord, what);
  }
  /// Fails at the last word taken.
  [[noreturn]] void fail(const std::string& problem) const {
    diagnostics_.fail(cursor_.last().place, problem);
  }

  const text::Diagnostics& diagnostics_;
  text::TokenCursor<Token> cursor_;
  const PlaceNames& names_;
  Statement out_;
};

/// The models of one kind have the same names in the simulation.
void add_device(const DeviceStatement& device, ScriptText& script,
                const text::Diagnostics& diagnostics) {
  if (!script.devices.empty() && script.devices.front().kind == device.kind)
    diagnostics.fail("has two devices '" + device.kind + "'; expected one of each kind");
  script.devices.push_back(device);
}

/// The number in "use 2", after which statements name places of the second device, or in "load 2",
/// after which they name places of the device's second program. `what`: "a device".
std::size_t number_of(const Line& line, const std::string& what, std::size_t count,
                      const text::Diagnostics& diagnostics) {
  const std::string& text = line.size() > 1 ? line[1].text : line[0].text;
  const bool is_digit = text.size() == 1 && text[0] > '0' && text[0] <= '9';
  const auto number = static_cast<std::size_t>(is_digit ? text[0] - '0' : 0);
  if (line.size() == 3 && number > 0 && number <= count) return number - 1;
  diagnostics.fail(line[1].place, "expected '" + line[0].text + " N' with the number of " + what +
                                      ", 1 to " + std::to_string(count));
}

Statement load_of(const Line& line, std::size_t program, const PlaceNames& names,
                  const text::Diagnostics& diagnostics) {
  Statement statement;
  statement.kind = Statement::Kind::kWrite;
  statement.line = line[0].place.line;
  statement.at = names.place({Token::Kind::kWord, "port.program", line[0].place}, diagnostics);
  statement.words = {static_cast<std::uint32_t>(program)};
  statement.text = "load " + std::to_string(program + 1);
  return statement;
}

}  // namespace

ScriptText read_script(const std::string& file) {
  std::istringstream in(text::read_file(file, "host script"));
  const text::Diagnostics diagnostics(file);
  ScriptText script;
  script.file = file;
  std::string text;
  for (unsigned number = 1; std::getline(in, text); ++number) {
    Line line = split(text, number, diagnostics);
    if (line.size() == 1) continue;
    const bool may_be_device = script.lines.empty() && script.devices.size() < kMaxAccelerators;
    if (script.devices.empty() || (may_be_device && line.front().is_word("device")))
      add_device(device_of(line, diagnostics), script, diagnostics);
    else
      script.lines.push_back(std::move(line));
  }
  if (script.devices.empty()) {
    diagnostics.fail("is empty; expected 'device wse LAYOUT', 'device ascend PROGRAM' or 'device "
                     "numesh PROGRAM' (docs/vp-platform.md)");
  }
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

std::vector<Statement> compile(const ScriptText& script,
                               const std::vector<std::vector<PlaceNames>>& names) {
  const text::Diagnostics diagnostics(script.file);
  std::vector<Statement> statements;
  statements.reserve(script.lines.size());
  std::size_t used = 0;
  std::vector<std::size_t> loaded(names.size(), 0);
  for (const Line& line : script.lines) {
    if (line.front().is_word("use")) {
      used = number_of(line, "a device", names.size(), diagnostics);
    } else if (line.front().is_word("load")) {
      loaded[used] = number_of(line, "a program", names[used].size(), diagnostics);
      statements.push_back(load_of(line, loaded[used], names[used][loaded[used]], diagnostics));
    } else {
      statements.push_back(StatementReader(diagnostics, line, names[used][loaded[used]]).read());
    }
  }
  return statements;
}

}  // namespace tessera::vp
