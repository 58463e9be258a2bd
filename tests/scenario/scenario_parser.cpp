// Reads the `;!` directives of a scenario (README.md in this folder).
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>

#include "models/pe/illegal.h"
#include "tests/scenario/directive_reader.h"
#include "tests/scenario/scenario.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::scenario {
namespace {

constexpr Cycle kLatest = 1'000'000;

Number to_number(DirectiveReader& in, const std::string& text) {
  Number n;
  char* end = nullptr;
  if (text.rfind("0x", 0) == 0) {
    n.kind = Number::Kind::kBits;
    const std::uint64_t bits = std::strtoull(text.c_str() + 2, &end, 16);
    if (*end != '\0' || text.size() < 3 || text.size() > 10)
      in.fail_last("'" + text + "' is not 1 to 8 hexadecimal digits");
    n.bits = static_cast<std::uint32_t>(bits);
    return n;
  }
  const bool digit = std::isdigit(static_cast<unsigned char>(text[text[0] == '-' ? 1 : 0])) != 0;
  if (!digit) in.fail_last("expected a number, found '" + text + "'");
  if (text.find_first_of(".eE") != std::string::npos) {
    n.kind = Number::Kind::kFloat;
    n.real = std::strtod(text.c_str(), &end);
  } else {
    n.integer = std::strtoll(text.c_str(), &end, 10);
  }
  if (*end != '\0') in.fail_last("expected a number, found '" + text + "'");
  return n;
}

/// The word that a wavelet or an argument has.
std::uint32_t to_word(DirectiveReader& in, const std::string& text) {
  const Number n = to_number(in, text);
  if (n.kind == Number::Kind::kBits) return n.bits;
  if (n.kind == Number::Kind::kFloat) {
    const auto single = static_cast<float>(n.real);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    return bits;
  }
  if (n.integer < INT32_MIN || n.integer > UINT32_MAX)
    in.fail_last("'" + text + "' does not fit into 32 bits");
  return static_cast<std::uint32_t>(n.integer);
}

std::uint64_t read_count(DirectiveReader& in, const std::string& what, std::uint64_t least = 0) {
  const std::string text = in.word(what);
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos && text.size() < 8;
  const std::uint64_t value = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  if (!digits || value < least || value > kLatest) {
    in.fail_last("expected " + what + ", " + std::to_string(least) + ".." +
                 std::to_string(kLatest) + ", found '" + text + "'");
  }
  return value;
}

/// `c:0x12`, flags of `allowed` in front of a 32-bit value.
link::Wavelet to_wavelet(DirectiveReader& in, const std::string& text, std::string_view allowed) {
  link::Wavelet w;
  const std::size_t colon = text.find(':');
  const std::string flags = colon == std::string::npos ? "" : text.substr(0, colon);
  if (colon == 0 || flags.find_first_not_of(allowed) != std::string::npos) {
    in.fail_last("'" + flags + ":' is no flag of a wavelet here; there are " +
                 std::string(allowed.substr(0, 1)) + " (control), h (half)" +
                 (allowed.size() > 2 ? " and f (local flip)" : ""));
  }
  w.control = flags.find('c') != std::string::npos;
  w.half = flags.find('h') != std::string::npos;
  w.local_flip = flags.find('f') != std::string::npos;
  const std::string value = text.substr(colon == std::string::npos ? 0 : colon + 1);
  if (value.empty()) in.fail_last("expected a number after '" + text + "'");
  w.payload = to_word(in, value);
  if (w.half && w.payload > 0xFFFF) in.fail_last("a half wavelet carries 16 bits");
  return w;
}

Color to_color(DirectiveReader& in, const std::string& text, const std::string& where = "") {
  const bool digits =
      !text.empty() && text.size() < 3 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(text) >= kColorCount)
    in.fail_last("expected a color 0..23" + where + ", found '" + text + "'");
  return Color(static_cast<unsigned>(std::stoul(text)));
}

SentWavelet to_sent(DirectiveReader& in, const std::string& text) {
  SentWavelet sent;
  const std::size_t at = text.find('@');
  sent.wavelet = to_wavelet(in, text.substr(0, at), "chf");
  if (at == std::string::npos) return sent;
  sent.color = to_color(in, text.substr(at + 1), " after '@'");
  return sent;
}

std::optional<Generation> generation_from(std::string_view word) {
  for (Generation g : {Generation::kWse2, Generation::kWse3}) {
    if (word == to_string(g)) return g;
  }
  return std::nullopt;
}

/// Parses one directive into a plan.
class PlanReader {
 public:
  PlanReader(DirectiveReader& in, Plan& plan) : in_(in), plan_(plan) {}
  void read();

 private:
  using Directive = void (PlanReader::*)();
  void read_launch();
  void read_arrive();
  void read_sink();
  void read_teardown();
  void read_set();
  void read_until();
  void read_expect();
  void read_sent();
  void read_tasks();
  void read_time(Moment::Kind kind);
  Moment read_moment(Moment::Kind kind);
  void read_rule(MessageExpectation::Kind kind);
  void read_text(MessageExpectation::Kind kind);
  void read_memory(const std::string& symbol);
  /// NAME=N options; `never` is a cycle too.
  bool read_option(const char* name, Cycle& value, std::uint64_t least);

  DirectiveReader& in_;
  Plan& plan_;
};

void PlanReader::read() {
  static const std::map<std::string, Directive> kDirectives = {
      {"launch", &PlanReader::read_launch},    {"arrive", &PlanReader::read_arrive},
      {"sink", &PlanReader::read_sink},        {"set", &PlanReader::read_set},
      {"until", &PlanReader::read_until},      {"expect", &PlanReader::read_expect},
      {"teardown", &PlanReader::read_teardown}};
  const std::string name = in_.word("a directive");
  const auto found = kDirectives.find(name);
  if (found == kDirectives.end()) {
    std::vector<std::string> known{"machine"};
    for (const auto& [word, directive] : kDirectives) known.push_back(word);
    in_.fail_last("there is no directive '" + name + "'" + did_you_mean(name, known));
  }
  (this->*found->second)();
  in_.end();
}

bool PlanReader::read_option(const char* name, Cycle& value, std::uint64_t least) {
  if (!in_.accept(name)) return false;
  in_.expect("=");
  value = read_count(in_, name, least);
  return true;
}

void PlanReader::read_launch() {
  Launch launch;
  launch.line = in_.line();
  launch.function = in_.word("the name of a function");
  while (!in_.at_end()) {
    if (read_option("at", launch.at, 0)) continue;
    launch.arguments.push_back(to_word(in_, in_.word("an argument")));
    if (launch.arguments.size() > 4) in_.fail_last("a launch has at most 4 arguments");
  }
  plan_.launches.push_back(launch);
}

void PlanReader::read_arrive() {
  Arrivals arrivals;
  arrivals.line = in_.line();
  arrivals.queue = in_.word("the name of an input queue");
  while (!in_.at_end()) {
    if (read_option("at", arrivals.at, 0) || read_option("every", arrivals.every, 1)) continue;
    arrivals.wavelets.push_back(to_wavelet(in_, in_.word("a wavelet"), "ch"));
  }
  if (arrivals.wavelets.empty()) in_.fail("expected a wavelet");
  plan_.arrivals.push_back(arrivals);
}

void PlanReader::read_sink() {
  SinkSetting sink;
  sink.line = in_.line();
  sink.queue = in_.word("the name of an output queue");
  Cycle capacity = 0, interval = 1;
  while (!in_.at_end()) {
    if (read_option("capacity", capacity, 1) || read_option("interval", interval, 1)) continue;
    in_.expect("open");
    in_.expect("=");
    sink.open = in_.accept("never") ? kNever : read_count(in_, "a cycle or never");
  }
  if (capacity == 0) in_.fail("expected capacity=");
  sink.capacity = static_cast<unsigned>(capacity);
  sink.interval = static_cast<unsigned>(interval);
  plan_.sinks.push_back(sink);
}

void PlanReader::read_teardown() {
  TeardownNotice notice;
  notice.line = in_.line();
  notice.color = to_color(in_, in_.word("a color"));
  read_option("at", notice.at, 0);
  plan_.teardowns.push_back(notice);
}

void PlanReader::read_set() {
  const std::string key = in_.word("a key of the configuration");
  in_.expect("=");
  plan_.overrides.push_back({in_.line(), key + "=" + in_.word("a value")});
}

void PlanReader::read_until() {
  if (plan_.until != kDefaultUntil) in_.fail_last("there is an `until` above");
  plan_.until = read_count(in_, "a cycle", 1);
}

void PlanReader::read_expect() {
  const std::string word = in_.word("what is expected");
  using Kind = MessageExpectation::Kind;
  if (word == "sent") return read_sent();
  if (word == "tasks") return read_tasks();
  if (word == "issue") return read_time(Moment::Kind::kIssue);
  if (word == "end") return read_time(Moment::Kind::kEnd);
  if (word == "group") return read_time(Moment::Kind::kGroup);
  if (word == "illegal") return read_rule(Kind::kIllegal);
  if (word == "diagnosis") return read_rule(Kind::kDiagnosis);
  if (word == "waits") return read_text(Kind::kWaits);
  if (word == "refused") return read_text(Kind::kRefused);
  if (in_.peek() == "=") return read_memory(word);
  in_.fail_last("expected SYMBOL = .. or one of sent, tasks, issue, end, group, illegal, "
                "diagnosis, waits, refused; found '" +
                word + "'");
}

void PlanReader::read_sent() {
  SentExpectation sent;
  sent.line = in_.line();
  sent.queue = in_.word("the name of an output queue");
  in_.expect("=");
  if (!in_.accept("none")) {
    do {
      sent.wavelets.push_back(to_sent(in_, in_.word("a wavelet")));
    } while (in_.accept(","));
  }
  plan_.sent.push_back(sent);
}

void PlanReader::read_tasks() {
  TasksExpectation tasks;
  tasks.line = in_.line();
  if (!plan_.tasks.empty()) in_.fail_last("there is an `expect tasks` above");
  if (!in_.accept("none")) {
    do {
      tasks.names.push_back(in_.word("the name of a task or function"));
    } while (!in_.at_end());
  }
  plan_.tasks.push_back(tasks);
}

Moment PlanReader::read_moment(Moment::Kind kind) {
  Moment moment;
  moment.kind = kind;
  moment.label = in_.word("a label");
  const std::size_t mark = moment.label.find('#');
  if (mark == std::string::npos) return moment;
  const std::string number = moment.label.substr(mark + 1);
  const bool digits = !number.empty() && number.size() < 5 &&
                      number.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(number) == 0) in_.fail_last("expected a number from 1 on after '#'");
  moment.number = static_cast<unsigned>(std::stoul(number));
  moment.label.resize(mark);
  return moment;
}

void PlanReader::read_time(Moment::Kind kind) {
  TimeExpectation time;
  time.line = in_.line();
  time.moment = read_moment(kind);
  if (in_.accept("-")) {
    Moment::Kind since = Moment::Kind::kIssue;
    if (in_.accept("end")) since = Moment::Kind::kEnd;
    if (in_.accept("group")) since = Moment::Kind::kGroup;
    in_.accept("issue");
    time.since = read_moment(since);
  }
  in_.expect("=");
  const Number n = to_number(in_, in_.word("a number of cycles"));
  if (n.kind != Number::Kind::kInteger) in_.fail_last("cycles are whole numbers");
  time.cycles = n.integer;
  plan_.times.push_back(time);
}

void PlanReader::read_rule(MessageExpectation::Kind kind) {
  MessageExpectation message;
  message.line = in_.line();
  message.kind = kind;
  message.id = in_.word("the id of a rule");
  std::vector<std::string> known;
  for (unsigned i = 0; i < pe::kIllegalCount; ++i)
    known.emplace_back(pe::info(static_cast<pe::Illegal>(i)).id);
  if (std::find(known.begin(), known.end(), message.id) == known.end())
    in_.fail_last("there is no rule '" + message.id + "'" + did_you_mean(message.id, known));
  while (in_.next_is_quoted()) message.texts.push_back(in_.quoted("a part of the message"));
  plan_.messages.push_back(message);
}

void PlanReader::read_text(MessageExpectation::Kind kind) {
  MessageExpectation message;
  message.line = in_.line();
  message.kind = kind;
  do {
    message.texts.push_back(in_.quoted("a part of the message"));
  } while (!in_.at_end());
  plan_.messages.push_back(message);
}

void PlanReader::read_memory(const std::string& symbol) {
  MemoryExpectation memory;
  memory.line = in_.line();
  memory.symbol = symbol;
  in_.expect("=");
  do {
    memory.values.push_back(to_number(in_, in_.word("a value")));
  } while (in_.accept(","));
  plan_.memory.push_back(memory);
}

void read_machines(DirectiveReader& in, Scenario& scenario) {
  do {
    const std::string word = in.word("wse2 or wse3");
    const auto generation = generation_from(word);
    if (!generation) in.fail_last("expected wse2 or wse3, found '" + word + "'");
    const auto& known = scenario.machines;
    if (std::find(known.begin(), known.end(), *generation) != known.end())
      in.fail_last("'" + word + "' is there twice");
    scenario.machines.push_back(*generation);
  } while (!in.at_end());
}

/// Where the directive of a line begins; npos: it has none. A directive that would be overlooked is
/// an error.
std::size_t directive_of(const std::string& file, unsigned number, const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t mark = line.find(";!");
  if (mark != std::string::npos && mark == first) return mark + 2;
  static const std::regex kMistyped(R"(^[ \t]*;+[ \t]*(!|expect[ \t]))");
  const bool remark = first != std::string::npos && line[first] == ';';
  if (mark != std::string::npos || (remark && std::regex_search(line, kMistyped))) {
    throw UserError(file, std::to_string(number),
                    "a directive is a line of its own that begins with `;!`");
  }
  return std::string::npos;
}

/// `first`: there is no directive above.
void read_directive(DirectiveReader in, bool first, Scenario& scenario) {
  if (in.accept("machine")) {
    if (!first) in.fail_last("`machine` stands once, before the other directives");
    read_machines(in, scenario);
    return;
  }
  std::vector<Generation> generations = scenario.machines;
  if (generations.empty()) generations = {Generation::kWse2, Generation::kWse3};
  const std::string_view prefix = in.peek();
  if (!prefix.empty() && prefix.back() == ':') {
    const auto only = generation_from(prefix.substr(0, prefix.size() - 1));
    if (!only) in.fail("expected wse2: or wse3:, found '" + std::string(prefix) + "'");
    if (std::find(generations.begin(), generations.end(), *only) == generations.end())
      in.fail(std::string("`machine` leaves out ") + to_string(*only));
    in.word("a generation");
    generations = {*only};
  }
  for (Generation generation : generations) {
    DirectiveReader again = in;
    PlanReader(again, scenario.plan(generation)).read();
  }
}

/// `wse.md 3.3: RULE` in the first line; the section is in the file name.
void check_head(const Scenario& scenario, const std::string& first) {
  static const std::regex kHead(R"(^; wse\.md ([0-9.]+): \S.*$)");
  std::smatch match;
  if (!std::regex_match(first, match, kHead))
    throw UserError(scenario.path, "1", "the first line must be `; wse.md SECTION: RULE`");
  if (match[1] != scenario.section) {
    throw UserError(scenario.path, "1",
                    "section " + match[1].str() + ", but the file is named after section " +
                        scenario.section);
  }
}

void check_plan(const Scenario& scenario, Generation generation) {
  const Plan& plan = scenario.plan(generation);
  const std::string of = std::string(" of ") + to_string(generation);
  if (!plan.expects_anything()) throw UserError(scenario.path, "1", "nothing is expected" + of);
  using Kind = MessageExpectation::Kind;
  unsigned illegal = 0, refused = 0;
  for (const MessageExpectation& message : plan.messages) {
    illegal += message.kind == Kind::kIllegal ? 1 : 0;
    refused += message.kind == Kind::kRefused ? 1 : 0;
    if (illegal > 1 || refused > 1) {
      throw UserError(scenario.path, std::to_string(message.line),
                      "a run ends once: there is another `illegal` or `refused` above");
    }
  }
  const bool more = plan.messages.size() > 1 || !plan.memory.empty() || !plan.sent.empty() ||
                    !plan.tasks.empty() || !plan.times.empty();
  if (refused != 0 && more)
    throw UserError(scenario.path, "1", "a program that is refused does nothing else" + of);
}

}  // namespace

Scenario parse_scenario(const std::string& path, const std::string& text) {
  Scenario scenario;
  scenario.path = path;
  scenario.program = text;
  const std::string file = path.substr(path.rfind('/') + 1);
  static const std::regex kName(R"(^(([0-9]+(\.[0-9]+)?)\.[a-z][a-z0-9_]*)\.tasm$)");
  std::smatch match;
  if (!std::regex_match(file, match, kName))
    throw UserError(path, "", "a scenario is named SECTION.rule_in_words.tasm");
  scenario.name = match[1];
  scenario.section = match[2];
  std::istringstream in(text);
  std::string line;
  unsigned number = 0;
  bool first = true;
  while (std::getline(in, line)) {
    if (++number == 1) check_head(scenario, line);
    const std::size_t begin = directive_of(path, number, line);
    if (begin == std::string::npos) continue;
    read_directive(DirectiveReader(path, number, line, begin), first, scenario);
    first = false;
  }
  if (number == 0) check_head(scenario, "");
  if (scenario.machines.empty()) scenario.machines = {Generation::kWse2, Generation::kWse3};
  for (Generation generation : scenario.machines) check_plan(scenario, generation);
  return scenario;
}

std::vector<Generation> machines_of(const std::string& path) {
  Scenario head;
  std::ifstream in(path);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const std::size_t begin = directive_of(path, number, line);
    if (begin == std::string::npos) continue;
    DirectiveReader first(path, number, line, begin);
    if (first.accept("machine")) read_machines(first, head);
    break;
  }
  if (head.machines.empty()) return {Generation::kWse2, Generation::kWse3};
  return head.machines;
}

Scenario read_scenario(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw UserError(path, "", "cannot be read");
  return parse_scenario(path, text.str());
}

std::vector<std::filesystem::path> wse_scenario_files() {
  std::vector<std::filesystem::path> files;
  std::error_code error;  // a folder that does not exist has no files
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           TESSERA_SOURCE_DIR "/tests/scenario/wse", error)) {
    if (entry.is_regular_file() && entry.path().extension() != ".cpp") files.push_back(entry);
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.filename() < b.filename(); });
  return files;
}

}  // namespace tessera::scenario
