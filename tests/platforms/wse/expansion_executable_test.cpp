// A program with macros of another file, repeats and ifs, as a user runs it, and checks of parts of an
// array; and how a warning of the assembler gets into the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_executable.h"

namespace tessera::test::expansion_executable_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kStencil = "tests/platforms/wse/programs/stencil/layout.json";

TEST(WseExpansion, AStencilOfMacrosAgreesInItsInnerPart) {
  for (const char* preset : {"wse2", "wse3"}) {
    for (const char* structure : {"modules", "dense"}) {
      for (const char* scale : {"SCALE=1", "SCALE=3"}) {
        const Finished run =
            run_executable("wse_platform", {kStencil, "--preset", preset, "--structure", structure,
                                            "--param", scale});
        EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
        EXPECT_THAT(run.out, HasSubstr("b[1:-1]"));
        EXPECT_THAT(run.out, Not(HasSubstr("warning")));
      }
    }
  }
}

TEST(WseExpansion, ThePrintedProgramIsTheSame) {
  const TemporaryFolder folder;
  folder.copy_from("tests/platforms/wse/programs/stencil");
  const std::string layout = folder.file("layout.json");
  const std::vector<std::string> print = {layout, "--print-program", "--param", "SCALE=2"};
  const Finished printed = run_executable("wse_platform", print);
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("dsd part2 mem1d a offset=2 extent=7"));
  write_file(folder.file("stencil.tasm"), "param N\nparam SCALE\n" + printed.out);
  const Finished again = run_executable("wse_platform", print);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, printed.out);
}

TEST(WseExpansion, AStaleReturnIsAWarningOfTheReport) {
  const TemporaryFolder folder;
  folder.copy_from("tests/platforms/wse/programs/stencil");
  replace_in_file(folder.file("stencil.tasm"), "    ret\n",
                  "    call stop\n    jmp stop\n\nfn stop\n    movri r1, 1\n    eq16 r1, r2\n"
                  "    mov16 r2, r1\n    jmpt over\n    ret\nover:\n    end\n");
  const Finished run = run_executable("wse_platform", {folder.file("layout.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("warning: cycle 0: " + folder.file("stencil.tasm") +
                                 ":24:5: this jump reaches the ret of line "));
  EXPECT_THAT(run.out, HasSubstr("[/tessera/tasm/stale_return]"));
}

}  // namespace
}  // namespace tessera::test::expansion_executable_test
