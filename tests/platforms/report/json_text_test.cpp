// The report as JSON (docs/report-and-traces.md#the-report) and as text.
#include "platforms/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <sstream>

#include "models/observe/counters.h"
#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

using namespace tessera;
using namespace tessera::report;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

Report sample() {
  Report r;
  r.platform = "wse";
  r.preset = "wse3";
  r.program = "layout.json";
  r.structure = "modules";
  r.cycles = 1234567;
  r.digest = "0123456789abcdef";
  r.clock_period_ps = 1176;
  r.wall.elaborate_s = 0.25;
  r.wall.run_s = 2;
  r.wall.tiles = 10;
  r.wall.hops = 5000;
  r.counters = {{"hops", 5000, "wavelets", "wavelets that left a router"},
                {"tasks_started", 12, "tasks", "tasks started"},
                {"edge_wavelets_in", 0, "wavelets", "from the host"}};
  r.outputs = {{"y", "f32", {32, 4}, "y.npy"}, {"sum", "f32", {1}, ""}};
  r.checks = {{"y", true, "largest error 1e-7"}};
  return r;
}

std::string json_text(const Report& r) {
  const test::TemporaryFolder folder;
  write_json(r, folder.file("report.json"));
  return test::read_file(folder.file("report.json"));
}

boost::json::object as_json(const Report& r) {
  return boost::json::parse(json_text(r)).as_object();
}

std::vector<std::string> keys(const boost::json::object& object) {
  std::vector<std::string> names;
  for (const auto& member : object) names.emplace_back(member.key());
  return names;
}

std::string text_of(const Report& r) {
  std::ostringstream out;
  print_text(r, out);
  return out.str();
}

Report deadlock(int waits) {
  Report r = sample();
  r.status = Status::kCouldNotFinish;
  r.message = "deadlock";
  for (int i = 0; i < waits; ++i) r.stuck.push_back({{i, 2}, "microthread 2", "a wavelet"});
  r.wait_count = static_cast<std::uint64_t>(waits);
  return r;
}

Report remarked(unsigned kept, std::uint64_t count) {
  Report r = sample();
  r.diagnoses.count = count;
  for (unsigned i = 0; i < kept; ++i) {
    r.diagnoses.first.push_back({10 + i, {3, 1}, "/tessera/pe/a_rule", "PE (3, 1): odd"});
  }
  return r;
}

}  // namespace

TEST(ReportStatus, IsTheExitCodeOfTheContract) {
  EXPECT_EQ(exit_code(Status::kFinished), 0);
  EXPECT_EQ(exit_code(Status::kCheckFailed), 1);
  EXPECT_EQ(exit_code(Status::kUserInput), 2);
  EXPECT_EQ(exit_code(Status::kIntegration), 3);
  EXPECT_EQ(exit_code(Status::kCouldNotFinish), 4);
  EXPECT_EQ(exit_code(Status::kInternal), 5);
  EXPECT_STREQ(to_string(Status::kCouldNotFinish), "could_not_finish");
}

TEST(ReportJson, KeysStandInTheOrderOfTheContract) {
  EXPECT_THAT(keys(as_json(sample())),
              ElementsAre("schema", "platform", "preset", "program", "structure", "status",
                          "exit_code", "message", "cycles", "digest", "time_ns", "wall", "run",
                          "counters", "outputs", "checks", "diagnoses"));
}

TEST(ReportJson, CarriesTheResult) {
  const auto r = as_json(sample());
  EXPECT_EQ(r.at("schema").as_string(), "tessera-report-1");
  EXPECT_EQ(r.at("status").as_string(), "finished");
  EXPECT_EQ(r.at("cycles").as_int64(), 1234567);
  EXPECT_DOUBLE_EQ(r.at("time_ns").as_double(), 1451850.792);
  EXPECT_EQ(r.at("counters").at("hops").at("value").as_int64(), 5000);
  EXPECT_EQ(r.at("counters").at("hops").at("unit").as_string(), "wavelets");
  EXPECT_EQ(r.at("outputs").at("y").at("file").as_string(), "y.npy");
  EXPECT_EQ(r.at("outputs").at("y").at("shape").as_array().size(), 2U);
  EXPECT_FALSE(r.at("outputs").at("sum").as_object().contains("file"));
  EXPECT_TRUE(r.at("checks").at(0).at("passed").as_bool());
}

TEST(ReportJson, WallHoldsSpeedsAndMemory) {
  const auto report = as_json(sample());
  const auto& wall = report.at("wall").as_object();
  EXPECT_THAT(keys(wall), ElementsAre("elaborate_s", "run_s", "cycles_per_s", "tile_cycles_per_s",
                                      "hops_per_s", "peak_rss_bytes"));
  EXPECT_DOUBLE_EQ(wall.at("cycles_per_s").to_number<double>(), 617283.5);
  EXPECT_DOUBLE_EQ(wall.at("tile_cycles_per_s").to_number<double>(), 6172835);
  EXPECT_DOUBLE_EQ(wall.at("hops_per_s").to_number<double>(), 2500);
  EXPECT_GT(wall.at("peak_rss_bytes").to_number<double>(), 1 << 20);
}

TEST(ReportJson, OutsideOfWallNothingDependsOnTheHostMachine) {
  Report other = sample();
  other.wall = {1, 3, 10, 5000};
  auto a = as_json(sample()), b = as_json(other);
  EXPECT_NE(a.at("wall"), b.at("wall"));
  a.erase("wall");
  b.erase("wall");
  EXPECT_EQ(a, b);
}

TEST(ReportJson, DetailPerPlaceGoesUnderItsKey) {
  Report r = sample();
  r.places.counters = {"hops", "tasks"};
  r.places.at = {3, 1, 4, 1};
  r.places.values = {7, 0, 9, 2};
  const auto json = as_json(r);
  ASSERT_EQ(json.at("tiles").as_array().size(), 2U);
  EXPECT_EQ(json.at("tiles").at(0).at("tile").at(0).as_int64(), 3);
  EXPECT_EQ(json.at("tiles").at(0).at("hops").as_int64(), 7);
  EXPECT_EQ(json.at("tiles").at(1).at("tile").at(0).as_int64(), 4);
  EXPECT_EQ(json.at("tiles").at(1).at("tasks").as_int64(), 2);
  EXPECT_THAT(keys(json),
              ElementsAre("schema", "platform", "preset", "program", "structure", "status",
                          "exit_code", "message", "cycles", "digest", "time_ns", "wall", "run",
                          "counters", "tiles", "outputs", "checks", "diagnoses"));
  r.places_key = "cores";
  EXPECT_EQ(as_json(r).at("cores").at(0).at("core").at(1).as_int64(), 1);
}

TEST(ReportJson, WaitsOfADeadlockAreAllThere) {
  const auto json = as_json(deadlock(20));
  EXPECT_EQ(json.at("exit_code").as_int64(), 4);
  ASSERT_EQ(json.at("stuck").as_array().size(), 20U);
  EXPECT_EQ(json.at("stuck").at(19).at("tile").at(0).as_int64(), 19);
  EXPECT_EQ(json.at("stuck").at(0).at("who").as_string(), "microthread 2");
}

TEST(ReportJson, DiagnosesAreCountedAndTheFirstOnesListed) {
  const auto none = as_json(sample());
  EXPECT_EQ(none.at("diagnoses").at("count").as_int64(), 0);
  EXPECT_TRUE(none.at("diagnoses").at("first").as_array().empty());
  const auto json = as_json(remarked(2, 7));
  EXPECT_EQ(json.at("diagnoses").at("count").as_int64(), 7);
  ASSERT_EQ(json.at("diagnoses").at("first").as_array().size(), 2U);
  const auto& second = json.at("diagnoses").at("first").at(1).as_object();
  EXPECT_THAT(keys(second), ElementsAre("cycle", "tile", "id", "text"));
  EXPECT_EQ(second.at("cycle").as_int64(), 11);
  EXPECT_EQ(second.at("tile").at(0).as_int64(), 3);
  EXPECT_EQ(second.at("tile").at(1).as_int64(), 1);
  EXPECT_EQ(second.at("id").as_string(), "/tessera/pe/a_rule");
  EXPECT_EQ(second.at("text").as_string(), "PE (3, 1): odd");
}

TEST(ReportJson, ARunThatNeverStartedIsStillValid) {
  Report r;
  r.status = Status::kUserInput;
  r.message = "a \"quoted\" name";
  const auto json = as_json(r);
  EXPECT_EQ(json.at("message").as_string(), "a \"quoted\" name");
  EXPECT_EQ(json.at("wall").at("cycles_per_s").to_number<double>(), 0);
}

TEST(ReportJson, IsLaidOutForPeople) {
  const std::string text = json_text(sample());
  EXPECT_THAT(text, HasSubstr("{\n  \"schema\": \"tessera-report-1\",\n"));
  EXPECT_THAT(text, HasSubstr("\n    \"tasks_started\": {\"value\": 12, \"unit\": \"tasks\", "
                              "\"description\": \"tasks started\"}"));
  EXPECT_THAT(text, HasSubstr("\"time_ns\": 1451850.792,"));
}

TEST(ReportJson, AFileThatCannotBeWrittenIsAUserError) {
  EXPECT_THAT([] { write_json(sample(), "/nowhere/report.json"); },
              testing::ThrowsMessage<UserError>(
                  "/nowhere/report.json: cannot be written: No such file or directory"));
}

TEST(ReportText, StartsWithStatusCyclesAndTime) {
  EXPECT_THAT(text_of(sample()),
              testing::StartsWith("finished after 1,234,567 cycles (1.45 ms)\n"));
}

TEST(ReportText, CountersAreAlignedAndZerosLeftOut) {
  EXPECT_THAT(text_of(sample()), HasSubstr("  hops           5,000 wavelets\n"
                                           "  tasks_started     12 tasks\n"));
  EXPECT_THAT(text_of(sample()), Not(HasSubstr("edge_wavelets_in")));
}

TEST(ReportText, OutputsAndChecksAreNamed) {
  Report r = sample();
  r.checks.push_back({"sum", false, "3 of 4 values differ"});
  r.status = Status::kCheckFailed;
  EXPECT_THAT(text_of(r), HasSubstr("  y    f32 [32 x 4] -> y.npy\n  sum  f32 [1]\n"));
  EXPECT_THAT(text_of(r), HasSubstr("  y    passed  largest error 1e-7\n"));
  EXPECT_THAT(text_of(r), HasSubstr("  sum  FAILED  3 of 4 values differ\n"));
  EXPECT_THAT(text_of(r), testing::StartsWith("WRONG RESULT after"));
}

TEST(ReportText, SpeedIsGivenWithPrefixes) {
  EXPECT_THAT(text_of(sample()), HasSubstr("250 ms to build, 2.00 s to run: 617 k cycles/s, 6.17 M "
                                           "tile-cycles/s, 2.50 k hops/s"));
}

TEST(ReportText, TwelveWaitsAndHowManyMore) {
  const std::string long_list = text_of(deadlock(20));
  EXPECT_THAT(long_list, HasSubstr("COULD NOT FINISH after 1,234,567 cycles (1.45 ms): deadlock"));
  EXPECT_THAT(long_list, HasSubstr("  (11, 2) microthread 2 waits for a wavelet\n"
                                   "  and 8 more; --report writes all of them\n"));
  EXPECT_THAT(text_of(deadlock(12)), Not(HasSubstr("more;")));
  Report counted = deadlock(20);
  counted.wait_count = 745500;  // only the first are kept
  EXPECT_THAT(text_of(counted), HasSubstr("  and 745488 more; --report writes the first 20\n"));
  EXPECT_EQ(as_json(counted).at("wait_count").as_int64(), 745500);
}

Report with_waits() {
  Report r = sample();
  r.cycles = 1000;
  WaitSummary& waits = r.waits;
  waits.unit = "tile";
  waits.units = 2;
  waits.busy = 500;
  waits.idle = 300;
  waits.reasons = {{"room", "room in an output queue", 200},
                   {"turn", "its turn", 0},
                   {"wavelet", "a wavelet on an input queue", 1000}};
  waits.lines = {{"a.tasm:3", "main thread", "room", "room in output queue 1", 200, 7},
                 {"a.tasm:9", "microthread 2", "wavelet", "a wavelet on input queue 3", 1000, 40}};
  waits.links = {{{1, 0}, "EAST", 900, 20, 3}};
  waits.waiting_links = {{{1, 1}, "RAMP", 90, 70, 5}};
  waits.routers = {{"credit", "room", 90}, {"taken", "others", 8}, {"route", "a route", 0}};
  waits.sort();
  return r;
}

TEST(ReportJson, WaitsByReasonAndLine) {
  const auto waits = as_json(with_waits()).at("waits").as_object();
  EXPECT_THAT(keys(waits), ElementsAre("unit", "units", "busy", "idle", "reasons", "lines", "links",
                                       "routers", "waiting_links"));
  EXPECT_THAT(keys(waits.at("reasons").as_object()), ElementsAre("wavelet", "room"));
  EXPECT_EQ(waits.at("reasons").at("wavelet").as_int64(), 1000);
  const auto& line = waits.at("lines").at(0).as_object();
  EXPECT_EQ(line.at("place").as_string(), "a.tasm:9");
  EXPECT_EQ(line.at("thread").as_string(), "microthread 2");
  EXPECT_EQ(line.at("reason").as_string(), "wavelet");
  EXPECT_EQ(line.at("cycles").as_int64(), 1000);
  EXPECT_EQ(line.at("busy").as_int64(), 40);
  EXPECT_EQ(waits.at("links").at(0).at("wavelets").as_int64(), 900);
  EXPECT_EQ(waits.at("links").at(0).at("credit").as_int64(), 20);
  EXPECT_EQ(waits.at("waiting_links").at(0).at("taken").as_int64(), 5);
  EXPECT_EQ(waits.at("routers").at("credit").as_int64(), 90);
  EXPECT_FALSE(as_json(sample()).contains("waits"));
}

TEST(ReportText, WaitsAreShownIfAskedFor) {
  Report r = with_waits();
  EXPECT_THAT(text_of(r), Not(HasSubstr("where the cycles")));
  r.waits.shown = true;
  const std::string text = text_of(r);
  EXPECT_THAT(text, HasSubstr("\nwhere the cycles of 2 tiles went\n"));
  EXPECT_THAT(text, HasSubstr("          1,000   50.0 %  wavelet       waiting for a wavelet on an "
                              "input queue\n"));
  EXPECT_THAT(text, HasSubstr("  a.tasm:9, microthread 2: a wavelet on input queue 3 (busy 40)\n"));
  EXPECT_THAT(text, HasSubstr("900   90.0 %  (1, 0) EAST\n"));
  EXPECT_THAT(text, HasSubstr("             90  credit  room\n              8  taken   others\n"));
  EXPECT_THAT(text, HasSubstr("             70              5  (1, 1) RAMP\n"));
}

TEST(ReportText, WhyAPlaceWaits) {
  Report r = sample();
  r.why = Why{500, {3, 2}, {"the tile has waited since cycle 481"}};
  EXPECT_THAT(text_of(r), HasSubstr("\ncycle 500, tile (3, 2)\n  the tile has waited since cycle "
                                    "481\n"));
  const auto why = as_json(r).at("why").as_object();
  EXPECT_EQ(why.at("cycle").as_int64(), 500);
  EXPECT_EQ(why.at("tile").at(0).as_int64(), 3);
  EXPECT_EQ(why.at("waits").at(0).as_string(), "the tile has waited since cycle 481");
}

TEST(ReportText, TenWarningsAndHowManyMore) {
  EXPECT_THAT(text_of(remarked(2, 2)),
              HasSubstr("\nwarning: cycle 11: PE (3, 1): odd [/tessera/pe/a_rule]\n\ncounters\n"));
  const std::string long_list = text_of(remarked(100, 120));
  EXPECT_THAT(long_list, HasSubstr("warning: cycle 19: PE (3, 1): odd [/tessera/pe/a_rule]\n"
                                   "... and 110 more\n"));
  EXPECT_THAT(text_of(remarked(10, 10)), Not(HasSubstr("more\n")));
  EXPECT_THAT(text_of(sample()), Not(HasSubstr("warning")));
}

TEST(ReportManual, NamesEveryCounterWithUnitAndMeaning) {
  const std::string page =
      test::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/report-and-traces.md");
  for (const observe::CounterInfo& info : observe::counter_table()) {
    const std::string row = "| `" + std::string(info.name) + "` | " + std::string(info.unit) +
                            " | " + std::string(info.description) + " |";
    EXPECT_THAT(page, HasSubstr(row));
  }
}
