// Causes of a deadlock: ends first, then rings, then those at rest, then by distance; equal waits are one group.
#include "models/observe/wait_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::wait_causes_test {
namespace {

using observe::Flows;
using observe::Help;
using observe::Resource;
using observe::Wait;
using observe::WaitCauses;
using observe::WaitGroup;
using observe::Waits;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Resource::Kind;
using Part = WaitGroup::Part;

constexpr std::uint8_t kRamp = 4, kWest = 0, kEast = 1;

Resource at(std::uint32_t place, Kind kind, std::uint8_t number = 0,
            std::uint8_t color = Resource::kAny, std::uint8_t side = Resource::kAny) {
  return {kind, number, color, side, place};
}

/// A row of PEs along which color 2 goes east. `sources` send it.
class Row final : public Flows {
 public:
  explicit Row(std::vector<std::uint32_t> sources) : sources_(std::move(sources)) {}
  Upstream upstream(const Resource& wavelet) const override {
    Upstream found;
    if (wavelet.color != 2) return found;
    for (const std::uint32_t source : sources_) found.from_pe |= source == wavelet.place;
    if (wavelet.place > 0)
      found.before.push_back(at(wavelet.place - 1, Kind::kWavelet, 0, 2, kEast));
    return found;
  }
  Resource beyond(const Resource& output) const override {
    if (output.side == kRamp) return at(output.place, Kind::kInput, 0, output.color);
    return at(output.place + 1, Kind::kBuffer, 0, output.color, kWest);
  }

 private:
  std::vector<std::uint32_t> sources_;
};

std::string name_of(std::uint32_t place) {
  return "PE " + std::to_string(place);
}

/// The main thread of a PE waits for a wavelet of `color`, after `done` elements.
Wait receiver(std::uint32_t place, std::uint8_t color, unsigned done = 0) {
  const std::string what = "a wavelet of color " + std::to_string(color);
  return {place,
          "main thread",
          what + "; " + std::to_string(done) + " of 9",
          true,
          false,
          what.size(),
          0,
          {at(place, Kind::kWavelet, 0, color, kRamp)},
          at(place, Kind::kThread, Resource::kMain)};
}
/// A router that has no room for color 2 to the east.
Wait router(std::uint32_t place, bool nobody_takes_it) {
  return {place,
          "router",
          nobody_takes_it ? "a receiver" : "room",
          true,
          false,
          std::string::npos,
          0,
          {at(place, nobody_takes_it ? Kind::kNever : Kind::kBuffer, Resource::kBeyond, 2, kEast)},
          at(place, Kind::kBuffer, 0, 2, kWest)};
}

WaitCauses causes_of(const std::vector<Wait>& lines, const Flows& flows, Help help = Help::kNone,
                     Waits waits = {}) {
  for (const Wait& line : lines) waits.push_back(line);
  return observe::find_causes(waits, &flows, help, name_of);
}

std::vector<Part> parts(const WaitCauses& causes) {
  std::vector<Part> found;
  for (const WaitGroup& group : causes.groups) found.push_back(group.part);
  return found;
}

TEST(WaitCauses, TheEndOfAChainComesFirst) {
  std::vector<Wait> lines;
  for (std::uint32_t place = 0; place < 30; ++place) lines.push_back(router(place, false));
  lines.push_back(router(30, true));
  const WaitCauses causes = causes_of(lines, Row({0}));
  ASSERT_THAT(parts(causes), ElementsAre(Part::kNever, Part::kFollows));
  EXPECT_EQ(causes.groups[0].first, 30U);
  EXPECT_EQ(causes.groups[1].first, 29U) << "the one nearest to the cause is the example";
  EXPECT_EQ(causes.groups[1].count, 30U);
  EXPECT_EQ(causes.places_that_follow, 30U);
  EXPECT_EQ(causes.order.front(), 30U);
  EXPECT_EQ(causes.order.back(), 0U);
}

TEST(WaitCauses, BlockedTasksOfOnePeMayBeUnblockedByALaunch) {
  const auto blocked = [](const char* task) {
    return Wait{0,
                task,
                "being unblocked: it is active but blocked",
                true,
                false,
                std::string::npos,
                0,
                {at(0, Kind::kPeer, Resource::kMain)},
                at(0, Kind::kThread, Resource::kMain)};
  };
  const std::vector<Wait> lines = {blocked("task a"), blocked("task b")};
  EXPECT_FALSE(causes_of(lines, Row({0}), Help::kHost).is_hopeless);
  EXPECT_TRUE(causes_of(lines, Row({0}), Help::kNone).is_hopeless);
}

TEST(WaitCauses, AColorThatNobodySendsIsAnEnd) {
  const WaitCauses causes = causes_of({receiver(0, 2), receiver(4, 3)}, Row({0, 4}), Help::kHost);
  ASSERT_EQ(causes.groups.size(), 2U);
  EXPECT_EQ(causes.groups[0].part, Part::kNever);
  EXPECT_EQ(causes.groups[0].first, 1U);
  EXPECT_EQ(causes.groups[0].why, "no PE sends color 3 to it");
  EXPECT_TRUE(causes.is_hopeless);
}

TEST(WaitCauses, ThoseWithNothingLeftToDoAreNamed) {
  const std::vector<Wait> lines = {receiver(3, 2, 5), receiver(6, 2, 4)};
  const WaitCauses causes = causes_of(lines, Row({1}));
  ASSERT_THAT(parts(causes), ElementsAre(Part::kRest))
      << "one group, although they have come to other elements";
  EXPECT_EQ(causes.groups[0].count, 2U);
  EXPECT_EQ(causes.groups[0].first, 0U);
  EXPECT_THAT(causes.groups[0].why, HasSubstr("PE 1, which sends color 2 to it"));
}

TEST(WaitCauses, AHostMayStartThoseAtRestAgain) {
  const std::vector<Wait> lines = {receiver(3, 2)};
  EXPECT_TRUE(causes_of(lines, Row({1})).is_hopeless);
  const WaitCauses causes = causes_of(lines, Row({1}), Help::kHost);
  EXPECT_FALSE(causes.is_hopeless);
  EXPECT_EQ(causes.causes, 0U);
}

TEST(WaitCauses, PesThatWaitForEachOtherAreARing) {
  // 0 lacks a task that only its blocked main thread could unblock, and the other way round.
  const Wait main{0,
                  "main",
                  "data in FIFO f",
                  true,
                  false,
                  std::string::npos,
                  0,
                  {at(0, Kind::kPeer)},
                  at(0, Kind::kThread, Resource::kMain)};
  const Wait other{0, "microthread 2",      "room in FIFO g",       true, false, std::string::npos,
                   0, {at(0, Kind::kPeer)}, at(0, Kind::kThread, 2)};
  for (const Help help : {Help::kNone, Help::kHost}) {
    const WaitCauses causes = causes_of({main, other, receiver(3, 2)}, Row({0}), help);
    ASSERT_THAT(parts(causes), ElementsAre(Part::kRing, Part::kRing, Part::kFollows));
    EXPECT_EQ(causes.groups[0].ring.size(), 2U);
    EXPECT_THAT(causes.groups[0].why, HasSubstr("a ring"));
    EXPECT_TRUE(causes.is_hopeless);
  }
}

TEST(WaitCauses, ANonBlockingWaitIsACauseIfOneThatBlocksDependsOnIt) {
  const Wait blocked{
      5, "data task t",        "being unblocked",      false, true, std::string::npos,
      0, {at(5, Kind::kPeer)}, at(5, Kind::kReader, 3)};
  const Wait unread{5, "input queue 3",           "a reader: 4 of 4",       false, false, 8,
                    0, {at(5, Kind::kReader, 3)}, at(5, Kind::kInput, 0, 2)};
  const Wait full{5,
                  "router",
                  "room at RAMP",
                  true,
                  false,
                  std::string::npos,
                  0,
                  {at(5, Kind::kBuffer, Resource::kBeyond, 2, kRamp)},
                  at(5, Kind::kBuffer, 0, 2, kWest)};
  const WaitCauses alone = causes_of({blocked, unread}, Row({0}));
  EXPECT_THAT(parts(alone), ElementsAre(Part::kUnread, Part::kIdle));
  EXPECT_FALSE(alone.is_hopeless);
  const WaitCauses causes = causes_of({full, unread, blocked}, Row({0}));
  ASSERT_THAT(parts(causes), ElementsAre(Part::kNever, Part::kFollows, Part::kFollows));
  EXPECT_EQ(causes.groups[0].first, 2U);
}

TEST(WaitCauses, WaitsOfWhichOnlyTheNumberIsKeptAreInGroups) {
  std::vector<Wait> lines;
  for (std::uint32_t place = 0; place < 50; ++place) lines.push_back(router(place, place == 49));
  const WaitCauses causes = causes_of(lines, Row({0}), Help::kNone, Waits(10));
  ASSERT_EQ(causes.groups.size(), 2U);
  EXPECT_EQ(causes.groups[0].first, 49U)
      << "the cause is found beyond those that are kept in words";
  EXPECT_EQ(causes.groups[1].count, 49U);
}

TEST(WaitCauses, WithoutFlowsTheOrderStays) {
  Waits waits;
  waits.push_back({7, "pipe V", "a flag", true});
  waits.push_back({3, "pipe S", "room", true});
  waits.push_back({4, "pipe V", "a flag", true});
  const WaitCauses causes = observe::find_causes(waits, nullptr, Help::kNone, name_of);
  ASSERT_EQ(causes.groups.size(), 2U);
  EXPECT_EQ(causes.groups[0].count, 2U);
  EXPECT_EQ(causes.groups[0].first, 0U);
  EXPECT_THAT(causes.order, ElementsAre(0U, 2U, 1U));
  EXPECT_EQ(causes.causes, 0U);
}

}  // namespace
}  // namespace tessera::test::wait_causes_test
