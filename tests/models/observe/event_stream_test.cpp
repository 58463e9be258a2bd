// The sink of a run (docs/architecture.md#events).
#include "models/observe/event_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::observe::event_stream_test {
namespace {

const Event kEvent{17, 5, EventKind::kHop, 0x0103, 42, 9};

struct Recorder final : Sink {
  void on_event(const Event& e) override { events.push_back(e); }
  std::vector<Event> events;
};

TEST(ObserveEventStream, DigestAndCountersGetEveryEvent) {
  EventStream stream(4, 2, false);
  Digest digest;
  for (unsigned i = 0; i < 3; ++i) {
    stream.record(kEvent);
    digest.on_event(kEvent);
  }
  EXPECT_EQ(stream.digest().hex(), digest.hex());
  EXPECT_EQ(stream.counters().total(Counter::kHopsEast), 3U);
  EXPECT_EQ(stream.counters().total(Counter::kLastEventCycle), 17U);
}

TEST(ObserveEventStream, IsTheSameThroughAProbe) {
  EventStream direct(4, 2, true), probed(4, 2, true);
  direct.record(kEvent);
  Probe(&probed, 5).emit(17, EventKind::kHop, 0x0103, 42, 9);
  EXPECT_EQ(probed.digest().hex(), direct.digest().hex());
  EXPECT_EQ(probed.counters().tile(5, Counter::kHopsEast), 1U);
}

TEST(ObserveEventStream, KeepsTilesOnlyWhenAsked) {
  EXPECT_FALSE(EventStream(750, 994, false).counters().has_tiles());
  EventStream stream(4, 2, true);
  stream.record(kEvent);
  ASSERT_TRUE(stream.counters().has_tiles());
  EXPECT_EQ(stream.counters().tile(5, Counter::kHops), 1U);
}

TEST(ObserveEventStream, FurtherSinksGetEveryEventWhole) {
  EventStream stream(4, 2, false);
  Recorder first, second;
  stream.add(first);
  stream.record(kEvent);
  stream.add(second);
  stream.record(kEvent);
  ASSERT_EQ(first.events.size(), 2U);
  ASSERT_EQ(second.events.size(), 1U);
  EXPECT_EQ(first.events[0].cycle, 17U);
  EXPECT_EQ(first.events[0].place, 5U);
  EXPECT_EQ(first.events[0].kind, EventKind::kHop);
  EXPECT_EQ(first.events[0].a, 0x0103U);
  EXPECT_EQ(first.events[0].b, 42U);
  EXPECT_EQ(first.events[0].ident, 9U);
}

TEST(ObserveEventStream, WhatIsAnnouncedForTheEndOrLaterIsDropped) {
  EventStream stream(4, 2, true);
  Recorder recorder;
  stream.add(recorder);
  stream.set_end(18);
  Event late = kEvent;
  late.cycle = 18;
  stream.record(late);
  stream.record(kEvent);  // cycle 17, before the end
  Digest digest;
  digest.on_event(kEvent);
  EXPECT_EQ(stream.digest().hex(), digest.hex());
  EXPECT_EQ(stream.counters().total(Counter::kHops), 1U);
  EXPECT_EQ(stream.counters().tile(5, Counter::kHops), 1U);
  EXPECT_EQ(recorder.events.size(), 1U);
}

}  // namespace
}  // namespace tessera::observe::event_stream_test
