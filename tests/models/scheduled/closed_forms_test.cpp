// Closed forms of numesh.md 6.3 on random parameters: idle latency, throughput, return of the
// writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {
namespace {

/// One stream over d hops with evenly spread slots; writer and reader with costs.
struct Path {
  unsigned hops, length, appearances, first, buffer, qs, qd, words;
  unsigned reads = kNone;  // kNone: all words
  Cycle writer_cost, reader_cost, reader_from;

  Program program() const {
    Builder b(hops + 1);
    b.program.rules.vfsm_buffer = buffer;
    b.program.rules.output_depth = qs;
    b.program.rules.input_depth = qd;
    const Index in = b.schedule(length);
    const StreamId s = b.stream("s", 0);
    std::vector<NodeId> path;
    for (NodeId n = 0; n <= hops; ++n) path.push_back(n);
    std::vector<unsigned> slots;
    for (unsigned i = 0; i < appearances; ++i) slots.push_back(first + i * period());
    b.chain(in, s, path, slots);
    Step w = write(0, s);
    w.cost = writer_cost;
    b.turn(0, in, {task("w", 0, {block(words, {w})})});
    for (NodeId n = 1; n < hops; ++n) b.turn(n, in, {});
    b.turn(hops, in,
           {task("r", reader_from,
                 {block(reads != kNone ? reads : words, {read(0, s, reader_cost)})})});
    return b.program;
  }
  unsigned period() const { return length / appearances; }
  unsigned capacity() const { return qs + (hops + 1) * buffer + qd; }
};

Path draw(std::mt19937_64& random) {
  const auto pick = [&](unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random);
  };
  Path p;
  p.hops = pick(1, 8);
  p.appearances = pick(1, 3);
  p.length = p.appearances * pick(2, 9);
  p.first = pick(0, p.length - 1);
  p.buffer = pick(1, 3);
  p.qs = pick(1, 4);
  p.qd = pick(1, 4);
  p.words = pick(1, 30);
  p.writer_cost = p.reader_cost = 1;
  p.reader_from = 0;
  return p;
}

TEST(ScheduledClosedForms, IdleLatency) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 500; ++i) {
    Path p = draw(random);
    p.words = 1;
    const Program program = p.program();
    Trial run(program);
    ASSERT_EQ(run.run(), MeshCore::Status::kFinished);
    // The word of cycle 0 is seen from cycle 1 on: the first slot from there.
    Cycle slot = 1;
    while (slot % p.period() != p.first % p.period()) ++slot;
    EXPECT_EQ(run.returned(p.hops), slot + p.hops + 2 + 1);
  }
}

TEST(ScheduledClosedForms, LastWordOfAMessage) {
  std::mt19937_64 random(2);
  for (unsigned i = 0; i < 500; ++i) {
    Path p = draw(random);
    p.qs = std::max(p.qs, 2U);  // the writer keeps up
    const Program program = p.program();
    Trial run(program);
    ASSERT_EQ(run.run(), MeshCore::Status::kFinished);
    Cycle slot = 1;
    while (slot % p.period() != p.first % p.period()) ++slot;
    EXPECT_EQ(run.returned(p.hops), slot + p.hops + 2 + Cycle{p.words - 1} * p.period() + 1);
    EXPECT_EQ(run.checker.total(), 0U);
  }
}

TEST(ScheduledClosedForms, ThroughputIsThatOfTheSlowest) {
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 300; ++i) {
    Path p = draw(random);
    p.qs = std::max(p.qs, 2U);
    p.qd = std::max(p.qd, 2U);
    p.words = 400;
    p.writer_cost = 1 + random() % 12;
    p.reader_cost = 1 + random() % 12;
    const Program program = p.program();
    Trial run(program);
    ASSERT_EQ(run.run(), MeshCore::Status::kFinished);
    const Cycle slowest = std::max({Cycle{p.period()}, p.writer_cost, p.reader_cost});
    // Filling the path at the start is all that is not at that rate; a reader that is slower than
    // the slots but no multiple of them still keeps its own rate, thanks to its queue.
    const Cycle took = run.returned(p.hops);
    EXPECT_GE(took, 399 * slowest);
    EXPECT_LE(took, 400 * slowest + (p.hops + 3) * (p.period() + 1));
  }
}

TEST(ScheduledClosedForms, WriterReturn) {
  std::mt19937_64 random(4);
  for (unsigned i = 0; i < 300; ++i) {
    Path p = draw(random);
    p.reader_from = 2000;
    p.words = p.capacity() - std::min(p.capacity() - 1, static_cast<unsigned>(random() % 4));
    {
      const Program program = p.program();
      Trial run(program);
      run.run();
      EXPECT_LT(run.returned(0), 2000U) << "m <= C does not depend on the reader";
    }
    // Places that are freed in less than a period come back one a period: the reader is no faster.
    p.reader_cost = p.period();
    const unsigned more = 1 + random() % 5;
    p.words = p.capacity() + more;
    p.reads = more - 1;
    {
      const Program program = p.program();
      Trial run(program);
      run.run();
      EXPECT_EQ(run.returned(0), kNever) << "one read less than m - C";
    }
    p.reads = more;
    const Program program = p.program();
    Trial run(program);
    run.run();
    // Read of word m - C, the way back of the freed place, and the write.
    const Cycle read_at = run.returned(p.hops) - 1;
    ASSERT_NE(run.returned(0), kNever);
    EXPECT_GT(run.returned(0), read_at);
    EXPECT_LE(run.returned(0) - 1, read_at + (p.hops + 1) * p.period() + 2);
  }
}

}  // namespace
}  // namespace tessera::scheduled::test
