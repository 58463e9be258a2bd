// tessera_cslc as a user runs it (csl.md 15).
#include <gtest/gtest.h>

#include "tests/frontends/csl/message_id.h"
#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

const std::string kProgram = "tests/frontends/csl/sema/programs/layout.csl";

TEST(CslcExecutable, TakesTheVendorsCommandLine) {
  const TemporaryFolder folder;
  const Finished run = run_executable(
      "tessera_cslc", {"--arch", "wse3", kProgram, "--params=width:3,height:1", "--params=scale:2",
                       "--colors=X:4", "--fabric-dims=10,3", "--fabric-offsets=4,1", "--memcpy",
                       "--channels=1", "--width-west-buf=0", "--width-east-buf=0",
                       "-o=" + folder.path().string(), "--print-layout"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_file(folder.file("out.json")),
            R"({"params":{"width":"3","height":"1","scale":"2"},"colors":{"X":"4"}})"
            "\n");
  EXPECT_NE(run.out.find(R"("kind":"data","id":2,"task":"receive")"), std::string::npos) << run.out;
  EXPECT_NE(
      run.out.find(R"({"x":1,"y":0,"code":1,"colors":{"1":{"rx":["WEST"],"tx":["EAST","RAMP"])"),
      std::string::npos)
      << run.out;
  EXPECT_NE(run.err.find("has no parameter 'X'"), std::string::npos) << run.err;
}

TEST(CslcExecutable, OnlyParsesOnDemand) {
  const Finished good = run_executable("tessera_cslc", {"--parse", kProgram, kProgram});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_EQ(good.out + good.err, "");
  const TemporaryFolder folder;
  write_file(folder.file("bad.csl"), "const x = 1\nconst y = 2;\n");
  const Finished bad = run_executable("tessera_cslc", {"--parse", folder.file("bad.csl")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.err.find("bad.csl:1:12: "), std::string::npos) << bad.err;
}

TEST(CslcExecutable, RefusesWithExitCode2) {
  const TemporaryFolder folder;
  const auto message = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {kProgram, "-o", folder.path().string()});
    const Finished run = run_executable("tessera_cslc", arguments);
    EXPECT_EQ(run.exit_code, 2);
    for (const char* line = run.err.c_str(); *line != 0;) {  // after the notes of the program
      if (std::string(line).rfind("error: ", 0) == 0)
        return csl::without_ids(std::string(line).substr(7, std::string(line).find('\n') - 7));
      line += std::string(line).find('\n') + 1;
    }
    return run.err;
  };
  EXPECT_EQ(message({"--params=width:1"}), kProgram + ":45:3: the assertion is false: too small");
  EXPECT_EQ(message({"--params=width"}), "--params: 'width' is not of the form NAME:VALUE");
  EXPECT_EQ(message({"--params=width:1,width:2"}), "--params: 'width' is given twice");
  EXPECT_EQ(message({"--arch=wse4"}), "--arch: 'wse4' is none of wse2, wse3");
  EXPECT_EQ(message({"--params=width:3", "--fabric-dims=9,4", "--fabric-offsets=4,1", "--memcpy"}),
            kProgram + ": the program of 3 x 2 PEs from (4, 1) on does not fit into the fabric; "
                       "--fabric-dims must be at "
                       "least 10,4");
  EXPECT_EQ(message({"--csl-version=3"}), "the version of CSL is '3'; 1.4 and 2.10 are known");
}

TEST(CslcExecutable, ExplainsAMessage) {
  const Finished run = run_executable("tessera_cslc", {"--explain", "csl-0201"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, csl::explanation("csl-0201"));
  const Finished unknown = run_executable("tessera_cslc", {"--explain=201x"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("'201x'"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace tessera::test
