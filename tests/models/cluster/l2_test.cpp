// What L2 holds, where copies lie in GM, and the port of L1 (reference ascend.md 1.4, 4.4, 5.2).
#include "models/cluster/memory/l2_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <set>
#include <tuple>

#include "models/cluster/core/tile_operands.h"
#include "models/cluster/memory/gm_core.h"
#include "tests/models/cluster/bench.h"

namespace tessera::cluster::l2_test {
namespace {

using bench::Bench;
using bench::Kernel;
using transfer::Place;

constexpr std::uint64_t kMiB = 1U << 20U;

TEST(L2, WhatFitsIsReadFromGmOnce) {
  L2Directory l2(8 * kMiB, 100);
  const Place tensor{0, 4096, 512, 4096};  // 2 MB in rows
  const auto first = l2.touch(tensor, false, 7);
  EXPECT_EQ(first.sectors, 4 * 4096u);
  EXPECT_EQ(first.hits, 0u);
  EXPECT_EQ(first.here_at, 107u);
  const auto again = l2.touch(tensor, false, 50);
  EXPECT_EQ(again.hits, 4 * 4096u);
  EXPECT_EQ(again.here_at, 107u);  // it is still on its way
}

TEST(L2, WhatDoesNotFitIsNotThereTheSecondTime) {
  L2Directory l2(kMiB, 0);
  const Place tensor{0, 4096, 1024, 4096};  // 4 MB
  l2.touch(tensor, false, 1);
  EXPECT_LT(l2.touch(tensor, false, 2).hits, 400u);
}

TEST(L2, AColumnBesideOneThatWasReadComesFromGm) {  // ascend.md 4.4, tiles of 64 x 128 B
  L2Directory l2(8 * kMiB, 100);
  const auto column = [](unsigned n) { return Place{128 * n, 4096, 64, 128}; };
  l2.touch(column(0), false, 1);
  EXPECT_EQ(l2.touch(column(1), false, 2).hits, 0u);
  EXPECT_EQ(l2.touch(column(0), false, 3).hits, 64u);
  const Place across{64, 4096, 64, 128};  // half of each
  EXPECT_EQ(l2.touch(across, false, 4).hits, 128u);
}

TEST(L2, WrittenLinesCostGmWhenTheyLeave) {
  L2Directory l2(kMiB, 0);
  EXPECT_EQ(l2.touch({0, 4096, 128, 4096}, true, 1).written_back, 0u);
  const auto other = l2.touch({64 * kMiB, 4096, 1024, 4096}, false, 2);
  EXPECT_EQ(other.written_back, 4 * 1024u);
}

TEST(L2, ALaunchThatIsLargerThanL2WritesBackAllThatItsRepetitionsWrite) {
  const auto written_back = [](bool is_warm, std::uint64_t rows) {
    L2Directory l2(kMiB, 0, is_warm);
    std::uint64_t sectors = 0;
    for (std::uint64_t n = 0; n < rows; ++n) {  // two rows are read for each one that is written
      sectors += l2.touch({n * 4096, 4096, 1, 4096}, n % 3 == 2, 1).written_back;
    }
    return sectors;
  };
  const std::uint64_t rows = 3 * 256, written = rows / 3 * 32;  // three times what L2 holds
  EXPECT_LT(written_back(false, rows), written * 3 / 4);
  EXPECT_NEAR(static_cast<double>(written_back(true, rows)), static_cast<double>(written),
              static_cast<double>(written) / 20);
  // What fits stays, and is written again the next time.
  EXPECT_EQ(written_back(true, 200), written_back(false, 200));
}

/// Sets of lists, the line used last in front: what L2Directory packs into bits.
class ListedLines {
 public:
  ListedLines(std::uint64_t bytes, Cycle miss_latency)
      : miss_latency_(miss_latency), sets_(bytes / L2Directory::kLineBytes / L2Directory::kWays) {}

  L2Directory::Touched touch(const Place& place, bool writes, Cycle now) {
    L2Directory::Touched touched;
    for (std::uint64_t row = 0; row < place.rows; ++row) {
      const std::uint64_t first = place.first + row * place.stride;
      const std::uint64_t last = first + std::max(place.row_bytes, 1U) - 1;
      for (std::uint64_t n = first / 512; n <= last / 512; ++n) {
        std::set<std::uint64_t> sectors;
        for (std::uint64_t sector = std::max(first / 128, 4 * n);
             sector <= std::min(last / 128, 4 * n + 3); ++sector)
          sectors.insert(sector);
        touch_line(n, sectors, writes, now, touched);
      }
    }
    return touched;
  }

 private:
  struct Line {
    std::uint64_t number;
    Cycle here_at;
    std::set<std::uint64_t> held, written;  // sectors
  };
  void touch_line(std::uint64_t number, const std::set<std::uint64_t>& sectors, bool writes,
                  Cycle now, L2Directory::Touched& touched) {
    std::uint64_t hash = number * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
    std::list<Line>& set = sets_[hash % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(),
                                    [number](const Line& l) { return l.number == number; });
    if (found != set.end()) {
      set.splice(set.begin(), set, found);
    } else {
      set.push_front({number, now, {}, {}});
      if (set.size() > L2Directory::kWays) {
        touched.written_back += set.back().written.size();
        set.pop_back();
      }
    }
    Line& line = set.front();
    for (const std::uint64_t sector : sectors) {
      ++touched.sectors;
      const bool misses = line.held.insert(sector).second;
      if (!misses) ++touched.hits;
      if (misses && !writes) line.here_at = now + miss_latency_;
      if (writes) line.written.insert(sector);
    }
    touched.here_at = std::max(touched.here_at, set.front().here_at);
  }

  const Cycle miss_latency_;
  std::vector<std::list<Line>> sets_;
};

TEST(L2, RandomCopiesFindWhatListsOfLinesHave) {
  std::mt19937_64 random(3);
  for (unsigned trial = 0; trial < 60; ++trial) {
    const std::uint64_t bytes = 8192 * (1 + random() % 40), span = 1 + random() % (3 * bytes);
    L2Directory l2(bytes, 100);
    ListedLines lists(bytes, 100);
    for (Cycle now = 0; now < 5000; now += random() % 20) {
      Place place;
      place.first = (random() % 3 << 40) + random() % span;
      place.rows = static_cast<std::uint32_t>(1 + random() % 6);
      place.row_bytes = static_cast<std::uint32_t>(random() % 9000);
      place.stride = random() % 5000;
      const bool writes = random() % 3 == 0;
      const auto a = l2.touch(place, writes, now), b = lists.touch(place, writes, now);
      ASSERT_EQ(std::tie(a.sectors, a.hits, a.written_back, a.here_at),
                std::tie(b.sectors, b.hits, b.written_back, b.here_at))
          << "trial " << trial << ", cycle " << now;
    }
  }
}

ResolvedOperand part(std::int64_t rows, std::int64_t columns, std::int64_t row_stride) {
  ResolvedOperand o;
  o.location = Location::kGm;
  o.element = Element::kF16;
  o.dimensions = 2;
  o.sizes = {rows, columns};
  o.strides = {row_stride, 1};
  o.first = o.address = 64;
  return o;
}

TEST(GmPlace, RowsThatTouchAreOne) {
  const std::uint64_t base = array_base("a");
  EXPECT_NE(base, array_base("b"));
  const Place apart = place_of(part(128, 64, 8192), base);
  EXPECT_EQ(apart.first, base + 64);
  EXPECT_EQ(apart.rows, 128u);
  EXPECT_EQ(apart.row_bytes, 128u);
  EXPECT_EQ(apart.stride, 16384u);
  const Place whole = place_of(part(128, 64, 64), base);
  EXPECT_EQ(whole.rows, 1u);
  EXPECT_EQ(whole.row_bytes, 128u * 128);
  EXPECT_TRUE(is_aligned(apart) && is_aligned(whole));
  EXPECT_FALSE(is_aligned(place_of(part(128, 64, 8191), base)));
  ResolvedOperand by_columns = part(64, 128, 1);  // transposed
  by_columns.strides = {1, 4096};
  EXPECT_EQ(place_of(by_columns, base).row_bytes, 128u);
  ResolvedOperand cube = part(2, 3, 100);
  cube.dimensions = 3;
  cube.sizes = {2, 3, 4};
  cube.strides = {1000, 100, 10};
  EXPECT_EQ(place_of(cube, base).rows, 0u);  // no place
}

CostConfig rates(unsigned gm, unsigned l2) {
  CostConfig c{};
  c.gm_bytes_per_cycle = gm;
  c.l2_bytes_per_cycle = l2;
  c.l2_bytes = kMiB;
  return c;
}

transfer::Transfer copy(Pipe pipe, std::uint64_t bytes) {
  transfer::Transfer t;
  t.pipe = pipe;
  t.bytes = bytes;
  t.gm_bytes = t.gm_bytes_cold = bytes;
  t.rate_limit = 100 * transfer::kRateUnit;
  t.place = {0, 0, 1, static_cast<std::uint32_t>(bytes)};
  return t;
}

/// Cycles until the answer to a transfer that starts in cycle 1000 * n; what L2 had of it.
std::pair<Cycle, std::uint64_t> time(GmCore& gm, const transfer::Transfer& t, unsigned n) {
  gm.start(t, 1000 * n);
  for (Cycle now = 1000 * n; now != kNever;) {
    const GmCore::Step& step = gm.step(now);
    if (!step.answers.empty())
      return {step.answers[0].due - 1000 * n, *step.answers[0].item.hit_bytes};
    now = step.next;
  }
  return {};
}

TEST(L2, TheSecondReadIsAsFastAsItsPath) {
  GmCore gm(rates(10, 1000));
  EXPECT_EQ(time(gm, copy(Pipe::kMte2, 5120), 1), std::make_pair(Cycle{512 + 1}, std::uint64_t{0}));
  EXPECT_EQ(time(gm, copy(Pipe::kMte2, 5120), 2),
            std::make_pair(Cycle{52 + 1}, std::uint64_t{5120}));
  EXPECT_EQ(time(gm, copy(Pipe::kMte3, 5120), 3).first, 52 + 1u);
}

TEST(L2, WhatComesFromGmIsLateAndDoesNotHoldThePath) {
  CostConfig config = rates(1000, 1000);
  config.l2_miss_latency = 300;
  GmCore gm(config);
  const auto done = [&gm](Cycle at) {
    gm.start(copy(Pipe::kMte2, 5120), at);
    gm.step(at);
    const GmCore::Step& step = gm.step(at + 52);
    EXPECT_EQ(step.answers.size(), 1u);
    return step.answers.empty() ? transfer::Done{} : step.answers[0].item;
  };
  EXPECT_EQ(done(1000).late, 300u);
  EXPECT_EQ(done(1100).late, 1000u + 300 - 1152);  // the rest of it: L2 has asked GM already
  EXPECT_EQ(done(2000).late, 0u);
}

TEST(L2, ReadsAndWritesDoNotShareItsRate) {
  GmCore gm(rates(1000, 100));
  transfer::Transfer write = copy(Pipe::kMte3, 5120);
  gm.start(copy(Pipe::kMte2, 5120), 1);
  gm.start(write, 1);
  gm.step(1);
  EXPECT_EQ(gm.step(53).answers.size(), 2u);
}

/// Loads of A and B that start one after the other, with a copy beside them or not.
Cycle mte1_busy(unsigned read_percent, unsigned write_percent, bool beside, Cycle& mte2) {
  ClusterConfig config = a2a3_config();
  config.core.cost.l1_read_percent = read_percent;
  config.core.cost.l1_write_percent = write_percent;
  Kernel k;
  if (beside) k.copy_in(128, 1024).l2_hit = 1000;
  for (int i = 0; i < 20; ++i) k.tile(Opcode::kLoadA, Pipe::kMte1, DataType::kF16, 128, 128);
  Launch launch;
  launch.ratio = LaunchRatio::k1To0;
  Bench b(config, launch);
  b.run(k, Kernel());
  mte2 = b.aic().stats(Pipe::kMte2).busy;
  return b.aic().stats(Pipe::kMte1).busy;
}

TEST(L1Port, LoadsAndCopiesSlowEachOtherDown) {
  Cycle free_copy = 0, slow_copy = 0, none = 0;
  const Cycle alone = mte1_busy(29, 76, false, none);
  const Cycle apart = mte1_busy(0, 0, true, free_copy);
  const Cycle slowed = mte1_busy(29, 76, true, slow_copy);
  EXPECT_EQ(alone, apart);
  EXPECT_GT(slowed, alone + alone / 10);  // while the copy lasts
  EXPECT_GT(slow_copy, free_copy + free_copy / 4);
  EXPECT_LT(slow_copy, 4 * free_copy);
}

}  // namespace
}  // namespace tessera::cluster::l2_test
