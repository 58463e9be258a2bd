// Scenarios S13 and S17 to S22 of numesh.md 6.2: neighbours in different phases, streams that go on
// over a phase change, the cost of a change, and the schedule memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "models/scheduled/program.h"
#include "tests/support/scheduled_builder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// S13: node 0 goes to the new phase at 10, nodes 1 and 2 at 200. Old stream 0 -> 1 -> 2 in slot 0,
/// new stream 0 -> 1 of three words in slot `slot`, on the same VFSMs of nodes 0 and 1.
struct Skew {
  explicit Skew(unsigned slot, SkewPolicy policy) : b(3) {
    b.program.rules.skew = policy;
    const Index before = b.schedule(4, "old"), after = b.schedule(4, "new");
    old = b.stream("old", 0);
    fresh = b.stream("new", 0);
    const std::vector<Index> vfsms = b.new_vfsms({0, 1, 2});
    b.output(0);
    const Index sink_1 = b.input(1), sink_2 = b.input(2);
    b.chain(before, old, {0, 1, 2}, {0}, 0, sink_2, vfsms);
    b.chain(after, fresh, {0, 1}, {slot}, 0, sink_1, {vfsms[0], vfsms[1]});
    b.program.extents = {{0, 1, 2}};
    b.turn(0, before, {}).not_before = 10;
    b.turn(1, before, {}).not_before = 200;
    b.turn(2, before, {}).not_before = 200;
    b.turn(0, after, {task("writer", 0, {block(3, {write(0, fresh)})})});
    b.turn(1, after, {task("reader", 0, {block(1, {read(0, fresh)}), block(2, {read(0, fresh)})})});
    b.turn(2, after, {});
  }
  Builder b;
  StreamId old, fresh;
};

/// The cycle in which the first word is read in.
Cycle first_read(Trial& run, NodeId node) {
  while (run.mesh.processor(node).words_read() == 0)
    if (run.mesh.run(run.mesh.now() + 1) != MeshCore::Status::kLimit) return kNever;
  return run.mesh.now() - 1;
}

TEST(numesh, S13_hold_lets_an_early_word_into_the_old_stream_of_its_slot) {
  Skew c(0, SkewPolicy::kHold);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.checker.delivered(c.fresh, 0), 0U);
  EXPECT_EQ(run.mesh.interface(2).inputs[0].size(), 2U);  // the old sink
  EXPECT_EQ(run.checker.stranded_at(2), 1U);
  EXPECT_EQ(run.stranded(), 1U);
  EXPECT_GE(run.misrouted(), 3U);
  const std::vector<WordChecker::Finding> findings = run.checker.findings();
  EXPECT_THAT(run.checker.text(findings.front()),
              AllOf(HasSubstr("node 1: word 0 of stream 'new', written in phase 'p1'"),
                    HasSubstr("is misrouted: VFSM 0 takes it for stream 'old' in phase 'p0'")));
  EXPECT_THAT(run.waits(), HasSubstr("node 1, task 'reader', phase 'p1' waits for a word of stream "
                                     "'new' in input 0"));
}

TEST(numesh, S13_hold_holds_words_of_other_slots) {
  for (unsigned slot = 1; slot < 4; ++slot) {
    Skew c(slot, SkewPolicy::kHold);
    Trial run(c.b.program);
    EXPECT_EQ(first_read(run, 1), 203 + slot);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.checker.delivered(c.fresh, 0), 3U);
    EXPECT_EQ(run.checker.total(), 0U);
  }
}

TEST(numesh, S13_check_refuses_the_slot_that_collides) {
  for (unsigned slot = 0; slot < 4; ++slot) {
    Skew c(slot, SkewPolicy::kCheck);
    if (slot != 0) {
      EXPECT_NO_THROW(MeshCore mesh(c.b.program));
      continue;
    }
    try {
      MeshCore mesh(c.b.program);
      FAIL() << "slot 0 was accepted";
    } catch (const IllegalBehaviour& e) {
      EXPECT_EQ(e.id(), kCollisionId);
      EXPECT_THAT(e.what(), AllOf(HasSubstr("node 0 sends stream "), HasSubstr("node 1 in slot 1"),
                                  HasSubstr(", and 1 more such pairs of slots")));
    }
  }
}

TEST(numesh, S13_tag_makes_every_slot_behave_like_the_others) {
  for (unsigned slot = 0; slot < 4; ++slot) {
    Skew c(slot, SkewPolicy::kTag);
    Trial run(c.b.program);
    EXPECT_EQ(first_read(run, 1), 203 + slot);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.checker.delivered(c.fresh, 0), 3U);
    EXPECT_EQ(run.checker.total(), 0U);
  }
}

TEST(numesh, S13_barrier_lets_nobody_be_early) {
  for (unsigned slot = 0; slot < 4; ++slot) {
    Skew c(slot, SkewPolicy::kBarrier);
    Trial run(c.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.checker.delivered(c.fresh, 0), 3U);
    EXPECT_EQ(run.checker.total(), 0U);
    for (NodeId n = 0; n < 3; ++n) EXPECT_EQ(run.mesh.processor(n).ended_at(0), 201U);
  }
}

/// S17: a continuing stream 0 -> 2 of 20 words, reader from 60. Node n is in the new phase from
/// cycle 30 + skew * n on: its switch is asked for one cycle before (R10).
struct Continuing {
  Continuing(unsigned new_length, const std::vector<unsigned>& new_slots, Cycle skew,
             bool same_vfsms)
      : b(3) {
    const std::vector<NodeId> path = {0, 1, 2};
    const Index before = b.schedule(4, "old"), after = b.schedule(new_length, "new");
    s = b.stream("s", 0, true);
    const Index out = b.output(0), in = b.input(2);
    const std::vector<Index> vfsms = b.new_vfsms(path);
    b.chain(before, s, path, {0}, out, in, vfsms);
    b.chain(after, s, path, new_slots, out, in, same_vfsms ? vfsms : b.new_vfsms(path));
    for (NodeId n = 0; n < 3; ++n) {
      std::vector<Task> tasks;
      if (n == 0) tasks = {task("writer", 0, {block(20, {write(out, s)})}, Technique::kContinuing)};
      if (n == 2) tasks = {task("reader", 60, {block(20, {read(in, s)})}, Technique::kContinuing)};
      b.turn(n, before, std::move(tasks)).not_before = 29 + skew * n;
      b.turn(n, after, {});
    }
  }
  Builder b;
  StreamId s;
};

TEST(numesh, S17_the_same_vfsms_carry_a_stream_over_the_change) {
  struct Case {
    const char* name;
    unsigned length;
    std::vector<unsigned> slots;
    Cycle skew;
    Cycle end;
  };
  const std::vector<Case> cases = {{"same slot", 4, {0}, 0, 133},
                                   {"other slot", 4, {2}, 0, 131},
                                   {"other slot, skew", 4, {2}, 50, 195},
                                   {"half rate", 8, {0}, 0, 205},
                                   {"double rate", 4, {0, 2}, 0, 97}};
  for (const Case& c : cases) {
    Continuing program(c.length, c.slots, c.skew, true);
    Trial run(program.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished) << c.name;
    EXPECT_EQ(run.returned(2), c.end) << c.name;
    EXPECT_EQ(run.checker.delivered(program.s, 0), 20U);
    EXPECT_EQ(run.checker.total(), 0U) << c.name;
  }
}

TEST(numesh, S17_new_vfsms_lose_the_words_in_the_old_ones) {
  Continuing program(4, {0}, 0, false);
  Trial run(program.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.returned(2), kNever);
  EXPECT_EQ(run.mesh.processor(2).words_read(), 18U);
  EXPECT_EQ(run.mesh.words_in_network(), 2U);  // in the old VFSMs
  EXPECT_GE(run.checker.count(WordChecker::Kind::kOrderHole), 1U);
  EXPECT_GE(run.stranded(), 2U);
}

/// S18: nodes 0 and 1 in a region with one schedule, node 2 in another; the border expects slot 2.
TEST(numesh, S18_a_stream_into_another_region_needs_the_exact_slot) {
  for (unsigned border = 0; border < 4; ++border) {
    Builder b(3);
    const Index in = b.schedule(4);
    const StreamId s = b.stream("s", 0, true);
    b.output(0);
    b.input(2);
    b.transfer(0, in, b.vfsm(0), s, End::output(0), {End::link(Port::kXPlus)}, {{0}});
    b.transfer(1, in, b.vfsm(1), s, End::link(Port::kXMinus), {End::link(Port::kXPlus)}, {{1}});
    b.transfer(2, in, b.vfsm(2), s, End::link(Port::kXMinus), {End::input(0)}, {{border}});
    b.turn(0, in, {task("writer", 0, {block(8, {write(0, s)})})}, 0);
    b.turn(1, in, {}, 0);
    b.turn(2, in, {task("reader", 0, {block(8, {read(0, s)})})}, 1);
    Trial run(b.program);
    const MeshCore::Status status = run.run();
    if (border == 2) {
      EXPECT_EQ(status, MeshCore::Status::kFinished);
      EXPECT_EQ(run.checker.delivered(s, 0), 8U);
      continue;
    }
    EXPECT_EQ(status, MeshCore::Status::kDeadlock);
    EXPECT_EQ(run.checker.delivered(s, 0), 0U);
    EXPECT_THAT(run.waits(),
                AllOf(HasSubstr("node 2, task 'reader', phase 'p0' waits for a word of stream 's'"),
                      HasSubstr("node 1, VFSM 0 with word 0 of stream 's', written in phase 'p0' "
                                "waits for slot 1 of 4 in phase 'p0': node 2 behind +x does not "
                                "listen in that slot in phase 'p0'; it listens there for stream "
                                "'s' in slot " +
                                std::to_string(border) + " of 4")));
  }
}

/// S19: two operators of m words between neighbours, one after the other: sharing a phase, each
/// with half of the slots, or in two phases with two thirds each and a change of 20 cycles.
Cycle two_operators(unsigned words, bool share, bool change_before_each) {
  Builder b(2);
  b.program.rules.switch_cost = share ? 0 : 20;
  b.program.rules.vfsm_buffer = 2;  // slots in consecutive cycles
  const Index first = share ? b.schedule(4, "both") : b.schedule(3, "a");
  const Index second = share ? first : b.schedule(3, "b");
  const StreamId x = b.stream("a", 0), y = b.stream("b", 0);
  b.chain(first, x, {0, 1}, share ? std::vector<unsigned>{0, 2} : std::vector<unsigned>{0, 1});
  b.chain(second, y, {0, 1}, share ? std::vector<unsigned>{1, 3} : std::vector<unsigned>{0, 1});
  const auto tasks = [&](NodeId n, StreamId s, Index address) -> std::vector<Block> {
    return {block(words, {n == 0 ? write(address, s) : read(address, s)})};
  };
  std::uint32_t epoch = 0;
  if (change_before_each) {
    for (NodeId n = 0; n < 2; ++n) b.turn(n, b.schedule(1, "idle"), {}, epoch);
    ++epoch;
  }
  for (NodeId n = 0; n < 2; ++n) {
    std::vector<Block> one = tasks(n, x, 0), two = tasks(n, y, 1);
    if (share) {
      one.insert(one.end(), two.begin(), two.end());
      b.turn(n, first, {task("a, b", 0, one)}, epoch);
    } else {
      // The writer lets its last words go: two in the queue and one in the VFSM.
      b.turn(n, first, {task("a", 0, one)}, epoch).delay = n == 0 ? 5 : 0;
      b.turn(n, second, {task("b", 0, two)}, epoch + 1);
    }
  }
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(run.mesh.processor(1).words_read(), 2 * words);
  return run.mesh.finished_at();
}

TEST(numesh, S19_sharing_a_phase_or_changing_it) {
  // The reference counts slots: 2m cycles a message at 0.5, 1.5m at 0.667, and the changes. What
  // runs adds the latency of the last word, 1, and per change the 5 cycles that the writer waits
  // and the way through slots and queues, 9 or 10: the same for every m. The choice of the compiler
  // by these numbers: tests/frontends/operators/termination_test.cpp.
  struct Row {
    unsigned m;
    Cycle shared, one_change, change_before_each;
  };
  for (const Row& row : {Row{20, 80, 80, 100}, Row{40, 160, 140, 160}, Row{50, 200, 170, 190},
                         Row{80, 320, 260, 280}}) {
    EXPECT_EQ(two_operators(row.m, true, false), row.shared + 1) << row.m;
    EXPECT_EQ(two_operators(row.m, false, false), row.one_change + 9) << row.m;
    EXPECT_EQ(two_operators(row.m, false, true), row.change_before_each + 10) << row.m;
  }
}

TEST(numesh, S20_a_skipped_phase_is_named) {
  Builder b(2);
  const Index a = b.schedule(4, "a"), optional = b.schedule(4, "o"), last = b.schedule(4, "z");
  const StreamId s = b.stream("extra", 0), z = b.stream("last", 0);
  b.chain(optional, s, {0, 1}, {0});
  b.chain(last, z, {0, 1}, {2});
  const auto named = [](NodePhase& phase, const char* name) { phase.name = name; };
  for (NodeId n = 0; n < 2; ++n) named(b.turn(n, a, {}, 0), "first");
  named(b.turn(0, optional, {task("extra", 0, {block(9, {write(0, s)})})}, 1), "optional");
  named(b.turn(0, last, {task("last", 0, {block(1, {write(1, z)})})}, 2), "last");
  named(b.turn(1, last, {task("last", 0, {block(1, {read(1, z)})})}, 2), "last");
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.mesh.processor(0).words_written(), 3U);  // two in the queue, one in the VFSM
  EXPECT_THAT(
      run.waits(),
      AllOf(HasSubstr("node 0, task 'extra', phase 'optional' waits for room in output 0 "
                      "for stream 'extra'"),
            HasSubstr("node 1 behind +x does not listen in that slot in phase 'last'"),
            HasSubstr("the phases do not match: phase 'optional' here, phase 'last' there")));
}

TEST(numesh, S21_slots_must_count_from_a_common_clock) {
  for (Cycle skew = 0; skew < 12; ++skew) {
    Builder b(3);
    b.program.rules.slot_clock = SlotClock::kSinceSwitch;
    const Index a = b.schedule(4, "a"), next = b.schedule(4, "b");
    const StreamId s = b.stream("s", 0);
    b.chain(next, s, {0, 1, 2}, {0});
    for (NodeId n = 0; n < 3; ++n) b.turn(n, a, {}).not_before = 10 + (n == 1 ? skew : 0);
    b.turn(0, next, {task("writer", 0, {block(20, {write(0, s)})})});
    b.turn(1, next, {});
    b.turn(2, next, {task("reader", 0, {block(20, {read(0, s)})})});
    Trial run(b.program);
    const bool works = run.run() == MeshCore::Status::kFinished;
    EXPECT_EQ(works, skew % 4 == 0) << skew;
    EXPECT_EQ(run.checker.delivered(s, 0), works ? 20U : 0U);
  }
}

/// S22: a stream of 40 words at the full rate of its slots, while the processor of node 1 loads
/// schedules as `loads` says.
struct Memory {
  explicit Memory(std::vector<Block> loads, unsigned entries = 2) : b(3) {
    b.program.rules.schedule_memory = entries;
    b.program.rules.load_cycles = 30;
    const Index a = b.schedule(4, "a");
    b.schedule(4, "b");
    b.schedule(4, "c");
    const StreamId s = b.stream("s", 0);
    b.chain(a, s, {0, 1, 2}, {0});
    b.turn(0, a, {task("writer", 0, {block(40, {write(0, s)})})});
    b.turn(1, a, {task("loader", 20, std::move(loads))});
    b.turn(2, a, {task("reader", 0, {block(40, {read(0, s)})})});
  }
  static Step step(Step::Kind kind, Index schedule) {
    Step s;
    s.kind = kind;
    s.address = schedule;
    s.cost = 0;
    return s;
  }
  static Step load(Index schedule) { return step(Step::Kind::kLoad, schedule); }
  static Step go(Index schedule) { return step(Step::Kind::kSwitch, schedule); }
  Builder b;
};

TEST(numesh, S22_a_third_schedule_waits_for_the_switch_to_the_second) {
  Memory stalled({block(1, {Memory::load(1), Memory::load(2)})});
  Trial run(stalled.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_THAT(run.waits(), HasSubstr("node 1, task 'loader', phase 'p0' waits for an entry of the "
                                     "schedule memory for schedule 'c'"));
  Memory three({block(1, {Memory::load(1), Memory::load(2)})}, 3);
  EXPECT_EQ(Trial(three.b.program).run(), MeshCore::Status::kFinished);
  Memory after(
      {block(1, {wait_until(400), Memory::load(1), Memory::go(1), compute(1), Memory::load(2)})});
  EXPECT_EQ(Trial(after.b.program).run(), MeshCore::Status::kFinished);
}

TEST(numesh, S22_loading_the_second_changes_no_slot_timing) {
  Memory without({}), with({block(1, {Memory::load(1)})});
  Trial a(without.b.program), b(with.b.program);
  EXPECT_EQ(a.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(b.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(a.returned(0), b.returned(0));
  EXPECT_EQ(a.returned(2), b.returned(2));
}

TEST(numesh, S22_a_schedule_that_is_not_loaded_cannot_be_switched_to) {
  Memory m({block(1, {Memory::go(2)})});
  Trial run(m.b.program);
  EXPECT_THROW(run.run(), IllegalBehaviour);
}

}  // namespace
}  // namespace tessera::scheduled::test
