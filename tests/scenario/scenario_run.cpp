// Runs a scenario on a compute engine core with hand-made queues and compares.
#include <algorithm>
#include <map>
#include <sstream>

#include "models/observe/event_fields.h"
#include "models/pe/half.h"
#include "platforms/wse/wse_config.h"
#include "tests/models/pe/bench.h"
#include "tests/models/pe/fake_config.h"
#include "tests/scenario/scenario.h"

namespace tessera::scenario {
namespace {

using observe::EventKind;
using Kind = MessageExpectation::Kind;

std::string hex(std::uint32_t bits) {
  std::ostringstream out;
  out << "0x" << std::hex << bits;
  return out.str();
}

/// As SentExpectation is written.
std::string words_of(const link::Wavelet& w, bool with_color) {
  std::string flags = std::string(w.control ? "c" : "") + (w.half ? "h" : "");
  flags += w.local_flip ? "f" : "";
  return (flags.empty() ? "" : flags + ":") + hex(w.payload) +
         (with_color ? "@" + std::to_string(w.color.value()) : "");
}

/// Raw bits of an element; no value: it does not fit.
std::optional<std::uint32_t> bits_of(const Number& n, pe::ElementType type, pe::HalfFormat half) {
  const unsigned bits = 8 * pe::bytes_of(type);
  const std::uint64_t limit = std::uint64_t{1} << bits;
  if (n.kind == Number::Kind::kBits) {
    if (n.bits >= limit) return std::nullopt;
    return n.bits;
  }
  const double real = n.kind == Number::Kind::kFloat ? n.real : static_cast<double>(n.integer);
  if (type == pe::ElementType::kF16) return pe::half_bits(real, half);
  if (type == pe::ElementType::kF32) return pe::test::bits_of(static_cast<float>(real));
  const std::int64_t highest = static_cast<std::int64_t>(limit) - 1;
  if (n.kind == Number::Kind::kFloat || n.integer > highest || n.integer < -(highest + 1) / 2)
    return std::nullopt;
  return static_cast<std::uint32_t>(n.integer) & static_cast<std::uint32_t>(highest);
}

/// An element in words.
std::string text_of(std::uint32_t bits, pe::ElementType type, pe::HalfFormat half) {
  std::ostringstream out;
  switch (type) {
  case pe::ElementType::kI16:
    out << static_cast<std::int16_t>(bits);
    break;
  case pe::ElementType::kI32:
    out << static_cast<std::int32_t>(bits);
    break;
  case pe::ElementType::kF16:
    out << pe::half_value(static_cast<std::uint16_t>(bits), half) << " (" << hex(bits) << ")";
    break;
  case pe::ElementType::kF32:
    out << pe::test::float_of(bits) << " (" << hex(bits) << ")";
    break;
  default:
    out << bits;
  }
  return out.str();
}

struct DiagnosisList : observe::Diagnoses {
  void on_diagnosis(const observe::Diagnosis& diagnosis) override { all.push_back(diagnosis); }
  std::vector<observe::Diagnosis> all;
};

bool has_all(const std::string& text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != text.npos; });
}

/// The program on its bench, and the comparison with what is expected.
class Run {
 public:
  using Stepping = pe::test::Bench::Stepping;

  Run(const Plan& plan, const pe::Image& image, const wse::WseConfig& config,
      Stepping stepping = Stepping::kWhenDue)
      : plan_(plan), bench_(image, config.pe, stepping), config_(config) {}

  std::vector<Problem> problems();
  const std::vector<observe::Event>& events() const { return bench_.events; }

 private:
  void set_up();
  void simulate();
  void compare_illegal(const std::string& id, const std::string& text);
  void compare_diagnoses();
  void compare_waits();
  void compare_memory(const MemoryExpectation& expected);
  void compare_sent(const SentExpectation& expected);
  void compare_tasks(const TasksExpectation& expected);
  void compare_time(const TimeExpectation& expected);
  std::optional<Cycle> cycle_of(const Moment& moment, unsigned line);
  std::optional<Cycle> issue_of(const Moment& moment, unsigned line);
  std::optional<Cycle> in_operation(const Moment& moment, Cycle issue, unsigned line);
  std::optional<std::uint32_t> instruction_at(const std::string& label, unsigned line);
  const pe::QueueBinding* queue(const std::string& name, bool input, unsigned line);
  std::string task_at(const observe::Event& start) const;

  const pe::Image& image() const { return bench_.core.image(); }
  void wrong(unsigned line, const std::string& text) { problems_.push_back({line, text}); }

  const Plan& plan_;
  pe::test::Bench bench_;
  const wse::WseConfig& config_;
  pe::test::FakeConfig router_;
  DiagnosisList diagnoses_;
  std::vector<Problem> problems_;
};

std::vector<Problem> Run::problems() {
  set_up();
  if (!problems_.empty()) return problems_;
  simulate();
  compare_diagnoses();
  for (const MemoryExpectation& expected : plan_.memory) compare_memory(expected);
  for (const SentExpectation& expected : plan_.sent) compare_sent(expected);
  for (const TasksExpectation& expected : plan_.tasks) compare_tasks(expected);
  for (const TimeExpectation& expected : plan_.times) compare_time(expected);
  return problems_;
}

void Run::set_up() {
  bench_.core.set_diagnoses(&diagnoses_);
  router_.generation = image().generation;
  bench_.core.set_config(&router_);
  for (const TeardownNotice& notice : plan_.teardowns) bench_.teardown(notice.color, notice.at);
  for (unsigned q = 0; q < config_.output_queue_lengths.size(); ++q)
    bench_.queues.sink(q, config_.output_queue_lengths[q]);
  for (const SinkSetting& sink : plan_.sinks) {
    if (const auto* q = queue(sink.queue, false, sink.line))
      bench_.queues.sink(q->id.value(), sink.capacity, sink.open, sink.interval);
  }
  std::map<std::string, Cycle> earliest;
  for (const Arrivals& arrivals : plan_.arrivals) {
    const auto* q = queue(arrivals.queue, true, arrivals.line);
    if (q == nullptr) continue;
    if (arrivals.at < earliest[arrivals.queue])
      wrong(arrivals.line, "wavelets arrive in the order of the text; write at=");
    Cycle due = arrivals.at;
    for (link::Wavelet w : arrivals.wavelets) {
      w.color = q->color.value_or(Color(0));
      bench_.queues.arrive(q->id.value(), w, due);
      earliest[arrivals.queue] = due;
      due += arrivals.every;
    }
  }
  for (const Launch& launch : plan_.launches) {
    if (image().find_function(launch.function) == nullptr) {
      wrong(launch.line, "the program has no function " + launch.function);
      continue;
    }
    bench_.launch(launch.function, launch.arguments, launch.at);
  }
}

void Run::simulate() {
  try {
    bench_.run(plan_.until);
  } catch (const IllegalBehaviour& e) {
    compare_illegal(e.id(), e.what());
    return;
  } catch (const std::logic_error& e) {
    wrong(1, std::string("the engine misuses its queues: ") + e.what());
    return;
  }
  for (const MessageExpectation& expected : plan_.messages) {
    if (expected.kind == Kind::kIllegal) wrong(expected.line, "the program has run to its end");
  }
  compare_waits();
}

void Run::compare_illegal(const std::string& id, const std::string& text) {
  bool expects_it = false;
  for (const MessageExpectation& expected : plan_.messages) {
    if (expected.kind == Kind::kWaits)
      wrong(expected.line, "the run has not come to this: " + text);
    if (expected.kind != Kind::kIllegal) continue;
    expects_it = true;
    if (id != expected.id || !has_all(text, expected.texts)) wrong(expected.line, "found: " + text);
  }
  if (!expects_it) wrong(1, text);
}

void Run::compare_diagnoses() {
  std::vector<bool> met(diagnoses_.all.size());
  for (const MessageExpectation& expected : plan_.messages) {
    if (expected.kind != Kind::kDiagnosis) continue;
    bool found = false;
    for (std::size_t i = 0; i < met.size(); ++i) {
      const observe::Diagnosis& d = diagnoses_.all[i];
      if (d.id != expected.id || !has_all(d.text, expected.texts)) continue;
      found = true;
      met[i] = true;
    }
    if (!found) wrong(expected.line, "no such diagnosis came");
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    const observe::Diagnosis& d = diagnoses_.all[i];
    if (!met[i]) wrong(1, "not expected: " + d.text + " [" + d.id + "]");
  }
}

// Who waits for what; nobody may be stuck who is not expected to be.
void Run::compare_waits() {
  const observe::Waits waits = bench_.waits();
  std::vector<bool> met(waits.size());
  std::string all;
  const auto text = [](const observe::Wait& wait) { return wait.who + " waits for " + wait.what; };
  for (const observe::Wait& wait : waits) all += "\n  " + text(wait);
  for (const MessageExpectation& expected : plan_.messages) {
    if (expected.kind != Kind::kWaits) continue;
    bool found = false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (!has_all(text(waits[i]), expected.texts)) continue;
      found = true;
      met[i] = true;
    }
    if (!found) wrong(expected.line, "no one waits so; there are:" + (all.empty() ? " none" : all));
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].blocks && !met[i]) wrong(1, "not expected at the end: " + text(waits[i]));
  }
}

void Run::compare_memory(const MemoryExpectation& expected) {
  const pe::Symbol* symbol = image().find_symbol(expected.symbol);
  if (symbol == nullptr) {
    wrong(expected.line, "the program has no data " + expected.symbol);
    return;
  }
  if (expected.values.size() > symbol->count) {
    wrong(expected.line, expected.symbol + " has " + std::to_string(symbol->count) + " elements");
    return;
  }
  std::string found;
  bool equal = true;
  for (unsigned i = 0; i < expected.values.size(); ++i) {
    const auto bits = bits_of(expected.values[i], symbol->type, image().half);
    if (!bits) {
      wrong(expected.line, "value " + std::to_string(i + 1) + " does not fit into " +
                               std::string(to_string(symbol->type)));
      return;
    }
    const std::uint32_t stored = bench_.bits(expected.symbol, i);
    equal &= stored == *bits;
    found += (i == 0 ? "" : ", ") + text_of(stored, symbol->type, image().half);
  }
  if (!equal) wrong(expected.line, "found " + expected.symbol + " = " + found);
}

void Run::compare_sent(const SentExpectation& expected) {
  const auto* q = queue(expected.queue, false, expected.line);
  if (q == nullptr) return;
  std::vector<link::Wavelet> sent;
  for (const auto& s : bench_.queues.sent) {
    if (s.queue == q->id.value()) sent.push_back(s.wavelet);
  }
  bool equal = sent.size() == expected.wavelets.size();
  bool with_color = false;
  for (const SentWavelet& w : expected.wavelets) with_color |= w.color.has_value();
  std::string found;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    found += (i == 0 ? "" : ", ") + words_of(sent[i], with_color);
    if (!equal) continue;
    const SentWavelet& wanted = expected.wavelets[i];
    const link::Wavelet& w = wanted.wavelet;
    equal = sent[i].payload == w.payload && sent[i].control == w.control &&
            sent[i].half == w.half && sent[i].local_flip == w.local_flip &&
            (!wanted.color || sent[i].color == *wanted.color);
  }
  if (!equal) wrong(expected.line, "sent: " + (found.empty() ? "none" : found));
}

std::string Run::task_at(const observe::Event& start) const {
  for (const pe::TaskBinding& task : image().tasks) {
    if (start.a != observe::kLaunchedTask && task.entry == start.b) return task.name;
  }
  for (const pe::Function& function : image().functions) {
    if (function.entry == start.b) return function.name;
  }
  return "task " + std::to_string(start.a);
}

void Run::compare_tasks(const TasksExpectation& expected) {
  std::vector<std::string> started;
  std::string found;
  for (const observe::Event& e : bench_.all(EventKind::kTaskStart)) {
    started.push_back(task_at(e));
    found += " " + started.back();
  }
  if (started != expected.names)
    wrong(expected.line, "started:" + (found.empty() ? " none" : found));
}

void Run::compare_time(const TimeExpectation& expected) {
  const auto at = cycle_of(expected.moment, expected.line);
  const auto since = expected.since ? cycle_of(*expected.since, expected.line) : Cycle{0};
  if (!at || !since) return;
  const auto cycles = static_cast<std::int64_t>(*at) - static_cast<std::int64_t>(*since);
  if (cycles == expected.cycles) return;
  std::string found = "found " + std::to_string(cycles);
  if (expected.since) found += " (" + std::to_string(*at) + " - " + std::to_string(*since) + ")";
  wrong(expected.line, found);
}

std::optional<Cycle> Run::cycle_of(const Moment& moment, unsigned line) {
  const auto issue = issue_of(moment, line);
  if (!issue || moment.kind == Moment::Kind::kIssue) return issue;
  return in_operation(moment, *issue, line);
}

std::optional<Cycle> Run::issue_of(const Moment& moment, unsigned line) {
  const auto pc = instruction_at(moment.label, line);
  if (!pc) return std::nullopt;
  std::vector<Cycle> issues;
  for (const observe::Event& e : bench_.all(EventKind::kIssue)) {
    if (e.b == *pc) issues.push_back(e.cycle);
  }
  const bool numbered = moment.number && moment.kind != Moment::Kind::kGroup;
  const std::size_t wanted = numbered ? *moment.number : 1;
  if (issues.size() < wanted || (!numbered && issues.size() > 1)) {
    wrong(line, "the instruction after " + moment.label + " has issued " +
                    std::to_string(issues.size()) + " times" +
                    (issues.size() > 1 ? "; say which, " + moment.label + "#1 .." : ""));
    return std::nullopt;
  }
  return issues[wanted - 1];
}

// The operation that was dispatched in cycle `issue` runs on one thread until its end.
std::optional<Cycle> Run::in_operation(const Moment& moment, Cycle issue, unsigned line) {
  const bool group = moment.kind == Moment::Kind::kGroup;
  unsigned left = group ? moment.number.value_or(1) : 1;
  std::optional<unsigned> thread;
  for (const observe::Event& e : bench_.events) {
    const bool start = e.kind == EventKind::kOpStart;
    if (!thread && start && e.cycle == issue) thread = observe::thread_of(e);
    const bool of_operation = e.kind == EventKind::kOpEnd || e.kind == EventKind::kCompute;
    if (!thread || !of_operation || observe::thread_of(e) != *thread || e.cycle < issue) continue;
    if (group == (e.kind == EventKind::kCompute) && --left == 0) return e.cycle;
    if (e.kind == EventKind::kOpEnd) break;
  }
  wrong(line, !thread ? "the instruction after " + moment.label + " starts no DSD operation"
              : group ? "the operation has fewer groups"
                      : "the operation has not ended");
  return std::nullopt;
}

// A label, or a task or function, whose first instruction is meant.
std::optional<std::uint32_t> Run::instruction_at(const std::string& label, unsigned line) {
  std::vector<std::uint32_t> found;
  for (const pe::Label& l : image().labels) {
    if (l.name == label) found.push_back(l.target);
  }
  for (const pe::TaskBinding& task : image().tasks) {
    if (task.name == label) found.push_back(task.entry);
  }
  for (const pe::Function& function : image().functions) {
    if (function.name == label) found.push_back(function.entry);
  }
  if (found.size() == 1) return found.front();
  wrong(line, found.empty() ? "the program has no label " + label
                            : "the program has several labels " + label);
  return std::nullopt;
}

const pe::QueueBinding* Run::queue(const std::string& name, bool input, unsigned line) {
  for (const pe::QueueBinding& q : image().queues) {
    if (q.name == name && q.input == input) return &q;
  }
  wrong(line, std::string("the program has no ") + (input ? "input" : "output") + " queue " + name);
  return nullptr;
}

/// What the assembler or the configuration says against the program.
std::vector<Problem> refusal(const Plan& plan, const UserError& error) {
  for (const MessageExpectation& expected : plan.messages) {
    if (expected.kind != Kind::kRefused) continue;
    if (has_all(error.what(), expected.texts)) return {};
    return {{expected.line, std::string("refused with: ") + error.what()}};
  }
  return {{1, error.what()}};
}

}  // namespace

std::vector<Problem> run_scenario(const Scenario& scenario, Generation generation) {
  const Plan& plan = scenario.plan(generation);
  wse::WseConfig config;
  pe::Image image;
  try {
    std::vector<std::string> overrides;
    for (const Override& o : plan.overrides) overrides.push_back(o.setting);
    config = wse::load_wse_config(to_string(generation), "", overrides);
  } catch (const UserError& e) {
    return {{plan.overrides.empty() ? 1 : plan.overrides.front().line, e.what()}};
  }
  try {
    image = tasm::assemble(scenario.program,
                           {scenario.name + ".tasm", generation, {}, config.pe.control_task_31});
  } catch (const UserError& e) {
    return refusal(plan, e);
  }
  for (const MessageExpectation& expected : plan.messages) {
    if (expected.kind == Kind::kRefused) return {{expected.line, "the assembler accepts it"}};
  }
  Run run(plan, image, config);
  std::vector<Problem> problems = run.problems();
  Run every_cycle(plan, image, config, Run::Stepping::kEveryCycle);
  every_cycle.problems();
  if (!(run.events() == every_cycle.events())) {
    problems.push_back({1, "the engine sleeps past a cycle: stepped in every cycle it does more"});
  }
  return problems;
}

}  // namespace tessera::scenario
