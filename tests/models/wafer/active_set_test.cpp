// The wheel of due units: every unit is visited in its cycle, once, in rising order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "models/wafer/units/units.h"

namespace tessera::wafer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ActiveSet set_of(std::size_t units) {
  ActiveSet set;
  set.resize(units);
  return set;
}

std::vector<std::uint32_t> taken(ActiveSet& set, Cycle now) {
  std::vector<std::uint32_t> units;
  set.take(now, [&](std::uint32_t unit) { units.push_back(unit); });
  return units;
}

TEST(WaferActiveSet, VisitsUnitsInRisingOrder) {
  ActiveSet set = set_of(200000);
  for (std::uint32_t unit : {199999U, 0U, 4096U, 63U, 64U, 4095U, 131072U}) set.insert(unit, 5);
  EXPECT_THAT(taken(set, 5), ElementsAre(0, 63, 64, 4095, 4096, 131072, 199999));
}

TEST(WaferActiveSet, ForgetsWhatItHasVisited) {
  ActiveSet set = set_of(100);
  set.insert(7, 5);
  set.insert(7, 5);  // twice is once
  EXPECT_THAT(taken(set, 5), ElementsAre(7));
  EXPECT_THAT(taken(set, 5), IsEmpty());
  EXPECT_THAT(taken(set, 5 + ActiveSet::kHorizon), IsEmpty());
}

TEST(WaferActiveSet, KeepsCyclesApart) {
  ActiveSet set = set_of(100);
  set.insert(1, 10);
  set.insert(2, 11);
  set.insert(1, 11);
  EXPECT_THAT(taken(set, 9), IsEmpty());
  EXPECT_THAT(taken(set, 10), ElementsAre(1));
  EXPECT_THAT(taken(set, 11), ElementsAre(1, 2));
}

TEST(WaferActiveSet, ReachesToTheEndOfItsHorizon) {
  constexpr Cycle kNow = 1000;
  ActiveSet set = set_of(70);
  for (Cycle ahead = 1; ahead < ActiveSet::kHorizon; ++ahead)
    set.insert(static_cast<std::uint32_t>(ahead), kNow + ahead);
  for (Cycle ahead = 1; ahead < ActiveSet::kHorizon; ++ahead) {
    EXPECT_EQ(set.next_due(kNow + ahead - 1), kNow + ahead);
    EXPECT_THAT(taken(set, kNow + ahead), ElementsAre(ahead));
  }
  EXPECT_EQ(set.next_due(kNow + ActiveSet::kHorizon), kNever);
}

TEST(WaferActiveSet, NextDueFindsEveryDistanceFromEveryCycle) {
  for (Cycle now = 500; now < 500 + 2 * ActiveSet::kHorizon; ++now) {
    for (Cycle ahead = 1; ahead < ActiveSet::kHorizon; ++ahead) {
      ActiveSet set = set_of(1);
      set.insert(0, now + ahead);
      ASSERT_EQ(set.next_due(now), now + ahead) << "now " << now << ", ahead " << ahead;
    }
  }
}

TEST(WaferActiveSet, NothingIsDueInAnIdleSet) {
  ActiveSet set = set_of(100);
  EXPECT_EQ(set.next_due(0), kNever);
  set.insert(99, 63);
  EXPECT_EQ(set.next_due(0), 63U);
  taken(set, 63);
  EXPECT_EQ(set.next_due(63), kNever);
}

TEST(WaferActiveSet, GoesOnAfterALongRest) {
  ActiveSet set = set_of(100);
  set.insert(3, 10);
  taken(set, 10);
  set.insert(4, 1000007);
  EXPECT_EQ(set.next_due(1000000), 1000007U);
  EXPECT_THAT(taken(set, 1000007), ElementsAre(4));
}

TEST(WaferActiveSet, AVisitMayInsertForLaterCycles) {
  ActiveSet set = set_of(200);
  set.insert(10, 20);
  set.insert(150, 20);
  std::vector<std::uint32_t> units;
  set.take(20, [&](std::uint32_t unit) {
    units.push_back(unit);
    set.insert(unit, 21);
    set.insert(199 - unit, 20 + ActiveSet::kHorizon - 1);
  });
  EXPECT_THAT(units, ElementsAre(10, 150));
  EXPECT_EQ(set.next_due(20), 21U);
  EXPECT_THAT(taken(set, 21), ElementsAre(10, 150));
  EXPECT_EQ(set.next_due(21), 83U);
  EXPECT_THAT(taken(set, 83), ElementsAre(49, 189));
}

TEST(WaferActiveSet, ResizeForgetsEverything) {
  ActiveSet set = set_of(100);
  set.insert(50, 5);
  set.resize(10);
  EXPECT_EQ(set.next_due(4), kNever);
  EXPECT_THAT(taken(set, 5), IsEmpty());
}

TEST(WaferActiveSetRow, InsertsAsTheSetDoes) {
  ActiveSet set = set_of(10000);
  set.insert(9999, 70);
  {
    ActiveSet::Row row(set, 70);
    row.insert(64);
    row.insert(0);
    row.insert(64);
  }
  EXPECT_EQ(set.next_due(69), 70U);
  EXPECT_THAT(taken(set, 70), ElementsAre(0, 64, 9999));
}

TEST(WaferActiveSetRow, WithoutAnInsertNothingIsDue) {
  ActiveSet set = set_of(10);
  { ActiveSet::Row row(set, 70); }
  EXPECT_EQ(set.next_due(69), kNever);
}

TEST(WaferActiveSetRow, OfASetWithoutUnits) {
  ActiveSet set = set_of(0);
  { ActiveSet::Row row(set, 63); }
  EXPECT_EQ(set.next_due(0), kNever);
  EXPECT_THAT(taken(set, 63), IsEmpty());
}

TEST(WaferActiveSetRow, SeveralAtOnceWhileUnitsAreVisited) {
  ActiveSet set = set_of(130);
  for (std::uint32_t unit = 0; unit < 130; ++unit) set.insert(unit, 3);
  {
    ActiveSet::Row next(set, 4);
    ActiveSet::Row later(set, 8);
    set.take(3, [&](std::uint32_t unit) { (unit % 2 == 0 ? next : later).insert(unit); });
  }
  EXPECT_EQ(taken(set, 4).size(), 65U);
  EXPECT_EQ(set.next_due(4), 8U);
  EXPECT_EQ(taken(set, 8).size(), 65U);
}

// Against a map of sets, as a wafer uses it: time goes on to what is due next.
void run_against_a_map(std::uint32_t units, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ActiveSet set = set_of(units);
  std::map<Cycle, std::set<std::uint32_t>> expected;
  const auto insert = [&](Cycle now) {
    const auto unit = static_cast<std::uint32_t>(random() % units);
    const Cycle at = now + 1 + random() % (ActiveSet::kHorizon - 1);
    if (random() % 2 == 0) {
      set.insert(unit, at);
    } else {
      ActiveSet::Row(set, at).insert(unit);
    }
    expected[at].insert(unit);
  };
  Cycle now = random() % 1000;
  for (int round = 0; round < 1000; ++round) {
    for (std::uint64_t n = random() % 8; n > 0; --n) insert(now);
    ASSERT_EQ(set.next_due(now), expected.empty() ? kNever : expected.begin()->first);
    if (expected.empty()) {
      now += random() % 5000;
      continue;
    }
    now = expected.begin()->first;
    std::set<std::uint32_t> found = expected.begin()->second;
    expected.erase(expected.begin());
    for (const std::uint32_t unit : taken(set, now)) {
      ASSERT_FALSE(found.empty());
      ASSERT_EQ(unit, *found.begin()) << "cycle " << now;
      found.erase(found.begin());
    }
    ASSERT_TRUE(found.empty());
  }
}

TEST(WaferActiveSet, AgreesWithAMapOfSets) {
  for (const std::uint32_t units : {1U, 2U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 200000U}) {
    SCOPED_TRACE(std::to_string(units) + " units");
    run_against_a_map(units, units);
  }
}

}  // namespace
}  // namespace tessera::wafer
