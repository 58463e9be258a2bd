// Queues of a PE: visibility, room, credits, events (wse.md 2.1 to 2.3).
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/queue/input_queue_core.h"
#include "models/queue/output_queue_core.h"

namespace tessera::queue {
namespace {

link::Wavelet wavelet(unsigned color, std::uint32_t payload) {
  return {payload, Color(color), false, false, false, payload};
}

struct Events : observe::Sink {
  void on_event(const observe::Event& e) override { all.push_back(e); }
  std::vector<observe::Event> all;
};

TEST(QueueCore, OldestEntryIsReadableFromTheCycleItCarries) {
  QueueCore queue(2);
  EXPECT_EQ(queue.ready_at(), kNever);
  queue.put(wavelet(0, 1), 10);
  queue.put(wavelet(0, 2), 11);
  EXPECT_EQ(queue.ready_at(), 10U);
  EXPECT_EQ(queue.front().payload, 1U);
  queue.pop(10);
  EXPECT_EQ(queue.ready_at(), 11U);
  EXPECT_EQ(queue.front().payload, 2U);
}

TEST(QueueCore, CountsTheEntriesThatMayBeReadInACycle) {
  QueueCore queue(3);
  EXPECT_EQ(queue.available(100), 0U);
  for (const Cycle visible_from : {10, 11, 11}) queue.put(wavelet(0, 1), visible_from);
  EXPECT_EQ(queue.available(9), 0U);
  EXPECT_EQ(queue.available(10), 1U);
  EXPECT_EQ(queue.available(11), 3U);
  queue.pop(11);
  EXPECT_EQ(queue.available(11), 2U);
  queue.put(wavelet(0, 1), 14);  // the storage wraps
  EXPECT_EQ(queue.available(13), 2U);
  EXPECT_EQ(queue.available(14), 3U);
}

// docs/architecture.md#time: room given back takes a cycle, so that the step order cannot matter.
TEST(QueueCore, EntryPoppedInThisCycleIsRoomInTheNext) {
  QueueCore queue(2);
  queue.put(wavelet(0, 1), 0);
  queue.put(wavelet(0, 2), 0);
  EXPECT_EQ(queue.room(5), 0U);
  queue.pop(5);
  EXPECT_EQ(queue.room(5), 0U);
  queue.pop(5);
  EXPECT_EQ(queue.room(5), 0U);
  EXPECT_EQ(queue.room(6), 2U);
}

TEST(QueueCore, FullQueueTakesNoMore) {
  QueueCore queue(1);
  queue.put(wavelet(3, 1), 0);
  EXPECT_THROW(queue.put(wavelet(3, 2), 0), std::logic_error);
}

TEST(InputQueueCore, HasRoomForItsOwnColorOnly) {
  const InputQueueCore queue(QueueId(2), Color(7), 4, {});
  EXPECT_EQ(queue.capacity(Color(7)), 4U);
  EXPECT_EQ(queue.capacity(Color(8)), 0U);
}

TEST(InputQueueCore, AnnouncesArrivalsInTheCycleTheyAreDueIn) {
  Events events;
  InputQueueCore queue(QueueId(2), Color(7), 4, observe::Probe(&events, 5));
  queue.put(wavelet(7, 99), 30);
  ASSERT_EQ(events.all.size(), 1U);
  EXPECT_EQ(events.all[0].kind, observe::EventKind::kQueueIn);
  EXPECT_EQ(events.all[0].cycle, 30U);
  EXPECT_EQ(events.all[0].a, 2U | 7U << 8);
  EXPECT_EQ(events.all[0].b, 99U);
  EXPECT_EQ(events.all[0].ident, 99U);
}

TEST(InputQueueCore, PassesAllFieldsOfAWaveletOn) {
  InputQueueCore queue(QueueId(2), Color(7), 4, {});
  link::Wavelet w = wavelet(7, 5);
  w.half = true;
  w.local_flip = true;
  queue.put(w, 30);
  EXPECT_EQ(queue.available(29), 0U);
  EXPECT_EQ(queue.available(30), 1U);
  EXPECT_EQ(queue.front(), w);
}

TEST(InputQueueCore, CreditIsUsableACycleAfterThePop) {
  InputQueueCore queue(QueueId(0), Color(7), 4, {});
  queue.put(wavelet(7, 1), 3);
  EXPECT_EQ(queue.pop(8), 9U);
}

TEST(InputQueueCore, RefusesAnotherColor) {
  InputQueueCore queue(QueueId(0), Color(7), 4, {});
  EXPECT_THROW(queue.put(wavelet(6, 1), 3), std::logic_error);
}

TEST(InputQueueCore, NamesWaveletsThatNothingReads) {
  InputQueueCore queue(QueueId(3), Color(4), 6, observe::Probe(nullptr, 8));
  observe::Waits waits;
  queue.describe_waits(waits, 100);
  EXPECT_TRUE(waits.empty());
  queue.put(wavelet(4, 1), 3);
  queue.describe_waits(waits, 100);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].who, "input queue 3 (color 4)");
  EXPECT_EQ(waits[0].what, "a reader: 1 of 6 places are taken, ramp included");
  EXPECT_FALSE(waits[0].blocks);
}

TEST(OutputQueueCore, WriteLatencyPassesBeforeTheOnRampMayRead) {
  Events events;
  OutputQueueCore queue(QueueId(1), 2, 3, observe::Probe(&events, 5));
  EXPECT_EQ(queue.push(wavelet(9, 77), 10), 13U);
  EXPECT_EQ(queue.ready_at(), 13U);
  ASSERT_EQ(events.all.size(), 1U);
  EXPECT_EQ(events.all[0].kind, observe::EventKind::kQueueOut);
  EXPECT_EQ(events.all[0].cycle, 10U);
  EXPECT_EQ(events.all[0].a, 1U | 9U << 8);
  EXPECT_EQ(events.all[0].ident, 77U);
  EXPECT_EQ(queue.available(12), 0U);
  EXPECT_EQ(queue.available(13), 1U);
  EXPECT_EQ(queue.pop(13), 14U);
}

// wse.md 2.1: output queues of length 2 must still carry a wavelet per cycle.
TEST(OutputQueueCore, LengthTwoKeepsOneWaveletPerCycle) {
  OutputQueueCore queue(QueueId(1), 2, 1, {});
  unsigned pushed = 0;
  for (Cycle now = 0; now < 100; ++now) {
    if (queue.ready_at() <= now) queue.pop(now);
    if (queue.room(now) == 0) continue;
    queue.push(wavelet(0, pushed++), now);
  }
  EXPECT_EQ(pushed, 100U);
}

TEST(OutputQueueCore, PushNeedsRoomOfTheSameCycle) {
  OutputQueueCore queue(QueueId(1), 1, 1, {});
  queue.push(wavelet(0, 1), 0);
  queue.pop(1);
  EXPECT_THROW(queue.push(wavelet(0, 2), 1), std::logic_error);
  EXPECT_NO_THROW(queue.push(wavelet(0, 2), 2));
}

TEST(OutputQueueCore, RefusesAWriteLatencyOfZero) {
  EXPECT_THROW(OutputQueueCore(QueueId(0), 2, 0, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::queue
