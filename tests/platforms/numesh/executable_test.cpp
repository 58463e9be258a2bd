// numesh_platform as users call it: the examples with their numbers, wrong programs, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/run_executable.h"

namespace tessera::test::numesh_executable_test {
namespace {

using testing::HasSubstr;
namespace json = boost::json;

const std::string kExamples = "examples/numesh/";

Finished run(std::vector<std::string> arguments) {
  return run_executable("numesh_platform", std::move(arguments));
}

/// The report of an example, without what the wall clock and the command line say.
json::object report_of(const std::string& example, std::vector<std::string> options,
                       int exit_code = 0) {
  const TemporaryFolder folder;
  options.insert(options.begin(), kExamples + example + ".json");
  options.insert(options.end(), {"--quiet", "--report", folder.file("r.json")});
  const Finished finished = run(options);
  EXPECT_EQ(finished.exit_code, exit_code) << example << ": " << finished.err;
  json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
  report.erase("wall");
  report.erase("run");
  return report;
}

TEST(NumeshExecutable, ExamplesGiveTheRightWords) {
  for (const char* example : {"tour", "jacobi", "online", "continuing", "ring_right"}) {
    const json::object report = report_of(example, {});
    EXPECT_EQ(report.at("status"), "finished") << example;
    for (const json::value& check : report.at("checks").as_array())
      EXPECT_TRUE(check.at("passed").as_bool()) << example << ": " << check;
  }
}

TEST(NumeshExecutable, ExamplesOfOtherSizes) {
  report_of("tour", {"--param", "N=2", "--param", "M=1"});
  report_of("tour", {"--param", "N=17", "--param", "M=100"});
  report_of("jacobi", {"--param", "W=16", "--param", "H=9", "--param", "ROUNDS=2"});
  for (const char* late : {"0", "7", "1000"})
    report_of("ring_right", {"--param", std::string("LATE=") + late});
}

// One machine in two structures, in any step order: the same report.
TEST(NumeshExecutable, StructuresAndStepOrderDoNotMatter) {
  for (const char* example : {"tour", "jacobi", "online", "continuing"}) {
    json::object modules = report_of(example, {"--structure", "modules", "--report-detail"});
    json::object dense = report_of(example, {"--structure", "dense", "--report-detail"});
    const json::object shuffled =
        report_of(example, {"--structure", "modules", "--report-detail", "--shuffle-step-order"});
    EXPECT_EQ(modules, shuffled) << example;
    modules.erase("structure");
    dense.erase("structure");
    EXPECT_EQ(modules, dense) << example;
  }
}

TEST(NumeshExecutable, OperatorsThatAreNotUsedHaveNoCheck) {
  const TemporaryFolder folder;
  write_file(folder.file("p.json"), R"({"schema": "tessera-numesh-program-1", "mesh": [2],
    "operators": {"a": {"kind": "stream", "from": 0, "to": 1},
                  "b": {"kind": "stream", "from": 1, "to": 0}}, "program": "b"})");
  EXPECT_EQ(run({folder.file("p.json"), "--quiet", "--report", folder.file("r.json")}).exit_code,
            0);
  const json::value report = json::parse(read_file(folder.file("r.json")));
  const json::array& checks = report.at("checks").as_array();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].at("name"), "b.out");
  EXPECT_EQ(checks[1].at("name"), "words");
  EXPECT_GT(report.at("wall").at("hops_per_s").to_number<double>(), 0);
}

TEST(NumeshExecutable, ReportOfEveryNode) {
  const json::object report = report_of("jacobi", {"--report-detail"});
  const json::array& nodes = report.at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 36U);
  EXPECT_EQ(nodes[7].at("node"), (json::array{1, 1}));
  EXPECT_GT(nodes[7].at("words_written").as_int64(), 0);
}

// 3.8, V3: 200 against 170 cycles, and what was measured is that plus the way and the delay.
TEST(NumeshExecutable, OnePhaseOrTwo) {
  const Finished finished = run({kExamples + "two_phases.json", "--set", "router.vfsm_buffer=2"});
  EXPECT_THAT(finished.out,
              HasSubstr("one phase takes 200 cycles for its words, 2 phases take 150 and 1 change "
                        "of 20, 170: separate phases"));
  const json::object report = report_of("two_phases", {"--set", "router.vfsm_buffer=2"});
  EXPECT_EQ(report.at("cycles"), 179);
}

// S14: a deadlock names node, stream and phase.
TEST(NumeshExecutable, RingDoneWrong) {
  const json::object report = report_of("ring_wrong", {}, 4);
  const std::string message(report.at("message").as_string());
  EXPECT_THAT(message, HasSubstr("deadlock: nothing moves any more; node 0, task 'ring', phase "
                                 "'ring' waits for a word of stream 'ring 3>0' in input 0"));
  EXPECT_THAT(message, HasSubstr("is stranded"));
  EXPECT_GE(report.at("stuck").as_array().size(), 2U);
  const json::object& first = report.at("diagnoses").at("first").at(0).as_object();
  EXPECT_EQ(first.at("id"), "/tessera/scheduled/stranded");
  EXPECT_EQ(first.at("node"), (json::array{3}));
  EXPECT_THAT(std::string(first.at("text").as_string()), testing::StartsWith("node 3: word 0"));
}

TEST(NumeshExecutable, DecisionsAreSaid) {
  const Finished finished = run({kExamples + "ring_right.json", "--validate"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, HasSubstr("ring  processor-bound  as told"));
  EXPECT_THAT(finished.out, HasSubstr("4 echoes and 2 branches to crossed nodes"));
  EXPECT_THAT(finished.out, HasSubstr("valid for numesh"));
}

TEST(NumeshExecutable, TheManualShowsWhatIsSaid) {
  const std::string manual =
      read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/numesh-platform.md");
  const Finished finished =
      run({kExamples + "two_phases.json", "--set", "router.vfsm_buffer=2", "--validate"});
  EXPECT_THAT(manual, HasSubstr(finished.out.substr(0, finished.out.find("\n\n"))));
  const TemporaryFolder folder;
  const std::size_t begin = manual.find("```json\n") + 8;
  write_file(folder.file("p.json"), manual.substr(begin, manual.find("```\n", begin) - begin));
  EXPECT_EQ(run({folder.file("p.json"), "--quiet"}).exit_code, 0);
}

TEST(NumeshExecutable, SchedulesAsTables) {
  const TemporaryFolder folder;
  const Finished finished = run({kExamples + "two_phases.json", "--set", "router.vfsm_buffer=2",
                                 "--quiet", "--schedules", folder.file("s.txt")});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.out, "");
  const std::string table = read_file(folder.file("s.txt"));
  const std::string phase = table.substr(0, table.find("\n\n") + 1);
  EXPECT_EQ(phase, "phase 0 'a': 3 slots\n"
                   "  node  slot 0     slot 1     slot 2\n"
                   "  (0)   a 0>1 >+x  a 0>1 >+x  .\n"
                   "  (1)   .          a 0>1 >me  a 0>1 >me\n");
  EXPECT_THAT(read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/numesh-platform.md"),
              HasSubstr(phase));
}

TEST(NumeshExecutable, ArraysInAndOut) {
  const TemporaryFolder folder;
  const std::string out = folder.file("u.npy");
  Finished finished = run({kExamples + "jacobi.json", "--quiet", "--output", "u=" + out});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  finished = run({kExamples + "jacobi.json", "--quiet", "--input", "u=" + out});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  finished = run({kExamples + "jacobi.json", "--quiet", "--param", "W=7", "--input", "u=" + out});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("the array has the shape (36, 4); 'u' needs (42, 4)"));
}

TEST(NumeshExecutable, TraceOfPhases) {
  const TemporaryFolder folder;
  EXPECT_EQ(run({kExamples + "tour.json", "--quiet", "--trace-perfetto", folder.file("t.json")})
                .exit_code,
            0);
  const json::value trace = json::parse(read_file(folder.file("t.json")));
  EXPECT_GT(trace.at("traceEvents").as_array().size(), 40U);
}

TEST(NumeshExecutable, EveryPolicyRunsTheExamples) {
  for (const char* policy : {"hold", "check", "tag", "barrier"}) {
    for (const char* example : {"tour", "jacobi", "online", "continuing", "ring_right"})
      report_of(example, {"--set", std::string("phase.skew=") + policy});
  }
}

TEST(NumeshExecutable, Bounds) {
  const json::object report = report_of("tour", {"--max-cycles", "100"}, 4);
  EXPECT_THAT(std::string(report.at("message").as_string()),
              HasSubstr("stopped before cycle 100 (--max-cycles)"));
}

struct BadInput {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(NumeshExecutable, BadInputIsOneSentence) {
  const std::vector<BadInput> inputs = {
      {{"nowhere.json"}, "nowhere.json: the communication program cannot be opened"},
      {{"examples"}, "examples: is a folder; a communication program file is expected"},
      {{kExamples + "tour.json", "--param", "K=3"},
       "--param K: the program has no parameter \"K\""},
      {{kExamples + "tour.json", "--set", "router.vfsm_bufer=2"},
       "--set: router.vfsm_bufer: unknown key; did you mean 'router.vfsm_buffer'?"},
      {{kExamples + "tour.json", "--set", "router.vfsm_buffer=0"},
       "--set: router.vfsm_buffer: 0 words is out of range; allowed: 1 to 255 words"},
      {{kExamples + "tour.json", "--set", "schedule.max_length=2"},
       "do not fit in a schedule of up to 2 slots"},
      {{kExamples + "tour.json", "--set", "interface.addresses=2"},
       "node (0) needs 6 addresses to the router for all phases, but the machine has 2 "
       "(interface.addresses)"},
      {{kExamples + "tour.json", "--heatmap", "x.svg"}, "unknown option '--heatmap'; see --help"},
      {{kExamples + "tour.json", "--structure", "sparse"},
       "--structure: 'sparse' is unknown; allowed: modules, dense, auto"},
      {{kExamples + "tour.json", "--output", "w=x.npy"},
       "--output w: the program has no array 'w'"},
      {{kExamples + "tour.json", "--preset", "wse3"}, "unknown preset 'wse3' for machine numesh"}};
  for (const BadInput& input : inputs) {
    const Finished finished = run(input.arguments);
    EXPECT_EQ(finished.exit_code, 2) << input.message;
    EXPECT_THAT(finished.err, HasSubstr(input.message));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

TEST(NumeshExecutable, HelpNamesTheSchedules) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr("--schedules FILE"));
  EXPECT_THAT(run_executable("wse_platform", {"--help"}).out,
              testing::Not(HasSubstr("--schedules")));
}

TEST(NumeshExecutable, PrintProgramShowsDecisionsAndSchedules) {
  const Finished printed = run({kExamples + "tour.json", "--print-program"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, testing::AllOf(HasSubstr("schedule of"), HasSubstr(">me"),
                                          testing::Not(HasSubstr("finished after"))));
}

TEST(NumeshExecutable, ConfigurationWithItsSources) {
  EXPECT_THAT(run({"--print-config"}).out, HasSubstr("phase.switch_cost = 20 cycles"));
}

}  // namespace
}  // namespace tessera::test::numesh_executable_test
