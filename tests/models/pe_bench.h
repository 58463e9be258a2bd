// A compute engine core on a test bench: queues written by hand, the loop of a clock domain, every
// event recorded.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

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
    out_.at(queue) = {capacity, open_at, interval, {}};
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
    if (out.open_at == kNever) {
      out.leaves.push_back(kNever);
      return;
    }
    // The first cycle after the push, and after the wavelet before, in which the sink takes one.
    Cycle leaves = out.open_at;
    const Cycle earliest = out.leaves.empty() ? now + 1 : std::max(now, out.leaves.back()) + 1;
    while (leaves < earliest) leaves += out.interval;
    out.leaves.push_back(leaves);
    wakes_.insert(leaves + 1);
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
    std::vector<Cycle> leaves;  // cycle in which each wavelet pushed so far leaves
  };
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

class Bench : private observe::Sink {
 public:
  enum class Stepping { kWhenDue, kEveryCycle };
  static constexpr std::uint32_t kPlace = 7;

  explicit Bench(const Builder& program, const PeTiming& pe_timing = wse3_timing(),
                 Stepping how = Stepping::kWhenDue)
      : timing(pe_timing), queues(wakes_),
        core({3, 2}, program.image(), timing, queues, observe::Probe(this, kPlace)),
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
  void launch(unsigned function, const std::vector<std::uint32_t>& arguments, Cycle when) {
    core.launch(core.image().functions.at(function), arguments, when);
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
  /// Cycles in which the instruction at `pc` was issued.
  std::vector<Cycle> issues(std::uint32_t pc) const {
    std::vector<Cycle> found;
    for (const observe::Event& e : all(EventKind::kIssue)) {
      if (e.b == pc) found.push_back(e.cycle);
    }
    return found;
  }
  /// The one cycle in which the instruction at `pc` was issued.
  Cycle issue(std::uint32_t pc) const {
    const std::vector<Cycle> found = issues(pc);
    EXPECT_EQ(found.size(), 1u) << "issues of instruction " << pc;
    return found.empty() ? kNever : found.front();
  }
  /// Ids of the tasks in the order in which they started.
  std::vector<unsigned> tasks_started() const {
    std::vector<unsigned> ids;
    for (const observe::Event& e : all(EventKind::kTaskStart)) ids.push_back(e.a);
    return ids;
  }
  std::uint32_t u16(std::uint32_t address) const { return core.sram().read(address, 2); }
  std::uint32_t u32(std::uint32_t address) const { return core.sram().read(address, 4); }
  float f32(std::uint32_t address) const { return float_of(u32(address)); }
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
