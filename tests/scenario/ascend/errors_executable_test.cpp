// The error numbers of the device (reference ascend.md 7, last row): each rule of the table in
// platforms/ascend/device_error.h by a kernel that breaks it, on the terminal and in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "models/cluster/program/legality.h"
#include "platforms/ascend/device_error.h"
#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

using ascend::DeviceErrorRow;
using testing::HasSubstr;
namespace json = boost::json;

struct Broken {
  std::string rule;
  std::string preset;
  std::string kind;  // kind of core: "vector", "cube"
  std::string body;
};

constexpr unsigned kTimeOut = 507014, kException = 507015;

const char* const kUnitFlags = R"(    %a = pto.alloc_tile : !pto.tile_buf<left, 128x16xf16>
    %b = pto.alloc_tile : !pto.tile_buf<right, 16x128xf16>
    %c = pto.alloc_tile : !pto.tile_buf<acc, 128x128xf32>
    %part = pto.subview %c[%c0, %c0] sizes [64, 128] : !pto.tile_buf<acc, 128x128xf32> -> !pto.tile_buf<acc, 64x128xf32>
    %v = pto.make_tensor_view %y, shape = [64, 128], strides = [128, 1] : !pto.tensor_view<?x?xf32>
    %p = pto.partition_view %v, offsets = [0, 0], sizes = [64, 128] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<64x128xf32>
    pto.tmatmul ins(%a, %b : !pto.tile_buf<left, 128x16xf16>, !pto.tile_buf<right, 16x128xf16>) outs(%c : !pto.tile_buf<acc, 128x128xf32>) {accPhase = #pto<acc_phase final>}
    pto.tstore ins(%part : !pto.tile_buf<acc, 64x128xf32>) outs(%p : !pto.partition_tensor_view<64x128xf32>) {stPhase = #pto<st_phase final>})";

const char* const kNegativeSize = R"(    %w = pto.load_scalar %x[1] : !pto.ptr<i32> -> i32
    %t = arith.index_cast %w : i32 to index
    %n = arith.subi %t, %c1 : index
    %v = pto.make_tensor_view %y, shape = [%c1, 8], strides = [8, 1] : !pto.tensor_view<?x?xf32>
    %p = pto.partition_view %v, offsets = [0, 0], sizes = [%n, 8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x8xf32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<?x8xf32>) outs(%tile : !pto.tile_buf<vec, 1x8xf32>))";

const std::string kSet = "    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n";

std::string sets(unsigned count) {
  std::string text = "    pto.set_ffts %c1 : index\n";
  for (unsigned i = 0; i < count; ++i)
    text += "    pto.set_cross_core \"PIPE_MTE3\", 3 {mode = 0}\n";
  return text;
}

const std::vector<Broken>& broken() {
  static const std::vector<Broken> list = {
      {ascend::kDeadlock, "a5", "vector", "    pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]"},
      {cluster::kOverflowId, "a2a3", "vector", sets(16)},
      {cluster::kDoubleSetId, "a5", "vector", kSet + kSet},
      {cluster::kFftsId, "a2a3", "vector", "    pto.set_cross_core \"PIPE_MTE3\", 3"},
      {cluster::kControlId, "a5", "vector",
       "    %far = arith.constant 0x10000090000 : i64\n"
       "    %p = pto.castptr %far : i64 -> !pto.ptr<i32, gm>\n"
       "    %v = pto.load_scalar %p[0] : !pto.ptr<i32, gm> -> i32"},
      {cluster::kAccessId, "a2a3", "vector",
       "    %v = pto.load_scalar %x[-1] : !pto.ptr<i32> -> i32"},
      {cluster::kSizeId, "a5", "vector", kNegativeSize},
      {cluster::kUnitFlagId, "a5", "cube", kUnitFlags},
  };
  return list;
}

/// What the executable says about the kernel of `rule`: its report.
json::object report_of(const std::string& rule, const std::string& structure) {
  for (const Broken& b : broken()) {
    if (b.rule != rule) continue;
    const TemporaryFolder folder;
    write_file(
        folder.file("k.pto"),
        "module {\n  func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<f32>) attributes "
        "{pto.kernel_kind = #pto.kernel_kind<" +
            b.kind +
            ">} {\n    %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n" +
            b.body + "\n    return\n  }\n}\n");
    const Finished finished =
        run_executable("ascend_platform",
                       {folder.file("k.pto"), "--preset", b.preset, "--set", "launch.mix=yes",
                        "--quiet", "--structure", structure, "--report", folder.file("r.json")});
    EXPECT_EQ(finished.exit_code, 4) << rule << ": " << finished.err;
    json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
    EXPECT_THAT(finished.err, HasSubstr(std::string(report.at("message").as_string())));
    return report;
  }
  ADD_FAILURE() << "no kernel for " << rule;
  return {};
}

void expect_error(const std::string& rule, unsigned number, const std::string& name) {
  for (const char* structure : {"dense", "modules"}) {
    const json::object report = report_of(rule, structure);
    ASSERT_TRUE(report.contains("device_error")) << rule;
    EXPECT_EQ(report.at("device_error").at("number"), number);
    EXPECT_EQ(report.at("device_error").at("name").as_string(), name);
    const std::string message(report.at("message").as_string());
    const std::string end = rule == ascend::kDeadlock ? "" : " [" + rule + "]";
    EXPECT_THAT(message, testing::EndsWith("; the device would report " + std::to_string(number) +
                                           ", " + name + end));
  }
}

TEST(ascend, M29_deadlock_is_a_time_out) {
  expect_error(ascend::kDeadlock, kTimeOut, "AI-core time-out");
}
TEST(ascend, M29_counter_overflow_is_a_time_out) {
  expect_error(cluster::kOverflowId, kTimeOut, "AI-core time-out");
}
TEST(ascend, M29_double_set_is_a_time_out) {
  expect_error(cluster::kDoubleSetId, kTimeOut, "AI-core time-out");
}
TEST(ascend, M29_missing_ffts_base_is_a_time_out) {
  expect_error(cluster::kFftsId, kTimeOut, "AI-core time-out");
}
TEST(ascend, M29_control_registers_are_a_time_out) {
  expect_error(cluster::kControlId, kTimeOut, "AI-core time-out");
}
TEST(ascend, M29_access_beyond_its_memory_is_an_exception) {
  expect_error(cluster::kAccessId, kException, "AI-core exception");
}
TEST(ascend, M29_operand_out_of_range_is_an_exception) {
  expect_error(cluster::kSizeId, kException, "AI-core exception");
}
TEST(ascend, M29_unit_flag_sizes_are_an_exception) {
  expect_error(cluster::kUnitFlagId, kException, "AI-core exception");
}

// The same cycles, events, outputs and warnings, bound from modules and in one.
TEST(ascend, M27_reads_the_same_in_both_structures) {
  const TemporaryFolder folder;
  write_file(folder.file("k.pto"), R"(module {
  func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %block = pto.get_block_idx
    %me = arith.index_cast %block : i64 to index
    %me32 = arith.trunci %block : i64 to i32
    %seen = pto.load_scalar %x[%me] : !pto.ptr<i32> -> i32
    pto.store_scalar %me32, %x[%me] : !pto.ptr<i32>, i32
    pto.store_scalar %me32, %y[%me] : !pto.ptr<i32>, i32
    pto.dcci %x "SINGLE_CACHE_LINE" : !pto.ptr<i32>
    return
  }
}
)");
  std::vector<json::object> reports;
  for (const char* structure : {"dense", "modules"}) {
    const Finished finished = run_executable(
        "ascend_platform", {folder.file("k.pto"), "--set", "launch.clusters=3", "--quiet",
                            "--structure", structure, "--report", folder.file("r.json")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    reports.push_back(json::parse(read_file(folder.file("r.json"))).as_object());
    for (const char* own : {"wall", "structure", "run"}) reports.back().erase(own);
  }
  EXPECT_EQ(reports[0], reports[1]);
  const json::object& diagnoses = reports[0].at("diagnoses").as_object();
  EXPECT_EQ(diagnoses.at("count"), 1 + 6) << "the words that are lost, a line left in each core";
}

TEST(ascend, M29_every_row_has_a_kernel) {
  std::set<std::string> rows, kernels;
  for (const DeviceErrorRow& row : ascend::device_errors()) {
    rows.insert(row.rule);
    EXPECT_FALSE(row.why.empty()) << row.rule;
  }
  for (const Broken& b : broken()) kernels.insert(b.rule);
  EXPECT_EQ(rows, kernels);
}

// What was stopped from outside has no error of the device.
TEST(ascend, M29_a_run_that_was_stopped_has_no_number) {
  const Finished finished =
      run_executable("ascend_platform", {"examples/ascend/vector_add.pto", "--param", "TILES=8",
                                         "--quiet", "--max-cycles", "100"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, testing::Not(HasSubstr("the device would report")));
}

TEST(ascend, M29_rule_of_a_message) {
  EXPECT_EQ(ascend::rule_of("k.pto:3: wrong [/tessera/cluster/access]"), "/tessera/cluster/access");
  EXPECT_EQ(ascend::rule_of("deadlock: nothing moves any more"), "");
  EXPECT_EQ(ascend::rule_of("[/tessera/cluster/access] and more"), "");
  EXPECT_EQ(ascend::rule_of(""), "");
}

}  // namespace
}  // namespace tessera::test
