// What a compiler needs of tile programs, on whole machines in both structures: printed lines, places in
// another language, queues that carry several colors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_executable.h"

namespace tessera::test::compiler_support_executable_test {
namespace {

using ::testing::HasSubstr;

struct Machine {
  const char* preset;
  const char* structure;
};

class WseCompilerSupport : public ::testing::TestWithParam<Machine> {
 protected:
  /// Two tiles with one program; `main` is launched on both.
  Finished run(const std::string& program, const std::vector<std::string>& more = {}) const {
    write_file(folder.file("p.tasm"), program);
    write_file(folder.file("layout.json"), R"({"schema": "tessera-wse-layout-1", "grid": [2, 1],
      "tiles": [{"rect": [0, 0, 2, 1], "code": "p.tasm"}],
      "routes": [{"rect": [0, 0, 1, 1], "color": 4, "rx": "RAMP", "tx": "EAST"},
                 {"rect": [1, 0, 1, 1], "color": 4, "rx": "WEST", "tx": "RAMP"},
                 {"rect": [0, 0, 1, 1], "color": 5, "rx": "RAMP", "tx": "EAST"},
                 {"rect": [1, 0, 1, 1], "color": 5, "rx": "WEST", "tx": "RAMP"}],
      "host": [{"launch": "main", "rect": [0, 0, 2, 1]}, {"wait": "idle"}]})");
    std::vector<std::string> arguments = {folder.file("layout.json"), "--preset",
                                          GetParam().preset,          "--structure",
                                          GetParam().structure,       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_executable("wse_platform", arguments);
  }
  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Machines, WseCompilerSupport,
                         ::testing::Values(Machine{"wse2", "modules"}, Machine{"wse2", "dense"},
                                           Machine{"wse3", "modules"}, Machine{"wse3", "dense"}),
                         [](const auto& machine) {
                           return std::string(machine.param.preset) + machine.param.structure;
                         });

TEST_P(WseCompilerSupport, LinesThatTilesPrintComeByCycleAndTile) {
  const std::string log = folder.file("sim.log");
  const Finished finished =
      run("string at \"tile \"\nfn main\n coord r0, r1\n stcfg 0x7f71, at\n stcfg 0x7f72, r0\n"
          " stcfg 0x7f74, 0\n stcfg 0x7f75, 10\n eq16 r0, 0\n jmpf last\n stcfg 0x7f71, at\n ret\n"
          "last:\n stcfg 0x7f75, 33\n stcfg 0x7f75, 10\n ret\n",
          {"--print-log", log, "--shuffle-step-order"});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const std::string text = read_file(log);
  EXPECT_THAT(text, ::testing::MatchesRegex("@[0-9]+ tile 0\n@[0-9]+ tile 1\n@[0-9]+ !\n"));
  EXPECT_EQ(text.substr(0, text.find(' ')), text.substr(text.find('\n') + 1, text.find(' ')));
}

TEST_P(WseCompilerSupport, ADeadlockNamesTheSource) {
  const Finished finished =
      run("data v: u32[1]\nqueue in input 2 color=4\nqueue out output 4 color=4\ndsd from fabin in "
          "extent=1\ndsd into mem1d v\nline \"wait.csl\" 8\nfn main\n lddsr dds1, into\n"
          " lddsr s1ds1, from\nline \"wait.csl\" 9\n mov32 dds1, s1ds1\n ret\n");
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, HasSubstr("mov32 at wait.csl:9 (fn main)"));
}

class WseCompilerSupportOfWse2 : public WseCompilerSupport {};
INSTANTIATE_TEST_SUITE_P(Machines, WseCompilerSupportOfWse2,
                         ::testing::Values(Machine{"wse2", "modules"}, Machine{"wse2", "dense"}),
                         [](const auto& machine) { return machine.param.structure; });

TEST_P(WseCompilerSupportOfWse2, AQueueCarriesSeveralColors) {
  const std::string program =
      "string got \"got \"\ndata v: u32[12] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12\nqueue four "
      "input 2 color=4\n"
      "queue five input 3 color=5\nqueue out output 2\ndsd all mem1d v\n"
      "dsd to4 fabout out extent=12 color=4\ndsd to5 fabout out extent=12 color=5\n"
      "dsd from4 fabin four extent=12\ndsd from5 fabin five extent=12\n"
      "fn main\n coord r0, r1\n lddsr s1ds1, all\n eq16 r0, 1\n jmpt receive\n"
      " lddsr dds1, to4\n lddsr dds2, to5\n mov32 dds1, s1ds1\n mov32 dds2, s1ds1\n"
      " mov32 dds1, s1ds1\n ret\n"
      "receive:\n add16 r8, r8, 1\n ltu16 r8, 20\n jmpt receive\n lddsr s0ds1, from5\n lddsr "
      "s0ds2, from4\n"
      " lddsr dds1, all\n mov32 dds1, s0ds2\n mov32 dds1, s0ds1\n mov32 dds1, s0ds2\n"
      " stcfg 0x7f71, got\n ld16 r0, [v + 44]\n stcfg 0x7f72, r0\n stcfg 0x7f74, 0\n"
      " stcfg 0x7f75, 10\n ret\n";
  const std::string log = folder.file("sim.log");
  const Finished several = run(program, {"--print-log", log});
  EXPECT_EQ(several.exit_code, 0) << several.err;
  EXPECT_THAT(read_file(log), HasSubstr(" got 12\n"));
  const Finished one = run(program, {"--set", "pe.queue_colors=one"});
  EXPECT_EQ(one.exit_code, 4);
  EXPECT_THAT(one.err, HasSubstr("/tessera/pe/queue_reuse"));
}

}  // namespace
}  // namespace tessera::test::compiler_support_executable_test
