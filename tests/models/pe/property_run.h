// Runs a drawn program on the engine, with random timing, and compares what it did with the
// reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "tests/models/pe/bench.h"
#include "tests/models/pe/property_generator.h"

namespace tessera::pe::test {

/// Everything that may change when a program does something, but not what it does.
struct Surroundings {
  struct Sink {
    unsigned capacity = 8;
    Cycle open_at = 0;
    unsigned interval = 1;
  };
  PeTiming timing;
  std::array<std::vector<Cycle>, kMaxQueues> due;  ///< when each wavelet arrives, by queue
  std::array<Sink, kMaxQueues> sinks;
  unsigned launch_gap = 1;

  Surroundings(const Case& c, Random random) {
    for (VectorRate& rate : timing.rate) rate = {1 + random.below(8), 1 + random.below(3)};
    timing.bank_conflicts = random.chance(70);
    timing.groups_cross_rows = random.chance(50);
    timing.read_conflict_factor = 1 + random.below(3);
    timing.vector_start = 1 + random.below(4);
    timing.vector_drain = random.below(4);
    timing.dsr_latency = 1 + random.below(5);
    timing.dsr_change_latency = 1 + random.below(5);
    timing.vector_overlap = random.chance(70);
    timing.float_latency = 1 + random.below(3);
    timing.branch_taken = 1 + random.below(6);
    timing.issue = random.chance(50) ? IssueRule::kRotation : IssueRule::kLowestThread;
    timing.picker = random.chance(50) ? PickerRule::kLowestId : PickerRule::kRoundRobin;
    timing.microthread_priority = static_cast<Priority>(random.below(3));
    const unsigned hurry = random.below(3);  // 0: all wavelets are there from the start
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      Cycle at = 0;
      for (std::size_t i = 0; i < c.expected.inputs[q].size(); ++i) {
        if (hurry > 0) at += random.chance(5) ? random.below(60) : random.below(hurry == 1 ? 2 : 4);
        due[q].push_back(at);
      }
      sinks[q] = {2 + random.below(7), random.below(2) * random.below(150), 1 + random.below(8)};
    }
    launch_gap = 1 + random.below(20);
  }
};

/// A bench with the program and everything around it.
class PropertyRun {
 public:
  PropertyRun(const Case& c, const Surroundings& around, Bench::Stepping how)
      : bench(c.image, around.timing, how) {
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      for (std::size_t i = 0; i < around.due[q].size(); ++i) {
        bench.queues.arrive(q, c.expected.inputs[q][i], around.due[q][i]);
      }
      const Surroundings::Sink& s = around.sinks[q];
      bench.queues.sink(q, s.capacity, s.open_at, s.interval);
    }
  }
  Bench bench;
};

inline std::string compare_memory(const Bench& bench, const State& expected) {
  std::vector<std::byte> all(kSramBytes);
  bench.core.sram().read_bytes(0, kSramBytes, all.data());
  const auto written = [](std::byte b) { return b != std::byte{0}; };
  if (std::any_of(all.begin(), all.begin() + kDataBegin, written) ||
      std::any_of(all.begin() + kDataBegin + kDataBytes, all.end(), written)) {
    return "memory outside the data was written";
  }
  for (std::uint32_t i = 0; i < kDataBytes; i += 2) {
    const std::uint32_t is = bench.core.sram().read(kDataBegin + i, 2);
    const std::uint32_t should = expected.read(kDataBegin + i, 2);
    if (is == should) continue;
    std::ostringstream text;
    text << "word at " << kDataBegin + i << " is " << is << " and should be " << should;
    return text.str();
  }
  return "";
}

inline std::string compare_queues(const Bench& bench, const State& expected) {
  std::array<std::size_t, kMaxQueues> taken{};
  for (const FakeQueues::Taken& t : bench.queues.taken) ++taken[t.queue];
  if (taken != expected.taken) return "another number of wavelets was read";
  std::array<std::size_t, kMaxQueues> sent{};
  for (const FakeQueues::Sent& s : bench.queues.sent) {
    const auto& wanted = expected.sent[s.queue];
    if (sent[s.queue] == wanted.size()) return "too many wavelets were sent";
    link::Wavelet w = s.wavelet;
    w.ident = 0;
    const link::Wavelet& should = wanted[sent[s.queue]++];
    if (w == should) continue;
    std::ostringstream text;
    text << "wavelet " << sent[s.queue] - 1 << " of output queue " << s.queue << " is " << w
         << " and should be " << should;
    return text.str();
  }
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (sent[q] != expected.sent[q].size()) return "too few wavelets were sent";
  }
  return "";
}

/// Every element in exactly one group, no operation lost.
inline std::string compare_operations(const Bench& bench, const State& expected) {
  std::vector<Ended> is;
  for (const observe::Event& e : bench.all(EventKind::kOpEnd)) {
    is.push_back({static_cast<Opcode>(e.a & 0xFFU), static_cast<std::uint32_t>(e.b)});
  }
  std::vector<Ended> should = expected.ended;
  std::sort(is.begin(), is.end());
  std::sort(should.begin(), should.end());
  return is == should ? "" : "operations ended after other numbers of elements";
}

/// What differs; "": nothing. With `steppings` also whether the events are the same when the engine
/// executes no group late, and when it is stepped in every cycle.
inline std::string difference(const Case& c, bool steppings) try {
  const Surroundings around(c, Random(c.timing_seed));
  PropertyRun run(c, around, Bench::Stepping::kWhenDue);
  std::vector<Cycle> launches;
  for (unsigned phase = 0; phase < c.phases; ++phase) {
    launches.push_back(run.bench.now() + around.launch_gap);
    run.bench.launch("phase" + std::to_string(phase), {}, launches.back());
    run.bench.run(kNever - 1);
    const observe::Waits waits = run.bench.waits();
    if (waits.size() == 1) continue;  // the task that is active but blocked
    return "phase " + std::to_string(phase) + " waits for ever: " + waits[0].who + " for " +
           waits[0].what;
  }
  std::string text = compare_operations(run.bench, c.expected);
  if (text.empty()) text = compare_queues(run.bench, c.expected);
  if (text.empty()) text = compare_memory(run.bench, c.expected);
  if (!text.empty() || !steppings) return text;
  for (const auto how : {Bench::Stepping::kEveryGroup, Bench::Stepping::kEveryCycle}) {
    PropertyRun stepped(c, around, how);
    for (unsigned phase = 0; phase < c.phases; ++phase) {
      stepped.bench.launch("phase" + std::to_string(phase), {}, launches[phase]);
    }
    stepped.bench.run(run.bench.now());
    if (stepped.bench.events == run.bench.events) continue;
    return how == Bench::Stepping::kEveryGroup ? "executed late, groups give other events"
                                               : "a step in every cycle gives other events";
  }
  return "";
} catch (const std::exception& e) {
  return e.what();
}

}  // namespace tessera::pe::test
