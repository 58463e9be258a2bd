// Scenarios S8, S9, S11, S12 and S14 to S16 of numesh.md 6.2: when a node may leave the phase of a
// broadcast or a shift. Slot tables as given below the table of 6.2.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {
namespace {

using Local = Builder::Local;

/// Broadcast 0 -> {1, 2, 3}.
struct Broadcast {
  Broadcast(unsigned length, const std::vector<Local>& local) : b(4) {
    in = b.schedule(length);
    s = b.stream("broadcast", 0);
    b.multicast(in, s, local);
    echo = local[0] != Local::kNone;
  }
  /// Reader k starts at starts[k - 1]. Without an echo node 0 only writes.
  void messages(unsigned words, const std::vector<Cycle>& starts) {
    b.turn(0, in,
           {task("source", 0,
                 {echo ? block(words, {write(0, s), read(0, s)}) : block(words, {write(0, s)})})});
    for (NodeId n = 1; n < 4; ++n)
      b.turn(n, in, {task("reader", starts[n - 1], {block(words, {read(0, s)})})});
  }
  /// The node goes to a schedule that runs nothing, when its tasks have returned.
  void switches(NodeId node) { b.turn(node, b.schedule(4, "nothing"), {}); }
  std::vector<unsigned> delivered(const Trial& run) const {
    std::vector<unsigned> words(4);
    const std::vector<Stream::Sink>& sinks = b.program.streams[s].sinks;
    for (std::size_t i = 0; i < sinks.size(); ++i)
      words[sinks[i].node] = run.checker.delivered(s, i);
    return words;
  }
  Builder b;
  Index in;
  StreamId s;
  bool echo;
};

const std::vector<Local> kEchoLast = {Local::kLast, Local::kLast, Local::kLast, Local::kLast};
const std::vector<Local> kNoEcho = {Local::kNone, Local::kLast, Local::kLast, Local::kLast};

TEST(numesh, S8_echo_last_strands_nothing_at_the_source) {
  const std::vector<std::pair<unsigned, Cycle>> expected = {{1, 8}, {2, 16}, {4, 308}, {6, 716}};
  for (const auto& [words, returns] : expected) {
    Broadcast c(4, kEchoLast);
    c.messages(words, {300, 500, 700});
    c.switches(0);
    Trial run(c.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.returned(0), returns) << words;
    EXPECT_EQ(run.checker.total(), 0U);
    EXPECT_EQ(c.delivered(run), (std::vector<unsigned>(4, words)));
  }
}

TEST(numesh, S8_echo_first_strands_the_last_word) {
  const std::vector<Local> echo_first = {Local::kFirst, Local::kLast, Local::kLast, Local::kLast};
  Broadcast c(6, echo_first);
  c.messages(4, {300, 500, 700});
  c.switches(0);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.checker.stranded_at(0), 1U);
  const std::vector<WordChecker::Finding> findings = run.checker.findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].word.sequence, 3U);
  EXPECT_EQ(c.delivered(run), (std::vector<unsigned>{4, 3, 3, 3}));
}

TEST(numesh, S8_no_echo_strands_two) {
  Broadcast c(4, kNoEcho);
  c.messages(4, {300, 500, 700});
  c.switches(0);
  Trial run(c.b.program);
  run.run();
  EXPECT_EQ(run.checker.stranded_at(0), 2U);
}

TEST(numesh, S9_local_branch_first_strands_a_word_at_an_intermediate_node) {
  Broadcast c(8, {Local::kNone, Local::kFirst, Local::kLast, Local::kLast});
  c.messages(4, {50, 500, 20});
  c.switches(1);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.returned(1), 68U);
  EXPECT_EQ(run.checker.stranded_at(1), 1U);
  EXPECT_EQ(run.checker.findings().front().word.sequence, 3U);
  EXPECT_EQ(c.delivered(run), (std::vector<unsigned>{0, 4, 3, 3}));
}

TEST(numesh, S9_local_branch_last_loses_nothing) {
  Broadcast c(8, kNoEcho);
  c.messages(4, {50, 500, 20});
  c.switches(1);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(run.returned(1), 517U);
  EXPECT_EQ(run.checker.total(), 0U);
  EXPECT_EQ(c.delivered(run), (std::vector<unsigned>{0, 4, 4, 4}));
}

TEST(numesh, S11_least_length_that_proves_a_late_reader_has_started) {
  const auto proves = [](unsigned words, NodeId late) {
    Broadcast c(4, kNoEcho);
    std::vector<Cycle> starts(3, 0);
    starts[late - 1] = 500;
    c.messages(words, starts);
    Trial run(c.b.program);
    run.run();
    return run.returned(0) > 500;
  };
  for (NodeId late = 1; late <= 3; ++late) {
    unsigned least = 1;
    while (!proves(least, late)) ++least;
    EXPECT_EQ(least, 6 + late);
  }
  EXPECT_TRUE(proves(8, 1));
  EXPECT_TRUE(proves(8, 2));
  EXPECT_FALSE(proves(8, 3));
}

/// Shift of four nodes: 1-hop streams i -> i + 1, and for a circular one a long stream 3 -> 2 -> 1
/// -> 0.
struct Shift {
  struct Form {
    unsigned length = 8;
    unsigned spacing = 2;  // slots from one 1-hop stream to the next
    unsigned long_slot = 6;
    bool circular = true;
    bool echo = false;           // on every stream
    bool long_branches = false;  // the long stream branches to nodes 1 and 2, local last
  };
  explicit Shift(const Form& form) : b(4), f(form) {
    in = b.schedule(f.length);
    out.assign(4, kNone);
    back.assign(4, kNone);
    from.assign(4, kNone);
    aside.assign(4, kNone);
    for (NodeId i = 0; i < 3; ++i) {
      const StreamId s = b.stream("shift " + std::to_string(i) + ">" + std::to_string(i + 1), i);
      send(i, s, Port::kXPlus, f.spacing * i);
      from[i + 1] = b.input(i + 1);
      b.transfer(i + 1, in, b.vfsm(i + 1), s, End::link(Port::kXMinus), {End::input(from[i + 1])},
                 {{f.spacing * i + 1}});
    }
    if (f.circular) long_stream();
  }
  void send(NodeId n, StreamId s, Port port, unsigned slot) {
    out[n] = b.output(n);
    std::vector<End> branches = {End::link(port)};
    if (f.echo) {
      back[n] = b.input(n);
      branches.push_back(End::input(back[n]));
    }
    std::vector<std::vector<unsigned>> slots;
    for (unsigned i = 0; i < branches.size(); ++i) slots.push_back({slot + i});
    b.transfer(n, in, b.vfsm(n), s, End::output(out[n]), branches, slots);
    stream_of[n] = s;
  }
  void long_stream() {
    const StreamId s = b.stream("shift 3>0", 3);
    send(3, s, Port::kXMinus, f.long_slot);
    for (NodeId n = 2; n > 0; --n) {
      std::vector<End> branches = {End::link(Port::kXMinus)};
      std::vector<std::vector<unsigned>> slots = {{f.long_slot + 3 - n}};
      if (f.long_branches) {
        aside[n] = b.input(n);
        branches.push_back(End::input(aside[n]));
        slots.push_back({f.long_slot + 4 - n});
      }
      b.transfer(n, in, b.vfsm(n), s, End::link(Port::kXPlus), branches, slots);
    }
    from[0] = b.input(0);
    b.transfer(0, in, b.vfsm(0), s, End::link(Port::kXPlus), {End::input(from[0])},
               {{f.long_slot + 3}});
  }
  /// Per word: write, read the echo, read from the neighbour, read the branch of the long stream.
  std::vector<Block> blocks(NodeId n, unsigned words) const {
    Block per_word;
    per_word.repeat = words;
    if (out[n] != kNone) per_word.steps.push_back(write(out[n], stream_of[n]));
    if (back[n] != kNone) per_word.steps.push_back(read(back[n], kNone));
    if (from[n] != kNone) per_word.steps.push_back(read(from[n], kNone));
    if (aside[n] != kNone) per_word.steps.push_back(read(aside[n], kNone));
    return {per_word};
  }
  /// Node n starts at skew[n]; with `switches` it goes to an empty schedule at its return.
  void messages(unsigned words, const std::vector<Cycle>& skew, bool switches) {
    for (NodeId n = 0; n < 4; ++n) b.turn(n, in, {task("shift", skew[n], blocks(n, words))});
    if (!switches) return;
    const Index nothing = b.schedule(4, "nothing");
    for (NodeId n = 0; n < 4; ++n) b.turn(n, nothing, {});
  }
  Builder b;
  Form f;
  Index in;
  StreamId stream_of[4] = {kNone, kNone, kNone, kNone};
  std::vector<unsigned> out, back, from, aside;
};

TEST(numesh, S12_pairs_of_nodes_that_return_before_another_has_entered) {
  const auto pairs = [](unsigned words) {
    unsigned early = 0;
    for (NodeId late = 0; late < 4; ++late) {
      Shift c({});
      std::vector<Cycle> skew(4, 0);
      skew[late] = 300;
      c.messages(words, skew, false);
      Trial run(c.b.program);
      EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
      for (NodeId n = 0; n < 4; ++n) {
        if (n == late || run.returned(n) > 300) continue;
        ++early;
        if (words == 2) {
          EXPECT_EQ((n + 1) % 4, late) << "only its predecessor";
        }
      }
    }
    return early;
  };
  EXPECT_EQ(pairs(1), 8U);
  EXPECT_EQ(pairs(2), 4U);
  for (const unsigned words : {3U, 4U, 6U, 10U}) EXPECT_EQ(pairs(words), 0U) << words;
}

TEST(numesh, S14_circular_shift_of_one_word_hangs_if_nodes_switch_at_their_return) {
  Shift c({});
  c.messages(1, {0, 0, 0, 0}, true);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.returned(0), kNever);
  EXPECT_EQ(run.checker.delivered(3, 0), 0U);
  EXPECT_EQ(run.checker.stranded_at(3), 1U);
  EXPECT_EQ(run.stranded(), 1U);
  const std::string waits = run.waits();
  EXPECT_NE(waits.find("node 0, task 'shift', phase 'p0' waits for a word of"), std::string::npos)
      << waits;
  EXPECT_NE(waits.find("node 3, VFSM 1 with word 0 of stream 'shift 3>0', written in phase 'p0' "
                       "waits for a schedule that runs this VFSM: phase 'p1' does not"),
            std::string::npos)
      << waits;
}

TEST(numesh, S14_echoes_do_not_cover_nodes_that_the_long_stream_crosses) {
  Shift c({12, 3, 8, true, true, false});
  c.messages(1, {0, 0, 0, 300}, true);
  Trial run(c.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_EQ(run.returned(1), 16U);
  EXPECT_EQ(run.returned(2), 11U);
  EXPECT_EQ(run.returned(0), kNever);
  EXPECT_EQ(run.returned(3), kNever);
}

TEST(numesh, S15_branches_to_the_crossed_nodes_make_it_safe) {
  const Shift::Form form = {16, 3, 8, true, true, true};
  std::vector<std::vector<Cycle>> skews = {{0, 0, 0, 0}, {0, 100, 400, 0}, {100, 0, 400, 0}};
  for (NodeId late = 0; late < 4; ++late) {
    skews.emplace_back(4, 0);
    skews.back()[late] = 300;
  }
  for (const std::vector<Cycle>& skew : skews) {
    Shift c(form);
    c.messages(1, skew, true);
    Trial run(c.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.checker.total(), 0U);
    EXPECT_EQ(run.mesh.words_in_network(), 0U);
    if (skew[3] != 300) continue;
    EXPECT_EQ(
        (std::vector<Cycle>{run.returned(0), run.returned(1), run.returned(2), run.returned(3)}),
        (std::vector<Cycle>{318, 318, 317, 317}));
  }
}

TEST(numesh, S15_end_off_shift_with_echo_is_safe_for_all_skews) {
  for (Cycle a = 0; a < 4; ++a) {
    for (NodeId late = 0; late < 4; ++late) {
      Shift c({12, 3, 8, false, true, false});
      std::vector<Cycle> skew(4, 0);
      skew[late] = 100 * a;
      skew[(late + 2) % 4] = 37 * a;
      c.messages(1, skew, true);
      Trial run(c.b.program);
      EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
      EXPECT_EQ(run.checker.total(), 0U);
    }
  }
}

/// Cycles after its return until no word of the shift is in a node at the start of a cycle.
std::vector<Cycle> drain_times(unsigned words, const std::vector<Cycle>& skew) {
  Shift c({});
  c.messages(words, skew, false);
  Trial run(c.b.program);
  std::vector<Cycle> clean(4, 0);  // the first cycle at whose start it is, for good
  while (run.mesh.run(run.mesh.now() + 1) == MeshCore::Status::kLimit)
    for (NodeId n = 0; n < 4; ++n)
      if (run.mesh.router(n).words() != 0) clean[n] = run.mesh.now() + 1;
  for (NodeId n = 0; n < 4; ++n)
    clean[n] = clean[n] > run.returned(n) ? clean[n] - run.returned(n) : 0;
  return clean;
}

TEST(numesh, S16_intermediate_nodes_need_the_longest_delay) {
  const std::vector<std::pair<unsigned, std::vector<Cycle>>> expected = {{3, {15, 21, 18, 15}},
                                                                         {6, {0, 6, 3, 0}}};
  for (const auto& [words, delays] : expected) {
    std::vector<Cycle> worst(4, 0);
    for (NodeId late = 0; late < 4; ++late) {
      for (Cycle by = 0; by < 50; ++by) {
        std::vector<Cycle> skew(4, 0);
        skew[late] = by;
        const std::vector<Cycle> times = drain_times(words, skew);
        for (NodeId n = 0; n < 4; ++n) worst[n] = std::max(worst[n], times[n]);
      }
    }
    EXPECT_EQ(worst, delays);
  }
}

/// Words that the shift strands in all when every node waits `delays` after its return.
std::uint64_t stranded_with(unsigned words, const std::vector<Cycle>& delays, Cycle late_by) {
  std::uint64_t stranded = 0;
  for (NodeId late = 0; late < 4; ++late) {
    Shift c({});
    std::vector<Cycle> skew(4, 0);
    skew[late] = late_by;
    c.messages(words, skew, true);
    for (NodeId n = 0; n < 4; ++n) c.b.program.nodes[n].phases[0].delay = delays[n];
    Trial run(c.b.program);
    run.run();
    stranded += run.stranded();
  }
  return stranded;
}

TEST(numesh, S16_delays_of_the_end_nodes_are_not_enough_for_intermediate_ones) {
  std::uint64_t with_own = 0, with_end_nodes = 0;
  for (Cycle by = 0; by < 50; ++by) {
    with_own += stranded_with(3, {15, 21, 18, 15}, by);
    with_end_nodes += stranded_with(3, {15, 15, 15, 15}, by);
  }
  EXPECT_EQ(with_own, 0U);
  EXPECT_GT(with_end_nodes, 0U);
}

}  // namespace
}  // namespace tessera::scheduled::test
