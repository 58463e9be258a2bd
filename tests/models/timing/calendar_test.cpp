// Calendar (docs/architecture.md#time): no wake-up is lost, none comes early, near or far.
#include "models/timing/calendar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace tessera::timing {
namespace {

std::vector<BlockId> take(Calendar& calendar, Cycle now) {
  std::vector<BlockId> due = {99};  // take() clears what was there
  calendar.take(now, due);
  return due;
}

using Blocks = std::vector<BlockId>;

TEST(Calendar, EmptyIsNeverDue) {
  EXPECT_EQ(Calendar().next_due(), kNever);
}

TEST(Calendar, CycleZeroIsDueAtOnce) {
  Calendar calendar;
  calendar.insert(4, 0);
  EXPECT_EQ(calendar.next_due(), 0u);
  EXPECT_EQ(take(calendar, 0), Blocks{4});
  EXPECT_EQ(calendar.next_due(), kNever);
}

TEST(Calendar, NearWakeUpsComeInOrderOfCycles) {
  Calendar calendar;
  calendar.insert(1, 30);
  calendar.insert(2, 10);
  calendar.insert(3, 255);
  EXPECT_EQ(calendar.next_due(), 10u);
  EXPECT_EQ(take(calendar, 10), Blocks{2});
  EXPECT_EQ(calendar.next_due(), 30u);
  EXPECT_EQ(take(calendar, 30), Blocks{1});
  EXPECT_EQ(calendar.next_due(), 255u);
  EXPECT_EQ(take(calendar, 255), Blocks{3});
}

TEST(Calendar, FarWakeUpAloneIsFound) {
  Calendar calendar;
  calendar.insert(1, 1'000'000'007);
  EXPECT_EQ(calendar.next_due(), 1'000'000'007u);
  EXPECT_EQ(take(calendar, 1'000'000'007), Blocks{1});
  EXPECT_EQ(calendar.next_due(), kNever);
}

TEST(Calendar, FarWakeUpMovesIntoTheRingBehindNearOnes) {
  Calendar calendar;
  calendar.insert(1, 300);  // outside the ring of 256 cycles
  calendar.insert(2, 100);
  EXPECT_EQ(take(calendar, 100), Blocks{2});
  calendar.insert(3, 200);  // nearer than the far one
  EXPECT_EQ(calendar.next_due(), 200u);
  EXPECT_EQ(take(calendar, 200), Blocks{3});
  EXPECT_EQ(take(calendar, 300), Blocks{1});
}

TEST(Calendar, FirstCycleOutsideTheRingIsNotTakenForTheBaseCycle) {
  // Cycles 0 and 256 share a bucket.
  for (const Cycle base : {Cycle{0}, Cycle{63}, Cycle{64}, Cycle{200}, Cycle{255}, Cycle{256}}) {
    Calendar calendar;
    calendar.insert(1, base);
    take(calendar, base);
    calendar.insert(2, base + 256);
    calendar.insert(3, base + 255);
    EXPECT_EQ(calendar.next_due(), base + 255) << base;
    EXPECT_EQ(take(calendar, base + 255), Blocks{3}) << base;
    EXPECT_EQ(calendar.next_due(), base + 256) << base;
    EXPECT_EQ(take(calendar, base + 256), Blocks{2}) << base;
  }
}

TEST(Calendar, RingWrapsInsideOneWordOfBits) {
  Calendar calendar;
  calendar.insert(1, 40);
  take(calendar, 40);
  calendar.insert(2, 256 + 5);  // bucket 5, below bucket 40 in the same word
  EXPECT_EQ(calendar.next_due(), 261u);
  EXPECT_EQ(take(calendar, 261), Blocks{2});
}

TEST(Calendar, SameCycleTwiceIsKeptTwice) {
  Calendar calendar;
  calendar.insert(7, 12);
  calendar.insert(8, 12);
  calendar.insert(7, 12);
  EXPECT_EQ(take(calendar, 12), (Blocks{7, 8, 7}));
  EXPECT_EQ(calendar.next_due(), kNever);
}

TEST(Calendar, OneBlockInManyCyclesIsNotMerged) {
  Calendar calendar;
  for (const Cycle at : {5, 6, 700, 5000}) calendar.insert(1, at);
  for (const Cycle at : {5, 6, 700, 5000}) {
    ASSERT_EQ(calendar.next_due(), at);
    EXPECT_EQ(take(calendar, at), Blocks{1});
  }
}

TEST(Calendar, TakingACycleInWhichNothingIsDueKeepsTheRest) {
  Calendar calendar;
  calendar.insert(1, 20);
  EXPECT_EQ(take(calendar, 5), Blocks{});
  EXPECT_EQ(take(calendar, 20), Blocks{1});
}

TEST(Calendar, InsertForTheCycleBeingTakenIsDueAgain) {
  Calendar calendar;
  calendar.insert(1, 20);
  take(calendar, 20);
  calendar.insert(2, 20);
  EXPECT_EQ(calendar.next_due(), 20u);
  EXPECT_EQ(take(calendar, 20), Blocks{2});
}

TEST(Calendar, WorksNearTheLastCycle) {
  Calendar calendar;
  calendar.insert(1, kNever - 1);
  calendar.insert(2, kNever - 300);
  EXPECT_EQ(take(calendar, kNever - 300), Blocks{2});
  EXPECT_EQ(calendar.next_due(), kNever - 1);
  EXPECT_EQ(take(calendar, kNever - 1), Blocks{1});
}

/// The calendar and a std::multimap, driven by the same operations.
class Twins {
 public:
  explicit Twins(std::uint64_t seed) : random_(seed) {}

  void insert() {
    // Distances that land in the ring, around its end, and far away.
    static constexpr std::array<Cycle, 5> kReach = {1, 8, 256, 600, 100'000};
    const Cycle reach = kReach[random_() % kReach.size()];
    const Cycle at = now_ + random_() % (reach + 1);
    const auto block = static_cast<BlockId>(random_() % 50);
    calendar_.insert(block, at);
    reference_.emplace(at, block);
  }
  void take_next() {
    if (reference_.empty()) {
      EXPECT_EQ(calendar_.next_due(), kNever);
      return;
    }
    const Cycle due = reference_.begin()->first;
    ASSERT_EQ(calendar_.next_due(), due);
    now_ = due;
    std::vector<BlockId> expected;
    const auto range = reference_.equal_range(due);
    for (auto it = range.first; it != range.second; ++it) expected.push_back(it->second);
    reference_.erase(range.first, range.second);
    std::vector<BlockId> taken;
    calendar_.take(due, taken);
    std::sort(expected.begin(), expected.end());
    std::sort(taken.begin(), taken.end());
    ASSERT_EQ(taken, expected) << "cycle " << due;
  }
  void take_nothing() {
    if (reference_.empty() || reference_.begin()->first <= now_) return;
    now_ += random_() % (reference_.begin()->first - now_);
    std::vector<BlockId> taken;
    calendar_.take(now_, taken);
    ASSERT_TRUE(taken.empty()) << "cycle " << now_;
  }
  std::uint64_t draw() { return random_(); }
  std::size_t size() const { return reference_.size(); }

 private:
  Calendar calendar_;
  std::multimap<Cycle, BlockId> reference_;
  Cycle now_ = 0;
  std::mt19937_64 random_;
};

TEST(Calendar, AgreesWithAMultimapOver100000RandomOperations) {
  Twins twins(20240601);
  std::size_t fullest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t die = twins.draw() % 100;
    // Phases of filling and of draining.
    const std::uint64_t inserts = (i / 5000) % 2 == 0 ? 70 : 30;
    if (die < inserts) {
      twins.insert();
    } else if (die < 97) {
      twins.take_next();
    } else {
      twins.take_nothing();
    }
    fullest = std::max(fullest, twins.size());
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(fullest, 200u);  // the test has been where it wants to be
}

}  // namespace
}  // namespace tessera::timing
