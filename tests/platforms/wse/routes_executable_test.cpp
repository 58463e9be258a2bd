// Switches, filters, color swap, CE injection and teardown from a layout to the values that arrive
// (wse.md 1.4 to 1.9): three tiles in a row. Tile (0, 0) sends pieces of two words, 0 1, 2 3 and so
// on, and a control wavelet after each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platforms/data/npy.h"
#include "tests/support/run_executable.h"

namespace tessera::test::routes_executable_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kScatter = "tests/platforms/wse/programs/scatter/layout.json";

// Control wavelets without a task, not for compute engines (wse.md 1.5): one command.
constexpr const char* kAdvance = "0x015F0000";
constexpr const char* kNop = "0x011F0000";
// Commands of one such wavelet: NOP, then advance, then NOPs.
constexpr const char* kNopAdvance = "0x0B1F9249";

struct Row {
  std::string routes;
  int near = 4;  ///< words that tile (1, 0) stores
  int far = 4;   ///< words that tile (2, 0) stores
  int pieces = 4;
  std::string near_color = "4";
  std::string control = kAdvance;
  std::string unit = "1";  ///< word i is i times this
  std::string relay;       ///< program of tile (1, 0); empty: it stores
};

struct Outcome {
  Finished run;
  std::vector<std::uint32_t> near;
  std::vector<std::uint32_t> far;
};

std::string layout_of(const Row& row) {
  const std::string near = std::to_string(row.near);
  const std::string far = std::to_string(row.far);
  const std::string pieces = std::to_string(row.pieces);
  return R"({"schema": "tessera-wse-layout-1", "grid": [3, 1],
    "arrays": {"sent": {"dtype": "u32", "shape": [)" +
         std::to_string(2 * row.pieces) + R"(], "init": "iota() * )" + row.unit + R"("},
      "near": {"dtype": "u32", "shape": [)" +
         near + R"(]}, "far": {"dtype": "u32", "shape": [)" + far + R"(]}},
    "tiles": [
      {"rect": [0, 0, 1, 1], "code": "sender.tasm",
       "params": {"B": 2, "LINE": 4, "PIECES": )" +
         pieces + R"(, "CONTROL": ")" + row.control + R"("}},
      {"rect": [1, 0, 1, 1], "code": ")" +
         std::string(row.relay.empty() ? "receiver" : "relay") + R"(.tasm", "params": {"B": )" +
         near + R"(, "LINE": )" + row.near_color + R"(}},
      {"rect": [2, 0, 1, 1], "code": "receiver.tasm", "params": {"B": )" +
         far + R"(, "LINE": 4}}],
    "routes": [)" +
         row.routes + R"(],
    "symbols": {"sent": {"symbol": "words", "rect": [0, 0, 1, 1]},
      "near": {"symbol": "words", "rect": [1, 0, 1, 1]},
      "far": {"symbol": "words", "rect": [2, 0, 1, 1]}},
    "host": [{"copy_in": "sent"}, {"launch": "main"}, {"wait": "idle"}, {"copy_out": "near"},
      {"copy_out": "far"}]})";
}

std::vector<std::uint32_t> words_of(const std::string& file) {
  const data::HostArray array = data::read_npy(file);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < array.size(); ++i) words.push_back(array.bits(i));
  return words;
}

Outcome run(const Row& row, const std::string& preset,
            const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  folder.copy_from("tests/platforms/wse/programs/scatter");
  write_file(folder.file("layout.json"), layout_of(row));
  if (!row.relay.empty()) write_file(folder.file("relay.tasm"), row.relay);
  std::vector<std::string> arguments = {folder.file("layout.json"),
                                        "--preset",
                                        preset,
                                        "--output",
                                        "near=" + folder.file("near.npy"),
                                        "--output",
                                        "far=" + folder.file("far.npy")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  Outcome outcome;
  outcome.run = run_executable("wse_platform", arguments);
  if (outcome.run.exit_code != 0) return outcome;
  outcome.near = words_of(folder.file("near.npy"));
  outcome.far = words_of(folder.file("far.npy"));
  return outcome;
}

std::string route(int x, const std::string& rx, const std::string& tx, const std::string& more = "",
                  int color = 4) {
  return R"({"rect": [)" + std::to_string(x) + R"(, 0, 1, 1], "color": )" + std::to_string(color) +
         R"(, "rx": ")" + rx + R"(", "tx": )" + tx + (more.empty() ? "" : ", " + more) + "}";
}

const char* const kRamp = "\"RAMP\"";
const char* const kEast = "\"EAST\"";
const char* const kRampAndEast = R"(["RAMP", "EAST"])";

/// The first and the last tile do the plain thing.
std::string with_middle(const std::string& middle, const std::string& first = "") {
  return route(0, "RAMP", kEast, first) + ", " + middle + ", " + route(2, "WEST", kRamp);
}

class WseRoutes : public ::testing::TestWithParam<const char*> {
 protected:
  const char* preset() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Presets, WseRoutes, ::testing::Values("wse2", "wse3"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(WseRoutes, ControlWaveletsScatterARow) {
  for (const char* width : {"W=2", "W=3", "W=4", "W=9"}) {
    const Finished result = run_executable(
        "wse_platform", {kScatter, "--preset", preset(), "--param", width, "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << width << " " << result.err;
  }
}

TEST_P(WseRoutes, TheLastValidPositionStays) {
  Row row;
  row.routes = with_middle(route(1, "WEST", kRamp, R"("switches": {"pos1": {"tx": "EAST"}})"));
  row.near = 2;
  row.far = 6;
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(0, 1)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_P(WseRoutes, ARingStartsAgain) {
  Row row;
  row.routes = with_middle(
      route(1, "WEST", kRamp, R"("switches": {"pos1": {"tx": "EAST"}, "ring_mode": true})"));
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 4, 5)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(2, 3, 6, 7));
}

TEST_P(WseRoutes, InvalidPositionsAreSkipped) {
  Row row;
  row.routes = with_middle(route(
      1, "WEST", kRamp,
      R"("switches": {"pos1": {"invalid": true}, "pos3": {"tx": "EAST"}, "ring_mode": true})"));
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 4, 5)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(2, 3, 6, 7));
}

TEST_P(WseRoutes, TheStartPositionIsTheOneGiven) {
  Row row;
  row.routes = with_middle(route(
      1, "WEST", kRamp,
      R"("switches": {"pos1": {"tx": "EAST"}, "ring_mode": true, "current_switch_pos": "x"})"));
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(2, 3, 6, 7)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 4, 5));
}

// The sender's own router sees the first command, NOP. The next router sees the second, an advance,
// if the first one has been popped.
TEST_P(WseRoutes, PopModeDecidesWhichCommandComesFirst) {
  Row row;
  row.control = kNopAdvance;
  row.pieces = 2;
  row.far = 2;
  for (const char* pop : {"no_pop", "always_pop", "pop_on_advance", "pop_on_advance_nop"}) {
    const bool pops = pop == std::string("always_pop") || pop == std::string("pop_on_advance_nop");
    row.near = pops ? 2 : 4;
    row.routes = with_middle(route(1, "WEST", kRamp, R"("switches": {"pos1": {"tx": "EAST"}})"),
                             R"("switches": {"pop_mode": ")" + std::string(pop) + "\"}");
    const Outcome outcome = run(row, preset());
    if (pops) {
      EXPECT_THAT(outcome.near, ElementsAre(0, 1)) << pop << outcome.run.err;
      EXPECT_THAT(outcome.far, ElementsAre(2, 3)) << pop;
    } else {
      EXPECT_EQ(outcome.run.exit_code, 4) << pop;
      EXPECT_THAT(outcome.run.err, HasSubstr("PE (2, 0): main thread")) << pop;
    }
  }
}

TEST_P(WseRoutes,
       CounterFiltersGiveEachTileItsShare) {  // as wse.md 1.7: all forward, each takes some
  Row row;
  const char* const filter = R"("filter": {"kind": "counter", "count_data": true, "limit1": 3,
      "max_counter": 1, "init_counter": "(6 - 2 * x) % 4"})";
  row.control = kNop;
  row.routes = route(0, "RAMP", kEast) + ", " + route(1, "WEST", kRampAndEast, filter) + ", " +
               route(2, "WEST", kRamp, filter);
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 4, 5)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(2, 3, 6, 7));
}

TEST_P(WseRoutes, SparseCounterFilterEndsAfterItsSecondRound) {
  Row row;
  const char* const filter = R"("filter": {"kind": "sparse_counter", "count_data": true,
      "limit1": 1, "limit2": 2, "max_counter": 0})";
  row.control = kNop;
  row.near = 5;  // 0, 2 and, when it has ended after 0 1 and 2 3 4, all that follow
  row.far = 8;
  row.routes = with_middle(route(1, "WEST", kRampAndEast, filter));
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(0, 2, 5, 6, 7)) << outcome.run.err;
  EXPECT_THAT(outcome.far, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_P(WseRoutes, RangeFilterLooksAtTheIndex) {
  Row row;
  const char* const filter = R"("filter": {"kind": "range", "min_idx": 1, "max_idx": "2 * x"})";
  row.control = kNop;
  row.near = 4;
  row.far = 8;
  row.routes = with_middle(route(1, "WEST", kRampAndEast, filter));
  row.unit = "32768";  // indices 0 0 1 1 2 2 3 3
  const Outcome outcome = run(row, preset());
  EXPECT_THAT(outcome.near, ElementsAre(2 * 0x8000, 3 * 0x8000, 4 * 0x8000, 5 * 0x8000))
      << outcome.run.err;
}

TEST_P(WseRoutes, AColorInTeardownIsSuspended) {
  Row row;
  row.routes = with_middle(route(1, "WEST", kEast, R"("teardown": true)"));
  const Outcome outcome = run(row, preset());
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err, HasSubstr("deadlock"));
  EXPECT_THAT(outcome.run.out, HasSubstr("the end of the teardown"));
}

TEST(WseRoutesOfWse2, ColorSwapGoesToBothColors) {
  Row row;
  row.near_color = "5";
  row.control = kNop;
  row.near = 8;
  row.far = 8;
  row.routes = with_middle(route(1, "WEST", kEast) + ", " +
                           route(1, "WEST", kRamp, R"("color_swap_x": true)", 5));
  const Outcome outcome = run(row, "wse2");
  EXPECT_THAT(outcome.near, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << outcome.run.err;
  EXPECT_EQ(outcome.far, outcome.near);
  // Older documents: only to the partner, so nothing comes to the last tile.
  const Outcome older = run(row, "wse2", {"--set", "fabric.color_swap=partner"});
  EXPECT_EQ(older.run.exit_code, 4);
  EXPECT_THAT(older.run.err, AllOf(HasSubstr("PE (2, 0)"), HasSubstr("input queue 2")));
}

TEST(WseRoutesOfWse2, AStreamMayEnterToBeSwapped) {
  const TemporaryFolder folder;
  write_file(folder.file("layout.json"), R"~({
    "schema": "tessera-wse-layout-1", "grid": [2, 1],
    "arrays": {"a": {"dtype": "u32", "shape": [5], "init": "iota() + 9"},
               "b": {"dtype": "u32", "shape": [5]}},
    "routes": [{"rect": [0, 0, 1, 1], "color": 3, "rx": "WEST", "tx": "EAST", "color_swap_x": true},
               {"rect": [1, 0, 1, 1], "color": 3, "rx": "WEST", "tx": "EAST"}],
    "host": [{"stream_in": {"color": 2, "rect": [0, 0, 1, 1], "name": "a"}},
             {"stream_out": {"color": 3, "rect": [1, 0, 1, 1], "name": "b"}},
             {"wait": "b"}, {"check": {"name": "b", "value": "a"}}]})~");
  const Finished result =
      run_executable("wse_platform", {folder.file("layout.json"), "--preset", "wse2", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  replace_in_file(folder.file("layout.json"), "color_swap_x", "color_swap_y");
  EXPECT_THAT(
      run_executable("wse_platform", {folder.file("layout.json"), "--preset", "wse2"}).err,
      HasSubstr("host[0]: the tiles of rect [0, 0, 1, 1] do not receive color 2 over the rim"));
}

TEST(WseRoutesOfWse2, InjectionAddsWordsOfThePe) {
  Row row;
  row.control = kNop;
  row.near = 1;
  row.far = 9;
  row.routes = with_middle(
      route(1, "WEST", kEast, R"("switches": {"pos1": {"rx": "RAMP"}}, "ce_inject": "high")"));
  row.relay =
      "param B\nparam LINE\ndata words: u32[B] = 77\nqueue line output 1 color=LINE\n"
      "dsd from mem1d words\ndsd to fabout line extent=B\n"
      "fn main\n    lddsr dds1, to\n    lddsr s1ds1, from\n    mov32 dds1, s1ds1\n    ret\n";
  const Outcome outcome = run(row, "wse2");
  EXPECT_THAT(outcome.far, UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 77)) << outcome.run.err;
}

TEST(WseRoutesLeftovers, NamesTheQueueInWhichAWaveletLies) {
  const TemporaryFolder folder;
  folder.copy_from("tests/platforms/wse/programs/scatter");
  replace_in_file(folder.file("receiver.tasm"), "    mov32 dds1, s1ds1\n", "");
  const Finished result =
      run_executable("wse_platform", {folder.file("layout.json"), "--param", "W=6", "--quiet"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              HasSubstr("15 wavelets left in the fabric that no PE reads: PE (1, 0), input queue 2 "
                        "(color 4), 3 of "));
  EXPECT_THAT(result.err, HasSubstr("; and 2 more queues"));
}

}  // namespace
}  // namespace tessera::test::routes_executable_test
