// Counts of events (docs/architecture.md#events).
#include "models/observe/counters.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/observe/event_fields.h"

using namespace tessera;
using namespace tessera::observe;

namespace {

Event hop(Cycle cycle, std::uint32_t place, Direction d) {
  return {cycle, place, EventKind::kHop, 3U | index(d) << 8, 0};
}
Event issue(Cycle cycle, std::uint32_t place) {
  return {cycle, place, EventKind::kIssue, 1U | 8U << 8, 0};
}
Event compute(Cycle cycle, std::uint32_t place, std::uint32_t elements) {
  return {cycle, place, EventKind::kCompute, 1U, elements};
}

}  // namespace

TEST(ObserveCounters, TableStandsInTheOrderOfTheEnumAndSaysEverything) {
  std::set<std::string_view> names;
  for (unsigned i = 0; i < kCounterCount; ++i) {
    const CounterInfo& row = counter_table()[i];
    EXPECT_EQ(static_cast<unsigned>(row.counter), i);
    EXPECT_FALSE(row.unit.empty()) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    names.insert(row.name);
    EXPECT_EQ(find_counter(row.name), row.counter);
  }
  EXPECT_EQ(names.size(), kCounterCount);
  EXPECT_FALSE(find_counter("hopps").has_value());
}

TEST(ObserveCounters, HopsPerDirectionAndTile) {
  Counters counters(2, 2);
  counters.on_event(hop(1, 0, Direction::kEast));
  counters.on_event(hop(2, 0, Direction::kEast));
  counters.on_event(hop(3, 1, Direction::kSouth));
  counters.on_event(hop(4, 3, Direction::kRamp));
  EXPECT_EQ(counters.total(Counter::kHopsEast), 2U);
  EXPECT_EQ(counters.total(Counter::kHopsSouth), 1U);
  EXPECT_EQ(counters.total(Counter::kOffRampWavelets), 1U);
  EXPECT_EQ(counters.total(Counter::kHops), 3U) << "the ramp is no hop between routers";
  EXPECT_EQ(counters.tile(0, Counter::kHops), 2U);
  EXPECT_EQ(counters.tile(1, Counter::kHopsSouth), 1U);
  EXPECT_EQ(counters.tile(2, Counter::kHops), 0U);
  EXPECT_EQ(counters.total(Counter::kLastEventCycle), 4U);
}

TEST(ObserveCounters, TotalsAreTheSumsOverTheTiles) {
  Counters counters(2, 2);
  Counters totals_only;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Event e{i, i % 4, static_cast<EventKind>(i % kEventKindCount),
                  i % 40 | i % kDirectionCount << 8 | i % 3 << 16, i % 5};
    counters.on_event(e);
    totals_only.on_event(e);
  }
  for (const CounterInfo& info : counter_table()) {
    EXPECT_EQ(totals_only.total(info.counter), counters.total(info.counter)) << info.name;
    if (info.counter == Counter::kLastEventCycle) continue;
    std::uint64_t sum = 0;
    for (std::uint32_t place = 0; place < 4; ++place) sum += counters.tile(place, info.counter);
    EXPECT_EQ(counters.total(info.counter), sum) << info.name;
    EXPECT_GT(sum, 0U) << info.name;
  }
  EXPECT_FALSE(totals_only.has_tiles());
}

TEST(ObserveCounters, QueuesTasksOperationsAndEdges) {
  Counters counters(1, 1);
  counters.on_event({1, 0, EventKind::kQueueIn, 0, 0});
  counters.on_event({2, 0, EventKind::kQueueOut, 0, 0});
  counters.on_event({2, 0, EventKind::kQueueOut, 0, 0});
  counters.on_event({3, 0, EventKind::kTaskStart, 9, 0});
  counters.on_event({4, 0, EventKind::kTaskEnd, 9, 0});
  counters.on_event({5, 0, EventKind::kOpStart, 0, 12});
  counters.on_event(compute(6, 0, 8));
  counters.on_event(compute(7, 0, 4));
  counters.on_event({7, 0, EventKind::kOpEnd, 0, 12});
  counters.on_event({8, 0, EventKind::kEdgeIn, 0, 0});
  counters.on_event({9, 0, EventKind::kEdgeOut, 0, 0});
  EXPECT_EQ(counters.total(Counter::kInputQueueWrites), 1U);
  EXPECT_EQ(counters.total(Counter::kOutputQueueWrites), 2U);
  EXPECT_EQ(counters.total(Counter::kTasksStarted), 1U);
  EXPECT_EQ(counters.total(Counter::kDsdOperations), 1U);
  EXPECT_EQ(counters.total(Counter::kVectorElements), 12U);
  EXPECT_EQ(counters.total(Counter::kEdgeWaveletsIn), 1U);
  EXPECT_EQ(counters.total(Counter::kEdgeWaveletsOut), 1U);
}

TEST(ObserveCounters, InstructionsAndGroupsUseTheIssueSlot) {
  Counters counters(2, 1);
  counters.on_event(issue(10, 0));
  counters.on_event(compute(11, 0, 4));
  counters.on_event(issue(10, 1));
  EXPECT_EQ(counters.total(Counter::kBusyIssueCycles), 3U);
  EXPECT_EQ(counters.tile(0, Counter::kBusyIssueCycles), 2U);
  EXPECT_EQ(counters.total(Counter::kInstructionsIssued), 2U);
}

TEST(ObserveCounters, ASingleStepIsExecutedInTheSlotOfItsIssue) {
  Counters counters(2, 1);
  counters.on_event(issue(10, 0));
  counters.on_event({10, 0, EventKind::kCompute, kStepOfMain << 8, 1});
  counters.on_event({11, 0, EventKind::kCompute, 1U << 8, 4});  // a group of microthread 1
  EXPECT_EQ(counters.total(Counter::kBusyIssueCycles), 2U);
  EXPECT_EQ(counters.tile(0, Counter::kBusyIssueCycles), 2U);
  EXPECT_EQ(counters.total(Counter::kVectorElements), 5U);
}

TEST(ObserveCounters, ATileCountStopsAtItsLargestValueAndTheTotalGoesOn) {
  Counters counters(1, 1);
  counters.on_event(compute(1, 0, 0xFFFFFFFF));
  counters.on_event(compute(2, 0, 10));
  EXPECT_EQ(counters.tile(0, Counter::kVectorElements), 0xFFFFFFFFU);
  EXPECT_EQ(counters.total(Counter::kVectorElements), 0xFFFFFFFFULL + 10);
}

TEST(ObserveCounters, OfTilesOnlyWhatIsAskedFor) {
  const std::vector<Event> events = {
      issue(10, 0), compute(11, 1, 4), {12, 1, EventKind::kHop, 0, 0}};
  Counters busy(2, 1, Counter::kBusyIssueCycles);
  Counters hops(2, 1, Counter::kHops);
  for (const Event& e : events) {
    busy.on_event(e);
    hops.on_event(e);
  }
  EXPECT_EQ(busy.tile(0, Counter::kBusyIssueCycles), 1U);
  EXPECT_EQ(busy.tile(1, Counter::kBusyIssueCycles), 1U);
  EXPECT_EQ(busy.tile(1, Counter::kHops), 0U);
  EXPECT_EQ(hops.tile(1, Counter::kHops), 1U);
  EXPECT_EQ(hops.tile(0, Counter::kBusyIssueCycles), 0U);
  EXPECT_EQ(busy.total(Counter::kHops), 1U);
  EXPECT_FALSE(busy.counts_tiles_at(EventKind::kHop));
  EXPECT_FALSE(Counters().counts_tiles_at(EventKind::kHop));
}
