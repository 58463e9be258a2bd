// Scenarios S1 to S7 and S10 of numesh.md 6.2: streams and multicast trees in one phase, and
// how long a word stays at its writer. Rules P0 of 6.1: b = 1, Qs = Qd = 2, L = 4.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {
namespace {

/// One stream along a linear array of d hops.
struct Line {
  explicit Line(unsigned hops, unsigned length = 4, std::vector<unsigned> slots = {0})
      : b(hops + 1) {
    in = b.schedule(length);
    s = b.stream("s", 0);
    std::vector<NodeId> path;
    for (NodeId n = 0; n <= hops; ++n) path.push_back(n);
    b.chain(in, s, path, slots);
    last = hops;
  }
  /// Every node has a turn; the first writes `words`, the last reads them from `from` on.
  void messages(unsigned words, Cycle from, std::vector<Block> reads) {
    for (NodeId n = 0; n <= last; ++n) {
      std::vector<Task> tasks;
      if (n == 0) tasks.push_back(task("writer", start, {block(words, {write(0, s)})}));
      if (n == last) tasks.push_back(task("reader", from, std::move(reads)));
      b.turn(n, in, std::move(tasks));
    }
  }
  Builder b;
  Index in;
  StreamId s;
  NodeId last;
  Cycle start = 0;  // when the writer starts
};

TEST(numesh, S1_rates_are_appearances_over_length) {
  Builder b(3);
  const Index in = b.schedule(4);
  const StreamId a = b.stream("A", 0), bb = b.stream("B", 0), c = b.stream("C", 1);
  b.chain(in, a, {0, 1, 2}, {0, 2});
  b.chain(in, bb, {0, 1}, {1});
  b.chain(in, c, {1, 2}, {0});
  constexpr unsigned kMany = 100000;
  b.turn(
      0, in,
      {task("a", 0, {block(kMany, {write(0, a)})}), task("b", 0, {block(kMany, {write(1, bb)})})});
  b.turn(
      1, in,
      {task("b", 0, {block(kMany, {read(0, bb)})}), task("c", 0, {block(kMany, {write(0, c)})})});
  b.turn(2, in,
         {task("a", 0, {block(kMany, {read(0, a)})}), task("c", 0, {block(kMany, {read(1, c)})})});
  Trial run(b.program);
  run.run(100);
  const auto delivered = [&] {
    return std::vector<unsigned>{run.checker.delivered(a, 0), run.checker.delivered(bb, 0),
                                 run.checker.delivered(c, 0)};
  };
  const std::vector<unsigned> before = delivered();
  run.run(500);
  std::vector<unsigned> in_400 = delivered();
  for (std::size_t i = 0; i < 3; ++i) in_400[i] -= before[i];
  EXPECT_EQ(in_400, (std::vector<unsigned>{200, 100, 100}));
  EXPECT_EQ(run.checker.total(), 0U);
  EXPECT_EQ(run.unaccounted(), 0);
}

TEST(numesh, S1_two_vfsms_in_one_slot_are_refused) {
  Builder b(2);
  const Index in = b.schedule(4);
  b.chain(in, b.stream("A", 0), {0, 1}, {0});
  b.chain(in, b.stream("B", 0), {0, 1}, {0});
  EXPECT_THROW(MeshCore mesh(b.program), std::invalid_argument);
}

TEST(numesh, S2_idle_latency_is_slot_and_hops_and_two) {
  const std::vector<std::pair<unsigned, Cycle>> expected = {{1, 7}, {2, 8}, {3, 9}, {7, 13}};
  for (const auto& [hops, read_at] : expected) {
    Line line(hops, 16, {4});
    line.messages(1, 0, {block(1, {read(0, line.s)})});
    Trial run(line.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.returned(line.last), read_at + 1) << hops;
    EXPECT_EQ(run.unaccounted(), 0);
  }
}

TEST(numesh, S3_writer_completes_as_many_writes_as_the_path_holds) {
  using Set = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;  // d, b, Qs, Qd, C
  for (const auto& [d, buffer, qs, qd, capacity] :
       {Set{1, 1, 2, 2, 6}, Set{3, 1, 2, 2, 8}, Set{3, 2, 2, 2, 12}, Set{3, 1, 1, 1, 6},
        Set{7, 1, 2, 2, 12}}) {
    Line line(d);
    line.b.program.rules.vfsm_buffer = buffer;
    line.b.program.rules.output_depth = qs;
    line.b.program.rules.input_depth = qd;
    line.messages(100, 0, {});
    Trial run(line.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
    EXPECT_EQ(run.mesh.processor(0).words_written(), capacity);
    EXPECT_EQ(run.mesh.words_in_network(), capacity);
    EXPECT_NE(run.waits().find("node 0, task 'writer', phase 'p0' waits for room in output 0 for "
                               "stream 's'"),
              std::string::npos)
        << run.waits();
  }
}

TEST(numesh, S4_a_long_message_cannot_return_before_its_reader_has_started) {
  const std::vector<std::pair<unsigned, Cycle>> expected = {{7, 22}, {8, 26}, {9, 518}, {10, 522}};
  for (const auto& [words, returns] : expected) {
    Line line(3);
    line.messages(words, 500, {block(words, {read(0, line.s)})});
    Trial run(line.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.returned(0), returns) << words;
  }
}

TEST(numesh, S5_no_delay_repairs_a_message_that_waits_for_its_reader) {
  const std::vector<std::pair<unsigned, std::vector<std::uint64_t>>> expected = {
      {4, {2, 0, 0, 0, 0}}, {5, {2, 0, 0, 0, 0}}, {6, {2, 1, 1, 1, 1}}, {8, {3, 3, 3, 3, 3}}};
  const std::vector<Cycle> delays = {0, 20, 50, 200, 400};
  for (const auto& [words, stranded] : expected) {
    for (std::size_t i = 0; i < delays.size(); ++i) {
      Line line(3);
      line.messages(words, 500, {block(words, {read(0, line.s)})});
      const Index nothing = line.b.schedule(4, "nothing");
      line.b.program.nodes[0].phases[0].delay = delays[i];
      line.b.turn(0, nothing, {});
      Trial run(line.b.program);
      run.run();
      EXPECT_EQ(run.checker.stranded_at(0), stranded[i]) << words << " words, " << delays[i];
      EXPECT_EQ(run.unaccounted(), 0);
      if (stranded[i] == 0) continue;
      const std::string finding = run.checker.text(run.checker.findings().front());
      EXPECT_NE(finding.find("node 0: word"), std::string::npos) << finding;
      EXPECT_NE(finding.find("of stream 's', written in phase 'p0', is stranded in"),
                std::string::npos)
          << finding;
    }
  }
}

TEST(numesh, S5_a_clean_node_of_the_writer_is_not_success) {
  // Where node 0 is clean at its switch, words lie in nodes 1 and 2 until the reader starts at 500.
  const std::vector<std::pair<unsigned, std::vector<std::uint32_t>>> expected = {{4, {0, 0, 1, 1}},
                                                                                 {5, {0, 1, 1, 1}}};
  for (const auto& [words, held] : expected) {
    for (const Cycle delay : {20U, 50U, 200U, 400U}) {
      Line line(3);
      line.messages(words, 500, {block(words, {read(0, line.s)})});
      line.b.program.nodes[0].phases[0].delay = delay;
      line.b.turn(0, line.b.schedule(4, "nothing"), {});
      Trial run(line.b.program);
      while (run.mesh.processor(0).ended_at(0) == kNever) run.run(run.mesh.now() + 1);
      std::vector<std::uint32_t> in_routers;
      for (NodeId n = 0; n <= line.last; ++n) in_routers.push_back(run.mesh.router(n).words());
      EXPECT_EQ(in_routers, held) << words << " words, " << delay;
    }
  }
}

/// Least delay after the return of the writer in which nothing of the stream is at its node.
Cycle least_delay(Line& line) {
  Trial run(line.b.program);
  const Cycle returned = run.run_until_return(0);
  EXPECT_NE(returned, kNever);
  Cycle clean = returned;  // the first cycle at whose end nothing is there
  while (run.mesh.now() <= returned || run.mesh.router(0).words() != 0) {
    run.mesh.run(run.mesh.now() + 1);
    clean = run.mesh.now() - 1;
    if (run.mesh.now() > returned + 5000) break;
  }
  return clean - returned;
}

Cycle worst_delay(unsigned words, unsigned period, const std::vector<Block>& reads,
                  unsigned phases) {
  Cycle worst = 0;
  for (unsigned slot = 0; slot < period; ++slot) {
    for (unsigned phase = 0; phase < phases; ++phase) {
      Line line(3, period, {slot});
      line.messages(words, 300 + phase, reads);
      worst = std::max(worst, least_delay(line));
    }
  }
  return worst;
}

TEST(numesh, S6_least_safe_delays_of_long_messages) {
  using Set = std::tuple<unsigned, Cycle, Cycle>;  // T, R, delay
  for (const auto& [period, reader, delay] :
       {Set{2, 1, 3}, Set{2, 4, 9}, Set{2, 10, 27}, Set{4, 1, 7}, Set{4, 4, 7}, Set{4, 10, 27},
        Set{8, 1, 15}, Set{8, 4, 15}, Set{8, 10, 23}}) {
    for (const unsigned words : {9U, 12U, 20U}) {
      const Cycle worst = worst_delay(words, period, {block(words, {read(0, 0, reader)})},
                                      static_cast<unsigned>(period * reader));
      EXPECT_EQ(worst, delay) << "T " << period << ", R " << reader << ", m " << words;
      EXPECT_LE(worst, 3 * std::max<Cycle>(period, reader));  // (Qs + b) * max(T, R)
    }
  }
}

TEST(numesh, S7_an_interrupt_at_the_reader_adds_to_the_delay) {
  constexpr unsigned kWords = 9;
  const auto reads = [](unsigned after, Cycle length) -> std::vector<Block> {
    return {block(after, {read(0, 0)}), block(1, {compute(length)}),
            block(kWords - after, {read(0, 0)})};
  };
  const auto at_500 = [&](unsigned after, Cycle length) {
    Line line(3);
    line.messages(kWords, 500, reads(after, length));
    return least_delay(line);
  };
  EXPECT_EQ(worst_delay(kWords, 4, {block(kWords, {read(0, 0)})}, 4), 7U);
  EXPECT_EQ(at_500(1, 100), 103U);
  EXPECT_EQ(at_500(2, 100), 99U);
  EXPECT_EQ(at_500(3, 100), 99U);
  EXPECT_EQ(at_500(1, 30), 31U);
  for (const unsigned after : {4U, 5U, 6U})
    EXPECT_EQ(worst_delay(kWords, 4, reads(after, 100), 4), 7U) << after;
  // The worst of every phase of reader and slot is up to a period more than from 500, and within
  // (Qs + b) * max(T, R) + M.
  const auto worst = [&](unsigned after, Cycle length) {
    const Cycle delay = worst_delay(kWords, 4, reads(after, length), 4);
    EXPECT_LE(delay, 12U + length);
    return delay;
  };
  EXPECT_EQ(worst(1, 100), 107U);
  EXPECT_EQ(worst(2, 100), 103U);
  EXPECT_EQ(worst(3, 100), 99U);
  EXPECT_EQ(worst(1, 30), 35U);
  EXPECT_EQ(worst(2, 30), 31U);
  EXPECT_EQ(worst(3, 30), 31U);
}

/// 2 nodes, 400 words, with an echo to the source or without.
Cycle fifty_percent(unsigned length, unsigned buffer, bool echo, unsigned outstanding) {
  constexpr unsigned kWords = 400;
  Builder b(2);
  b.program.rules.vfsm_buffer = buffer;
  const Index in = b.schedule(length);
  const StreamId s = b.stream("s", 0);
  const Index out = b.output(0), back = b.input(0), there = b.input(1);
  if (echo) {
    b.transfer(0, in, b.vfsm(0), s, End::output(out), {End::link(Port::kXPlus), End::input(back)},
               {{0}, {1}});
  } else {
    b.transfer(0, in, b.vfsm(0), s, End::output(out), {End::link(Port::kXPlus)}, {{0}});
  }
  b.transfer(1, in, b.vfsm(1), s, End::link(Port::kXMinus), {End::input(there)}, {{1}});
  std::vector<Block> blocks = {block(kWords, {write(0, s)})};
  if (echo)
    blocks = {block(outstanding, {write(0, s)}),
              block(kWords - outstanding, {read(0, s), write(0, s)}),
              block(outstanding, {read(0, s)})};
  b.turn(0, in, {task("writer", 0, std::move(blocks))});
  b.turn(1, in, {task("reader", 0, {block(kWords, {read(0, s)})})});
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(run.checker.total(), 0U);
  return run.returned(0);
}

TEST(numesh, S10_fifty_percent_rule) {
  EXPECT_EQ(fifty_percent(1, 2, false, 0), 400U);
  EXPECT_EQ(fifty_percent(2, 2, true, 3), 804U);
  EXPECT_EQ(fifty_percent(2, 2, true, 1), 2400U);
  EXPECT_EQ(fifty_percent(4, 1, true, 3), 1604U);
  EXPECT_EQ(fifty_percent(4, 1, false, 0), 1594U);
}

}  // namespace
}  // namespace tessera::scheduled::test
