// wse_platform as a user runs it: results, reports, determinism, diagnoses and exit codes
// (docs/running.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_executable.h"

namespace tessera::test::wse_executable_test {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kGemv = "examples/gemv_stream/layout.json";
constexpr const char* kHello = "examples/hello_wavelet/layout.json";

Finished wse(std::vector<std::string> arguments) {
  return run_executable("wse_platform", arguments);
}

json::object report_of(const std::vector<std::string>& arguments, int expected_exit = 0) {
  const TemporaryFolder folder;
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--quiet", "--report", folder.file("r.json")});
  const Finished run = wse(all);
  EXPECT_EQ(run.exit_code, expected_exit) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  return json::parse(read_file(folder.file("r.json"))).as_object();
}

/// What is equal however a machine is built, watched and stepped.
std::string results_of(json::object report) {
  report.erase("wall");
  report.erase("run");
  return json::serialize(report);
}

TEST(WseExecutable, GemvPassesOnDefaultsWithBothPresets) {
  for (const char* preset : {"wse2", "wse3"}) {
    const Finished run = wse({kGemv, "--preset", preset});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("passed"));
  }
}

TEST(WseExecutable, HelloWaveletPassesOnBothPresets) {
  for (const char* preset : {"wse2", "wse3"})
    EXPECT_EQ(wse({kHello, "--preset", preset}).exit_code, 0);
}

TEST(WseExecutable, ReportHasTheFieldsOfTheContract) {
  const json::object report = report_of({kGemv, "--preset", "wse3"});
  for (const char* key :
       {"schema", "program", "preset", "structure", "status", "exit_code", "message", "cycles",
        "digest", "time_ns", "wall", "run", "counters", "outputs", "checks", "diagnoses"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report.at("schema"), "tessera-report-1");
  EXPECT_EQ(report.at("structure"), "modules");
  EXPECT_EQ(report.at("digest").as_string().size(), 16U);
  EXPECT_TRUE(report.at("outputs").as_object().contains("y"));
  EXPECT_TRUE(report.at("checks").as_array().at(0).as_object().at("passed").as_bool());
  for (const char* key : {"elaborate_s", "run_s", "cycles_per_s", "tile_cycles_per_s", "hops_per_s",
                          "peak_rss_bytes"}) {
    EXPECT_TRUE(report.at("wall").as_object().contains(key)) << key;
  }
  const json::object& hops = report.at("counters").as_object().at("hops").as_object();
  EXPECT_TRUE(hops.contains("value") && hops.contains("unit") && hops.contains("description"));
}

TEST(WseExecutable, DetailedReportHasEveryTile) {
  const json::object report =
      report_of({kGemv, "--report-detail", "--param", "W=5", "--param", "N=10"});
  EXPECT_EQ(report.at("tiles").as_array().size(), 15U);
}

TEST(WseExecutable, ReportDoesNotDependOnStepOrderOrSeedOrLinkCheckers) {
  const std::vector<std::string> base = {kGemv,     "--param", "W=8",     "--param", "H=6",
                                         "--param", "M=12",    "--param", "N=16"};
  const std::string expected = results_of(report_of(base));
  for (const char* seed : {"1", "2", "77"}) {
    std::vector<std::string> shuffled = base;
    shuffled.insert(shuffled.end(), {"--shuffle-step-order", "--seed", seed});
    EXPECT_EQ(results_of(report_of(shuffled)), expected) << "seed " << seed;
  }
  std::vector<std::string> checked = base;
  checked.push_back("--check-links");
  EXPECT_EQ(results_of(report_of(checked)), expected);
}

TEST(WseExecutable, ALayerOfTracesChangesNothingAndWritesFiles) {
  const TemporaryFolder folder;
  const std::string expected = results_of(report_of({kGemv}));
  EXPECT_EQ(results_of(report_of({kGemv, "--trace-perfetto", folder.file("t.json"), "--trace-wse",
                                  folder.file("sim.log"), "--vcd", folder.file("w.vcd"),
                                  "--heatmap", folder.file("h.svg")})),
            expected);
  EXPECT_FALSE(json::parse(read_file(folder.file("t.json")))
                   .as_object()
                   .at("traceEvents")
                   .as_array()
                   .empty());
  EXPECT_THAT(read_file(folder.file("sim.log")),
              AllOf(HasSubstr("dimX=4, dimY=3"), HasSubstr("landing C"), HasSubstr("[EX OP]")));
  EXPECT_THAT(read_file(folder.file("w.vcd")), HasSubstr("$enddefinitions"));
  EXPECT_THAT(read_file(folder.file("h.svg")), HasSubstr("</svg>"));
}

// wse.md 1.11: each further hop costs the preset's hop latency, seen from outside.
TEST(WseExecutable, CyclesGrowByTheHopLatency) {
  for (const auto& [preset, hop] : {std::pair{"wse2", 1}, std::pair{"wse3", 2}}) {
    const auto cycles = [preset = preset](const char* w) {
      return report_of({kHello, "--preset", preset, "--param", w}).at("cycles").as_int64();
    };
    const auto near = cycles("W=2");
    EXPECT_EQ(cycles("W=9") - near, 7 * hop);
    EXPECT_EQ(cycles("W=65") - near, 63 * hop);
  }
}

TEST(WseExecutable, OutputFilesAreWrittenAndReadBack) {
  const TemporaryFolder folder;
  ASSERT_EQ(wse({kGemv, "--quiet", "--output", "y=" + folder.file("y.npy"), "--output",
                 "b=" + folder.file("b.npy")})
                .exit_code,
            0);
  EXPECT_EQ(read_file(folder.file("y.npy")).substr(1, 5), "NUMPY");
  EXPECT_EQ(wse({kGemv, "--quiet", "--input", "b=" + folder.file("b.npy")}).exit_code, 0);
  EXPECT_EQ(wse({kGemv, "--quiet", "--input", "b=" + folder.file("y.npy")}).exit_code, 0)
      << "another b of the same shape";
}

// A receiver waits for a wavelet that nobody sends: exit 4, naming PE, task, instruction
// and queue.
TEST(WseExecutable, DeadlockIsDiagnosed) {
  const TemporaryFolder folder;
  folder.copy_from("examples/hello_wavelet");
  replace_in_file(folder.file("sender.tasm"),
                  "    mov32 dds1, d0          ; one element: one wavelet\n", "");
  const Finished run = wse({folder.file("layout.json"), "--report", folder.file("r.json")});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("deadlock"));
  EXPECT_THAT(run.out + run.err, AllOf(HasSubstr("(1, 0)"), HasSubstr("receiver.tasm"),
                                       HasSubstr("main"), HasSubstr("input queue 2")));
  const json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
  EXPECT_EQ(report.at("exit_code"), 4);
  EXPECT_FALSE(report.at("stuck").as_array().empty());
}

TEST(WseExecutable, IllegalBehaviourOfAProgramIsExit4WithItsLine) {
  const TemporaryFolder folder;
  folder.copy_from("examples/hello_wavelet");
  replace_in_file(folder.file("sender.tasm"), "    lddsr dds1, out\n", "");
  const Finished run = wse({folder.file("layout.json")});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("PE (0, 0)"), HasSubstr("sender.tasm:9"),
                             HasSubstr("[/tessera/pe/dsr_empty]")));
}

TEST(WseExecutable, FailedCheckIsExit1) {
  const TemporaryFolder folder;
  folder.copy_from("examples/hello_wavelet");
  replace_in_file(folder.file("layout.json"), "\"value\": \"VALUE\"", "\"value\": \"VALUE + 1\"");
  const Finished run = wse({folder.file("layout.json")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("FAILED"), HasSubstr("answer")));
  EXPECT_THAT(wse({folder.file("layout.json"), "--quiet"}).err, HasSubstr("answer"));
}

TEST(WseExecutable, MaxCyclesStopsWithADiagnosis) {
  const json::object report = report_of({kGemv, "--max-cycles", "40"}, 4);
  EXPECT_LE(report.at("cycles").as_int64(), 40);
  EXPECT_THAT(std::string(report.at("message").as_string()), HasSubstr("--max-cycles"));
}

// A bound that cuts off nothing but idle wake-ups does not fail a finished program.
TEST(WseExecutable, ABoundOfTheLengthOfTheRunIsEnough) {
  const std::string cycles = std::to_string(report_of({kGemv}).at("cycles").as_int64());
  EXPECT_EQ(results_of(report_of({kGemv, "--max-cycles", cycles})), results_of(report_of({kGemv})));
}

TEST(WseExecutable, NoCycleIsSteppedBeyondTheBound) {
  const json::object report = report_of({kGemv, "--max-cycles", "0"}, 4);
  EXPECT_EQ(report.at("cycles").as_int64(), 0);
  EXPECT_EQ(report.at("digest"), "0000000000000000");
}

// Arrivals are announced when they are sent; those after the bound have not happened.
TEST(WseExecutable, ABoundedRunCountsWhatHappenedBeforeTheBound) {
  const auto value = [](const json::object& report, const char* counter) {
    return report.at("counters").at(counter).at("value").as_int64();
  };
  const json::object whole = report_of({kHello});
  ASSERT_EQ(value(whole, "input_queue_writes"), 1);
  bool off_ramp_but_not_there = false;
  const auto end = whole.at("cycles").as_int64();
  for (std::int64_t bound = 1; bound < end; ++bound) {
    const json::object part = report_of({kHello, "--max-cycles", std::to_string(bound)}, 4);
    EXPECT_LT(value(part, "last_event_cycle"), bound);
    EXPECT_LE(part.at("cycles").as_int64(), bound);
    const bool on_the_way =
        value(part, "off_ramp_wavelets") == 1 && value(part, "input_queue_writes") == 0;
    off_ramp_but_not_there = off_ramp_but_not_there || on_the_way;
  }
  EXPECT_TRUE(off_ramp_but_not_there);
}

TEST(WseExecutable, TracesDoNotDependOnTheStepOrder) {
  const TemporaryFolder folder;
  std::vector<std::string> logs;
  for (const char* seed : {"1", "2", "3"}) {
    const std::string log = folder.file(seed);
    ASSERT_EQ(wse({kGemv, "--param", "W=1", "--param", "H=1", "--quiet", "--shuffle-step-order",
                   "--seed", seed, "--trace-wse", log})
                  .exit_code,
              0);
    logs.push_back(read_file(log));
  }
  EXPECT_EQ(logs[1], logs[0]);  // two host edges at one tile
  EXPECT_EQ(logs[2], logs[0]);
}

TEST(WseExecutable, TimeoutStopsAnEndlessProgram) {
  const TemporaryFolder folder;
  folder.copy_from("examples/hello_wavelet");
  replace_in_file(folder.file("sender.tasm"), "    movri d0, VALUE\n",
                  "again:\n    jmp again\n    movri d0, VALUE\n");
  const Finished run = wse({folder.file("layout.json"), "--timeout", "0.3"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("--timeout"));
}

TEST(WseExecutable, AFullDiskDoesNotTakeTheReportAway) {
  const json::object report = report_of({kGemv, "--output", "y=/dev/full"}, 2);
  EXPECT_GT(report.at("cycles").as_int64(), 0);
  EXPECT_TRUE(report.at("checks").as_array().at(0).as_object().at("passed").as_bool());
  EXPECT_THAT(std::string(report.at("message").as_string()), HasSubstr("/dev/full"));
}

TEST(WseExecutable, AFullDiskDoesNotHideWhyTheRunStopped) {
  const Finished run =
      wse({kGemv, "--max-cycles", "40", "--quiet", "--trace-perfetto", "/dev/full"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--max-cycles"), HasSubstr("/dev/full")));
}

TEST(WseExecutable, ValidateWritesNothing) {
  const TemporaryFolder folder;
  EXPECT_EQ(wse({kGemv, "--validate", "--vcd", folder.file("w.vcd")}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("w.vcd")));
}

TEST(WseExecutable, ValidatePrintConfigVersionAndHelp) {
  EXPECT_THAT(wse({kGemv, "--validate"}).out, HasSubstr("valid"));
  EXPECT_THAT(wse({"--print-config", "--set", "fabric.hop_latency=5"}).out,
              AllOf(HasSubstr("fabric.hop_latency = 5"), HasSubstr("--set"), HasSubstr("wse.md")));
  EXPECT_THAT(wse({"--version"}).out,
              AllOf(HasSubstr("SystemC"), HasSubstr("Boost"), HasSubstr("\ncommit ")));
  EXPECT_THAT(wse({"--help"}).out, AllOf(HasSubstr("--trace-perfetto"), HasSubstr("exit codes")));
}

TEST(WseExecutable, PrintProgramShowsEveryTileProgramWithItsNumbers) {
  const TemporaryFolder folder;
  const Finished printed = wse({kGemv, "--print-program", "--report", folder.file("r.json")});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, AllOf(HasSubstr(".tasm\n"), HasSubstr("data A: f32["), HasSubstr("task"),
                                 ::testing::Not(HasSubstr("param "))));
  EXPECT_FALSE(std::filesystem::exists(folder.file("r.json")));
}

struct BadInput {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> message_parts;
};
void PrintTo(const BadInput& bad, std::ostream* os) {
  *os << bad.name;
}

class BadCommandLine : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadCommandLine, IsExit2WithOneClearSentence) {
  const Finished run = wse(GetParam().arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  for (const std::string& part : GetParam().message_parts) EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadCommandLine,
    ::testing::Values(
        BadInput{"no_program", {}, {"no program", "--help"}},
        BadInput{"misspelt_option", {kGemv, "--presett", "wse3"}, {"--presett", "--preset"}},
        BadInput{"unknown_preset", {kGemv, "--preset", "wse4"}, {"wse4", "wse3"}},
        BadInput{"unknown_structure", {kGemv, "--structure", "sparse"}, {"sparse", "modules"}},
        BadInput{"missing_file", {"examples/none.json"}, {"examples/none.json"}},
        BadInput{"misspelt_param", {kGemv, "--param", "MM=4"}, {"MM", "did you mean 'M'", "M"}},
        BadInput{"param_without_value", {kGemv, "--param", "M"}, {"NAME=VALUE"}},
        BadInput{"param_not_a_number", {kGemv, "--param", "M=many"}, {"many", "integer"}},
        BadInput{"indivisible", {kGemv, "--param", "M=7"}, {"7", "3"}},
        BadInput{"grid_of_nothing", {kGemv, "--param", "W=0"}, {"grid", "0"}},
        BadInput{"unknown_config_key",
                 {kGemv, "--set", "fabric.hop_latensy=2"},
                 {"hop_latensy", "hop_latency"}},
        BadInput{
            "config_out_of_range", {kGemv, "--set", "fabric.hop_latency=0"}, {"hop_latency", "0"}},
        BadInput{"unknown_input", {kGemv, "--input", "AA=a.npy"}, {"AA", "'A'"}},
        BadInput{"missing_input_file", {kGemv, "--input", "A=nowhere.npy"}, {"nowhere.npy"}},
        BadInput{"unknown_output", {kGemv, "--output", "z=z.npy"}, {"'z'"}},
        BadInput{
            "unwritable_output", {kGemv, "--output", "y=no/such/folder/y.npy"}, {"no/such/folder"}},
        BadInput{
            "unwritable_heatmap", {kGemv, "--heatmap", "no/such/folder/h"}, {"no/such/folder"}},
        BadInput{
            "unwritable_report", {kGemv, "--report", "no/such/folder/r.json"}, {"no/such/folder"}},
        BadInput{"file_without_name", {kGemv, "--report", ""}, {"--report", "name of a file"}},
        BadInput{"one_file_written_twice",
                 {kGemv, "--report", "/tmp/tessera-x", "--heatmap", "/tmp/tessera-x"},
                 {"--heatmap", "--report"}},
        BadInput{"program_overwritten", {kGemv, "--report", kGemv}, {"--report", "--program"}},
        BadInput{"cut_before_assembled", {kGemv, "--param", "N=1"}, {"N = 1", "4 equal pieces"}},
        BadInput{"grid_beyond_the_wafer", {kGemv, "--param", "W=100000"}, {"100000 x 3", "762"}},
        BadInput{"grid_beyond_modules",
                 {kGemv, "--structure", "modules", "--param", "W=750", "--param", "H=994",
                  "--param", "M=994", "--param", "N=750"},
                 {"modules", "65536"}},
        BadInput{"full_disk", {kGemv, "--quiet", "--heatmap", "/dev/full"}, {"/dev/full"}},
        BadInput{"negative_bound", {kGemv, "--max-cycles", "-5"}, {"--max-cycles", "-5"}},
        BadInput{"cycles_of_no_trace",
                 {kGemv, "--trace-to", "5"},
                 {"--trace-to", "has no effect without", "--vcd"}},
        BadInput{
            "negative_seed", {kGemv, "--shuffle-step-order", "--seed", "-1"}, {"--seed", "-1"}},
        BadInput{"timeout_not_a_number", {kGemv, "--timeout", "nan"}, {"--timeout", "nan"}},
        BadInput{"nothing_similar", {kGemv, "--zzzzzzzz"}, {"--zzzzzzzz", "--help"}},
        BadInput{"counter_of_no_tile",
                 {kGemv, "--heatmap", "/dev/null", "--heatmap-counter", "last_event_cycle"},
                 {"last_event_cycle"}},
        BadInput{"rect_of_three",
                 {kGemv, "--vcd", "/dev/null", "--trace-rect", "1,2,3"},
                 {"--trace-rect", "X,Y,W,H"}},
        BadInput{"empty_rect",
                 {kGemv, "--vcd", "/dev/null", "--trace-rect", "1,2,3,0"},
                 {"--trace-rect", "X,Y,W,H"}},
        BadInput{"rect_outside",
                 {kGemv, "--vcd", "/dev/null", "--trace-rect", "4,0,1,1"},
                 {"(4, 0)", "4 x 3"}},
        BadInput{"no_port", {kGemv, "--serve", "65536"}, {"--serve", "65536"}},
        BadInput{"no_cycles",
                 {kGemv, "--vcd", "/dev/null", "--trace-from", "9", "--trace-to", "8"},
                 {"--trace-to", "cycle 8", "--trace-from 9"}},
        BadInput{
            "unwritable_trace", {kGemv, "--trace-wse", "no/such/folder/t"}, {"no/such/folder/t"}},
        BadInput{"unknown_counter",
                 {kGemv, "--heatmap", "/dev/null", "--heatmap-counter", "hop"},
                 {"hop", "hops"}}),
    [](const auto& test) { return test.param.name; });

struct BadFile {
  const char* name;
  const char* file;
  const char* from;
  const char* to;
  std::vector<std::string> message_parts;
};
void PrintTo(const BadFile& bad, std::ostream* os) {
  *os << bad.name;
}

class BadProgram : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadProgram, IsExit2WithFilePlaceAndWhatIsAllowed) {
  const TemporaryFolder folder;
  folder.copy_from("examples/gemv_stream");
  replace_in_file(folder.file(GetParam().file), GetParam().from, GetParam().to);
  const Finished run = wse({folder.file("layout.json")});
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr(GetParam().file));
  for (const std::string& part : GetParam().message_parts) EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadProgram,
    ::testing::Values(
        BadFile{"misspelt_key",
                "layout.json",
                "\"symbols\": {",
                "\"symbol\": {",
                {"symbol", "symbols"}},
        BadFile{"misspelt_route_key",
                "layout.json",
                "\"color\": \"SUM + x % 2\", \"rx\"",
                "\"colour\": \"SUM + x % 2\", \"rx\"",
                {"routes[2]", "colour", "color"}},
        BadFile{"rect_off_the_grid",
                "layout.json",
                "{\"rect\": [0, \"H - 1\", \"W\", 1]",
                "{\"rect\": [0, \"H\", \"W\", 1]",
                {"routes[1]", "grid"}},
        BadFile{"route_off_the_grid",
                "layout.json",
                "\"tx\": [\"RAMP\"]},\n    {\"rect\": [0, 0, \"W\", \"H\"], \"color\": \"SUM + x",
                "\"tx\": [\"RAMP\", \"SOUTH\"]},\n    {\"rect\": [0, 0, \"W\", \"H\"], \"color\": "
                "\"SUM + x",
                {"routes[1]", "SOUTH", "off the grid", "stream_out"}},
        BadFile{"unknown_color", "layout.json", "\"X\": 0, ", "\"X\": 24, ", {"24", "0..23"}},
        BadFile{"unknown_direction",
                "layout.json",
                "\"rx\": [\"NORTH\"], \"tx\": [\"RAMP\", \"SOUTH\"]",
                "\"rx\": [\"UP\"], \"tx\": [\"RAMP\", \"SOUTH\"]",
                {"routes[0].rx", "UP", "NORTH"}},
        BadFile{"two_rx_on_wse3",
                "layout.json",
                "\"rx\": [\"WEST\"]",
                "\"rx\": [\"WEST\", \"NORTH\"]",
                {"routes[2]", "exactly one rx"}},
        BadFile{"unknown_array",
                "layout.json",
                "{\"copy_in\": \"A\"}",
                "{\"copy_in\": \"AA\"}",
                {"host[0]", "AA"}},
        BadFile{"unknown_function",
                "layout.json",
                "{\"launch\": \"main\"}",
                "{\"launch\": \"mian\"}",
                {"host[1]", "mian", "main"}},
        BadFile{"launch_where_nothing_runs",
                "layout.json",
                "{\"launch\": \"main\"}",
                "{\"launch\": \"reduce\"}",
                {"host[1]", "reduce"}},
        BadFile{"argument_too_large",
                "layout.json",
                "{\"launch\": \"main\"}",
                "{\"launch\": \"main\", \"args\": [99999999999]}",
                {"host[1].args[0]", "32 bits"}},
        BadFile{"check_of_an_unknown_name",
                "layout.json",
                "A @ x + b",
                "A @ xx + b",
                {"host[6]", "xx"}},
        BadFile{"not_json", "layout.json", "\"grid\": [", "\"grid\": (", {"layout.json:4:"}},
        BadFile{"bad_instruction",
                "gemv.tasm",
                "    fmacs ",
                "    fmaks ",
                {"gemv.tasm:34:5", "fmaks", "fmaxs"}},
        BadFile{"bad_queue",
                "gemv.tasm",
                "queue sum_out output 4",
                "queue sum_out output 9",
                {"gemv.tasm", "9", "0..7"}},
        BadFile{"bad_local_id",
                "gemv.tasm",
                "task reduce local 10",
                "task reduce local 3",
                {"gemv.tasm", "3", "8"}},
        BadFile{"unknown_param",
                "layout.json",
                "\"Np\": \"N / W\", ",
                "\"Np\": \"N / W\", \"Nq\": 1, ",
                {"Nq", "Np"}}),
    [](const auto& test) { return test.param.name; });

TEST(WseExecutable, ShortInputFileIsExit2) {
  const TemporaryFolder folder;
  ASSERT_EQ(wse({kGemv, "--quiet", "--output", "A=" + folder.file("A.npy")}).exit_code, 0);
  const std::string whole = read_file(folder.file("A.npy"));
  write_file(folder.file("A.npy"), whole.substr(0, whole.size() - 5));
  const Finished run = wse({kGemv, "--input", "A=" + folder.file("A.npy")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("A.npy"), HasSubstr("bytes")));
}

TEST(WseExecutable, ErrorsAreInTheReportToo) {
  const json::object report = report_of({kGemv, "--param", "M=7"}, 2);
  EXPECT_EQ(report.at("exit_code"), 2);
  EXPECT_THAT(std::string(report.at("message").as_string()), HasSubstr("7"));
}

}  // namespace
}  // namespace tessera::test::wse_executable_test
