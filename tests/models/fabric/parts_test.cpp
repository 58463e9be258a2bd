// The parts of the routers: candidate sets and arbiters, credits, fixed lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "models/fabric/arbiter.h"
#include "models/fabric/credits.h"

namespace tessera::fabric {
namespace {

using ::testing::ElementsAre;

CandidateSet set_of(std::initializer_list<unsigned> members) {
  CandidateSet set;
  for (unsigned m : members) set.insert(m);
  return set;
}

std::vector<unsigned> grants(Arbiter& arbiter, const CandidateSet& requests, unsigned count) {
  std::vector<unsigned> winners;
  for (unsigned i = 0; i < count; ++i) winners.push_back(arbiter.grant(requests).value_or(999));
  return winners;
}

TEST(CandidateSet, FindsMembersInBothWords) {
  const CandidateSet set = set_of({3, 63, 64, 119});
  EXPECT_EQ(set.first_from(0), 3U);
  EXPECT_EQ(set.first_from(3), 3U);
  EXPECT_EQ(set.first_from(4), 63U);
  EXPECT_EQ(set.first_from(64), 64U);
  EXPECT_EQ(set.first_from(65), 119U);
  EXPECT_EQ(set.first_from(120), std::nullopt);
  EXPECT_EQ(set.first_from(CandidateSet::kSize), std::nullopt);
}

TEST(CandidateSet, VisitsMembersInRisingOrderAndForgetsErasedOnes) {
  CandidateSet set = set_of({119, 64, 3});
  set.erase(64);
  std::vector<unsigned> seen;
  set.for_each([&](unsigned n) { seen.push_back(n); });
  EXPECT_THAT(seen, ElementsAre(3, 119));
  EXPECT_FALSE(set.contains(64));
}

TEST(Arbiter, RoundRobinServesEveryCandidateInTurn) {
  Arbiter arbiter(Arbitration::kRoundRobin);
  EXPECT_THAT(grants(arbiter, set_of({2, 70, 127}), 7), ElementsAre(2, 70, 127, 2, 70, 127, 2));
}

TEST(Arbiter, RoundRobinPointerMovesOnlyOnAGrant) {
  Arbiter arbiter(Arbitration::kRoundRobin);
  EXPECT_THAT(grants(arbiter, set_of({4, 5}), 1), ElementsAre(4));
  EXPECT_EQ(arbiter.grant({}), std::nullopt);
  EXPECT_THAT(grants(arbiter, set_of({4, 5}), 1), ElementsAre(5));
}

TEST(Arbiter, FixedServesTheLowestNumber) {
  Arbiter arbiter(Arbitration::kFixed);
  EXPECT_THAT(grants(arbiter, set_of({100, 7, 8}), 3), ElementsAre(7, 7, 7));
}

TEST(Credits, ComeBackInTheCycleTheyAreDueInWhateverTheOrder) {
  Credits credits(1);
  credits.set_capacity(0, 3);
  for (int i = 0; i < 3; ++i) credits.take(0);
  ASSERT_TRUE(credits.give_back(0, 9));
  ASSERT_TRUE(credits.give_back(0, 4));
  EXPECT_EQ(credits.next_due(), 4U);
  credits.settle(3);
  EXPECT_EQ(credits.usable(0), 0U);
  credits.settle(4);
  EXPECT_EQ(credits.usable(0), 1U);
  EXPECT_EQ(credits.owned(0), 2U);
  credits.settle(9);
  EXPECT_EQ(credits.usable(0), 2U);
  EXPECT_EQ(credits.next_due(), kNever);
}

TEST(Credits, RefuseMoreThanWereTaken) {
  Credits credits(1);
  credits.set_capacity(0, 2);
  EXPECT_FALSE(credits.give_back(0, 1));
  credits.take(0);
  EXPECT_TRUE(credits.give_back(0, 1));
  EXPECT_FALSE(credits.give_back(0, 2));
  EXPECT_EQ(credits.owned(0), 2U);
}

}  // namespace
}  // namespace tessera::fabric
