// The parts of the routers: candidate sets, turns and arbiters, credits, input buffers, and the
// route table with its one cycle of history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "models/fabric/head_routing.h"
#include "models/fabric/route_table.h"
#include "models/fabric/sender.h"

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

// Large structures keep a Turn for each port and rank the requests themselves.
TEST(Turn, TheLowestRankIsWhomTheArbiterGrants) {
  std::mt19937 random(1);
  for (const Arbitration rule : {Arbitration::kRoundRobin, Arbitration::kFixed}) {
    Arbiter arbiter(rule);
    Turn turn;
    for (unsigned i = 0; i < 1000; ++i) {
      CandidateSet requests = set_of({static_cast<unsigned>(random() % CandidateSet::kSize)});
      for (unsigned more = random() % 4; more > 0; --more)
        requests.insert(random() % CandidateSet::kSize);
      unsigned winner = 0;
      unsigned best = CandidateSet::kSize;
      requests.for_each([&](unsigned n) {
        if (turn.rank(n) >= best) return;
        best = turn.rank(n);
        winner = n;
      });
      turn.take(winner, rule);
      ASSERT_EQ(arbiter.grant(requests), winner);
    }
  }
}

TEST(InputBuffers, RefuseWhatHasNoRoom) {
  InputBuffers buffers;
  buffers.add(Direction::kWest, Color(3), 1);
  link::Wavelet w;
  w.color = Color(3);
  w.control = true;
  EXPECT_FALSE(buffers.put(Direction::kEast, w, 1));
  EXPECT_TRUE(buffers.put(Direction::kWest, w, 1));
  EXPECT_FALSE(buffers.put(Direction::kWest, w, 2));
  EXPECT_EQ(buffers.held(), 1U);
  EXPECT_EQ(buffers.controls_held(), 1U);
  const unsigned pair = InputBuffers::pair_of(Direction::kWest, Color(3));
  EXPECT_EQ(buffers.occupied().only(), pair);
  buffers.remove_head(buffers[pair]);
  EXPECT_TRUE(buffers.occupied().empty());
  EXPECT_EQ(buffers.controls_held(), 0U);
}

TEST(RouteTable, ReadersSeeTheRouteAtTheEndOfTheCycleBefore) {
  RouteTable routes(FabricTiming(), {});
  ColorRoute route;
  for (unsigned p = 0; p < 3; ++p)
    route.positions[p] = {{Direction::kWest}, {Direction::kEast}, true};
  routes.configure(Color(2), route);
  RouteTable::Channel& channel = routes.at(Color(2));
  for (const unsigned position : {1U, 2U}) {  // two changes in cycle 5
    route.current = position;
    routes.rewrite(channel, route, 5);
  }
  EXPECT_EQ(channel.route.current, 2U);
  EXPECT_EQ(routes.route_before(channel, 5).current, 0U);
  EXPECT_EQ(routes.route_before(channel, 6).current, 2U);
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
