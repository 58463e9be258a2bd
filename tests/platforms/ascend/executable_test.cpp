// ascend_platform as users call it: the examples, kernels that hang or do what is illegal, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/run_executable.h"

namespace tessera::test::ascend_executable_test {
namespace {

using testing::HasSubstr;
namespace json = boost::json;

const std::string kExamples = "examples/ascend/";

Finished run(std::vector<std::string> arguments) {
  return run_executable("ascend_platform", std::move(arguments));
}

/// The report of a program, without what the wall clock and the command line say.
json::object report_of(const std::string& file, std::vector<std::string> options,
                       int exit_code = 0) {
  const TemporaryFolder folder;
  options.insert(options.begin(), file);
  options.insert(options.end(), {"--quiet", "--report", folder.file("r.json")});
  const Finished finished = run(options);
  EXPECT_EQ(finished.exit_code, exit_code) << file << ": " << finished.err;
  json::object report = json::parse(read_file(folder.file("r.json"))).as_object();
  report.erase("wall");
  report.erase("run");
  return report;
}

std::int64_t count(const json::object& report, const char* counter) {
  return report.at("counters").at(counter).at("value").as_int64();
}

/// A changed copy of an example.
class Changed {
 public:
  Changed(const std::string& example, const std::string& from, const std::string& to)
      : file_(folder_.file("k.pto")) {
    write_file(file_, read_file(std::string(TESSERA_SOURCE_DIR) + "/" + kExamples + example));
    replace_in_file(file_, from, to);
  }
  const std::string& file() const { return file_; }

 private:
  const TemporaryFolder folder_;
  const std::string file_;
};

TEST(AscendExecutable, ExampleC2vOnA5) {
  const json::object r = report_of(kExamples + "c2v_a5.pto", {"--param", "TILES=8"});
  EXPECT_EQ(r.at("schema"), "tessera-report-1");
  EXPECT_EQ(r.at("preset"), "a5");
  EXPECT_EQ(count(r, "gm_bytes_written"), 8 * 128 * 128 * 4);
  EXPECT_EQ(r.at("cores").as_array().size(), 3u);
  EXPECT_EQ(r.at("diagnoses").at("count"), 0);
}
TEST(AscendExecutable, ExampleV2cOnA5) {
  const json::object r = report_of(kExamples + "v2c_a5.pto", {"--param", "TILES=8"});
  EXPECT_EQ(count(r, "gm_bytes_read"), 8 * 128 * 128 + 128 * 128 * 2);
  EXPECT_EQ(r.at("diagnoses").at("count"), 0);
}
TEST(AscendExecutable, ExampleC2vOnA2A3) {
  const json::object r = report_of(kExamples + "c2v_a2a3.pto", {"--param", "TILES=8"});
  EXPECT_EQ(r.at("preset"), "a2a3");
  EXPECT_EQ(count(r, "gm_bytes_written"), 2 * 8 * 128 * 128 * 4);
  EXPECT_EQ(r.at("diagnoses").at("count"), 0);
}
TEST(AscendExecutable, ExampleV2cOnA2A3) {
  const json::object r = report_of(kExamples + "v2c_a2a3.pto", {"--param", "TILES=8"});
  EXPECT_EQ(count(r, "gm_bytes_written"), 8 * 128 * 128 * (2 + 4));
  EXPECT_EQ(r.at("diagnoses").at("count"), 0);
}
TEST(AscendExecutable, ExampleVectorAdd) {
  for (const char* preset : {"a2a3", "a5"}) {
    const json::object r =
        report_of(kExamples + "vector_add.pto",
                  {"--param", "TILES=8", "--preset", preset, "--set", "launch.clusters=4"});
    EXPECT_EQ(count(r, "gm_bytes_read"), 8 * 2 * 8 * 16 * 512 * 4) << preset;
    EXPECT_EQ(r.at("cores").as_array().size(), 8u);  // both AIVs of each cluster
    EXPECT_EQ(r.at("diagnoses").at("count"), 0);
  }
}

TEST(AscendExecutable, ExampleTpushTpopOnBothProfiles) {
  for (const char* preset : {"a2a3", "a5"}) {
    const json::object r =
        report_of(kExamples + "tpush_tpop.pto", {"--param", "TILES=9", "--preset", preset});
    EXPECT_EQ(r.at("diagnoses").at("count"), 0) << preset;
    EXPECT_EQ(r.at("cores").as_array().size(), 3u);
  }
}

// A flag is missing: MTE3 stores what V may not have written.
TEST(AscendExecutable, HazardsAreWarningsOrErrors) {
  const Changed missing("c2v_a5.pto", "      pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n",
                        "      pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n"
                        "      pto.trelu ins(%slot : !ub) outs(%result : !ub)\n");
  const std::vector<std::string> arguments = {missing.file(), "--param", "TILES=3"};
  const auto with = [&arguments](const char* kind) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--hazards", kind});
    return run(all);
  };
  const Finished warned = run(arguments);
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_THAT(warned.out + warned.err, HasSubstr("hazard: "));
  EXPECT_THAT(warned.out + warned.err, HasSubstr("nothing orders them"));
  const Finished failed = with("error");
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_THAT(failed.err, HasSubstr("hazard: "));
  // Each is told once, with its id after it.
  const std::string all = failed.out + failed.err;
  const std::string hazard = "(vector on V of AIV0 of cluster 0) writes and";
  EXPECT_THAT(failed.err, HasSubstr("times) [/tessera/ascend/hazard]\n"));
  ASSERT_THAT(all, HasSubstr(hazard));
  EXPECT_EQ(all.find(hazard), all.rfind(hazard)) << all;
  const Finished off = with("off");
  EXPECT_EQ(off.exit_code, 0);
  EXPECT_THAT(off.out + off.err, testing::Not(HasSubstr("hazard")));
  EXPECT_EQ(with("loud").exit_code, 2);
}

TEST(AscendExecutable, UnknownOperationsNeedACost) {
  const Changed unknown("c2v_a5.pto", "pto.trelu ins", "pto.tfancy ins");
  const Finished refused = run({unknown.file(), "--param", "TILES=3"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("unknown operation 'pto.tfancy'"));
  EXPECT_THAT(refused.err, HasSubstr("--pto-unknown=cost:N"));
  const Finished taken = run({unknown.file(), "--param", "TILES=3", "--pto-unknown=cost:500"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_THAT(taken.out, HasSubstr("aiv_vec"));
  EXPECT_EQ(run({unknown.file(), "--param", "TILES=3", "--pto-unknown=500"}).exit_code, 2);
}

TEST(AscendExecutable, OptionsOfKernelsInCppAreNoneOfPtoText) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--arg", "a=a.npy"},
                                             {"--args", "arguments.json"},
                                             {"--auto-sync"},
                                             {"--host-program"}}) {
    std::vector<std::string> arguments = {kExamples + "tpush_tpop.pto", "--param", "TILES=9"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 2) << more.front();
    EXPECT_THAT(refused.err, HasSubstr(more.front() + ": the program is PTO text"));
  }
}

// What two buffers are for: MTE2 loads all the time.
TEST(AscendExecutable, VectorAddIsBoundByItsLoads) {
  const json::object r = report_of(kExamples + "vector_add.pto", {"--param", "TILES=32"});
  const json::object& core = r.at("cores").as_array()[0].as_object();
  const std::int64_t cycles = r.at("cycles").as_int64();
  EXPECT_GT(core.at("mte2_busy").as_int64() * 100, cycles * 95);
  EXPECT_GT(core.at("v_wait_flag").as_int64() * 100, cycles * 70);
  for (const char* pipe : {"s", "v", "mte2", "mte3"}) {
    std::int64_t sum = 0;
    for (const auto& [key, value] : core) {
      const std::string name(key);
      if (name.rfind(std::string(pipe) + "_", 0) != 0) continue;
      const bool time = name.find("_busy") != std::string::npos ||
                        name.find("_idle") != std::string::npos ||
                        name.find("_wait_") != std::string::npos;
      if (time) sum += value.as_int64();
    }
    EXPECT_EQ(sum, cycles) << pipe;
  }
}

TEST(AscendExecutable, StepOrderDoesNotMatter) {
  for (const char* example : {"c2v_a5.pto", "v2c_a2a3.pto"}) {
    const std::vector<std::string> options = {"--param", "TILES=6", "--set", "launch.clusters=3"};
    std::vector<std::string> shuffled = options;
    shuffled.insert(shuffled.end(), {"--shuffle-step-order", "--seed", "7"});
    EXPECT_EQ(report_of(kExamples + example, options), report_of(kExamples + example, shuffled));
  }
}

// Section 6, test 7: +15 instead of +16 hangs.
TEST(AscendExecutable, WaitForTheWrongIdIsADeadlock) {
  const Changed changed("v2c_a5.pto", "\"PIPE_MTE1\", 16", "\"PIPE_MTE1\", 15");
  const json::object r = report_of(changed.file(), {"--param", "TILES=8"}, 4);
  EXPECT_EQ(r.at("status"), "could_not_finish");
  // The cause comes first, here and among the waits.
  EXPECT_THAT(
      std::string(r.at("message").as_string()),
      testing::MatchesRegex(
          "deadlock: id 15 of AIC of cluster 0 never comes: AIV0 of cluster 0 has "
          "to set id 15 .mode 4.: the program of AIV0 of cluster 0 has no set of "
          "it; pipe MTE1 of AIC of cluster 0 .* waits for it; and .* more; the device would "
          "report 507014, AI-core time-out"));
  EXPECT_THAT(json::serialize(r.at("stuck").as_array().at(0)), HasSubstr("id 15"));
  std::string all;
  for (const json::value& wait : r.at("stuck").as_array()) all += json::serialize(wait) + "\n";
  EXPECT_THAT(all, HasSubstr("wait_intra_core(MTE1, id 15)"));
  EXPECT_THAT(all, HasSubstr("the program of AIV0 of cluster 0 has no set of it"));
}

// Section 7: what is illegal stops at its line, before the run or in it.
TEST(AscendExecutable, IllegalUseIsExit4WithItsLine) {
  const Changed profile("vector_add.pto", "    // All buffers are free at first.",
                        "    pto.set_intra_block \"PIPE_MTE2\", 0");
  const Finished wrong = run({profile.file(), "--param", "TILES=8", "--preset", "a2a3"});
  EXPECT_EQ(wrong.exit_code, 4);
  EXPECT_THAT(wrong.err, HasSubstr("k.pto:30: set_intra_block(MTE2, id 0): set_intra_block does "
                                   "not exist on A2/A3"));
  const Changed pair("vector_add.pto", "    // All buffers are free at first.",
                     "    pto.set_flag[<PIPE_V>, <PIPE_FIX>, <EVENT_ID0>]");
  const Finished no_pipe = run({pair.file(), "--param", "TILES=8"});
  EXPECT_EQ(no_pipe.exit_code, 4);
  EXPECT_THAT(no_pipe.err, HasSubstr("k.pto:30: set_flag(V, FIX, id 0): an AIV has no pipe FIX"));
  const Changed twice("vector_add.pto", "    // All buffers are free at first.",
                      "    pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]");
  const Finished double_set = run({twice.file(), "--param", "TILES=8"});
  EXPECT_EQ(double_set.exit_code, 4);
  EXPECT_THAT(double_set.err, HasSubstr("k.pto:31"));
  EXPECT_THAT(double_set.err, HasSubstr("/tessera/cluster/double_set"));
}

TEST(AscendExecutable, FlagLeftSetIsAWarning) {
  const Changed changed("vector_add.pto", "    // What was set at first is taken back.",
                        "    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID5>]");
  const json::object r = report_of(changed.file(), {"--param", "TILES=8"});
  EXPECT_EQ(r.at("diagnoses").at("count"), 1);
  EXPECT_THAT(json::serialize(r.at("diagnoses")), HasSubstr("V to MTE3, event 5"));
}

// 16 rows of 64 f32 for each block, of `rows` in all. The scalar unit loads where the input begins.
std::string spmd_kernel(const std::string& rows) {
  return R"(module {
  func.func @k(%x: !pto.ptr<f32>, %first: !pto.ptr<i32>, %y: !pto.ptr<f32>, %__pypto_spmd_block_idx: i32)
      attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %rows = arith.constant )" +
         rows + R"( : index
    %block = arith.index_cast %__pypto_spmd_block_idx : i32 to index
    %row = arith.muli %block, %c16 : index
    %loaded = pto.load_scalar %first[%c0] : !pto.ptr<i32> -> i32
    %offset = arith.index_cast %loaded : i32 to index
    %from = arith.addi %row, %offset : index
    %xv = pto.make_tensor_view %x, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%from, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%yp : !pto.partition_tensor_view<16x64xf32>)
    return
  }
}
)";
}

// ascend.md 1.1: a block of a kernel for vector cores only is one AIV; one cluster runs one block unless more are asked for.
TEST(AscendExecutable, BlocksOfVectorKernelsNumberAivs) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.pto");
  write_file(file, R"(module {
  func.func @k(%y: !pto.ptr<i32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %b = pto.get_block_idx
    %n = pto.get_block_num
    %s = pto.get_subblock_idx
    %m = pto.get_subblock_num
    pto.print ins("block", %b : i64)
    pto.print ins("of", %n : i64)
    pto.print ins("subblock", %s : i64)
    pto.print ins("of AIVs", %m : i64)
    return
  }
}
)");
  const auto printed = [&](std::vector<std::string> options) {
    options.insert(options.begin(), file);
    return run(options).out;
  };
  const std::string both = printed({"--set", "launch.clusters=2"});
  for (const char* text :
       {"AIV0 of cluster 0", "AIV1 of cluster 0", "AIV0 of cluster 1", "AIV1 of cluster 1",
        "block 0", "block 1", "block 2", "block 3", "of 4", "subblock 0", "of AIVs 1"})
    EXPECT_THAT(both, HasSubstr(text));
  EXPECT_THAT(both, Not(HasSubstr("subblock 1")));
  const std::string three = printed({"--set", "launch.clusters=2", "--set", "launch.blocks=3"});
  EXPECT_THAT(three, AllOf(HasSubstr("block 2"), HasSubstr("of 3"), Not(HasSubstr("block 3"))));
  EXPECT_THAT(printed({}), AllOf(HasSubstr("block 0"), HasSubstr("of 1"), Not(HasSubstr("AIV1"))));
  EXPECT_THAT(printed({"--set", "launch.clusters=2", "--set", "launch.ratio=0:1"}),
              AllOf(HasSubstr("of 2"), Not(HasSubstr("AIV1"))));
}

TEST(AscendExecutable, PrintsNumbersOfEachType) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.pto");
  write_file(file, R"(module {
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %half = arith.constant -1.5 : f32
    %seven = arith.constant 7 : i32
    %real = arith.sitofp %seven : i32 to f32
    pto.print ins("constant", %half : f32)
    pto.print ins("whole", %seven : i32)
    pto.print ins("computed", %real : f32)
    return
  }
}
)");
  EXPECT_THAT(run({file}).out, AllOf(HasSubstr("constant -1.5\n"), HasSubstr("whole 7\n"),
                                     HasSubstr("computed 7\n")));
}

// ascend.md 1.1: a launch gives each AIV a block; its outputs are divided among them.
TEST(AscendExecutable, ALaunchThatDoesNotDivideItsOutputsSaysSo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.pto");
  write_file(file, spmd_kernel("64"));
  for (const bool no_data : {false, true}) {
    const auto diagnoses = [&](std::vector<std::string> options, int exit_code = 0) {
      if (no_data) options.emplace_back("--no-data");
      return json::serialize(report_of(file, options, exit_code).at("diagnoses"));
    };
    EXPECT_THAT(diagnoses({"--set", "launch.clusters=2"}), HasSubstr("\"count\":0"));
    EXPECT_THAT(diagnoses({"--set", "launch.clusters=2", "--set", "launch.blocks=3"}),
                HasSubstr("no block writes 4096 bytes of the 16384 of %y, from byte 12288 on"));
    EXPECT_THAT(diagnoses({"--set", "launch.clusters=3", "--param", "__pypto_spmd_block_idx=2"}),
                HasSubstr("clusters 0 and 1 both write byte 8192 of %y; 4096 bytes"));
    // One block too many reads past the end of the array.
    std::vector<std::string> options = {file, "--set", "launch.clusters=3", "--set",
                                        "launch.blocks=5"};
    if (no_data) options.emplace_back("--no-data");
    const Finished beyond = run(options);
    EXPECT_EQ(beyond.exit_code, 4);
    EXPECT_THAT(beyond.err,
                HasSubstr("the array x has 16384 bytes, the part takes bytes 16384 to 20479"));
  }
}

// Without values of tiles scalar loads read what the host gives, and nothing else.
TEST(AscendExecutable, ScalarLoadsOfATimingOnlyRun) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.pto");
  write_file(file, spmd_kernel("64"));
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }";
  std::string npy = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
  npy.resize(127, ' ');
  npy += "\n" + std::string("\x10\x00\x00\x00", 4);
  write_file(folder.file("first.npy"), npy);
  const std::vector<std::string> options = {file, "--set", "launch.clusters=2", "--no-data"};
  EXPECT_EQ(run(options).exit_code, 0);
  std::vector<std::string> shifted = options;
  shifted.insert(shifted.end(), {"--input", "first=" + folder.file("first.npy")});
  EXPECT_THAT(run(shifted).err, HasSubstr("the part takes bytes 16384 to 20479"));
  std::vector<std::string> output = options;
  output.insert(output.end(), {"--output", "y=" + folder.file("y.npy")});
  EXPECT_THAT(run(output).err, HasSubstr("with --no-data tiles have no values"));
  // What a tile has written is not known.
  replace_in_file(file, "    return\n",
                  "    %v = pto.load_scalar %y[%c0] : !pto.ptr<f32> -> f32\n    return\n");
  EXPECT_THAT(run(options).err, HasSubstr("tiles have no values in this run; run it with data"));
}

TEST(AscendExecutable, UserErrorsAreExit2) {
  const auto fails = [](std::vector<std::string> arguments, const std::string& text) {
    const Finished f = run(std::move(arguments));
    EXPECT_EQ(f.exit_code, 2) << f.err;
    EXPECT_THAT(f.err, HasSubstr(text));
  };
  fails({kExamples + "nothing.pto"}, "the PTO program cannot be opened");
  fails({kExamples + "c2v_a5.pto"}, "the argument %TILES (index, used in line");
  fails({kExamples + "c2v_a5.pto", "--param", "TILES=1", "--heatmap", "x.svg"}, "--heatmap");
  fails({kExamples + "c2v_a5.pto", "--param", "TILES=1", "--preset", "wse3"},
        "a2a3_910b4, a2a3_910c, a5, a5_950dt");
  fails({kExamples + "vector_add.pto", "--param", "TILES=2", "--set", "launch.ratio=1:2"},
        "1:2 needs a function for the AIC");
  fails({kExamples + "c2v_a5.pto", "--param", "TILES=1", "--structure", "tiles"}, "'tiles'");
  const Changed unknown("vector_add.pto", "      // Buffer 1.", "      pto.tfancy ins(%ap0)");
  fails({unknown.file(), "--param", "TILES=2"}, "k.pto:50:7: unknown operation 'pto.tfancy'");
}

// Options of the fabric are neither known nor offered.
TEST(AscendExecutable, OptionsOfTheFabricAreUnknown) {
  const std::string help = run_executable("ascend_platform", {"--help"}).out;
  EXPECT_THAT(help, HasSubstr("--trace-perfetto FILE"));
  for (const char* option : {"--trace-wse", "--heatmap", "--check-links", "--check-epochs"}) {
    EXPECT_THAT(help, testing::Not(HasSubstr(option)));
    EXPECT_THAT(run_executable("wse_platform", {"--help"}).out, HasSubstr(option));
    EXPECT_THAT(run_executable("vp_platform", {"--help"}).out, HasSubstr(option));
  }
  EXPECT_THAT(run({kExamples + "vector_add.pto", "--heatmap", "x.svg"}).err,
              HasSubstr("ascend_platform: unknown option '--heatmap'; see --help"));
}

TEST(AscendExecutable, BoundsAndValidate) {
  const std::string file = kExamples + "vector_add.pto";
  const json::object r = report_of(file, {"--param", "TILES=8", "--max-cycles", "1000"}, 4);
  EXPECT_THAT(std::string(r.at("message").as_string()), HasSubstr("--max-cycles"));
  const Finished valid = run({file, "--param", "TILES=8", "--validate"});
  EXPECT_EQ(valid.exit_code, 0);
  EXPECT_EQ(valid.out, file + ": valid for a5\n");
  EXPECT_THAT(run({"--print-config", "--preset", "a2a3"}).out,
              HasSubstr("sync.flag_latency = 3 cycles"));
}

// What is printed is a program again, which runs like the first one.
TEST(AscendExecutable, PrintProgramWritesTheModule) {
  const TemporaryFolder folder;
  const std::string file = kExamples + "vector_add.pto";
  const Finished printed = run({file, "--param", "TILES=8", "--print-program"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  write_file(folder.file("k.pto"), printed.out);
  EXPECT_EQ(run({folder.file("k.pto"), "--param", "TILES=8", "--print-program"}).out, printed.out);
  EXPECT_EQ(report_of(folder.file("k.pto"), {"--param", "TILES=8"}).at("digest"),
            report_of(file, {"--param", "TILES=8"}).at("digest"));
}

}  // namespace
}  // namespace tessera::test::ascend_executable_test
