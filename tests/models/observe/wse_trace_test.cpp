// The vendor-style text trace: every line must match the grammar of wse.md 9.2. The expressions are
// written from that section, not from the writer.
#include "models/observe/wse_trace.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "models/observe/event_fields.h"
#include "models/observe/stall.h"

using namespace tessera;
using namespace tessera::observe;

namespace {

const std::regex kDimensions(R"(^@\d+ dimX=(\d+), dimY=(\d+))");
const std::regex kLanding(R"(^@(\d+) P(\d+)\.(\d+) \(\w+\) landing C(\d+) from link ([WESNR]),.*)");
const std::regex kWavelet(
    R"(^@(\d+) P(\d+)\.(\d+) \(\w+\) wavelet C(\d+) ctrl=(\d), idx=([0-9a-fA-F]+), data=([0-9a-fA-F]+) )"
    R"(\([^()]*\([^()]*\)\), half=\d, ident=([0-9a-fA-F]+) landing=([RENWSD-]) departing=/(.{5})/.*)");
const std::regex
    kQueueWrite(R"(^@(\d+) P(\d+)\.(\d+):.*Writing wavelet C(\d+) .+ to OUT_Q\[(\d+)\])");
const std::regex kQueueSend(
    R"(^@(\d+) P(\d+)\.(\d+):.*Sending wavelet C(\d+) .* ident:([0-9a-fA-F]{16}) on OUT_Q\[(\d+)\]$)");
const std::regex kInstruction(
    R"(^@(\d+) P(\d+)\.(\d+): Id: \d+, Instr: \d+, Seq: (\d+), Pipe: (\d+), Msg: \[(IS|EX) OP\] ..0x([0-9a-f]+): )"
    R"(T(\d+)(?:\.(\w+))?\s+(\S+)(.*))");
const std::regex kStarvation(
    R"(^@(\d+) P(\d+)\.(\d+):.*Not enough wavelets \((\d+)/(\d+)\) (?:for )?SRC(\d) with C(\d+), IN_Q\[(\d+)\], SIMD-(\d+))");
const std::regex
    kBackpressure(R"(^@(\d+) P(\d+)\.(\d+):.*Backpressure on C(\d+) for OUT_Q\[(\d+)\])");
const std::regex kStall(R"(^@(\d+) P(\d+)\.(\d+):.*Pipe: (\d+), Msg: stall: (.*))");
const std::regex kIdle(R"(^@(\d+) P(\d+)\.(\d+): Id: \d+, Msg: \[EX OP\] IDLE$)");

struct Wavelet {
  std::string cycle, x, y, ident, landing, departing, line;
};

class Trace {
 public:
  Trace(const WseTraceOptions& options, const std::vector<Event>& events) {
    Names names;
    names.opcode = [](unsigned op) {
      return op == 30 ? std::string("fadds") : std::string("movri");
    };
    std::ostringstream out;
    WseTrace trace(out, options, names);
    for (const Event& e : events) trace.on_event(e);
    trace.finish();
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  /// Groups of every line that matches; group 0 is the line.
  std::vector<std::vector<std::string>> matches(const std::regex& pattern) const {
    std::vector<std::vector<std::string>> found;
    std::smatch match;
    for (const std::string& line : lines) {
      if (std::regex_match(line, match, pattern)) found.emplace_back(match.begin(), match.end());
    }
    return found;
  }
  std::vector<Wavelet> wavelets() const {
    std::vector<Wavelet> found;
    for (const auto& m : matches(kWavelet)) {
      found.push_back({m[1], m[2], m[3], m[8], m[9], m[10], m[0]});
    }
    return found;
  }
  std::vector<std::string> lines;
};

WseTraceOptions options(unsigned hop_latency = 2) {
  WseTraceOptions o;
  o.width = 3;
  o.height = 2;
  o.hop_latency = hop_latency;
  o.on_ramp_latency = 3;
  return o;
}

constexpr std::uint64_t kFirstOfTile0 = 0x1'0000'0000;

Event queue_out(Cycle cycle, std::uint32_t place, std::uint32_t payload,
                std::uint64_t ident = kFirstOfTile0) {
  return {cycle, place, EventKind::kQueueOut, 2U | 7U << 8, payload, ident};
}
Event hop(Cycle cycle, std::uint32_t place, Direction d, std::uint32_t payload,
          std::uint64_t ident = kFirstOfTile0) {
  return {cycle, place, EventKind::kHop, 7U | index(d) << 8, payload, ident};
}

/// One wavelet from tile (0, 0) east to the ramp of tile (1, 0).
std::vector<Event> one_message() {
  return {queue_out(10, 0, 0x00034200), hop(15, 0, Direction::kEast, 0x00034200),
          hop(17, 1, Direction::kRamp, 0x00034200)};
}

/// Main thread: a scalar instruction, then a DSD operation of two groups on microthread 3.
std::vector<Event> instructions() {
  return {{20, 1, EventKind::kTaskStart, 9, 4},
          {23, 1, EventKind::kIssue, 1U | 8U << 8, 4},
          {24, 1, EventKind::kIssue, 30U | 8U << 8, 5},
          {24, 1, EventKind::kOpStart, 30U | 3U << 8, 6},
          {26, 1, EventKind::kCompute, 30U | 3U << 8, 4},
          {27, 1, EventKind::kCompute, 30U | 3U << 8, 2},
          {27, 1, EventKind::kOpEnd, 30U | 3U << 8, 6}};
}

}  // namespace

TEST(ObserveWseTrace, DimensionsLineComesFirst) {
  const Trace trace(options(), {});
  ASSERT_FALSE(trace.lines.empty());
  EXPECT_EQ(trace.lines[0], "@0 dimX=3, dimY=2");
}

TEST(ObserveWseTrace, EveryLineIsOfTheGrammar) {
  std::vector<Event> events = one_message();
  for (const Event& e : instructions()) events.push_back(e);
  for (const std::string& line : Trace(options(), events).lines) {
    const bool known = std::regex_match(line, kDimensions) || std::regex_match(line, kLanding) ||
                       std::regex_match(line, kWavelet) || std::regex_match(line, kQueueWrite) ||
                       std::regex_match(line, kQueueSend) || std::regex_match(line, kInstruction) ||
                       std::regex_match(line, kIdle);
    EXPECT_TRUE(known) << line;
  }
}

TEST(ObserveWseTrace, QueueWriteAndSendCarryColorQueueAndIdent) {
  const Trace trace(options(), one_message());
  const auto writes = trace.matches(kQueueWrite);
  const auto sends = trace.matches(kQueueSend);
  ASSERT_EQ(writes.size(), 1U);
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_EQ(writes[0][1], "10");
  EXPECT_EQ(sends[0][1], "12");  // three cycles on the ramp before the router sends it on
  EXPECT_EQ(sends[0][4], "7");
  EXPECT_EQ(sends[0][6], "2");
  EXPECT_EQ(sends[0][5], trace.wavelets().at(0).ident);
}

TEST(ObserveWseTrace, OneCyclePerHop_LandingAndDepartureShareALine) {
  std::vector<Event> events = one_message();
  events[2].cycle = 16;
  const auto w = Trace(options(1), events).wavelets();
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].cycle + w[0].landing + w[0].departing, "15RE    ");
  EXPECT_EQ(w[1].cycle + w[1].landing + w[1].departing, "16W    R");
  EXPECT_NE(w[1].line.find("to_ce_from_router"), std::string::npos);
}

TEST(ObserveWseTrace, TwoCyclesPerHop_DepartureIsOneCycleBeforeTheNextLanding) {
  // wse.md 9.2: the copy appears at the neighbour one cycle after departure; a later departure has
  // landing '-'.
  const auto w = Trace(options(2), one_message()).wavelets();
  ASSERT_EQ(w.size(), 4U);
  EXPECT_EQ(w[0].cycle + w[0].landing + w[0].departing, "15R     ");
  EXPECT_EQ(w[1].cycle + w[1].landing + w[1].departing, "16-E    ");
  EXPECT_EQ(w[2].cycle + w[2].landing + w[2].departing, "17W     ");
  EXPECT_EQ(w[3].cycle + w[3].landing + w[3].departing, "18-    R");
}

TEST(ObserveWseTrace, EveryLandingHasALandingLine) {
  const auto landings = Trace(options(), one_message()).matches(kLanding);
  ASSERT_EQ(landings.size(), 2U);
  EXPECT_EQ(landings[0][5], "R");
  EXPECT_EQ(landings[1][1], "17");
  EXPECT_EQ(landings[1][2], "1");
  EXPECT_EQ(landings[1][5], "W");
}

TEST(ObserveWseTrace, IdentStaysTheSameOnAllHops) {
  for (const Wavelet& w : Trace(options(), one_message()).wavelets()) {
    EXPECT_EQ(w.ident, "0000000100000000");  // as in the events
  }
}

TEST(ObserveWseTrace, EqualWaveletsBehindEachOtherHaveTheirOwnIdents) {
  std::vector<Event> events;
  for (Cycle i = 0; i < 3; ++i) {
    events.push_back(queue_out(10 + i, 0, 1, kFirstOfTile0 + i));
    events.push_back(hop(15 + i, 0, Direction::kEast, 1, kFirstOfTile0 + i));
    events.push_back(hop(17 + i, 1, Direction::kEast, 1, kFirstOfTile0 + i));
  }
  std::vector<std::string> at_tile_1;
  for (const Wavelet& w : Trace(options(), events).wavelets()) {
    if (w.x == "1" && w.landing == "-") at_tile_1.push_back(w.ident);
  }
  const std::vector<std::string> expected = {"0000000100000000", "0000000100000001",
                                             "0000000100000002"};
  EXPECT_EQ(at_tile_1, expected);
}

// Tile 1 gets the same payload on the same color from two sides and sends the later one on first:
// color, payload and order cannot tell them apart.
TEST(ObserveWseTrace, EqualPayloadsAtSeveralPortsAreNotMistaken) {
  const std::uint64_t from_west = kFirstOfTile0;
  const std::uint64_t from_south = 0x5'0000'0000;
  const Trace trace(options(1), {queue_out(10, 0, 1, from_west), queue_out(10, 4, 1, from_south),
                                 hop(15, 0, Direction::kEast, 1, from_west),
                                 hop(16, 4, Direction::kNorth, 1, from_south),
                                 hop(17, 1, Direction::kRamp, 1, from_south),
                                 hop(18, 1, Direction::kEast, 1, from_west)});
  std::vector<std::string> at_tile_1;
  for (const Wavelet& w : trace.wavelets()) {
    if (w.x == "1" && w.y == "0") {
      at_tile_1.push_back(w.cycle + " " + w.ident + " " + w.landing + w.departing);
    }
  }
  EXPECT_EQ(at_tile_1,
            (std::vector<std::string>{"16 0000000100000000 W     ",  //
                                      "17 0000000500000000 S    R", "18 0000000100000000 -E    "}));
}

TEST(ObserveWseTrace, HalfWaveletsAndLocalFlipsAreMarked) {
  link::Wavelet w;
  w.color = Color(7);
  w.half = true;
  w.local_flip = true;
  w.ident = kFirstOfTile0;
  Event first = hop(15, 0, Direction::kEast, 5);
  first.a = hop_word(w, Direction::kEast);
  const Trace trace(options(1), {queue_out(10, 0, 5), first, hop(18, 1, Direction::kRamp, 5)});
  const auto landings = trace.matches(kLanding);
  ASSERT_EQ(landings.size(), 2U);
  EXPECT_NE(landings[0][0].find("half=1"), std::string::npos);
  EXPECT_NE(landings[0][0].find("lf=1"), std::string::npos);
  EXPECT_NE(landings[1][0].find("lf=0"), std::string::npos);  // the local router has reacted
}

TEST(ObserveWseTrace, CopiesOfAMulticastShareIdentAndLine) {
  const Trace trace(options(1), {queue_out(10, 0, 5), hop(15, 0, Direction::kEast, 5),
                                 hop(15, 0, Direction::kSouth, 5), hop(15, 0, Direction::kRamp, 5),
                                 hop(16, 3, Direction::kRamp, 5), hop(18, 1, Direction::kRamp, 5)});
  const auto w = trace.wavelets();
  ASSERT_FALSE(w.empty());
  EXPECT_EQ(w[0].departing, "E  SR");
  for (const Wavelet& copy : w) EXPECT_EQ(copy.ident, w[0].ident);
  EXPECT_EQ(trace.matches(kQueueSend).size(), 1U);
}

TEST(ObserveWseTrace, AWaveletOfTheHostLandsAtTheRim) {
  const Event in{4, 0, EventKind::kEdgeIn, 7U | index(Direction::kWest) << 8, 5, 1};
  const Trace trace(options(), {in, hop(6, 0, Direction::kRamp, 5, 1)});
  const auto w = trace.wavelets();
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].cycle + w[0].landing, "6W");
  EXPECT_EQ(w[1].ident, w[0].ident);
}

TEST(ObserveWseTrace, InstructionsShowPcTaskThreadAndOpcode) {
  const auto ops = Trace(options(), instructions()).matches(kInstruction);
  std::vector<std::string> seen;
  for (const auto& m : ops) {
    seen.push_back(m[1] + " " + m[6] + " pipe " + m[5] + " " + m[7] + " T" + m[8] + " " + m[9] +
                   " " + m[10] + m[11]);
  }
  const std::vector<std::string> expected = {
      "23 IS pipe 3 0008 T09  MOVRI", "23 EX pipe 6 0008 T09  MOVRI",
      "24 IS pipe 3 000a T09  FADDS", "26 EX pipe 6 000a T09 UT3 FADDS [     ] U0 U1 U2 U3",
      "27 EX pipe 6 000a T09 UT3 FADDS [     ] U0 U1"};
  EXPECT_EQ(seen, expected);
}

TEST(ObserveWseTrace, ThePcStandsWhereTheVisualizerReadsIt) {
  // wse.md 9.2: after the marker one separator, then two characters before 0x.
  for (const std::string& line : Trace(options(), instructions()).lines) {
    const std::size_t mark = line.find(" OP] ");
    if (mark == std::string::npos || line.find("IDLE") != std::string::npos) continue;
    EXPECT_EQ(line.substr(mark + 7, 2), "0x") << line;
  }
}

TEST(ObserveWseTrace, StageNumbersFollowTheGeneration) {
  WseTraceOptions wse2 = options();
  wse2.generation = Generation::kWse2;
  for (const auto& m : Trace(wse2, instructions()).matches(kInstruction)) {
    EXPECT_EQ(m[5], m[6] == "IS" ? "2" : "4");
  }
}

TEST(ObserveWseTrace, ATileGoesIdleInTheCycleAfterItsLastInstruction) {
  std::vector<std::string> idle;
  for (const auto& m : Trace(options(), instructions()).matches(kIdle)) idle.push_back(m[1]);
  const std::vector<std::string> expected = {"24", "28"};
  EXPECT_EQ(idle, expected);
}

TEST(ObserveWseTrace, APartEndsWithItsLastCycleAndCallsNobodyIdleAfterIt) {
  WseTraceOptions part = options();
  for (const Cycle last : {Cycle{24}, Cycle{26}, Cycle{27}}) {
    part.scope.to = last;
    for (const std::string& line : Trace(part, instructions()).lines)
      EXPECT_LE(std::stoull(line.substr(1)), last) << line;
  }
}

TEST(ObserveWseTrace, CyclesNeverGoBack) {
  std::vector<Event> events = instructions();
  for (const Event& e : one_message()) events.push_back(e);
  std::uint64_t last = 0;
  for (const std::string& line : Trace(options(), events).lines) {
    const std::uint64_t cycle = std::stoull(line.substr(1));
    EXPECT_GE(cycle, last) << line;
    last = cycle;
  }
}

TEST(ObserveWseTrace, AScopeHasTheLinesOfItsTilesAndCycles) {
  WseTraceOptions part = options();
  part.scope.from = 14;
  part.scope.to = 17;
  part.scope.rect = {1, 0, 1, 1};
  std::vector<std::string> expected;
  for (const Wavelet& w : Trace(options(), one_message()).wavelets()) {
    const int cycle = std::stoi(w.cycle);
    if (w.x == "1" && w.y == "0" && cycle >= 14 && cycle <= 17) expected.push_back(w.line);
  }
  std::vector<std::string> seen;
  for (const Wavelet& w : Trace(part, one_message()).wavelets()) seen.push_back(w.line);
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(seen, expected);
}

TEST(ObserveSortedSink, OrderOfBlocksInsideACycleDoesNotMatter) {
  const std::vector<Event> events = {hop(15, 0, Direction::kEast, 1),
                                     queue_out(15, 0, 9),
                                     {15, 0, EventKind::kQueueIn, 1U | 7U << 8, 4}};
  const Trace forward(options(), events);
  const Trace backward(options(), {events[2], events[1], events[0]});
  EXPECT_EQ(forward.lines, backward.lines);
}

TEST(ObserveSortedSink, HopsOfARouterComeByOutput) {
  const std::vector<Event> events = {hop(15, 0, Direction::kWest, 3),
                                     hop(15, 0, Direction::kEast, 1),
                                     hop(15, 0, Direction::kRamp, 2)};
  const Trace forward(options(), events);
  const Trace backward(options(), {events[2], events[1], events[0]});
  EXPECT_EQ(forward.lines, backward.lines);
}

// What bounds the memory of all traces.
TEST(ObserveSortedSink, ACycleIsHandedOnWhenALaterOneBegins) {
  struct Counting final : SortedSink {
    void on_sorted_event(const Event& e) override { cycles.push_back(e.cycle); }
    void on_end() override {}
    std::vector<Cycle> cycles;
  } sink;
  sink.on_event(hop(5, 0, Direction::kEast, 1));
  sink.on_event({9, 0, EventKind::kQueueIn, 1, 0});  // announced ahead
  EXPECT_TRUE(sink.cycles.empty());
  sink.on_event(hop(6, 0, Direction::kEast, 1));
  EXPECT_EQ(sink.cycles, std::vector<Cycle>{5});
  sink.on_event(hop(10, 0, Direction::kEast, 1));
  EXPECT_EQ(sink.cycles, (std::vector<Cycle>{5, 6, 9}));
  sink.finish();
  EXPECT_EQ(sink.cycles, (std::vector<Cycle>{5, 6, 9, 10}));
}

TEST(ObserveWseTrace, AStallIsToldWhereItBegins) {
  Stall lacks;
  lacks.thread = 3;
  lacks.number = 5;
  lacks.color = 7;
  lacks.source = 1;
  lacks.there = 1;
  lacks.needed = 2;
  lacks.lanes = 4;
  Stall room;
  room.kind = Stall::Kind::kRoom;
  room.thread = 3;
  room.number = 2;
  room.color = 9;
  Stall bank;
  bank.kind = Stall::Kind::kBankConflict;
  bank.thread = 8;
  bank.number = 2;
  bank.address = 0x01a4;
  Stall dsr;
  dsr.kind = Stall::Kind::kDsr;
  dsr.thread = 8;
  dsr.source = Stall::kDestinations;
  dsr.number = 4;
  // The engine tells in each of its steps; a group makes the next one a stall of its own.
  const Trace trace(options(), {event_of(lacks, 10, 1),
                                event_of(lacks, 12, 1),
                                {15, 1, EventKind::kCompute, 30U | 3U << 8, 4},
                                event_of(lacks, 16, 1),
                                event_of(room, 20, 1),
                                event_of(bank, 21, 1),
                                event_of(dsr, 22, 1)});
  const auto starved = trace.matches(kStarvation);
  ASSERT_EQ(starved.size(), 2U);
  EXPECT_EQ(starved[0],
            (std::vector<std::string>{
                "@10 P1.0: Id: 1, Not enough wavelets (1/2) for SRC1 with C7, IN_Q[5], SIMD-4",
                "10", "1", "0", "1", "2", "1", "7", "5", "4"}));
  EXPECT_EQ(starved[1][1], "16");
  const auto full = trace.matches(kBackpressure);
  ASSERT_EQ(full.size(), 1U);
  EXPECT_EQ(full[0][0], "@20 P1.0: Id: 1, Backpressure on C9 for OUT_Q[2]");
  const auto stalls = trace.matches(kStall);
  ASSERT_EQ(stalls.size(), 2U);
  EXPECT_EQ(stalls[0][0], "@21 P1.0: Id: 1, Pipe: 5, Msg: stall: read conflict MEM[01a4](b2)");
  EXPECT_EQ(stalls[1][0], "@22 P1.0: Id: 1, Pipe: 2, Msg: stall: dependent DDS4");
}
