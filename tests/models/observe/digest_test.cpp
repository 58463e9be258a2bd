// The event stream and its digest (docs/architecture.md#events).
#include "models/observe/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "models/observe/event_fields.h"

using namespace tessera;
using namespace tessera::observe;

namespace {

std::string digest_of(const std::vector<Event>& events) {
  Digest digest;
  for (const Event& e : events) digest.on_event(e);
  return digest.hex();
}

const Event kEvent{17, 5, EventKind::kHop, 0x0103, 42};

}  // namespace

TEST(ObserveDigest, DoesNotDependOnTheOrderOfEvents) {
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    events.push_back({i / 7, i % 13, static_cast<EventKind>(i % kEventKindCount), i * 3, i});
  }
  const std::string before = digest_of(events);
  std::shuffle(events.begin(), events.end(), std::mt19937(1));
  EXPECT_EQ(digest_of(events), before);
}

TEST(ObserveDigest, EveryFieldOfAnEventCounts) {
  std::set<std::string> digests = {digest_of({kEvent})};
  Event other = kEvent;
  other.cycle += 1;
  digests.insert(digest_of({other}));
  other = kEvent;
  other.place += 1;
  digests.insert(digest_of({other}));
  other = kEvent;
  other.kind = EventKind::kQueueIn;
  digests.insert(digest_of({other}));
  other = kEvent;
  other.a += 1;
  digests.insert(digest_of({other}));
  other = kEvent;
  other.b += 1;
  digests.insert(digest_of({other}));
  EXPECT_EQ(digests.size(), 6U);
}

TEST(ObserveDigest, SerialNumberOfTheWaveletDoesNotCount) {
  Event other = kEvent;
  other.ident = 12;
  EXPECT_EQ(digest_of({other}), digest_of({kEvent}));
}

TEST(ObserveDigest, MovingOneWaveletByOneCycleAgainstAnotherChangesIt) {
  // A sum of weak mixes would not see +1 here and -1 there.
  Event a = kEvent, b = kEvent;
  b.place = 6;
  const std::string before = digest_of({a, b});
  a.cycle += 1;
  b.cycle -= 1;
  EXPECT_NE(digest_of({a, b}), before);
}

TEST(ObserveDigest, AnEventTwiceIsNotAnEventOnce) {
  EXPECT_NE(digest_of({kEvent, kEvent}), digest_of({kEvent}));
}

TEST(ObserveDigest, ManyNeighbouringEventsDoNotCollide) {
  std::set<std::string> digests;
  for (Cycle cycle = 0; cycle < 64; ++cycle) {
    for (std::uint32_t place = 0; place < 64; ++place) {
      for (std::uint32_t b = 0; b < 8; ++b) {
        digests.insert(digest_of({{cycle, place, EventKind::kHop, 0, b}}));
      }
    }
  }
  EXPECT_EQ(digests.size(), 64U * 64U * 8U);
}

TEST(ObserveDigest, IsTheSameOnEveryMachine) {
  // A golden value: digests are compared across machines and over years.
  EXPECT_EQ(digest_of({}), "0000000000000000");
  EXPECT_EQ(digest_of({kEvent}), "8212bee1d022027e");
}

TEST(ObserveEvent, FieldsComeApartAsEventHSays) {
  const Event hop{0, 0, EventKind::kHop, 7U | 3U << 8 | 1U << 16, 0};
  EXPECT_EQ(color_of(hop), 7U);
  EXPECT_EQ(direction_of(hop), Direction::kNorth);
  EXPECT_TRUE(control_of(hop));
  const Event issue{0, 0, EventKind::kIssue, 12U | 8U << 8, 0};
  EXPECT_EQ(opcode_of(issue), 12U);
  EXPECT_EQ(thread_of(issue), kMainThread);
}
