// A compute engine core on a test bench: queues written by hand, the loop of a clock domain, every
// event recorded.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/tasm/assembler.h"
#include "models/observe/event_fields.h"
#include "models/pe/compute_engine_core.h"
#include "tests/models/pe/builder.h"
#include "tests/models/pe/fake_queues.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::observe {

inline bool operator==(const Event& a, const Event& b) {
  return a.cycle == b.cycle && a.place == b.place && a.kind == b.kind && a.a == b.a && a.b == b.b;
}

}  // namespace tessera::observe

namespace tessera::pe::test {

using observe::EventKind;

/// Rates of wse.md 6.3 and 6.4 as far as tests need them; everything else is the default of
/// PeTiming.
inline PeTiming wse3_timing() {
  PeTiming t;
  const auto set = [&t](Opcode op, unsigned width, unsigned interval) {
    t.rate[static_cast<unsigned>(op)] = {width, interval};
  };
  set(Opcode::kMov16, 8, 1);
  set(Opcode::kMov32, 4, 1);
  set(Opcode::kFmovs, 4, 1);
  set(Opcode::kAdd16, 8, 2);
  set(Opcode::kSub16, 8, 2);
  set(Opcode::kFadds, 4, 2);
  set(Opcode::kFmacs, 1, 2);
  return t;
}

/// The image of a program in tile assembly; its first line is line 1 of "test.tasm". `name:
/// instruction` on one line marks the instruction for Bench::issue(); labels for branches have
/// lines of their own, as the language wants it.
inline Image assembled(const std::string& text, Generation generation = Generation::kWse3) {
  std::istringstream lines(text);
  std::string program;
  std::map<std::uint32_t, std::string> marks;  // by line
  std::string line;
  for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
    const std::size_t colon = line.find(": ");
    const bool marked = colon != std::string::npos && line.find_first_of(" ;") > colon;
    if (marked) marks[number] = line.substr(0, colon);
    program += (marked ? line.substr(colon + 1) : line) + '\n';
  }
  Image image = tasm::assemble(program, {"test.tasm", generation, {}});
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const auto mark = marks.find(image.code[pc].line);
    if (mark != marks.end()) image.labels.push_back({mark->second, pc});
  }
  return image;
}

/// A program with memory, queues and descriptors for most purposes; `code` begins in line
/// kPrologueLines + 1.
inline constexpr unsigned kPrologueLines = 14;
inline std::string with_queues(const std::string& code) {
  return R"(data v: u32[16]
data w: u32[16]
data h: u16[16]
queue i1 input 1 color=1
queue i2 input 2 color=2
queue o4 output 4 color=14
queue o5 output 5 color=15
dsd in1 fabin i1 extent=8
dsd in2 fabin i2 extent=8
dsd out4 fabout o4 extent=8
dsd out5 fabout o5 extent=8
dsd mv mem1d v extent=8
dsd mw mem1d w extent=8
dsd mh mem1d h extent=8
)" + code;
}
/// "test.tasm:17 (task main)" for line 3 after the prologue.
inline std::string place_of(unsigned line, const std::string& section = "task main") {
  return "test.tasm:" + std::to_string(kPrologueLines + line) + " (" + section + ")";
}

class Bench : private observe::Sink, private observe::Diagnoses {
 public:
  /// When the engine is due, groups late where it can; when it is due for every group; always.
  enum class Stepping { kWhenDue, kEveryGroup, kEveryCycle };
  static constexpr std::uint32_t kPlace = 7;

  explicit Bench(Image image, const PeTiming& pe_timing = wse3_timing(),
                 Stepping how = Stepping::kWhenDue)
      : timing(pe_timing), queues(wakes_),
        program(std::make_shared<const DecodedImage>(
            std::make_shared<const Image>(std::move(image)), timing)),
        core({3, 2}, program, queues, observe::Probe(this, kPlace)), stepping_(how) {
    begin();
  }
  /// One of several engines that run an image.
  explicit Bench(std::shared_ptr<const DecodedImage> shared)
      : timing(shared->timing()), queues(wakes_), program(std::move(shared)),
        core({3, 2}, program, queues, observe::Probe(this, kPlace)), stepping_(Stepping::kWhenDue) {
    begin();
  }

  // The core points into the bench.
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

 private:
  void begin() {
    wakes_.insert(0);
    core.set_diagnoses(this);
    core.set_step_every_group(stepping_ == Stepping::kEveryGroup);
  }

  std::set<Cycle> wakes_;  // stands before the queues, which write to it

 public:
  const PeTiming timing;
  FakeQueues queues;
  const std::shared_ptr<const DecodedImage> program;
  ComputeEngineCore core;
  std::vector<observe::Event> events;
  std::vector<observe::Diagnosis> diagnoses;

  /// Steps the engine up to cycle `last`, or until nothing is due any more; what it has put off up
  /// to then is done.
  Bench& run(Cycle last = 5000) {
    while (!wakes_.empty() && *wakes_.begin() <= last) {
      now_ = *wakes_.begin();
      wakes_.erase(wakes_.begin());
      if (stepping_ == Stepping::kEveryCycle && now_ < last) wakes_.insert(now_ + 1);
      ++steps;
      const Cycle next = core.step(now_);
      if (next <= now_) throw std::logic_error("step() asked for a cycle that is not ahead");
      if (next != kNever) wakes_.insert(next);
    }
    core.catch_up(last + 1);
    return *this;
  }
  void launch(const std::string& function, const std::vector<std::uint32_t>& arguments,
              Cycle when) {
    core.launch(*core.image().find_function(function), arguments, when);
    wakes_.insert(when);
  }
  /// A command of the host that holds the main thread for `cycles`; notes when it is taken.
  void access(unsigned cycles, Cycle when) {
    core.access({cycles, {}, [this](Sram&, Cycle at) { accesses.push_back(at); }}, when);
    wakes_.insert(when);
  }
  std::vector<Cycle> accesses;
  /// The router says that `color` has entered teardown.
  void teardown(Color color, Cycle due) {
    core.teardown(color, due);
    wakes_.insert(due);
  }
  /// Somebody wakes the engine, for something or for nothing.
  void wake(Cycle when) { wakes_.insert(when); }
  unsigned steps = 0;
  /// Cycle of the last step.
  Cycle now() const { return now_; }

  std::vector<observe::Event> all(EventKind kind) const {
    std::vector<observe::Event> found;
    for (const observe::Event& e : events) {
      if (e.kind == kind) found.push_back(e);
    }
    return found;
  }
  /// Cycles in which events of `kind` came.
  std::vector<Cycle> cycles(EventKind kind) const {
    std::vector<Cycle> found;
    for (const observe::Event& e : all(kind)) found.push_back(e.cycle);
    return found;
  }
  /// Index of the instruction after `label`.
  std::uint32_t pc(const std::string& label) const {
    for (const Label& l : core.image().labels) {
      if (l.name == label) return l.target;
    }
    throw std::logic_error("the program has no label " + label);
  }
  /// Cycles in which the instruction after `label` was issued.
  std::vector<Cycle> issues(const std::string& label) const {
    std::vector<Cycle> found;
    for (const observe::Event& e : all(EventKind::kIssue)) {
      if (e.b == pc(label)) found.push_back(e.cycle);
    }
    return found;
  }
  /// The one cycle in which it was issued.
  Cycle issue(const std::string& label) const {
    const std::vector<Cycle> found = issues(label);
    EXPECT_EQ(found.size(), 1u) << "issues of the instruction after " << label;
    return found.empty() ? kNever : found.front();
  }
  /// Ids of the tasks in the order in which they started.
  std::vector<unsigned> tasks_started() const {
    std::vector<unsigned> ids;
    for (const observe::Event& e : all(EventKind::kTaskStart)) ids.push_back(e.a);
    return ids;
  }
  /// Element `i` of the data symbol `name`, as raw bits and as a number.
  std::uint32_t bits(const std::string& name, unsigned i = 0) const {
    const Symbol* symbol = core.image().find_symbol(name);
    if (symbol == nullptr) throw std::logic_error("the program has no data " + name);
    const unsigned bytes = bytes_of(symbol->type);
    return core.sram().read(symbol->address + i * bytes, bytes);
  }
  float f32(const std::string& name, unsigned i = 0) const { return float_of(bits(name, i)); }
  /// All elements of the data symbol `name`.
  std::vector<std::uint32_t> contents(const std::string& name) const {
    std::vector<std::uint32_t> all;
    const Symbol* symbol = core.image().find_symbol(name);
    for (unsigned i = 0; symbol != nullptr && i < symbol->count; ++i) all.push_back(bits(name, i));
    return all;
  }
  /// Cycles in which operations on `thread` executed a group.
  std::vector<Cycle> groups_of(unsigned thread) const {
    std::vector<Cycle> found;
    for (const observe::Event& e : all(EventKind::kCompute)) {
      if (observe::thread_of(e) == thread) found.push_back(e.cycle);
    }
    return found;
  }
  /// Elements of each group, all threads.
  std::vector<unsigned> group_sizes() const {
    std::vector<unsigned> found;
    for (const observe::Event& e : all(EventKind::kCompute)) found.push_back(e.b);
    return found;
  }
  /// Threads of the operations in the order in which they started.
  std::vector<unsigned> threads_of_operations() const {
    std::vector<unsigned> found;
    for (const observe::Event& e : all(EventKind::kOpStart)) {
      found.push_back(observe::thread_of(e));
    }
    return found;
  }
  /// Elements that each operation had done when it ended.
  std::vector<unsigned> elements_done() const {
    std::vector<unsigned> found;
    for (const observe::Event& e : all(EventKind::kOpEnd)) found.push_back(e.b);
    return found;
  }
  observe::Waits waits() const {
    observe::Waits found;
    core.describe_waits(found, now_);
    return found;
  }

 private:
  void on_event(const observe::Event& e) override { events.push_back(e); }
  void on_diagnosis(const observe::Diagnosis& d) override { diagnoses.push_back(d); }

  const Stepping stepping_;
  Cycle now_ = 0;
};

/// The rule that a program broke and what the engine says; both empty: none.
struct Broken {
  std::string id;
  std::string text;
  friend std::ostream& operator<<(std::ostream& os, const Broken& b) {
    return os << (b.text.empty() ? "no illegal behaviour" : b.text);
  }
};
inline Broken rule_broken_by(Bench& bench, Cycle last = 5000) {
  try {
    bench.run(last);
  } catch (const IllegalBehaviour& e) {
    return {e.id(), e.what()};
  }
  return {};
}
inline Broken rule_broken_by(const Image& image) {
  Bench bench(image);
  return rule_broken_by(bench);
}
/// The rule is `rule` and the words satisfy `words`.
inline testing::Matcher<Broken> Breaks(Illegal rule,
                                       const testing::Matcher<std::string>& words = testing::_) {
  return testing::AllOf(testing::Field("id", &Broken::id, std::string(info(rule).id)),
                        testing::Field("text", &Broken::text, words));
}
inline testing::Matcher<Broken> BreaksNothing() {
  return testing::Field("text", &Broken::text, "");
}

}  // namespace tessera::pe::test
