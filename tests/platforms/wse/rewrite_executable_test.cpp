// Programs that read and rewrite filters and routes, from a layout to the values that arrive (wse.md
// 1.2, 1.6, 1.7, 1.9): two or three tiles in a row, on both generations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platforms/data/npy.h"
#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sends its WORDS as data, after every fourth a TEARDOWN for the next router: the list of commands
/// is NOP, TEARDOWN, and the own router takes the first out.
constexpr const char* kSender = R"(param PIECES
data words: u32[4 * PIECES]
queue line output 1 color=4
dsd piece mem1d words extent=4
dsd out   fabout line extent=4
dsd mark  fabout line extent=1 control
fn main
    lddsr s1ds1, piece save_address
    lddsr dds1, out
    lddsr dds2, mark
    movri r0, PIECES
next:
    mov32 dds1, s1ds1
    mov32 dds2, 0x0F1F0000
    sub16 r0, r0, 1
    eq16  r0, 0
    jmpf  next
    ret
)";

struct Case {
  std::string program;  ///< program of tile (1, 0)
  std::string route;    ///< keys of its route of color 4, from WEST
  int pieces = 3;
  int words = 1;  ///< words that it stores in "got"
  int seen = 1;   ///< registers that it stores in "seen"
  std::string more_routes;
};

struct Outcome {
  Finished run;
  std::vector<std::uint32_t> got;
  std::vector<std::uint32_t> seen;
};

std::vector<std::uint32_t> values_of(const std::string& file) {
  const data::HostArray array = data::read_npy(file);
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < array.size(); ++i) values.push_back(array.bits(i));
  return values;
}

std::string layout_of(const Case& c) {
  const std::string words = std::to_string(4 * c.pieces);
  return R"~({"schema": "tessera-wse-layout-1", "grid": [2, 1],
    "arrays": {"sent": {"dtype": "u32", "shape": [)~" +
         words + R"~(], "init": "iota()"},
      "got": {"dtype": "u32", "shape": [)~" +
         std::to_string(c.words) + R"~(]}, "seen": {"dtype": "u16", "shape": [)~" +
         std::to_string(c.seen) + R"~(]}},
    "tiles": [{"rect": [0, 0, 1, 1], "code": "sender.tasm", "params": {"PIECES": )~" +
         std::to_string(c.pieces) + R"~(}}, {"rect": [1, 0, 1, 1], "code": "tile.tasm"}],
    "routes": [{"rect": [0, 0, 1, 1], "color": 4, "rx": "RAMP", "tx": "EAST",
                "switches": {"pop_mode": "always_pop"}},
               {"rect": [1, 0, 1, 1], "color": 4, "rx": "WEST", "tx": "RAMP")~" +
         c.route + "}" + c.more_routes + R"~(],
    "symbols": {"sent": {"symbol": "words", "rect": [0, 0, 1, 1]},
      "got": {"symbol": "got", "rect": [1, 0, 1, 1]},
      "seen": {"symbol": "seen", "rect": [1, 0, 1, 1]}},
    "host": [{"copy_in": "sent"}, {"launch": "main"}, {"wait": "idle"}, {"copy_out": "got"},
      {"copy_out": "seen"}]})~";
}

Outcome run(const TemporaryFolder& folder, const std::string& preset,
            const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {folder.file("layout.json"),
                                        "--preset",
                                        preset,
                                        "--output",
                                        "got=" + folder.file("got.npy"),
                                        "--output",
                                        "seen=" + folder.file("seen.npy")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  Outcome outcome;
  outcome.run = run_executable("wse_platform", arguments);
  if (outcome.run.exit_code != 0) return outcome;
  outcome.got = values_of(folder.file("got.npy"));
  outcome.seen = values_of(folder.file("seen.npy"));
  return outcome;
}

/// As modules; the dense structure must do the same.
Outcome run_both(const TemporaryFolder& folder, const std::string& preset) {
  Outcome modules = run(folder, preset, {"--structure", "modules", "--check-links"});
  const Outcome dense = run(folder, preset, {"--structure", "dense"});
  EXPECT_EQ(dense.run.exit_code, modules.run.exit_code);
  EXPECT_EQ(dense.run.err, modules.run.err);
  EXPECT_EQ(dense.got, modules.got);
  EXPECT_EQ(dense.seen, modules.seen);
  return modules;
}

void write_case(const TemporaryFolder& folder, const Case& c, const std::string& layout) {
  write_file(folder.file("layout.json"), layout);
  write_file(folder.file("sender.tasm"), kSender);
  write_file(folder.file("tile.tasm"), c.program);
}

Outcome run(const Case& c, const std::string& preset) {
  const TemporaryFolder folder;
  write_case(folder, c, layout_of(c));
  return run_both(folder, preset);
}

/// Stores `words` wavelets of color 4 in "got"; `handler` is task 29.
std::string receiver(int words, int seen, const std::string& handler) {
  return "const ROUTE = 0x7f24\nconst FILTER = 0x7f80\ndata got: u32[" + std::to_string(words) +
         "]\ndata seen: u16[" + std::to_string(seen) + R"(]
queue in_q input 2 color=4
dsd store mem1d got
dsd line  fabin in_q extent=)" +
         std::to_string(words) + R"(
dsd next  mem1d seen extent=1
dsr dds1 store
dsr dds2 next save_address
dsr s1ds1 line
fn main
    mov32 dds1, s1ds1 async
    ret
task on_teardown local 29
    ldcfg r0, 0x7f60
)" + handler +
         R"(
    ldcfg r0, ROUTE
    xor16 r0, r0, 0x4000
    stcfg ROUTE, r0
    end
)";
}

class WseRewrite : public ::testing::TestWithParam<const char*> {
 protected:
  const char* preset() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Presets, WseRewrite, ::testing::Values("wse2", "wse3"),
                         [](const auto& test) { return std::string(test.param); });

constexpr const char* kOneOfFour =
    R"(, "filter": {"kind": "counter", "count_data": true, "limit1": 3, "max_counter": 0})";

// One of the first four words passes, two of the next, three of the last.
TEST_P(WseRewrite, wse_1_7_MaxCounterGrowsInEveryTeardown) {
  Case c;
  c.words = 6;
  c.seen = 3;
  c.route = kOneOfFour;
  c.program = receiver(6, 3, R"(    ldcfg r1, FILTER + 8
    mov16 dds2, r1
    add16 r1, r1, 1
    stcfg FILTER + 8, r1)");
  const Outcome outcome = run(c, preset());
  EXPECT_THAT(outcome.got, ElementsAre(0, 4, 5, 8, 9, 10)) << outcome.run.err;
  EXPECT_THAT(outcome.seen, ElementsAre(0, 1, 2));
}

TEST_P(WseRewrite, wse_1_7_TheCounterIsReadAndSet) {
  Case c;
  c.words = 4;
  c.seen = 3;
  c.route = R"(, "filter": {"kind": "counter", "count_data": true, "limit1": 9, "max_counter": 1})";
  c.program = receiver(4, 3, R"(    ldcfg r1, FILTER + 10
    mov16 dds2, r1
    stcfg FILTER + 10, 9              ; the first of the next is rejected, two more pass
)");
  const Outcome outcome = run(c, preset());
  EXPECT_THAT(outcome.got, ElementsAre(0, 1, 5, 6)) << outcome.run.err;
  EXPECT_THAT(outcome.seen, ElementsAre(4, 3, 3));
}

TEST_P(WseRewrite, wse_1_7_TheFilterOfAColorIsFoundByItsNumber) {
  Case c;
  c.words = 6;
  c.seen = 3;
  c.route = kOneOfFour;
  c.more_routes = R"(, {"rect": [1, 0, 1, 1], "color": 2, "rx": "EAST", "tx": "RAMP",
      "filter": {"kind": "range", "max_idx": 7}})";
  // Color 2 has filter 0, color 4 filter 1.
  c.program = receiver(6, 3, R"(    ldcfg r1, FILTER + 32
    mov16 dds2, r1
    ldcfg r1, FILTER + 32 + 8
    add16 r1, r1, 1
    stcfg FILTER + 32 + 8, r1)");
  const Outcome outcome = run(c, preset());
  EXPECT_THAT(outcome.got, ElementsAre(0, 4, 5, 8, 9, 10)) << outcome.run.err;
  EXPECT_THAT(outcome.seen, ElementsAre(0x104, 0x104, 0x104));
}

TEST(WseRewriteOfWse3, wse_1_7_PassAndDropCountsAndState) {
  Case c;
  c.words = 5;
  c.seen = 3;
  c.route = kOneOfFour;
  // 2 of 4 half-wavelets pass at first; then rounds of 4 and 4 that begin with DROP.
  c.program = receiver(5, 3, R"(    ldcfg r1, FILTER + 20
    mov16 dds2, r1
    stcfg FILTER + 20, 4
    stcfg FILTER + 22, 4
    stcfg FILTER + 18, 0
    stcfg FILTER + 16, 1)");
  const Outcome outcome = run(c, "wse3");
  EXPECT_THAT(outcome.got, ElementsAre(0, 6, 7, 10, 11)) << outcome.run.err;
  EXPECT_THAT(outcome.seen, ElementsAre(2, 4, 4));
}

TEST(WseRewriteOfWse2, wse_1_7_PassAndDropCountsAreOfWse3) {
  Case c;
  c.route = kOneOfFour;
  c.program = receiver(1, 1, "    ldcfg r1, FILTER + 20");
  const Outcome outcome = run(c, "wse2");
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err,
              AllOf(HasSubstr("tile.tasm:17 (task on_teardown): ldcfg of word address "
                              "32660"),
                    HasSubstr("[/tessera/pe/config_address]")));
}

TEST_P(WseRewrite, wse_1_7_AFilterThatTheTileDoesNotHave) {
  Case c;
  c.route = kOneOfFour;
  c.program = receiver(1, 1, "    stcfg FILTER + 32 + 8, 1");
  const Outcome outcome = run(c, preset());
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err,
              AllOf(HasSubstr("tile.tasm:17 (task on_teardown): stcfg to word address "
                              "32680: no color has filter 1"),
                    HasSubstr("[/tessera/pe/config_value]")));
}

// --- routes that a layout may not have

TEST_P(WseRewrite, wse_1_2_SeveralInputsAreOfWse2) {
  Case c;
  c.words = 12;
  c.program = receiver(12, 1, "    stcfg ROUTE, 0x4130 + 0x20 * 4");  // and from SOUTH, NORTH
  const Outcome outcome = run(c, preset());
  if (preset() == std::string("wse2")) {
    EXPECT_EQ(outcome.got.size(), 12U) << outcome.run.err;
    return;
  }
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err, AllOf(HasSubstr("color 4 receives from WEST+SOUTH+NORTH; a WSE-3 "
                                               "color has exactly one rx direction"),
                                     HasSubstr("[/tessera/pe/config_value]")));
}

TEST_P(WseRewrite, wse_1_9_AColorWithoutARoute) {
  Case c;
  c.program = receiver(1, 1, "    stcfg ROUTE + 3, 0x4030");
  const Outcome outcome = run(c, preset());
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err, AllOf(HasSubstr("color 7 has no route in the layout"),
                                     HasSubstr("[/tessera/pe/config_value]")));
}

/// The words after the first teardown go nowhere; the run says so.
std::string waits_of(const Case& c, const std::string& preset) {
  const Outcome outcome = run(c, preset);
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.err, HasSubstr("deadlock"));
  return outcome.run.out + outcome.run.err;
}

TEST_P(WseRewrite, wse_1_9_ARouteOffTheGridWaitsAndSaysSo) {
  Case c;
  c.program = receiver(12, 1, "    stcfg ROUTE, 0x4022");
  c.words = 12;
  EXPECT_THAT(waits_of(c, preset()), HasSubstr("room at its EAST output (nobody receives color 4 "
                                               "there)"));
}

// The rim has a stream of another color.
TEST_P(WseRewrite, wse_1_9_ARouteIntoAnotherStreamOfTheHostWaitsAndSaysSo) {
  Case c;
  c.program = receiver(12, 1, "    stcfg ROUTE, 0x4022");
  c.words = 12;
  const TemporaryFolder folder;
  std::string layout = layout_of(c);
  const auto replace = [&layout](const std::string& from, const std::string& to) {
    ASSERT_NE(layout.find(from), std::string::npos) << from;
    layout.replace(layout.find(from), from.size(), to);
  };
  replace(R"("routes": [)", R"("routes": [{"rect": [1, 0, 1, 1], "color": 9, "rx": "RAMP",
      "tx": "EAST"}, )");
  replace(R"("arrays": {)", R"("arrays": {"out": {"dtype": "u32", "shape": [1]}, )");
  replace(R"("host": [)", R"("host": [{"stream_out": {"color": 9, "rect": [1, 0, 1, 1],
      "name": "out"}}, )");
  write_case(folder, c, layout);
  const Outcome outcome = run_both(folder, preset());
  EXPECT_EQ(outcome.run.exit_code, 4);
  EXPECT_THAT(outcome.run.out,
              HasSubstr("room at its EAST output (nobody receives color 4 there)"));
}

TEST_P(WseRewrite, wse_1_9_ARouteToARampWithoutAQueueWaitsAndSaysSo) {
  Case c;
  c.program = receiver(12, 1, "");
  // The queue is bound to another color from the start; the layout cannot know better.
  c.program.replace(c.program.find("color=4"), 7, "color=5");
  EXPECT_THAT(waits_of(c, preset()), HasSubstr("room at its RAMP output (no input queue of this PE "
                                               "is bound to color 4)"));
}

TEST_P(WseRewrite, wse_1_9_ARouteThatReceivesFromElsewhereWaitsAndSaysSo) {
  Case c;
  c.program = receiver(12, 1, "    stcfg ROUTE, 0x4050");
  c.words = 12;
  EXPECT_THAT(waits_of(c, preset()),
              HasSubstr("a switch position that receives from WEST (switch position 0 receives "
                        "from EAST)"));
}

// --- color swap that a program turns on

// The first piece comes on color 4, the others are turned to color 5 and stay out of the queue of 4.
TEST(WseRewriteOfWse2, wse_1_6_ColorSwapIsTurnedOnInTeardown) {
  for (const bool both : {false, true}) {
    Case c;
    c.words = 8;
    c.more_routes = R"(, {"rect": [1, 0, 1, 1], "color": 5, "rx": "WEST", "tx": "RAMP"})";
    c.program = receiver(8, 1,
                         std::string("    stcfg ROUTE + 1, 0x0830\n") +
                             (both ? "    stcfg ROUTE, 0x4830" : ""));
    c.program.replace(c.program.find("color=4"), 7, "color=5");
    c.program += "queue near input 3 color=4\ntask take data near\n    end\n";
    const Outcome outcome = run(c, "wse2");
    EXPECT_THAT(outcome.got, ElementsAre(4, 5, 6, 7, 8, 9, 10, 11)) << both << outcome.run.err;
  }
}

// The tile has no route of color 4 at all: what waits for it is taken up as color 5.
TEST(WseRewriteOfWse2, wse_1_6_APartnerWithoutARouteIsTakenUp) {
  Case c;
  c.words = 4;
  c.pieces = 1;
  c.program = R"(data got: u32[4]
data seen: u16[1]
queue in_q input 2 color=5
dsd store mem1d got
dsd line  fabin in_q extent=4
dsr dds1 store
dsr s1ds1 line
fn main
    stcfg 0x7f25, 0x0830
    mov32 dds1, s1ds1
    ret
)";
  const TemporaryFolder folder;
  std::string layout = layout_of(c);
  const std::string own = R"("color": 4, "rx": "WEST")";
  layout.replace(layout.find(own), own.size(), R"("color": 5, "rx": "WEST")");
  write_case(folder, c, layout);
  const Outcome outcome = run_both(folder, "wse2");
  EXPECT_THAT(outcome.got, ElementsAre(0, 1, 2, 3)) << outcome.run.err;
}

// --- a color that starts in teardown

// As the vendor's all-reduce library: the handler would start work that nobody has asked for. The
// program ends the teardown when it is launched; the handler runs for the command alone.
TEST_P(WseRewrite, wse_1_9_StartInTeardownActivatesNoHandler) {
  Case c;
  c.words = 12;
  c.seen = 2;
  c.route = R"(, "teardown": true)";
  c.program = R"(data got: u32[12]
data seen: u16[2]                    ; how often the handler ran, pending colors at the launch
queue in_q input 2 color=4
dsd store mem1d got
dsd line  fabin in_q extent=12
dsr dds1 store
dsr s1ds1 line
fn main
    ldcfg r0, 0x7f60
    st16  [seen + 2], r0
    mov32 dds1, s1ds1 async
    ldcfg r0, 0x7f24
    xor16 r0, r0, 0x4000
    stcfg 0x7f24, r0
    ret
task on_teardown local 29
    ldcfg r0, 0x7f60
    ld16  r1, [seen]
    add16 r1, r1, 1
    st16  [seen], r1
    ldcfg r0, 0x7f24
    xor16 r0, r0, 0x4000
    stcfg 0x7f24, r0
    end
)";
  const Outcome outcome = run(c, preset());
  EXPECT_EQ(outcome.got.size(), 12U) << outcome.run.err;
  EXPECT_THAT(outcome.seen, ElementsAre(3, 0));
}

}  // namespace
}  // namespace tessera::test
