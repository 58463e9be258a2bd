// Groups that need nobody are executed late (compute_engine_core.h): the engine sleeps up to the
// last group of the operation. Nobody can tell, whatever wakes it or looks at it in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using Stepping = Bench::Stepping;

/// A microthread that relays wavelets, and a long operation on memory: 1000 groups of four.
const std::string kProgram = R"(
data from: u32[4000] = 1, 2, 3, 4, 5
data to: u32[4000]
data after: u32[1]
queue i1 input 1 color=1
queue i2 input 2 color=2
queue o4 output 4 color=14
dsd in1 fabin i1 extent=6
dsd out4 fabout o4 extent=6 priority=high
dsd source mem1d from
dsd sink mem1d to
task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    lddsr s1ds1, source
    lddsr dds1, sink
op: mov32 dds1, s1ds1
next: st32 [after], d0
    end
fn other
    movri d0, 77
    ret
)";
constexpr unsigned kGroups = 1000;

/// The same in both, up to now.
void expect_same(const Bench& late, const Bench& stepped) {
  ASSERT_EQ(late.events, stepped.events);
  EXPECT_EQ(late.queues.payloads_sent(), stepped.queues.payloads_sent());
  EXPECT_EQ(late.contents("to"), stepped.contents("to"));
}

TEST(PeLateGroups, TheEngineSleepsUpToTheLastGroup) {
  Bench late(assembled(kProgram));
  Bench stepped(assembled(kProgram), wse3_timing(), Stepping::kEveryGroup);
  late.run();
  stepped.run();
  expect_same(late, stepped);
  EXPECT_EQ(late.group_sizes().size(), kGroups);
  EXPECT_GT(stepped.steps, kGroups);
  EXPECT_LT(late.steps, 20u);
}

TEST(PeLateGroups, EachHasItsOwnCycle) {
  Bench bench(assembled(kProgram));
  bench.run();
  const std::vector<Cycle> cycles = bench.groups_of(kMainThread);
  ASSERT_EQ(cycles.size(), kGroups);
  for (unsigned i = 0; i < kGroups; ++i) {
    ASSERT_EQ(cycles[i], bench.issue("op") + bench.timing.vector_start + i);
  }
}

TEST(PeLateGroups, AMicrothreadThatGetsAWaveletTakesItsSlots) {
  for (const IssueRule rule : {IssueRule::kRotation, IssueRule::kLowestThread}) {
    PeTiming timing = wse3_timing();
    timing.issue = rule;
    Bench late(assembled(kProgram), timing);
    Bench stepped(assembled(kProgram), timing, Stepping::kEveryGroup);
    for (Bench* bench : {&late, &stepped}) {
      for (const Cycle due : {40, 300, 301, 302, 900, 1100}) bench->queues.arrive(1, 5, due);
      bench->run();
    }
    expect_same(late, stepped);
    EXPECT_EQ(late.queues.sent.size(), 6u);
    EXPECT_LT(late.steps, 60u);
  }
}

TEST(PeLateGroups, WokenForNothingTheEngineGoesOn) {
  Bench late(assembled(kProgram));
  Bench stepped(assembled(kProgram), wse3_timing(), Stepping::kEveryGroup);
  for (Cycle when = 3; when < 1200; when += 37) late.wake(when);
  late.launch("other", {}, 100);
  stepped.launch("other", {}, 100);
  late.teardown(Color(3), 200);
  stepped.teardown(Color(3), 200);
  late.run();
  stepped.run();
  expect_same(late, stepped);
}

TEST(PeLateGroups, WhoLooksFromOutsideSeesTheMemoryOfThatCycle) {
  for (Cycle now = 0; now < 1100; now += 21) {
    Bench late(assembled(kProgram));
    Bench stepped(assembled(kProgram), wse3_timing(), Stepping::kEveryGroup);
    late.run(now);
    stepped.run(now);
    expect_same(late, stepped);
    ASSERT_EQ(late.waits().size(), stepped.waits().size());
    for (std::size_t i = 0; i < late.waits().size(); ++i) {
      EXPECT_EQ(late.waits()[i].what, stepped.waits()[i].what) << "cycle " << now;
    }
  }
}

TEST(PeLateGroups, CatchingUpTwiceDoesNothingMore) {
  Bench bench(assembled(kProgram));
  bench.run(500);
  const std::size_t events = bench.events.size();
  bench.core.catch_up(501);
  bench.core.catch_up(300);
  EXPECT_EQ(bench.events.size(), events);
  bench.core.catch_up(502);
  EXPECT_EQ(bench.events.size(), events + 1);
}

TEST(PeLateGroups, TheLastGroupIsNeverExecutedLate) {
  Bench bench(assembled(kProgram));
  bench.run(500);
  bench.core.catch_up(1'000'000);
  EXPECT_EQ(bench.groups_of(kMainThread).size(), kGroups - 1);
  bench.run();
  EXPECT_EQ(bench.groups_of(kMainThread).size(), kGroups);
}

TEST(PeLateGroups, WhatTheHostWritesInBetweenIsReadByLaterGroupsOnly) {
  Bench late(assembled(kProgram));
  Bench stepped(assembled(kProgram), wse3_timing(), Stepping::kEveryGroup);
  for (Bench* bench : {&late, &stepped}) {
    bench->run(500);
    const std::uint32_t from = bench->core.image().find_symbol("from")->address;
    for (unsigned i = 0; i < 4000; ++i) bench->core.sram().write(from + 4 * i, 4, 1000 + i);
    bench->run();
  }
  expect_same(late, stepped);
  EXPECT_EQ(late.bits("to", 0), 1u);
  EXPECT_EQ(late.bits("to", 3999), 4999u);
}

// Groups of vectors whose banks collide take longer: where the last one is shows on the way.
TEST(PeLateGroups, CollidingBanksAreFollowed) {
  const std::string text = R"(
data a: f32[1200]
data pad: u16[2]
data b: f32[3600]
dsd da mem1d a
dsd db mem1d b extent=1200 stride=3
task main local 8 active
    lddsr s0ds0, da
    lddsr s1ds0, db
    lddsr dds0, da
    fadds dds0, s0ds0, s1ds0
    end
)";
  Bench late(assembled(text));
  Bench stepped(assembled(text), wse3_timing(), Stepping::kEveryGroup);
  late.run();
  stepped.run();
  EXPECT_EQ(late.events, stepped.events);
  EXPECT_LT(late.steps, 40u);
  EXPECT_GT(stepped.steps, 300u);
}

// Sinks that put events in order wait 65,536 cycles for them (observe/sorted_sink.h).
TEST(PeLateGroups, NoneIsLaterThanTheSinksWait) {
  PeTiming timing = wse3_timing();
  timing.rate[static_cast<unsigned>(Opcode::kMov32)] = {4, 300};
  Bench bench(assembled(kProgram), timing);
  Cycle longest = 0;
  for (Cycle now = 0; now != kNever;) {
    const Cycle next = bench.core.step(now);
    if (next != kNever) longest = std::max(longest, next - now);
    now = next;
  }
  EXPECT_EQ(longest, 32768u);
  EXPECT_EQ(bench.group_sizes().size(), kGroups);
}

/// The engine may not put anything off: it steps once a group at least.
void expect_a_step_a_group(const std::string& text, const PeTiming& timing = wse3_timing()) {
  Bench bench(assembled(text), timing);
  try {
    bench.run();
  } catch (const IllegalBehaviour&) {
  }
  EXPECT_GT(bench.group_sizes().size(), 100u);
  EXPECT_GE(bench.steps, bench.group_sizes().size());
}

const std::string kOutOfMemory = R"(
data v: u32[100]
dsd source mem1d v extent=100
dsd sink mem1d v extent=100 stride=0
task main local 8 active
    lddsr s1ds0, source
    lddsr dds0, sink
    setdsl s1ds0, 13000
    mov32 dds0, s1ds0
    end
)";

TEST(PeLateGroups, AnOperationThatWillFailIsSteppedThroughAllItsGroups) {
  expect_a_step_a_group(kOutOfMemory);
  Bench bench(assembled(kOutOfMemory));
  EXPECT_THAT(rule_broken_by(bench), Breaks(Illegal::kMemoryAccess));
  const Cycle first = bench.groups_of(kMainThread).front();
  EXPECT_EQ(bench.now(), first + bench.group_sizes().size());  // the group that failed
}

TEST(PeLateGroups, SoIsOneWhoseFailuresAreReported) {
  PeTiming timing = wse3_timing();
  timing.memory_errors = MemoryErrors::kReport;
  expect_a_step_a_group(kOutOfMemory, timing);
}

TEST(PeLateGroups, SoIsOneThatWillStoreIntoCode) {
  expect_a_step_a_group(R"(
data v: u32[1000]
dsd sink mem1d v extent=1000 offset=999 stride=-1
task main local 8 active
    lddsr dds0, sink
    setdsl dds0, 2000
    mov32 dds0, 1
    end
)");
}

TEST(PeLateGroups, ScalarLoopsAreNotPutOff) {
  Bench bench(assembled(R"(
task main local 8 active
again:
    add16 r0, r0, 1
    jmp again
)"));
  bench.run(200);
  EXPECT_GT(bench.steps, 50u);
}

}  // namespace
}  // namespace tessera::pe::test
