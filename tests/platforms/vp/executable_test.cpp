// vp_platform as a user runs it: the examples, end times with any quantum, structures, debug access,
// wrong scripts and exit codes (docs/vp-platform.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_executable.h"

namespace tessera::test::vp_executable_test {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kGemv = "examples/vp/gemv.vps";
constexpr const char* kVectorAdd = "examples/vp/vector_add.vps";
constexpr const char* kAccesses = "examples/vp/accesses.vps";

Finished vp(const std::vector<std::string>& arguments) {
  return run_executable("vp_platform", arguments);
}

/// The report without what depends on the machine it runs on, and without `but`.
std::string report_of(std::vector<std::string> arguments,
                      const std::vector<std::string>& but = {}) {
  const TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--quiet", "--report", folder.file("r.json")});
  const Finished run = vp(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
  report.erase("wall");
  report.erase("run");
  for (const std::string& key : but) report.erase(key);
  return json::serialize(report);
}

std::int64_t end_ps(const std::string& report) {
  const json::value parsed = json::parse(report);
  return parsed.at("counters").at("host_end_ps").at("value").as_int64();
}

/// A script of its own on the machine of hello_wavelet.
Finished run_script(const std::string& statements, const std::vector<std::string>& more = {},
                    const std::string& layout = "examples/hello_wavelet/layout.json") {
  const TemporaryFolder folder;
  write_file(folder.file("s.vps"),
             "device wse " TESSERA_SOURCE_DIR "/" + layout + "\n" + statements + "\n");
  std::vector<std::string> arguments = {folder.file("s.vps")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return vp(arguments);
}

TEST(VpExecutable, GemvIsLoadedLaunchedAwaitedAndReadBack) {
  for (const char* preset : {"wse2", "wse3"}) {
    const Finished run = vp({kGemv, "--preset", preset});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("y is right"));
  }
}

TEST(VpExecutable, DriverResetsTheMachineInTheMiddle) {
  for (const char* structure : {"modules", "dense"}) {
    const Finished run = vp({"examples/vp/reset.vps", "--structure", structure});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("y is right after a reset"));
  }
  const std::string fresh = report_of({"examples/vp/reset.vps"});
  for (const char* quantum : {"0ns", "37ns", "100us"})
    EXPECT_EQ(report_of({"examples/vp/reset.vps", "--quantum", quantum}), fresh);
}

TEST(VpExecutable, DriverRunsAndResetsAScheduledMesh) {
  const std::string fresh = report_of({"examples/vp/mesh.vps"});
  for (const char* quantum : {"0ns", "37ns", "100us"})
    EXPECT_EQ(report_of({"examples/vp/mesh.vps", "--quantum", quantum}), fresh);
  for (const char* structure : {"modules", "dense"}) {
    const Finished run = vp({"examples/vp/mesh.vps", "--structure", structure});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("phase_changes           352 switches"));
  }
  const Finished refused = vp({"examples/vp/mesh.vps", "--check-epochs"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("only a fabric has it, found device 'numesh'"));
}

// What recorders set in the engines holds after a reset too; the waits add up to the cycles since.
TEST(VpExecutable, TracesAndWaitsGoOnBehindAReset) {
  const TemporaryFolder folder;
  const Finished run =
      vp({"examples/vp/reset.vps", "--quiet", "--waits", "--trace-perfetto", folder.file("t.json"),
          "--vcd", folder.file("w.vcd"), "--report", folder.file("r.json")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json::value trace = json::parse(read_file(folder.file("t.json")));
  double last = 0;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    const json::object& fields = event.as_object();
    if (fields.contains("dur")) {
      EXPECT_GE(fields.at("dur").to_number<double>(), 0);
    }
    if (fields.contains("ts")) last = std::max(last, fields.at("ts").to_number<double>());
  }
  EXPECT_GT(last, 300) << "the second GEMV is not there";
}

TEST(VpExecutable, FailureTellsTheHostAndAResetRepairs) {
  const TemporaryFolder folder;
  write_file(
      folder.file("bad.tasm"),
      "fn bad\n    movri r2, 0\n    st16 [0], r2\n    ret\nfn good\n    movri r2, 1\n    ret\n");
  write_file(folder.file("bad.json"),
             R"({"schema": "tessera-wse-layout-1", "grid": [1, 1], "routes": [], "host": [],
                 "tiles": [{"rect": [0, 0, 1, 1], "code": "bad.tasm"}]})");
  write_file(folder.file("s.vps"), R"(device wse bad.json
write port.irq_enable failure|launch_done
write slot[0].function fn.bad
write doorbell[0] 1
wait irq
expect port.status failed|launched
expect port.irq_pending failure|at_rest
refused generic write doorbell[0] 1
write port.control reset_machine
expect port.status 0
write port.irq_enable launch_done
write slot[0].function fn.good
write doorbell[0] 1
wait irq 1us
print "it works again"
)");
  const Finished stopped = vp({folder.file("s.vps")});
  EXPECT_EQ(stopped.exit_code, 4);
  EXPECT_THAT(stopped.err, HasSubstr("/tessera/pe/code_store"));
  const Finished run = vp({folder.file("s.vps"), "--device-failures", "interrupt"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("it works again"));
}

TEST(VpExecutable, TwoAcceleratorsADmaEngineAndAMemory) {
  const std::string script = "examples/vp/two_accelerators.vps";
  const Finished run = vp({script});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 y is right"));
  const std::string report = report_of({script});
  EXPECT_THAT(report, HasSubstr("\"2.finished_at\""));
  for (const char* quantum : {"0ns", "7ns", "100ns", "1ms"})
    EXPECT_EQ(report_of({script, "--quantum", quantum}), report) << quantum;
  EXPECT_EQ(end_ps(report_of({script, "--structure", "dense"})), end_ps(report));
  EXPECT_EQ(end_ps(report_of({script, "--structure", "modules"})), end_ps(report));
}

TEST(VpExecutable, MistakesWithTwoDevicesAreNamed) {
  const Finished twice = run_script("device wse x.json");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("has two devices 'wse'"));
  const Finished use = run_script("use 2");
  EXPECT_EQ(use.exit_code, 2);
  EXPECT_THAT(use.err, HasSubstr("expected 'use N' with the number of a device, 1 to 1"));
  const Finished address = run_script("write dma.source &memory");
  EXPECT_EQ(address.exit_code, 2);
  EXPECT_THAT(address.err, HasSubstr("expected '&low:PLACE' or '&high:PLACE'"));
}

// 64 bytes from memory and to memory: 250 ps for each byte, twice.
TEST(VpExecutable, DmaTakesTheTimeOfBothTargets) {
  const Finished run = run_script("write memory 1 2 3 4\n"
                                  "write dma.source 0 0 0x1000 0 128 start\n"
                                  "refused generic write dma.bytes 4\n"
                                  "wait 55ns\nexpect dma.status done\n"
                                  "expect memory+0x1000 1 2 3 4\n"
                                  "write dma.source 0xFFFFC0 0 0 0 128 start\nwait 10ns\n"
                                  "expect dma.status done|error\nexpect dma.bytes 0\n"
                                  "refused command read dma.control\n"
                                  "refused burst write dma.bytes 1 2 3 4\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(VpExecutable, DriverHeaderHasTheNamesOfTheDevice) {
  const TemporaryFolder folder;
  const Finished run = vp({kGemv, "--driver-header", folder.file("device.h"), "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string header = read_file(folder.file("device.h"));
  for (const char* line :
       {"#define TESSERA_REG_CONTROL 0x40u\n", "#define TESSERA_BIT_RESET_MACHINE 0x2u\n",
        "#define TESSERA_FN_MAIN 0x0u\n", "#define TESSERA_MEMORY 0x100000000ull\n",
        "#define TESSERA_P0_A_BYTES 0x10u\n", "#define TESSERA_CHANNEL_CANCEL 0x58u\n"})
    EXPECT_THAT(header, HasSubstr(line));
  EXPECT_THAT(header, HasSubstr("#define TESSERA_EDGE_3_0_EAST 0x1"));
  write_file(folder.file("driver.c"),
             "#include \"device.h\"\nint main(void) { return TESSERA_P0_A_ADDRESS == 0; }\n");
  EXPECT_EQ(std::system(("cc -std=c99 -Wall -Werror -o " + folder.file("driver") + " " +
                         folder.file("driver.c"))
                            .c_str()),
            0);
}

TEST(VpExecutable, VectorAddOnAiCoresTwice) {
  const Finished run = vp({kVectorAdd, "--param", "TILES=4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("c is right"));
  // 4 tiles x 2 operands x 16 x 512 x 4 bytes, and twice as many after the second launch.
  EXPECT_THAT(run.out, AllOf(HasSubstr("line 44: 0x00040000"), HasSubstr("line 53: 0x00080000")));
}

/// A script on AI cores: vector_add with 4 tiles.
Finished run_on_ai_cores(const std::string& statements, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder.file("s.vps"),
             "device ascend " TESSERA_SOURCE_DIR "/examples/ascend/vector_add.pto\n" + statements);
  std::vector<std::string> arguments = {folder.file("s.vps"), "--param", "TILES=4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return vp(arguments);
}

TEST(VpExecutable, WhyAndTracesOfAiCores) {
  const TemporaryFolder folder;
  const Finished run =
      vp({kVectorAdd, "--param", "TILES=4", "--why", "0,1@900", "--quiet", "--report",
          folder.file("r.json"), "--trace-perfetto", folder.file("t.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json::value why = json::parse(read_file(folder.file("r.json"))).at("why");
  EXPECT_EQ(json::serialize(why.at("core")), "[0,1]");
  EXPECT_THAT(json::serialize(why.at("waits")),
              AllOf(HasSubstr("busy: pipe MTE2"), HasSubstr("waits for the flag MTE2 to V")));
  const json::value trace = json::parse(read_file(folder.file("t.json")));
  EXPECT_GT(trace.at("traceEvents").as_array().size(), 50U);
  const Finished none = vp({kVectorAdd, "--param", "TILES=4", "--why", "0,7@900", "--quiet"});
  EXPECT_THAT(none.err, HasSubstr("the machine has no such place"));
}

TEST(VpExecutable, ScalarStoresReachTheHostWhenTheirLineIsCleaned) {
  const TemporaryFolder folder;
  write_file(folder.file("k.pto"), R"(module {
  func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c41 = arith.constant 41 : i32
    %old = pto.load_scalar %x[0] : !pto.ptr<i32> -> i32
    %new = arith.addi %old, %c41 : i32
    pto.store_scalar %new, %x[0] : !pto.ptr<i32>, i32
    pto.dcci %x "SINGLE_CACHE_LINE" : !pto.ptr<i32>
    pto.store_scalar %new, %y[0] : !pto.ptr<i32>, i32
    return
  }
}
)");
  write_file(folder.file("s.vps"),
             "device ascend k.pto\nwrite array[x].bytes 64\nwrite array[y].bytes 64\n"
             "write array[x] 1\nwrite port.irq_enable launch_done\nwrite doorbell[0] 1\nwait irq\n"
             "expect array[x] 42 0\nexpect array[y] 0 0\n");
  const Finished run = vp({folder.file("s.vps")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 line in the scalar cache of AIV0 of cluster 0 has stores that "
                                 "never reached GM"));
}

TEST(VpExecutable, ArraysOfGmAreZeroUntilWrittenAndKeepTheirSize) {
  const std::string loaded =
      "write array[a].bytes 0x20000\nwrite array[b].bytes 0x20000\nwrite array[a]+4 2.0\n"
      "write array[b]+4 3.0\nwrite port.irq_enable launch_done\n";
  const Finished run = run_on_ai_cores(
      "refused generic read array[a]\n" + loaded +
      "expect array[a] 0.0 2.0 0.0\nrefused generic write array[a]+0x1FFFC 1 2\n"
      "write doorbell[0] 1\nwait irq\nexpect array[c] 0.0 5.0 0.0\n"
      "write array[c].bytes 0x30000\nexpect array[c]+4 0\nwrite doorbell[0] 1\n"
      "wait 10us\nexpect array[c]+4 5.0\nexpect array[c].bytes 0x30000\n"
      "write array[c].bytes 0\nrefused generic read array[c]\n"
      "refused address read 0x11C0000000\nrefused burst read array[a]+0x3FFFFFFC 2\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(VpExecutable, PeekOfFewerWordsThanAskedForSaysSo) {
  const Finished run =
      run_on_ai_cores("write array[c].bytes 4\npeek array[c] 1\npeek array[c] 3\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("line 4: there are 1 of 3 words\n"));
}

// Reads of a running machine: what a core is about to write is not there before its cycle.
TEST(VpExecutable, ArraysAreReadWhileAKernelRunsWithAnyQuantum) {
  std::string script = "write array[a].bytes 0x20000\nwrite array[b].bytes 0x20000\n";
  for (int tile = 0; tile < 4; ++tile)
    script += "write array[a]+" + std::to_string(tile * 0x8000) + " 1.0\n";
  script += "write doorbell[0] 1\nwait 1us\n";
  for (int i = 0; i < 30; ++i)
    script += "peek array[c] 1\nread array[c].bytes\nread counter.gm_bytes_written\nwait 90ns\n";
  script += "read array[c]\nread array[c]+0x8000\nread array[c]+0x10000\nread array[c]+0x18000\n";
  const Finished first = run_on_ai_cores(script, {"--quantum", "0ns"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("0x00000000"), HasSubstr("0x3f800000 (1)")));
  const auto lines = [](const std::string& out) { return out.substr(0, out.find("finished")); };
  for (const char* quantum : {"1ns", "777ps", "1ms"}) {
    const Finished run = run_on_ai_cores(script, {"--quantum", quantum, "--shuffle-step-order"});
    EXPECT_EQ(lines(run.out), lines(first.out)) << quantum;
  }
}

TEST(VpExecutable, ArrayThatIsTooSmallEndsTheKernel) {
  const Finished run = run_on_ai_cores(
      "write array[a].bytes 4096\nwrite port.irq_enable launch_done\nwrite doorbell[0] 1\n"
      "wait irq\n");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("the array a has 4096 bytes, the part takes bytes"));
}

TEST(VpExecutable, WithoutDataAiCoresHaveNoArrays) {
  const std::string launch = "expect port.arrays 0\nwrite doorbell[0] 1\nwait 10us\n";
  EXPECT_EQ(run_on_ai_cores(launch, {"--no-data"}).exit_code, 0);
  const Finished named = run_on_ai_cores("write array[a] 1\n", {"--no-data"});
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, HasSubstr("2:13: the device has no array 'a'"));
  const Finished wse = vp({kGemv, "--no-data"});
  EXPECT_EQ(wse.exit_code, 2);
  EXPECT_THAT(wse.err, HasSubstr("--no-data: only AI-core clusters have it"));
  const Finished wave = run_on_ai_cores("wait 1ns\n", {"--vcd", "w.vcd"});
  EXPECT_EQ(wave.exit_code, 2);
  EXPECT_THAT(wave.err, HasSubstr("--vcd: only a fabric has it, found device 'ascend'"));
}

TEST(VpExecutable, AccessesAndRefusals) {
  EXPECT_EQ(vp({kAccesses}).exit_code, 0);
}

// Issue 9: the end time is identical in repeated runs and with any quantum.
TEST(VpExecutable, SameReportInRepeatedRunsAndWithAnyQuantum) {
  for (const std::vector<std::string>& program : std::vector<std::vector<std::string>>{
           {kGemv}, {kVectorAdd, "--param", "TILES=4"}, {kAccesses}}) {
    const std::string expected = report_of(program);
    EXPECT_GT(end_ps(expected), 0);
    EXPECT_EQ(report_of(program), expected);
    for (const char* quantum : {"0ns", "1ps", "1ns", "1177ps", "13ns", "1us", "1ms"}) {
      std::vector<std::string> arguments = program;
      arguments.insert(arguments.end(), {"--quantum", quantum});
      EXPECT_EQ(report_of(arguments), expected) << program[0] << ", " << quantum;
    }
  }
}

TEST(VpExecutable, ReportHasEveryTileAndTracesAreWritten) {
  const TemporaryFolder folder;
  const Finished run = vp({kGemv, "--quiet", "--report", folder.file("r.json"), "--report-detail",
                           "--trace-perfetto", folder.file("t.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json::value report = json::parse(read_file(folder.file("r.json")));
  EXPECT_EQ(report.at("tiles").as_array().size(), 12U);
  EXPECT_EQ(report.at("platform"), "vp");
  EXPECT_FALSE(report.at("checks").as_array().empty());
  EXPECT_GT(json::parse(read_file(folder.file("t.json"))).at("traceEvents").as_array().size(),
            100U);
}

TEST(VpExecutable, ValidateRunsNothing) {
  const Finished run = vp({kGemv, "--validate"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, std::string(kGemv) + ": valid\n");
}

TEST(VpExecutable, StructuresAndStepOrderGiveTheSameReport) {
  const std::string expected = report_of({kGemv}, {"structure"});
  EXPECT_EQ(report_of({kGemv, "--structure", "dense"}, {"structure"}), expected);
  EXPECT_EQ(report_of({kGemv, "--structure", "dense", "--shuffle-step-order"}, {"structure"}),
            expected);
  EXPECT_EQ(
      report_of({kGemv, "--shuffle-step-order", "--seed", "5", "--check-links"}, {"structure"}),
      expected);
  const std::vector<std::string> add = {kVectorAdd, "--param", "TILES=4"};
  const std::string cluster = report_of(add, {"structure"});
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--structure", "modules"}, {"--structure", "modules", "--shuffle-step-order"}}) {
    std::vector<std::string> arguments = add;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(report_of(arguments, {"structure"}), cluster);
  }
}

/// The GEMV script with `line` in front of every statement after the first.
std::string crowded(const std::string& line, const std::string& quantum) {
  const TemporaryFolder folder;
  std::string text = read_file(TESSERA_SOURCE_DIR "/examples/vp/gemv.vps");
  const std::string device = "device wse ../gemv_stream/layout.json";
  const std::size_t at = text.find(device) + device.size();
  std::string script = "device wse " TESSERA_SOURCE_DIR "/examples/gemv_stream/layout.json";
  for (std::size_t i = at; i < text.size(); ++i) {
    script += text[i];
    if (text[i] == '\n') script += line + "\n";
  }
  write_file(folder.file("s.vps"), script);
  return report_of({folder.file("s.vps"), "--quantum", quantum}, {"program", "checks"});
}

/// What a host that looks at a running machine in every 10 ns reads, with a clock of 1 ns: all its
/// accesses come in the instant in which a cycle begins.
std::string read_on_the_edge(const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  std::string script =
      "device wse " TESSERA_SOURCE_DIR "/examples/exchange/layout.json\nwrite doorbell[0] 1\n";
  for (int i = 0; i < 60; ++i)
    script +=
        "read counter.instructions_issued\nread counter.hops\nread tile[1,1]+0x4 8\nwait 7ns\n";
  write_file(folder.file("s.vps"), script);
  std::vector<std::string> arguments = {folder.file("s.vps"), "--set", "clock.period_ps=1000"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished run = vp(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::string lines;
  std::istringstream out(run.out);
  for (std::string line; std::getline(out, line);) {
    if (line.rfind("line ", 0) == 0) lines += line + "\n";
  }
  return lines;
}

// An access in a cycle sees the machine at the end of it, whoever comes first in that instant.
TEST(VpExecutable, AccessOnTheEdgeOfACycleSeesTheWholeCycle) {
  const std::string expected = read_on_the_edge({"--quantum", "1us"});
  for (const char* quantum : {"0ns", "1ns", "10ns", "13ns"})
    EXPECT_EQ(read_on_the_edge({"--quantum", quantum}), expected) << quantum;
  EXPECT_EQ(read_on_the_edge({"--structure", "dense"}), expected);
  EXPECT_EQ(read_on_the_edge({"--shuffle-step-order"}), expected);
}

// A peek takes no time of the bus and leaves no trace: the same as a comment that takes as long.
TEST(VpExecutable, DebugAccessDisturbsNothing) {
  const std::string looked =
      "peek tile[1,1].A 4\npeek stream[3,0,EAST,2] 2\npeek port.id 10\npeek port.status 1";
  const std::string waited = "wait 0ns\nwait 0ns\nwait 0ns\nwait 0ns";
  EXPECT_EQ(crowded(looked, "1us"), crowded(waited, "1us"));
  EXPECT_EQ(crowded(looked, "1ns"), crowded(waited, "1us"));
}

// Engines execute groups of vector operations late; what a counter says must not depend on whether
// somebody has looked at the memory of the tile.
TEST(VpExecutable, CountersOfABusyMachineDoNotDependOnWhoLooked) {
  const auto counters = [](const std::string& look, const std::string& structure) {
    std::string lines = "write doorbell[0] 1\nwait 40ns\n";
    for (int i = 0; i < 10; ++i)
      lines += look + "\nread counter.busy_issue_cycles\nread counter.vector_elements\nwait 7ns\n";
    const Finished run =
        run_script(lines, {"--param", "KERNEL=1", "--param", "N=512", "--structure", structure},
                   "examples/pe_loops/layout.json");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::string found;
    std::istringstream out(run.out);
    for (std::string line; std::getline(out, line);) {
      const bool looked = line.rfind("line ", 0) != 0 || std::stoi(line.substr(5)) % 4 == 0;
      if (!looked) found += line + "\n";
    }
    return found;
  };
  const std::string expected = counters("wait 0ns", "modules");
  EXPECT_THAT(expected, HasSubstr("line 5: 0x"));
  for (const char* structure : {"modules", "dense"}) {
    for (const char* look : {"wait 0ns", "peek tile[0,0]", "peek counter.hops"})
      EXPECT_EQ(counters(look, structure), expected) << structure << ", " << look;
  }
}

TEST(VpExecutable, DirectMemoryGivesTheTimeOfTheBus) {
  const auto end = [](const std::string& first) {
    const TemporaryFolder folder;
    std::string script =
        "device wse " TESSERA_SOURCE_DIR "/examples/gemv_stream/layout.json\n" + first;
    for (int i = 0; i < 20; ++i)
      script += "\nwrite tile[1,2]+0x5000 1 2 3\nexpect tile[1,2]+0x5000 1 2 3\nwrite memory 7 8";
    write_file(folder.file("s.vps"), script + "\n");
    return end_ps(report_of({folder.file("s.vps")}));
  };
  EXPECT_EQ(end("dmi on"), end("dmi off"));
}

// A pointer from before the launch must not be used while the machine runs.
TEST(VpExecutable, DirectMemoryIsTakenBackByALaunch) {
  const Finished run = run_script(
      "wait 1us\nexpect tile[0,0]+0x5000 0\nexpect tile[0,0]+0x5000 0\nwrite doorbell[0] 1\n"
      "expect tile[0,0]+0x5000 0",
      {"--report", "/dev/stdout", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json::value report = json::parse(run.out);
  EXPECT_EQ(report.at("counters").at("direct_accesses").at("value").as_int64(), 1);
}

TEST(VpExecutable, PollWithALimitAndWaitWithALimitFail) {
  Finished run = run_script("poll port.status launched launched every 10ns limit 3");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("line 2: the limit of 3 attempts was reached"));
  run = run_script("wait irq 100ns");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("line 2: no interrupt came"));
}

TEST(VpExecutable, InterruptThatNeverComesIsADeadlock) {
  const Finished run = run_script("wait irq");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("the host is at line 2 (wait irq)"));
}

TEST(VpExecutable, WrongValueIsExit1) {
  const Finished run = run_script("expect port.id 1\nexpect port.kind 1");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("line 2: word 0: expected 0x00000001, found 0x52535354"));
}

TEST(VpExecutable, RefusedAccessIsExit1) {
  const Finished run = run_script("write port.id 1");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("line 2: the bus answered 'command'"));
}

TEST(VpExecutable, BoundsEndARun) {
  const Finished run = vp({kGemv, "--max-cycles", "200"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("stopped before cycle 200 (--max-cycles); the host is at line"));
}

TEST(VpExecutable, MistakesInScriptsAreToldWithLineAndColumn) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"wirte port.id 1", "2:1: expected one of write, push"},
      {"wait irq 0ns", "2:10: expected a duration above 0"},
      {"expect tile[0,0] 1.0 3 within 0.5", "2:22: expected an f32 such as 1.0 in front of"},
      {"read tile[0,0]+0x10000", "2:16: expected a number below 65536, found 65536"},
      {"expect array[a] 1", "2:14: the device has no array 'a'"},
      {"wirte port.id 1", "did you mean 'write'?"},
      {"write port.idd 1", "2:12: there is no register 'idd'; did you mean 'id'?"},
      {"write port 1", "2:11: expected '.', found the end of the word"},
      {"write", "2:6: expected a place, found the end of the line"},
      {"write port.id", "expected a value, found the end of the line"},
      {"write tile[2,0] 1", "2:12: expected a number below 2, found 2"},
      {"write tile[0,0].nothing 1", "2:17: tile (0, 0) has no symbol 'nothing'"},
      {"write tile[0,0].+4 1", "has no symbol ''"},
      {"write stream[0,0,WEST,3] 1", "no stream of the layout uses the WEST side of tile (0, 0)"},
      {"write memory+0x 1", "expected a number of 64 bits, found '0x'"},
      {"write memory+4x 1", "expected the end of the place, found 'x'"},
      {"write memory 0x100000000", "expected a word of 32 bits"},
      {"write memory -2147483649", "expected a word of 32 bits"},
      {"write memory 1.5.5", "expected an f32, found '1.5.5'"},
      {"write memory runing", "there is no value 'runing'; did you mean 'running'?"},
      {"write slot[8].function 1", "expected a number below 8, found 8"},
      {"write slot[0].function fn.mian", "the device has no function 'mian'; did you mean 'main'?"},
      {"read counter.hoops", "the device has no counter 'hoops'; did you mean 'hops'?"},
      {"read port.id 0", "expected a number of 1 to 1048576, found '0'"},
      {"read port.id 1 2", "2:16: expected the end of the line, found '2'"},
      {"wait 5", "expected a duration of at most 1000 s such as 10ns, found '5'"},
      {"wait 99999999999999ms", "expected a duration"},
      {"poll port.id 1 1 every 0ns limit 3", "expected a duration above 0"},
      {"poll port.id 1 1 evry 1ns limit 3", "expected 'every', found 'evry'"},
      {"refused adress read port.id", "did you mean 'address'?"},
      {"refused address wait 1ns", "expected write, push or read after 'refused'"},
      {"expect port.id 1 within x", "expected a tolerance of 0 or more, found 'x'"},
      {"dmi maybe", "expected one of on, off, found 'maybe'"},
      {"print \"open", "2:7: expected a \" at the end of the word"},
  };
  for (const auto& [script, expected] : cases) {
    const Finished run = run_script(script);
    EXPECT_EQ(run.exit_code, 2) << script << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr(expected)) << script;
  }
}

TEST(VpExecutable, MistakesInTheDeviceAreUserErrors) {
  const TemporaryFolder folder;
  const std::string file = folder.file("s.vps");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is empty; expected 'device wse LAYOUT'"},
      {"wait 1ns\n",
       "1:1: expected 'device wse LAYOUT', 'device ascend PROGRAM' or 'device numesh PROGRAM'"},
      {"device gpu x.json\n", "expected device 'wse', 'ascend' or 'numesh', found 'gpu'"},
      {"device wse nothing.json\n", "nothing.json"},
  };
  for (const auto& [text, expected] : cases) {
    write_file(file, text);
    const Finished run = vp({file});
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(expected));
  }
  EXPECT_EQ(vp({folder.file("gone.vps")}).exit_code, 2);
  EXPECT_EQ(vp({kGemv, "--quantum", "soon"}).exit_code, 2);
  EXPECT_EQ(vp({kGemv, "--preset", "a5"}).exit_code, 2);
  EXPECT_EQ(vp({kGemv, "--input", "A=a.npy"}).exit_code, 2);
}

}  // namespace
}  // namespace tessera::test::vp_executable_test
