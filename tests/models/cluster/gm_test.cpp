// GM and L2: copies share bandwidth, accesses to words take place in the order of their cores (reference
// ascend.md 1.4).
#include "models/cluster/memory/gm_core.h"

#include <gtest/gtest.h>

#include <map>

namespace tessera::cluster {
namespace {

using transfer::Transfer;
using transfer::WordAccess;

CostConfig rates(unsigned gm, unsigned l2) {
  CostConfig c{};
  c.gm_bytes_per_cycle = gm;
  c.l2_bytes_per_cycle = l2;
  return c;
}

/// `limit`: bytes per cycle of its path. `from_gm`: bytes of it that miss L2.
Transfer transfer_of(unsigned core, std::uint64_t bytes, std::uint64_t from_gm, unsigned limit) {
  Transfer t;
  t.core = {static_cast<std::uint16_t>(core / 3), static_cast<std::uint16_t>(core % 3)};
  t.pipe = sync::Pipe::kMte2;
  t.bytes = bytes;
  t.gm_bytes = from_gm;
  t.rate_limit = limit * transfer::kRateUnit;
  return t;
}

/// Due cycles of the answers, by core.
std::map<unsigned, Cycle> run(GmCore& gm) {
  std::map<unsigned, Cycle> done;
  for (Cycle now = 1; now != kNever;) {
    const GmCore::Step& step = gm.step(now);
    for (const auto& a : step.answers) done[a.item.core.index()] = a.due;
    now = step.next;
  }
  return done;
}

TEST(Gm, ALoneTransferIsAsFastAsItsPath) {
  GmCore gm(rates(1000, 1000));
  gm.start(transfer_of(0, 6400, 6400, 64), 1);
  EXPECT_EQ(run(gm).at(0), 1 + 100 + 1u);
}

TEST(Gm, MaxMinFairness) {
  // 100 B per cycle of GM: one path takes 20, the other three share the rest: 26 each. When they are
  // done nobody is faster, the first one is limited by its path.
  GmCore gm(rates(100, 1000));
  gm.start(transfer_of(0, 20'000, 20'000, 20), 1);
  for (unsigned core = 1; core < 4; ++core) gm.start(transfer_of(core, 8000, 8000, 64), 1);
  const auto done = run(gm);
  EXPECT_EQ(done.at(0), 1 + 1000 + 1u);
  for (unsigned core = 1; core < 4; ++core)
    EXPECT_NEAR(static_cast<double>(done.at(core)), 2 + 8000 / (80 / 3.0), 1);
}

TEST(Gm, TheRestIsFasterWhenOneIsDone) {
  GmCore gm(rates(100, 1000));
  gm.start(transfer_of(0, 5000, 5000, 100), 1);
  gm.start(transfer_of(1, 10'000, 10'000, 100), 1);
  const auto done = run(gm);
  EXPECT_EQ(done.at(0), 1 + 100 + 1u);  // 50 each
  EXPECT_EQ(done.at(1), 1 + 150 + 1u);  // then 100
}

TEST(Gm, L2HitsDoNotUseGm) {
  GmCore gm(rates(10, 200));
  gm.start(transfer_of(0, 10'000, 0, 100), 1);
  gm.start(transfer_of(1, 1000, 1000, 100), 1);
  const auto done = run(gm);
  EXPECT_EQ(done.at(0), 1 + 100 + 1u);
  EXPECT_EQ(done.at(1), 1 + 100 + 1u);
}

TEST(Gm, L2IsSharedToo) {
  GmCore gm(rates(1000, 100));
  for (unsigned core = 0; core < 4; ++core) gm.start(transfer_of(core, 2500, 0, 100), 1);
  for (const auto& [core, due] : run(gm)) EXPECT_EQ(due, 1 + 100 + 1u) << core;
}

TEST(Gm, AWordIsAnsweredItsLatencyLater) {
  GmCore gm(rates(1000, 1000));
  Transfer store;
  store.core = {0, 1};
  store.access = WordAccess::kStore;
  store.address = 5;
  store.value = 9;
  store.latency = 20;
  gm.start(store, 3);
  for (const std::uint16_t unit : {0, 2}) {  // before and after the store of that cycle
    Transfer load;
    load.core = {0, unit};
    load.access = WordAccess::kLoad;
    load.address = 5;
    load.latency = 100;
    gm.start(load, 3);
  }
  std::map<unsigned, std::pair<std::int64_t, Cycle>> answers;
  for (const auto& a : gm.step(3).answers)
    answers[a.item.core.index()] = {a.item.value, a.due};
  EXPECT_EQ(answers.at(0), std::make_pair(std::int64_t{0}, Cycle{103}));
  EXPECT_EQ(answers.at(1), std::make_pair(std::int64_t{0}, Cycle{23}));
  EXPECT_EQ(answers.at(2), std::make_pair(std::int64_t{9}, Cycle{103}));
  EXPECT_TRUE(gm.idle());
  EXPECT_EQ(gm.word(5), 9);
}

TEST(Gm, AdditionsOfOneCycleAllCount) {
  GmCore gm(rates(1000, 1000));
  for (unsigned core = 0; core < 6; ++core) {
    Transfer add;
    add.core = {static_cast<std::uint16_t>(core / 3), static_cast<std::uint16_t>(core % 3)};
    add.access = WordAccess::kAdd;
    add.value = 1 << core;
    gm.start(add, 3);
  }
  std::vector<std::int64_t> before;
  for (const auto& a : gm.step(3).answers) before.push_back(a.item.value);
  EXPECT_EQ(gm.word(0), 63);
  EXPECT_EQ(before, (std::vector<std::int64_t>{0, 1, 3, 7, 15, 31}));  // by core
}

}  // namespace
}  // namespace tessera::cluster
