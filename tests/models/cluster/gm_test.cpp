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

/// A store that hits L2 in full and pushes out as many written bytes, beside a read of bytes that miss.
std::map<unsigned, Cycle> store_beside_read(unsigned may_wait) {
  CostConfig costs = rates(100, 1000);
  costs.l2_bytes = 1U << 20U;
  costs.gm_write_back_bytes = may_wait;
  GmCore gm(costs);
  const auto at = [](Transfer t, std::uint64_t first, bool writes) {
    t.gm_bytes = t.gm_bytes_cold = t.bytes;
    t.place = {first, t.bytes, 1, static_cast<std::uint32_t>(t.bytes)};
    if (writes) t.pipe = sync::Pipe::kMte3;
    return t;
  };
  gm.start(at(transfer_of(0, 1U << 20U, 0, 1000), 0, true), 1);  // L2 is full of what it has written
  run(gm);
  const Cycle begin = 100'000;
  gm.start(at(transfer_of(0, 102'400, 0, 1000), 1U << 22U, true), begin);
  gm.start(at(transfer_of(1, 102'400, 0, 1000), 1U << 23U, false), begin);
  std::map<unsigned, Cycle> done;
  for (Cycle now = begin; now != kNever;) {
    const GmCore::Step& step = gm.step(now);
    for (const auto& a : step.answers) done[a.item.core.index()] = a.due - begin;
    now = step.next;
  }
  return done;
}

TEST(Gm, StoresDoNotWaitForWhatTheyPushOutOfL2) {
  // The read misses 102,400 bytes, and both push out as many: 307,200 bytes of GM in all. If what is pushed out may
  // wait, GM gives it half of its bandwidth, and the read the other half.
  const auto behind = store_beside_read(1U << 20U);
  EXPECT_EQ(behind.at(0), 102'400 / 1000 + 2U);
  EXPECT_NEAR(static_cast<double>(behind.at(1)), 102'400 / 50., 20);
  const auto own = store_beside_read(0);
  EXPECT_GT(own.at(0), 1500U);
  EXPECT_GT(own.at(1), behind.at(1));
}

TEST(Gm, WhatMayWaitIsLimited) {
  EXPECT_GT(store_beside_read(51'200).at(0), store_beside_read(1U << 20U).at(0) + 500);
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
