// The Perfetto trace is JSON with the slices and counters that models/observe/perfetto_trace.h
// promises.
#include "models/observe/perfetto_trace.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <list>
#include <sstream>
#include <string>
#include <vector>

using namespace tessera;
using namespace tessera::observe;

namespace {

Names names() {
  Names n;
  n.task = [](std::uint32_t, unsigned task) {
    return task == 9 ? std::string("re\"duce") : std::string();
  };
  n.opcode = [](unsigned) { return std::string("fadds"); };
  n.line = [](std::uint32_t, std::uint32_t pc) { return "a.tasm:" + std::to_string(pc); };
  return n;
}

boost::json::array trace(const std::vector<Event>& events, const Scope& scope = {}) {
  std::ostringstream out;
  PerfettoTrace recorder(out, 4, names(), scope);
  for (const Event& e : events) recorder.on_event(e);
  recorder.finish();
  return boost::json::parse(out.str()).as_object().at("traceEvents").as_array();
}

std::vector<boost::json::object> of_phase(const boost::json::array& records, const char* phase) {
  std::vector<boost::json::object> found;
  for (const auto& record : records) {
    if (record.at("ph").as_string() == phase) found.push_back(record.as_object());
  }
  return found;
}

std::int64_t number(const boost::json::object& record, const char* key) {
  return record.at(key).as_int64();
}

}  // namespace

TEST(ObservePerfetto, IsValidJsonWithoutAnyEvent) {
  EXPECT_TRUE(trace({}).empty());
}

TEST(ObservePerfetto, ATaskIsASliceOfTheMainThreadOfItsTile) {
  const auto slices = of_phase(
      trace({{10, 6, EventKind::kTaskStart, 9, 0}, {25, 6, EventKind::kTaskEnd, 9, 0}}), "X");
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].at("name").as_string(), "re\"duce");
  EXPECT_EQ(number(slices[0], "ts"), 10);
  EXPECT_EQ(number(slices[0], "dur"), 15);
  EXPECT_EQ(number(slices[0], "pid"), 7);
  EXPECT_EQ(number(slices[0], "tid"), 1);
}

TEST(ObservePerfetto, ATileIsAProcessNamedByItsCoordinates) {
  const auto records = trace({{10, 6, EventKind::kTaskStart, 9, 0}});
  bool found = false;
  for (const auto& m : of_phase(records, "M")) {
    if (m.at("name").as_string() != "process_name") continue;
    found = true;
    EXPECT_EQ(m.at("args").at("name").as_string(), "tile (2, 1)");
  }
  EXPECT_TRUE(found);
}

TEST(ObservePerfetto, AnAsynchronousOperationIsASliceOfItsMicrothread) {
  const auto slices = of_phase(trace({{5, 0, EventKind::kOpStart, 1U | 3U << 8, 16},
                                      {30, 0, EventKind::kOpEnd, 1U | 3U << 8, 16}}),
                               "X");
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].at("name").as_string(), "fadds");
  EXPECT_EQ(number(slices[0], "tid"), 5);
  EXPECT_EQ(slices[0].at("args").at("elements").as_int64(), 16);
  EXPECT_EQ(slices[0].at("args").at("done").as_int64(), 16);
}

TEST(ObservePerfetto, SlicesLeftOpenAreClosedAtTheEndAndMarked) {
  const auto slices = of_phase(trace({{5, 0, EventKind::kTaskStart, 2, 0},
                                      {6, 0, EventKind::kOpStart, 1U | 8U << 8, 16},
                                      {40, 1, EventKind::kTaskStart, 3, 0}}),
                               "X");
  ASSERT_EQ(slices.size(), 3U);
  for (const auto& slice : slices) EXPECT_TRUE(slice.at("args").at("unfinished").as_bool());
  EXPECT_EQ(number(slices[0], "ts") + number(slices[0], "dur"), 40);
}

TEST(ObservePerfetto, CountsHopsPerDirectionInStretchesOfCycles) {
  const auto east = [](Cycle cycle) {
    return Event{cycle, 0, EventKind::kHop, 2U | index(Direction::kEast) << 8, 0};
  };
  const auto counters = of_phase(trace({east(1), east(2), east(100)}), "C");
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  for (const auto& c : counters) {
    seen.emplace_back(number(c, "ts"), c.at("args").at("E").as_int64());
  }
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {
      {0, 2}, {16, 0}, {96, 1}, {112, 0}};
  EXPECT_EQ(seen, expected);
}

TEST(ObservePerfetto, EventsAnnouncedAheadAreSorted) {
  const auto slices = of_phase(
      trace({{25, 0, EventKind::kTaskEnd, 9, 0}, {10, 0, EventKind::kTaskStart, 9, 0}}), "X");
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(number(slices[0], "dur"), 15);
}

TEST(ObservePerfetto, SlicesNameTheirSourceLine) {
  const auto slices = of_phase(trace({{5, 0, EventKind::kTaskStart, 9, 20},
                                      {6, 0, EventKind::kIssue, 1U | 8U << 8, 23},
                                      {6, 0, EventKind::kOpStart, 1U | 8U << 8, 16},
                                      {9, 0, EventKind::kOpEnd, 1U | 8U << 8, 16},
                                      {12, 0, EventKind::kTaskEnd, 9, 0}}),
                               "X");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].at("args").at("line").as_string(), "a.tasm:23");
  EXPECT_EQ(slices[1].at("args").at("line").as_string(), "a.tasm:20");
}

namespace {

/// Tile 0 sends two wavelets from microthread 2, tile 1 gets them in queue 3.
std::vector<Event> message() {
  const std::uint64_t ident = std::uint64_t{1} << 32 | 7;
  const std::uint32_t op = 1U | 2U << 8;
  return {{10, 0, EventKind::kOpStart, op, 2},
          {11, 0, EventKind::kQueueOut, 1, 0, ident},
          {11, 0, EventKind::kCompute, op, 1},
          {20, 1, EventKind::kQueueIn, 3U | 5U << 8, 0, ident},
          {12, 0, EventKind::kQueueOut, 1, 0, ident + 1},
          {12, 0, EventKind::kCompute, op, 1},
          {21, 1, EventKind::kQueueIn, 3U | 5U << 8, 0, ident + 1},
          {12, 0, EventKind::kOpEnd, op, 2},
          {90, 1, EventKind::kQueueIn, 3U | 5U << 8, 0, 9}};
}

}  // namespace

TEST(ObservePerfetto, WaveletsOfAQueueAreSlicesUntilAGap) {
  std::vector<std::vector<std::int64_t>> seen;
  for (const auto& slice : of_phase(trace(message()), "X")) {
    if (slice.at("name").as_string() != "wavelets") continue;
    seen.push_back({number(slice, "pid"), number(slice, "ts"), number(slice, "dur"),
                    slice.at("args").at("wavelets").as_int64(),
                    slice.at("args").at("color").as_int64()});
  }
  EXPECT_EQ(seen, (std::vector<std::vector<std::int64_t>>{{2, 20, 2, 2, 5}, {2, 90, 1, 1, 5}}));
}

TEST(ObservePerfetto, AnArrowLeadsFromAnOperationToTheQueueThatItsFirstWaveletEnters) {
  const auto records = trace(message());
  const auto sent = of_phase(records, "s"), received = of_phase(records, "f");
  ASSERT_EQ(sent.size(), 1U);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(number(sent[0], "id"), number(received[0], "id"));
  EXPECT_EQ(number(sent[0], "pid"), 1);
  EXPECT_EQ(number(sent[0], "ts"), 11);
  EXPECT_EQ(number(received[0], "pid"), 2);
  EXPECT_EQ(number(received[0], "ts"), 20);
}

TEST(ObservePerfetto, AWaitForOthersIsAGreySliceWithItsReason) {
  std::ostringstream out;
  Names with_waits = names();
  with_waits.wait = [](std::uint32_t, WaitReason, std::uint8_t number) {
    return "a wavelet on input queue " + std::to_string(number);
  };
  PerfettoTrace recorder(out, 4, with_waits);
  recorder.on_event({10, 0, EventKind::kOpStart, 1U | 3U << 8, 2});
  recorder.on_wait({0, 3, 20, WaitReason::kWavelet, 6, 11, 18});
  recorder.on_wait({0, 3, 20, WaitReason::kInterval, 0, 18, 20});
  recorder.on_event({21, 0, EventKind::kOpEnd, 1U | 3U << 8, 2});
  recorder.finish();
  const auto slices =
      of_phase(boost::json::parse(out.str()).as_object().at("traceEvents").as_array(), "X");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].at("name").as_string(), "wait: wavelet");
  EXPECT_EQ(slices[0].at("args").at("for").as_string(), "a wavelet on input queue 6");
  EXPECT_EQ(number(slices[0], "ts"), 11);
  EXPECT_EQ(number(slices[0], "dur"), 7);
  EXPECT_EQ(number(slices[0], "tid"), number(slices[1], "tid"));
}

TEST(ObservePerfetto, AScopeHasItsTilesAndCyclesOnly) {
  Scope scope;
  scope.from = 20;
  scope.to = 40;
  scope.rect = {1, 0, 2, 1};
  const auto slices = of_phase(trace({{5, 0, EventKind::kTaskStart, 2, 0},
                                      {5, 1, EventKind::kTaskStart, 2, 0},
                                      {6, 2, EventKind::kTaskStart, 2, 0},
                                      {20, 2, EventKind::kTaskEnd, 2, 0},
                                      {25, 1, EventKind::kTaskEnd, 2, 0},
                                      {26, 1, EventKind::kTaskStart, 3, 0},
                                      {30, 0, EventKind::kTaskEnd, 2, 0},
                                      {41, 2, EventKind::kTaskStart, 2, 0},
                                      {50, 1, EventKind::kTaskEnd, 3, 0}},
                                     scope),
                               "X");
  std::vector<std::vector<std::int64_t>> seen;
  for (const auto& s : slices)
    seen.push_back({number(s, "pid"), number(s, "ts"), number(s, "dur")});
  EXPECT_EQ(seen, (std::vector<std::vector<std::int64_t>>{{2, 5, 20}, {2, 26, 24}}));
}

TEST(ObservePerfetto, AResetEndsWhatIsUnderWay) {
  std::ostringstream out;
  PerfettoTrace recorder(out, 4, names());
  recorder.on_event({10, 1, EventKind::kTaskStart, 2, 0});
  recorder.on_reset(30);
  recorder.on_event({5, 1, EventKind::kTaskStart, 3, 0});
  recorder.on_event({9, 1, EventKind::kTaskEnd, 3, 0});
  recorder.finish();
  const auto records = boost::json::parse(out.str()).as_object().at("traceEvents").as_array();
  const auto slices = of_phase(records, "X");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(number(slices[0], "ts"), 10);
  EXPECT_EQ(number(slices[0], "dur"), 20);
  EXPECT_TRUE(slices[0].at("args").as_object().contains("unfinished"));
  EXPECT_EQ(number(slices[1], "ts"), 35);
  EXPECT_FALSE(slices[1].at("args").as_object().contains("unfinished"));
}

namespace {

class Parts final : public TraceParts {
 public:
  std::ostream& next_part() override { return parts.emplace_back(); }
  std::list<std::ostringstream> parts;
};

}  // namespace

TEST(ObservePerfetto, ALongTraceIsCutIntoTracesThatAreWholeAndNameTheirRows) {
  Parts files;
  std::ostream& first = files.next_part();
  constexpr std::uint64_t kBytes = 2000;
  PerfettoTrace recorder(PerfettoWriter::Target(first, files, kBytes), 4, names());
  recorder.on_event({1, 2, EventKind::kTaskStart, 9, 0});
  for (Cycle at = 10; at < 1000; at += 10) {
    recorder.on_event({at, 1, EventKind::kTaskStart, 2, 0});
    recorder.on_event({at + 5, 1, EventKind::kTaskEnd, 2, 0});
  }
  recorder.on_event({1000, 2, EventKind::kTaskEnd, 9, 0});
  recorder.finish();
  ASSERT_GT(files.parts.size(), 3U);
  std::size_t slices = 0;
  std::int64_t last = -1;
  for (const std::ostringstream& part : files.parts) {
    EXPECT_LT(part.str().size(), kBytes + 1000);
    const auto records = boost::json::parse(part.str()).as_object().at("traceEvents").as_array();
    EXPECT_GE(of_phase(records, "M").size(), 4U);
    for (const auto& slice : of_phase(records, "X")) {
      ++slices;
      if (number(slice, "pid") != 2) continue;
      EXPECT_GT(number(slice, "ts"), last);
      last = number(slice, "ts");
    }
  }
  EXPECT_EQ(slices, 100U);
}
