// Slots (numesh.md 1.2): global time, no collision, delay elements where a slot is taken, shares.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "frontends/operators/message_bound.h"
#include "frontends/operators/slots.h"
#include "tests/support/random_program.h"
#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {
namespace {

/// No node runs more VFSMs in a cycle than it can, and the next node of a stream takes a word in the cycle
/// after.
void expect_sound(const CompiledPhase& phase, std::size_t per_cycle = 1) {
  std::map<NodeIndex, std::multiset<std::uint32_t>> used;
  for (std::size_t op = 0; op < phase.operators.size(); ++op) {
    for (std::size_t s = 0; s < phase.operators[op].streams.size(); ++s) {
      const StreamPlan& stream = phase.operators[op].streams[s];
      const StreamSlots& slots = phase.slots[op][s];
      for (std::size_t i = 0; i < stream.stops.size(); ++i) {
        for (const std::uint32_t start : slots.starts) {
          const auto use = [&](std::uint32_t offset) {
            used[stream.stops[i].node].insert((start + offset) % phase.length);
          };
          for (const std::uint32_t branch : slots.stops[i].branches) use(branch);
          if (slots.stops[i].hold > 0) use(slots.stops[i].entry);
        }
        for (std::size_t b = 0; b < stream.stops[i].branches.size(); ++b) {
          const Branch& branch = stream.stops[i].branches[b];
          if (branch.deliver) continue;
          EXPECT_EQ(slots.stops[branch.stop].entry, slots.stops[i].branches[b] + 1);
        }
      }
    }
  }
  for (const auto& [node, times] : used) {
    const std::set<std::uint32_t> distinct(times.begin(), times.end());
    for (const std::uint32_t time : distinct)
      ASSERT_LE(times.count(time), per_cycle) << "node " << node << " slot " << time;
  }
}

std::size_t holds(const CompiledPhase& phase) {
  std::size_t count = 0;
  for (const auto& op : phase.slots) {
    for (const StreamSlots& stream : op) {
      for (const StopSlots& stop : stream.stops) count += stop.hold > 0 ? 1 : 0;
    }
  }
  return count;
}

// S1, figure 1.6: A 0>2 with half of the cycles, B 0>1 and C 1>2 with a quarter each.
TEST(OperatorsSlots, Figure16) {
  const auto run = test::run_program(test::program_text(
      "[3]",
      R"("A": {"kind": "stream", "from": 0, "to": 2, "words": 40, "bandwidth": 0.5},
         "B": {"kind": "stream", "from": 0, "to": 1, "words": 20, "bandwidth": 0.25},
         "C": {"kind": "stream", "from": 1, "to": 2, "words": 20, "bandwidth": 0.25})",
      R"({"parallel": ["A", "B", "C"]})"));
  const CompiledPhase& phase = run.compiled.phases.at(0);
  EXPECT_EQ(phase.length, 4U);
  EXPECT_EQ(phase.slots[0][0].starts.size(), 2U);
  EXPECT_EQ(phase.slots[1][0].starts.size(), 1U);
  expect_sound(phase);
  EXPECT_TRUE(run.clean()) << run.problem();
}

// 1.2: where the next slot is taken, words wait in a delay element.
TEST(OperatorsSlots, ADelayElementAddsABuffer) {
  const StreamPlan stream{"s", false, {{0, 0, 0, {{false, {}, 1}}}, {1, 0, 1, {{true, {}, 0}}}}};
  const StreamSlots slots{{0}, {{0, 2, {2}}, {3, 0, {3}}}};
  const scheduled::Rules rules;
  EXPECT_EQ(capacity(stream, nullptr, 1, rules), 6U);
  EXPECT_EQ(capacity(stream, &slots, 1, rules), 7U);
}
// 1.3: a VFSM of one word cannot use slots that follow each other.
TEST(OperatorsSlots, PaceOfConsecutiveSlots) {
  const StreamPlan stream{"s", false, {{0, 0, 0, {{false, {}, 1}}}, {1, 0, 1, {{true, {}, 0}}}}};
  const StreamSlots slots{{0, 1}, {{0, 0, {0}}, {1, 0, {1}}}};
  const Pace one = pace_of(stream, slots, 3, 1);
  EXPECT_EQ(one.cycles / one.words, 3U);
  const Pace two = pace_of(stream, slots, 3, 2);
  EXPECT_EQ(two.words * 3, two.cycles * 2);
}
TEST(OperatorsSlots, NoStreamGetsMoreThanItAskedFor) {
  const auto run = test::run_program(test::program_text(
      "[2]", R"("a": {"kind": "stream", "from": 0, "to": 1, "words": 30, "bandwidth": "1/5"})",
      R"("a")"));
  EXPECT_EQ(run.compiled.phases.at(0).length, 5U);
  EXPECT_GE(run.cycles, 29 * 5U);
}
TEST(OperatorsSlots, SchedulesHaveTheLengthThatIsAskedFor) {
  const std::string text = test::program_text(
      "[4]",
      R"("a": {"kind": "shift", "nodes": "all"}, "b": {"kind": "prefix", "nodes": "all"},
         "c": {"kind": "stream", "from": 0, "to": 3, "bandwidth": "1/9"})",
      R"({"parallel": ["c", {"sequential": ["a", "b", "a"], "phases": "separate", "length": 17}]})");
  for (const auto policy : {scheduled::SkewPolicy::kTag, scheduled::SkewPolicy::kHold}) {
    Target target = test::default_target();
    target.rules.skew = policy;
    const auto run = test::run_program(text, target);
    for (const CompiledPhase& phase : run.compiled.phases) EXPECT_EQ(phase.length, 17U);
    EXPECT_TRUE(run.clean()) << run.problem();
  }
}
TEST(OperatorsSlots, CrowdedMeshesAreSound) {
  std::size_t delay_elements = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const test::RandomProgram random = test::random_program(seed);
    try {
      const Compiled compiled =
          compile(read_program_text(random.text, "random.json"), random.target);
      for (const CompiledPhase& phase : compiled.phases) {
        expect_sound(phase, random.target.rules.vfsms_per_cycle);
        delay_elements += holds(phase);
      }
    } catch (const UserError&) {  // message-bound as told, where it is impossible
    }
  }
  EXPECT_GT(delay_elements, 0U);
}

}  // namespace
}  // namespace tessera::operators
