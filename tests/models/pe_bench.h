// A compute engine core on a test bench: queues written by hand, the loop of a clock domain, every
// event recorded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/tasm/assembler.h"
#include "models/pe/compute_engine_core.h"
#include "tests/models/pe_builder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::observe {

inline bool operator==(const Event& a, const Event& b) {
  return a.cycle == b.cycle && a.place == b.place && a.kind == b.kind && a.a == b.a && a.b == b.b;
}

}  // namespace tessera::observe

namespace tessera::pe::test {

using observe::EventKind;

/// Eight input queues without bound and eight output queues with a sink behind each. They keep the
/// contract of PeQueues: what the other side does in cycle t is seen from t + 1 on. Misuse by the
/// engine throws std::logic_error.
class FakeQueues : public PeQueues {
 public:
  struct Sent {
    Cycle cycle = 0;
    unsigned queue = 0;
    link::Wavelet wavelet;
  };
  struct Taken {
    Cycle cycle = 0;
    unsigned queue = 0;
    std::uint32_t payload = 0;
  };

  /// `wakes`: where the queues note the cycles in which the engine must look again.
  explicit FakeQueues(std::set<Cycle>& wakes) : wakes_(wakes) {}

  void arrive(unsigned queue, std::uint32_t payload, Cycle due, bool control = false) {
    link::Wavelet w;
    w.payload = payload;
    w.control = control;
    in_.at(queue).push_back({due, w});
    wakes_.insert(due);
  }
  /// Output queue `queue` holds `capacity` wavelets; its sink takes one every `interval` cycles
  /// from `open_at` on.
  void sink(unsigned queue, unsigned capacity, Cycle open_at = 0, unsigned interval = 1) {
    out_.at(queue) = {capacity, open_at, interval};
  }

  std::vector<Sent> sent;
  std::vector<Taken> taken;
  std::vector<std::uint32_t> payloads_sent() const {
    std::vector<std::uint32_t> all;
    for (const Sent& s : sent) all.push_back(s.wavelet.payload);
    return all;
  }

  Cycle ready_at(QueueId q) const override {
    const auto& queue = in_.at(q.value());
    return queue.empty() ? kNever : queue.front().due;
  }
  const link::Wavelet& front(QueueId q) const override {
    if (in_.at(q.value()).empty()) throw std::logic_error("front of an empty queue");
    return in_.at(q.value()).front().wavelet;
  }
  void pop(QueueId q, Cycle now) override {
    if (ready_at(q) > now) throw std::logic_error("pop of a wavelet that is not there yet");
    taken.push_back({now, q.value(), front(q).payload});
    in_.at(q.value()).pop_front();
  }
  unsigned room(QueueId q, Cycle now) const override {
    const Output& out = out_.at(q.value());
    unsigned held = 0;
    for (Cycle leaves : out.leaves) held += leaves >= now ? 1 : 0;
    return out.capacity - held;
  }
  void push(QueueId q, const link::Wavelet& w, Cycle now) override {
    if (room(q, now) == 0) throw std::logic_error("push without room");
    sent.push_back({now, q.value(), w});
    Output& out = out_.at(q.value());
    while (!out.leaves.empty() && out.leaves.front() < now) out.leaves.pop_front();
    out.last = next_departure(out, now);
    out.leaves.push_back(out.last);
    if (out.last != kNever) wakes_.insert(out.last + 1);
  }

 private:
  struct Arrival {
    Cycle due = 0;
    link::Wavelet wavelet;
  };
  struct Output {
    unsigned capacity = 8;
    Cycle open_at = 0;
    unsigned interval = 1;
    std::deque<Cycle> leaves{};  // cycle in which each wavelet that is still there leaves
    Cycle last = 0;              // of the newest wavelet
  };
  /// The first cycle after the push in `now`, and after the wavelet before, in which the sink takes
  /// one.
  static Cycle next_departure(const Output& out, Cycle now) {
    if (out.open_at == kNever) return kNever;
    const Cycle earliest = std::max(now, out.last) + 1;
    if (earliest <= out.open_at) return out.open_at;
    return out.open_at + (earliest - out.open_at + out.interval - 1) / out.interval * out.interval;
  }
  std::set<Cycle>& wakes_;
  std::array<std::deque<Arrival>, kMaxQueues> in_;
  std::array<Output, kMaxQueues> out_;
};

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

class Bench : private observe::Sink {
 public:
  enum class Stepping { kWhenDue, kEveryCycle };
  static constexpr std::uint32_t kPlace = 7;

  explicit Bench(Image program, const PeTiming& pe_timing = wse3_timing(),
                 Stepping how = Stepping::kWhenDue)
      : timing(pe_timing), queues(wakes_),
        core({3, 2}, std::make_shared<const Image>(std::move(program)), timing, queues,
             observe::Probe(this, kPlace)),
        stepping_(how) {
    wakes_.insert(0);
  }

  // The core points into the bench.
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

 private:
  std::set<Cycle> wakes_;  // stands before the queues, which write to it

 public:
  const PeTiming timing;
  FakeQueues queues;
  ComputeEngineCore core;
  std::vector<observe::Event> events;

  /// Steps the engine up to cycle `last`, or until nothing is due any more.
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
    return *this;
  }
  void launch(const std::string& function, const std::vector<std::uint32_t>& arguments,
              Cycle when) {
    core.launch(*core.image().find_function(function), arguments, when);
    wakes_.insert(when);
  }
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
  /// Index of the instruction behind `label`.
  std::uint32_t pc(const std::string& label) const {
    for (const Label& l : core.image().labels) {
      if (l.name == label) return l.target;
    }
    throw std::logic_error("the program has no label " + label);
  }
  /// Cycles in which the instruction behind `label` was issued.
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
    EXPECT_EQ(found.size(), 1u) << "issues of the instruction behind " << label;
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
  observe::Waits waits() const {
    observe::Waits found;
    core.describe_waits(found, now_);
    return found;
  }

 private:
  void on_event(const observe::Event& e) override { events.push_back(e); }

  const Stepping stepping_;
  Cycle now_ = 0;
};

/// What the engine says when it runs `bench` into illegal behaviour; "" when it does not.
inline std::string illegal_behaviour_of(Bench& bench, Cycle last = 5000) {
  try {
    bench.run(last);
  } catch (const IllegalBehaviour& e) {
    return e.what();
  }
  return "";
}

}  // namespace tessera::pe::test
