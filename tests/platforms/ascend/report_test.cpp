// What ascend_platform says about a run: the profile by the names of the vendor's profiler (reference
// ascend.md 4.6), flag latencies, bytes per path, the trace of pipes; and that both structures say
// the same of every example.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <map>

#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;
namespace json = boost::json;

const std::string kExamples = "examples/ascend/";

/// The report of an example.
json::object report_of(const std::string& example, std::vector<std::string> options) {
  const TemporaryFolder folder;
  options.insert(options.begin(), kExamples + example);
  options.insert(options.end(), {"--quiet", "--no-data", "--report", folder.file("r.json")});
  const Finished finished = run_executable("ascend_platform", options);
  EXPECT_EQ(finished.exit_code, 0) << example << ": " << finished.err;
  json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
  report.erase("wall");
  report.erase("run");
  return report;
}

double number(const json::object& report, const char* group, const char* name,
              const char* member = nullptr) {
  const json::value& value = report.at(group).at(name);
  return (member == nullptr ? value : value.at(member)).to_number<double>();
}

const std::vector<std::string> kGemm = {"--param=M=512",  "--param=N=512",
                                        "--param=K=1024", "--param=GM=2",
                                        "--param=GN=2",   "--set=launch.clusters=4"};
const std::vector<std::string> kFused = {"--param=M=256", "--param=DEPTH=2",
                                         "--set=launch.clusters=4"};
const std::vector<std::string> kTiles = {"--param=TILES=6", "--set=launch.clusters=3"};

/// Options of each example.
std::map<std::string, std::vector<std::string>> examples() {
  std::map<std::string, std::vector<std::string>> all;
  const std::filesystem::path folder(std::string(TESSERA_SOURCE_DIR) + "/" + kExamples);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".pto") continue;
    all[name] = name == "gemm.pto" ? kGemm : name.rfind("fused_", 0) == 0 ? kFused : kTiles;
  }
  return all;
}

TEST(AscendReport, BothStructuresSayTheSameOfEveryExample) {
  const auto all = examples();
  EXPECT_GE(all.size(), 8u);
  for (const auto& [name, options] : all) {
    std::vector<std::string> modules = options;
    modules.insert(modules.end(), {"--structure", "modules", "--report-detail"});
    std::vector<std::string> dense = options;
    dense.insert(dense.end(), {"--structure", "dense", "--report-detail"});
    json::object a = report_of(name, modules), b = report_of(name, dense);
    EXPECT_EQ(a.at("structure"), "modules") << name;
    EXPECT_EQ(b.at("structure"), "dense") << name;
    a.erase("structure");
    b.erase("structure");
    EXPECT_GT(a.at("cycles").as_int64(), 0) << name;
    EXPECT_EQ(a, b) << name;
  }
}

TEST(AscendReport, IllegalUseAndDeadlockReadTheSameInBothStructures) {
  const TemporaryFolder folder;
  write_file(folder.file("k.pto"), R"(module attributes {pto.target_arch = "a5"} {
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    return
  }
}
)");
  write_file(folder.file("d.pto"), R"(module attributes {pto.target_arch = "a5"} {
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    return
  }
}
)");
  for (const char* file : {"k.pto", "d.pto"}) {
    const Finished dense = run_executable("ascend_platform", {folder.file(file), "--quiet"});
    const Finished modules =
        run_executable("ascend_platform", {folder.file(file), "--quiet", "--structure", "modules"});
    EXPECT_EQ(dense.exit_code, 4) << file;
    EXPECT_EQ(modules.exit_code, 4) << file;
    EXPECT_EQ(dense.err, modules.err);
  }
}

// 16 tiles of 128 x 256 with K = 1024: 256 MADs of 512 cycles and a gap of 10 at most 62.
TEST(AscendReport, ProfileOfAGemm) {
  const json::object r = report_of("gemm.pto", kGemm);
  EXPECT_EQ(number(r, "profile", "aic_cores"), 4);
  const double mac = number(r, "profile", "aic_mac_time_us") * 1850;  // 2 tiles of 16 MADs a core
  EXPECT_GT(mac, 2 * 16 * 522.0);
  EXPECT_LT(mac, 2 * 16 * 574.0 + 1);
  const double core = number(r, "profile", "aic_time_us");
  EXPECT_NEAR(number(r, "profile", "aic_mac_ratio"), mac / 1850 / core, 1e-9);
  EXPECT_NEAR(number(r, "profile", "task_time_us"),
              static_cast<double>(r.at("cycles").as_int64()) / 1850 + 10, 1e-9);
  for (const char* pipe :
       {"aic_mte1_ratio", "aic_mte2_ratio", "aic_fixpipe_ratio", "aic_scalar_ratio"}) {
    EXPECT_GT(number(r, "profile", pipe), 0) << pipe;
    EXPECT_LE(number(r, "profile", pipe), 1) << pipe;
  }
  EXPECT_FALSE(r.at("profile").as_object().contains("aiv_vec_ratio"));
}

TEST(AscendReport, BytesPerPathAndWhatL2Had) {
  const json::object r = report_of("gemm.pto", kGemm);
  EXPECT_EQ(number(r, "paths", "gm_to_l1", "bytes"), 4 * 2 * 1024 * 2 * (128 + 256));
  EXPECT_EQ(number(r, "paths", "l1_to_l0a", "bytes"), 4 * 2 * 1024 * 2 * 128);
  EXPECT_EQ(number(r, "paths", "l1_to_l0b", "bytes"), 4 * 2 * 1024 * 2 * 256);
  EXPECT_EQ(number(r, "paths", "l0c_to_gm", "bytes"), 512 * 512 * 4);
  // Each byte of A and B comes from GM once: 1 MB + 1 MB of 6 MB.
  EXPECT_NEAR(number(r, "paths", "gm_to_l1", "l2_hit_ratio"), 1 - 2.0 / 6, 1e-9);
  EXPECT_EQ(number(r, "paths", "l0c_to_gm", "l2_hit_ratio"), 1);
  const json::object given = report_of("gemm.pto", [] {
    std::vector<std::string> options = kGemm;
    options.insert(options.end(), {"--set=gm.l2_bytes=0", "--set=gm.aic.read_l2_hit=250"});
    return options;
  }());
  EXPECT_NEAR(number(given, "paths", "gm_to_l1", "l2_hit_ratio"), 0.25, 1e-9);
}

// A cross-core flag needs its latency at least, a flag between pipes 3 cycles.
TEST(AscendReport, LatenciesFromSetToRelease) {
  const json::object a2 = report_of("c2v_a2a3.pto", kTiles);
  EXPECT_EQ(number(a2, "flags", "mode_2", "min"), 850);
  EXPECT_EQ(number(a2, "flags", "mode_2", "count"), 3 * (6 * 2 + 6));
  EXPECT_EQ(number(a2, "flags", "set_flag", "min"), 3);
  const json::object a5 = report_of("v2c_a5.pto", kTiles);
  EXPECT_EQ(number(a5, "flags", "set_intra_block", "min"), 40);
  EXPECT_GE(number(a5, "flags", "set_intra_block", "max"),
            number(a5, "flags", "set_intra_block", "mean"));
  EXPECT_FALSE(a5.at("flags").as_object().contains("mode_2"));
}

TEST(AscendReport, TerminalShowsWhereTheTimeWent) {
  std::vector<std::string> options = kGemm;
  options.insert(options.begin(), kExamples + "gemm.pto");
  const std::string out = run_executable("ascend_platform", options).out;
  for (const char* text : {"4 AIC, ", "# busy  . waits", "aic_mac ", "waits: flag ", "GM>L1 ",
                           "66.7 %", "set to release, cycles", "set_flag "})
    EXPECT_THAT(out, HasSubstr(text));
}

// A GEMM that waits for L2 is bound by its copies; vector_add in one cluster by the path into UB.
TEST(AscendReport, NamesWhatBoundsEachKindOfCore) {
  const json::object gemm = report_of("gemm.pto", kGemm), sum = report_of("vector_add.pto", kTiles);
  const auto text = [](const json::object& report, const char* kind, const char* name) {
    return std::string(report.at("bound_by").at(kind).at(name).as_string());
  };
  EXPECT_EQ(text(gemm, "aic", "kind"), "pipe");
  const std::string pipe = text(gemm, "aic", "name");
  EXPECT_NEAR(number(gemm, "bound_by", "aic", "share"),
              number(gemm, "profile", (pipe + "_ratio").c_str()), 1e-9);
  EXPECT_THAT(text(gemm, "aic", "line_1"), HasSubstr("gemm.pto:"));
  EXPECT_THAT(text(sum, "aiv", "line_1"), HasSubstr("vector_add.pto:"));
  EXPECT_GT(number(sum, "bound_by", "aiv", "line_1_share"), 0.0);
  const Finished finished = run_executable(
      "ascend_platform", {kExamples + "vector_add.pto", "--no-data", "--param=TILES=6"});
  EXPECT_THAT(finished.out, HasSubstr("AIV bound by "));
}

// What L2 has is no traffic of GM.
TEST(AscendReport, NoBandwidthIsUsedBeyondWhatThereIs) {
  const json::object r =
      report_of("gemm.pto", {"--set=launch.clusters=24", "--param=M=1536", "--param=N=1536",
                             "--param=K=1536", "--param=GM=4", "--param=GN=6"});
  EXPECT_NE(std::string(r.at("bound_by").at("aic").at("name").as_string()), "GM");
  EXPECT_GT(number(r, "bound_by", "aic", "share"), 0.5);
  EXPECT_LE(number(r, "bound_by", "aic", "share"), 1.0);
}

TEST(AscendReport, DetailOfEveryCore) {
  std::vector<std::string> options = kGemm;
  options.emplace_back("--report-detail");
  const json::object r = report_of("gemm.pto", options);
  const json::object& core = r.at("cores").as_array().at(3).as_object();
  EXPECT_EQ(core.at("mad_operations"), 2 * 16);
  EXPECT_EQ(core.at("copy_in_bytes").as_int64(), 2 * 1024 * 2 * (128 + 256));
  EXPECT_GT(core.at("set_flag_count").as_int64(), 0);
}

// Slices of a pipe do not overlap, and with the gaps between them they are its time.
TEST(AscendReport, TraceOfPipes) {
  const TemporaryFolder folder;
  std::vector<std::string> options = kTiles;
  options.insert(options.begin(), kExamples + "c2v_a2a3.pto");
  options.insert(options.end(), {"--quiet", "--trace-perfetto", folder.file("t.json")});
  ASSERT_EQ(run_executable("ascend_platform", options).exit_code, 0);
  const json::value trace = json::parse(read_file(folder.file("t.json")));
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> until;
  std::map<std::string, unsigned> seen;
  std::multimap<std::int64_t, std::pair<std::pair<std::int64_t, std::int64_t>, std::int64_t>>
      slices;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    ++seen[std::string(event.at("name").as_string())];
    if (event.at("ph") != "X") continue;
    slices.emplace(
        event.at("ts").as_int64(),
        std::make_pair(std::make_pair(event.at("pid").as_int64(), event.at("tid").as_int64()),
                       event.at("dur").as_int64()));
  }
  for (const auto& [start, slice] : slices) {
    EXPECT_GE(start, until[slice.first]);
    until[slice.first] = start + slice.second;
  }
  EXPECT_EQ(seen["mad"], 3u * 6);
  EXPECT_EQ(seen["process_name"], 3u);
  EXPECT_GT(seen["wait: cross_core"], 0u);
  EXPECT_GT(seen["wait: flag"], 0u);
  EXPECT_EQ(seen["set id 0, mode 2"], 3u * 6);
}

}  // namespace
}  // namespace tessera::test
