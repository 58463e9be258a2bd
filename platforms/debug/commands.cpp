#include "platforms/debug/commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "platforms/cli/option.h"
#include "platforms/debug/words.h"
#include "platforms/report/report.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::debug {

namespace {

constexpr std::size_t kMostShown = 200;  // elements, lines, places

std::pair<std::string, std::string> split(const std::string& text) {
  const std::string all = trimmed(text);
  const std::size_t end = all.find_first_of(" \t/");
  if (end == std::string::npos) return {all, ""};
  // "x/8f &y"
  const std::size_t rest = all[end] == '/' ? end : end + 1;
  return {all.substr(0, end), trimmed(all.substr(rest))};
}

std::string shown(const SourceLine& line) {
  return line.line == 0 ? "no line" : line.file + ":" + std::to_string(line.line);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMostShown; ++i)
    text += (i == 0 ? "" : "\n") + lines[i];
  if (lines.size() > kMostShown)
    text += "\nand " + std::to_string(lines.size() - kMostShown) + " more lines";
  return text;
}

std::string line_of(const Variable& v) {
  return v.name + (v.type.empty() ? "" : ": " + v.type) + " = " + v.value;
}

}  // namespace

std::vector<std::string> lines_of(const Target& target, const std::string& file) {
  std::vector<std::string> lines;
  std::stringstream text;
  if (const auto library = target.library_text(file))
    text << *library;
  else
    text << std::ifstream(file).rdbuf();
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

const std::map<std::string, Commands::Handler>& Commands::handlers() {
  static const std::map<std::string, Handler> all = {
      {"print", &Commands::print_here},  {"p", &Commands::print_here},
      {"x", &Commands::examine},         {"info", &Commands::info},
      {"where", &Commands::where},       {"bt", &Commands::where},
      {"backtrace", &Commands::where},   {"why", &Commands::why},
      {"pe", &Commands::choose_place},   {"core", &Commands::choose_place},
      {"node", &Commands::choose_place}, {"frame", &Commands::choose_frame},
      {"up", &Commands::go_up},          {"down", &Commands::go_down},
      {"hits", &Commands::hits},         {"set", &Commands::set},
      {"list", &Commands::list},         {"l", &Commands::list},
      {"disas", &Commands::disassemble}};
  return all;
}

bool Commands::is_command(const std::string& text) {
  const auto [word, rest] = split(text);
  // A variable may have the name of a command: "x" alone is one.
  const bool is_alone = rest.empty() && (word == "x" || word == "p" || word == "l");
  return handlers().count(word) > 0 && !is_alone;
}

bool Commands::chooses_place(const std::string& text) {
  const auto found = handlers().find(split(text).first);
  return found != handlers().end() && found->second == &Commands::choose_place;
}

bool Commands::chooses_frame(const std::string& text) {
  const std::string word = split(text).first;
  return word == "frame" || word == "up" || word == "down";
}

std::string Commands::answer(const std::string& text) {
  const auto [word, rest] = split(text);
  const auto found = handlers().find(word);
  if (found == handlers().end()) throw UserError("", "", "there is no command '" + word + "'");
  return (this->*found->second)(rest);
}

std::uint32_t Commands::place_in(const std::string& text) const {
  std::vector<int> at;
  std::string digits;
  for (const char c : text + ",") {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (!digits.empty()) {
      at.push_back(static_cast<int>(cli::whole_number_in(digits).value_or(-1)));
      digits.clear();
    } else if (std::strchr("(), \t", c) == nullptr) {
      at.clear();
      break;
    }
  }
  const Target& target = debugger_.target();
  const auto place = target.place_at(at);
  if (!place) throw UserError("", "", "'" + text + "' is no place of the machine");
  return *place;
}

std::vector<Frame> Commands::frames_here() const {
  std::vector<Frame> frames = debugger_.target().frames(focus_.place);
  const std::size_t first = debugger_.target().chosen_frame();
  if (first < frames.size())
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(first));
  return frames;
}

std::string Commands::present() const {
  const std::vector<Frame> frames = frames_here();
  std::string text = debugger_.target().name_of(focus_.place);
  if (debugger_.now()) text += ", cycle " + std::to_string(*debugger_.now());
  if (frames.empty()) return text + ": " + debugger_.target().at_rest(focus_.place);
  const SourceLine& at = frames.front().at;
  text += ": " + frames.front().name;
  const auto around = std::find_if(frames.begin(), frames.end(),
                                   [](const Frame& frame) { return frame.call == 0; });
  if (around != frames.begin() && around != frames.end()) text += " in " + around->name;
  text += " at " + shown(at);
  const std::vector<std::string> source = lines_of(debugger_.target(), at.file);
  if (at.line == 0 || at.line > source.size()) return text;
  return text + "\n" + std::to_string(at.line) + "  " + source[at.line - 1];
}

SourceLine Commands::present_line() const {
  const std::vector<Frame> frames = frames_here();
  for (const Frame& frame : frames) {
    if (frame.at.line != 0) return frame.at;
  }
  return {};
}

std::string Commands::choose_place(const std::string& rest) {
  if (!rest.empty()) {
    const std::uint32_t place = place_in(rest);
    if (!debugger_.target().program_of(place))
      throw UserError("", "", debugger_.target().name_of(place) + " has no program");
    focus_.place = place;
    debugger_.target().choose_frame(0);
    listed_ = {};
  }
  return present();
}

std::string Commands::choose_frame(const std::string& rest) {
  Target& target = debugger_.target();
  if (!rest.empty()) {
    const std::size_t count = target.frames(focus_.place).size();
    const auto number = cli::whole_number_in(rest);
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(count))
      throw UserError("", "",
                      "there is no frame " + rest + "; 'where' shows " +
                          report::plural(count, "frame"));
    target.choose_frame(static_cast<std::uint32_t>(*number));
    listed_ = {};
  }
  return "#" + std::to_string(target.chosen_frame()) + " " + present();
}

std::string Commands::go_up(const std::string& /*rest*/) {
  return choose_frame(std::to_string(debugger_.target().chosen_frame() + 1));
}

std::string Commands::go_down(const std::string& /*rest*/) {
  const std::uint32_t frame = debugger_.target().chosen_frame();
  if (frame == 0) throw UserError("", "", "frame 0 is the innermost one");
  return choose_frame(std::to_string(frame - 1));
}

std::string Commands::print(std::uint32_t place, const std::string& text) {
  Target& target = debugger_.target();
  const std::string asked = trimmed(text);
  if (asked.empty()) throw UserError("", "", "what is to be printed?");
  const Names names = debugger_.names_at(place);
  if (asked.front() == '&') {
    const auto name = Expression(asked.substr(1)).name(names);
    const Bytes bytes = name ? target.bytes_of(place, *name) : Bytes{};
    if (bytes.count == 0) throw UserError("", "", "'" + asked.substr(1) + "' has no address");
    return hexadecimal(bytes.address);
  }
  // "y[0..8]"
  const std::size_t open = asked.find('[');
  const std::size_t dots = asked.find("..");
  if (open != std::string::npos && dots != std::string::npos && asked.back() == ']' &&
      open < dots) {
    const auto first = cli::whole_number_in(trimmed(asked.substr(open + 1, dots - open - 1)));
    const auto end = cli::whole_number_in(trimmed(asked.substr(dots + 2, asked.size() - dots - 3)));
    if (!first || !end || *first < 0 || *end < *first)
      throw UserError("", "", "'" + asked + "' is not of the form name[FIRST..END]");
    std::string out;
    const auto count = static_cast<std::uint32_t>(
        std::min<std::int64_t>(*end - *first, static_cast<std::int64_t>(kMostShown)));
    for (const Variable& v : target.elements(place, trimmed(asked.substr(0, open)),
                                             static_cast<std::uint32_t>(*first), count))
      out += (out.empty() ? "" : ", ") + v.value;
    return "[" + out + "]";
  }
  const Expression expression(asked);
  if (const auto name = expression.name(names)) {
    const std::array<const char*, 2> ours = {"cycle", "hits"};
    const bool is_ours = std::find(ours.begin(), ours.end(), name->text) != ours.end();
    if (!is_ours) return target.variable(place, *name).value;
  }
  return to_string(expression.evaluate(names));
}

// x/COUNT FORMAT ADDRESS; formats: x, d, u of 16 bits, f of 32 bits, w (32 bits, hexadecimal), b.
std::string Commands::examine(const std::string& rest) {
  std::string format = "x", where = rest;
  std::uint32_t count = 8;
  if (!rest.empty() && rest.front() == '/') {
    const std::size_t end = rest.find(' ');
    std::string what = rest.substr(1, end == std::string::npos ? end : end - 1);
    where = end == std::string::npos ? "" : trimmed(rest.substr(end));
    const std::size_t digits = what.find_first_not_of("0123456789");
    if (digits != 0)
      count = static_cast<std::uint32_t>(std::min<std::int64_t>(
          cli::whole_number_in(what.substr(0, digits)).value_or(0), kMostShown));
    if (digits != std::string::npos) format = what.substr(digits);
  }
  const bool is_wide = format == "f" || format == "w" || format == "i";
  const unsigned size = is_wide ? 4 : format == "b" ? 1 : 2;
  if (format.size() != 1 || std::strchr("xduhfwib", format.front()) == nullptr)
    throw UserError("", "", "formats are x, d, u (16 bits), f, w, i (32 bits) and b");
  if (where.empty()) throw UserError("", "", "expected such as x/8f &y");
  Target& target = debugger_.target();
  const Names names = debugger_.names_at(focus_.place);
  std::uint32_t address = 0;
  if (where.front() == '&') {
    const auto name = Expression(where.substr(1)).name(names);
    address = name ? target.bytes_of(focus_.place, *name).address : 0;
  } else {
    address = static_cast<std::uint32_t>(Expression(where).evaluate(names).whole);
  }
  const std::vector<std::byte> bytes = target.read(focus_.place, address, count * size);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::uint32_t word = 0;
    for (unsigned b = size; b > 0; --b)
      word = word << 8 | std::to_integer<std::uint32_t>(bytes[i + b - 1]);
    float real = 0;
    std::memcpy(&real, &word, sizeof real);
    const std::string text = format == "f"   ? to_string(Value::of_float(real))
                             : format == "d" ? std::to_string(static_cast<std::int16_t>(word))
                             : format == "i" ? std::to_string(static_cast<std::int32_t>(word))
                             : format == "u" ? std::to_string(word)
                                             : hexadecimal(word);
    if (i % (8 * size) == 0)
      lines.push_back(hexadecimal(address + static_cast<std::uint32_t>(i)) + ":");
    lines.back() += " " + text;
  }
  if (lines.empty()) throw UserError("", "", "there is no memory at " + hexadecimal(address));
  return joined(lines);
}

std::string Commands::info_breakpoints() const {
  std::vector<std::string> lines;
  for (const Breakpoint* b : debugger_.breakpoints()) {
    std::string text = std::to_string(b->id) + ": ";
    text += b->watched ? "watch " + b->watched->text() : shown(b->at);
    if (!b->is_verified) text += ", " + b->message;
    lines.push_back(text + ", " + report::plural(b->hits, "hit"));
  }
  return lines.empty() ? "no breakpoints" : joined(lines);
}

namespace {

/// Scopes that have a short name.
const std::map<std::string, std::string> kShortNames = {
    {"regs", "Registers"}, {"dsr", "DSRs"},      {"queues", "Queues"},
    {"tasks", "Tasks"},    {"locals", "Locals"}, {"globals", "Globals"}};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return text;
}

/// What info takes on this machine.
std::vector<std::string> shown_by_info(const Target& target) {
  std::vector<std::string> all = {"breakpoints", "line", "routes", "waits"};
  for (const std::string& scope : target.scopes()) {
    const auto named = std::find_if(kShortNames.begin(), kShortNames.end(),
                                    [&scope](const auto& entry) { return entry.second == scope; });
    all.push_back(named == kShortNames.end() ? lower_case(scope) : named->first);
  }
  return all;
}

}  // namespace

std::string Commands::info(const std::string& rest) {
  Target& target = debugger_.target();
  const auto [what, more] = split(rest);
  if (what == "breakpoints" || what == "break") return info_breakpoints();
  if (what == "routes") return joined(target.routes(focus_.place));
  if (what == "waits") {
    const std::vector<std::string> lines = target.state(focus_.place);
    return lines.empty() ? "nothing waits here" : joined(lines);
  }
  if (what == "line") return present();
  const auto named = kShortNames.find(what);
  for (const std::string& scope : target.scopes()) {
    if (lower_case(scope) != what && (named == kShortNames.end() || named->second != scope))
      continue;
    std::vector<std::string> lines;
    for (const Variable& v : target.variables(focus_.place, scope)) lines.push_back(line_of(v));
    return lines.empty() ? "none" : joined(lines);
  }
  if (named != kShortNames.end()) return "this machine has no " + what + " that the debugger knows";
  const std::vector<std::string> known = shown_by_info(target);
  if (!what.empty())
    throw UserError("", "",
                    "'" + what + "' is nothing that info shows" + did_you_mean(what, known));
  std::string text = "info shows";
  for (const std::string& name : known) text += (&name == &known.front() ? " " : ", ") + name;
  return text;
}

std::string Commands::where(const std::string& /*rest*/) {
  const std::vector<Frame> frames = debugger_.target().frames(focus_.place);
  if (frames.empty()) return present();
  std::vector<std::string> lines = {debugger_.target().name_of(focus_.place)};
  for (std::size_t i = 0; i < frames.size(); ++i)
    lines.push_back((i > 0 && i == debugger_.target().chosen_frame() ? "> #" : "#") +
                    std::to_string(i) + " " + frames[i].name + " at " + shown(frames[i].at));
  return joined(lines);
}

std::string Commands::why(const std::string& rest) {
  if (!rest.empty()) {
    const std::uint32_t place = place_in(rest);
    const std::vector<std::string> lines = debugger_.target().state(place);
    return debugger_.target().name_of(place) + ": " +
           (lines.empty() ? "nothing waits here" : joined(lines));
  }
  const std::vector<std::string> lines = debugger_.target().why();
  return lines.empty() ? "nobody waits" : joined(lines);
}

std::string Commands::hits(const std::string& /*rest*/) {
  const Stop& stop = focus_.stop;
  if (stop.places.empty()) return "no place has this stop";
  std::vector<std::string> lines;
  for (const std::uint32_t place : stop.places) {
    const std::vector<Frame> frames = debugger_.target().frames(place);
    std::string text = debugger_.target().name_of(place);
    if (!frames.empty()) text += ": " + frames.front().name + " at " + shown(frames.front().at);
    lines.push_back(text);
    if (lines.size() == kMostShown) break;
  }
  if (stop.places.size() > lines.size())
    lines.push_back("and " + std::to_string(stop.places.size() - lines.size()) + " more");
  return stop.text + "\n" + joined(lines);
}

std::string Commands::set(const std::string& rest) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string::npos) throw UserError("", "", "expected such as set y[0] = 1");
  const Names names = debugger_.names_at(focus_.place);
  const auto name = Expression(trimmed(rest.substr(0, equals))).name(names);
  if (!name) throw UserError("", "", "'" + rest.substr(0, equals) + "' cannot be set");
  const Value value = Expression(trimmed(rest.substr(equals + 1))).evaluate(names);
  debugger_.target().assign(focus_.place, *name, value);
  return debugger_.target().variable(focus_.place, *name).value;
}

std::string Commands::list(const std::string& rest) {
  constexpr std::uint32_t kAround = 5;
  SourceLine middle = present_line();
  std::uint32_t first = 0;
  if (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != std::string::npos) middle.file = rest.substr(0, colon);
    const auto number =
        cli::whole_number_in(colon == std::string::npos ? rest : rest.substr(colon + 1));
    if (!number || *number < 1)
      throw UserError("", "", "expected such as list 73 or list pe.csl:73");
    middle.line = static_cast<std::uint32_t>(*number);
  } else if (listed_.line != 0 && middle == listed_from_) {
    middle.file = listed_.file;
    first = listed_.line + 1;
  }
  listed_from_ = present_line();
  for (const ProgramText& program : debugger_.target().programs()) {
    for (const std::string& file : program.files) {
      if (!middle.file.empty() && is_same_file(middle.file, file)) middle.file = file;
    }
  }
  if (first == 0) first = middle.line > kAround ? middle.line - kAround : 1;
  const std::vector<std::string> text = lines_of(debugger_.target(), middle.file);
  if (first > text.size())
    throw UserError(
        "", "", middle.file.empty() ? "there is no line here" : "no more lines of " + middle.file);
  const SourceLine present = present_line();
  std::vector<std::string> lines;
  const std::uint32_t end =
      std::min<std::uint32_t>(first + 2 * kAround, static_cast<std::uint32_t>(text.size()));
  for (std::uint32_t n = first; n <= end; ++n) {
    const bool is_here = present.line == n && present.file == middle.file;
    lines.push_back((is_here ? "> " : "  ") + std::to_string(n) + "  " + text[n - 1]);
  }
  listed_ = {middle.file, end};
  return joined(lines);
}

std::string Commands::disassemble(const std::string& rest) {
  Target& target = debugger_.target();
  const auto program = target.program_of(focus_.place);
  if (!program) throw UserError("", "", "there is no program here");
  const ProgramText& text = target.programs()[*program];
  const auto here = target.pc(focus_.place);
  std::uint32_t first = here.value_or(0);
  if (!rest.empty()) {
    const auto function =
        std::find_if(text.functions.begin(), text.functions.end(),
                     [&rest](const ProgramText::Function& f) { return f.name == rest; });
    if (function == text.functions.end())
      throw UserError("", "", "the program has no function or task '" + rest + "'");
    first = function->entry;
  } else if (const ProgramText::Function* const function = text.function_of(first)) {
    first = function->entry;
  }
  std::vector<std::string> lines;
  SourceLine before;
  const std::vector<std::string>* source = nullptr;
  std::map<std::string, std::vector<std::string>> sources;
  for (std::uint32_t pc = first; pc < text.lines.size(); ++pc) {
    if (pc != first && text.function_of(pc) != text.function_of(first)) break;
    const SourceLine line = text.line_of(pc);
    if (!(line == before) && line.line != 0) {
      if (sources.count(line.file) == 0) sources[line.file] = lines_of(target, line.file);
      source = &sources[line.file];
      const std::string code =
          line.line <= source->size() ? trimmed((*source)[line.line - 1]) : std::string();
      lines.push_back(shown(line) + "  " + code);
    }
    before = line;
    lines.push_back((here == pc ? "=> " : "   ") + std::to_string(pc) + ": " +
                    target.instruction_text(*program, pc));
  }
  return joined(lines);
}

}  // namespace tessera::debug
