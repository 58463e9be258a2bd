// CSL programs as a user of wse_platform runs them (docs/csl.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/data/npy.h"
#include "tests/support/report_of.h"
#include "tests/support/run_executable.h"

namespace tessera::test::csl_executable_test {
namespace {

using ::testing::HasSubstr;

const std::string kHost = "tests/platforms/wse/programs/csl_host/layout.csl";

class WseCslExecutable : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--report", folder.file("report.json")});
    return run_executable("wse_platform", arguments);
  }
  Finished compile(const std::string& arch) const {
    return run_executable("tessera_cslc",
                          {kHost, "--arch", arch, "--params=width:2,height:1", "--memcpy",
                           "--fabric-dims=9,3", "--fabric-offsets=4,1", "-o", out()});
  }
  std::string out() const { return folder.file("out"); }
  void write_input(const std::string& name, data::Shape shape) const {
    data::HostArray array = data::HostArray::zeros(data::DType::kF64, std::move(shape));
    for (std::size_t i = 0; i < array.size(); ++i) array.set(i, static_cast<double>(i));
    data::write_npy(folder.file(name), array);
  }
  TemporaryFolder folder;
};

TEST_F(WseCslExecutable, InputsLaunchesAndOutputsComeInThisOrder) {
  write_input("a.npy", {1, 2, 4});
  const Finished finished =
      run({kHost, "--params=width:2,height:1", "--input", "a=" + folder.file("a.npy"), "--launch",
           "add:1,0.5", "--launch", "add:1,0.25", "--output", "a=" + folder.file("b.npy")});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const data::HostArray b = data::read_npy(folder.file("b.npy"));
  EXPECT_EQ(b.shape, (data::Shape{1, 2, 4}));
  EXPECT_EQ(b.dtype, data::DType::kF32);
  for (std::size_t i = 0; i < b.size(); ++i)
    EXPECT_EQ(b.at(i), static_cast<double>(i) + (i % 4 == 1 ? 0.75 : 0)) << i;
  EXPECT_THAT(finished.out, HasSubstr("a  f32 [1 x 2 x 4]"));
}

// In registers and, from the fifth argument on, in memory.
TEST_F(WseCslExecutable, AFunctionSeesTheArgumentsOfItsLaunch) {
  struct Case {
    std::string arguments;
    std::vector<double> seen, numbers;
  };
  const std::vector<Case> cases{
      {"-128,255,-32768,65535,-1,128,-2147483648,2147483648,-2,1.5,-0.5,1",
       {-128, 255, -32768, 65535, -1, 128, -2147483648.0, -2147483648.0, -2, 200},
       {1.5, -0.5}},
      {"127,0,32767,0,5,1,7,8,9,-3,2,0", {127, 0, 32767, 0, 5, 1, 7, 8, 9, 200}, {-3, 0}}};
  for (const std::string arch : {"wse2", "wse3"}) {
    for (const Case& c : cases) {
      const Finished finished =
          run({"tests/platforms/wse/programs/arguments/layout.csl", "--arch", arch, "--launch",
               "keep:" + c.arguments, "--output", "seen=" + folder.file("seen.npy"), "--output",
               "numbers=" + folder.file("numbers.npy")});
      ASSERT_EQ(finished.exit_code, 0) << finished.err;
      const data::HostArray seen = data::read_npy(folder.file("seen.npy"));
      const data::HostArray numbers = data::read_npy(folder.file("numbers.npy"));
      for (std::size_t i = 0; i < seen.size(); ++i)
        EXPECT_EQ(seen.at(i), c.seen[i % 10]) << arch << ", " << c.arguments << ", " << i;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(numbers.at(i), c.numbers[i % 2]) << arch << ", " << c.arguments << ", " << i;
    }
  }
}

TEST_F(WseCslExecutable, FloatsOf16BitsArePrintedInTheFormatOfTheProgram) {
  for (const std::string format : {"f16", "bf16", "cb16"}) {
    const Finished finished =
        run({"tests/platforms/wse/programs/types/layout.csl", "--fp16-format", format, "--launch",
             "go:0.5", "--print-log", folder.file("prints.log")});
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(read_file(folder.file("prints.log")), HasSubstr("1.5")) << format;
  }
}

TEST_F(WseCslExecutable, ArchIsThePresetOfThatGeneration) {
  const auto with = [this](std::vector<std::string> options) {
    options.insert(options.begin(), {kHost, "--params=width:2,height:1", "--launch=swap"});
    return run(options);
  };
  for (const std::string arch : {"wse2", "wse3"}) {
    ASSERT_EQ(with({"--arch", arch}).exit_code, 0);
    EXPECT_THAT(read_file(folder.file("report.json")), HasSubstr("\"preset\": \"" + arch + "\""));
  }
  ASSERT_EQ(with({"--arch=wse3", "--preset", "wse3_silicon"}).exit_code, 0);
  EXPECT_THAT(read_file(folder.file("report.json")), HasSubstr("\"preset\": \"wse3_silicon\""));
  const Finished other = with({"--arch=wse2", "--preset", "wse3"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("'wse2' contradicts --preset wse3"));
}

TEST_F(WseCslExecutable, AFolderRunsWithoutItsSourcesAndLikeThem) {
  for (const std::string arch : {"wse2", "wse3"}) {
    const Finished compiled = compile(arch);
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
    std::vector<std::string> digests;
    for (const std::string structure : {"modules", "dense"}) {
      for (const bool from_source : {true, false}) {
        std::vector<std::string> arguments = {"--preset", arch,   "--structure", structure,
                                              "--launch", "echo", "--launch",    "spin:7"};
        if (from_source) {
          arguments.insert(arguments.begin(), {kHost, "--params=width:2,height:1",
                                               "--fabric-dims=9,3", "--fabric-offsets=4,1"});
        } else {
          arguments.insert(arguments.begin(), out());
        }
        const Finished finished = run(arguments);
        ASSERT_EQ(finished.exit_code, 0) << finished.err;
        digests.push_back(read_file(folder.file("report.json")));
        digests.back() = digests.back().substr(digests.back().find("\"digest\""), 30);
      }
    }
    for (const std::string& digest : digests) EXPECT_EQ(digest, digests[0]) << arch;
  }
  const Finished other = run({out(), "--preset", "wse2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("the program was compiled for wse3; the machine is wse2"));
  EXPECT_THAT(run({out(), "--params", "width:3"}).err,
              HasSubstr("the program is compiled; its parameters and the options of the compiler"));
  for (const std::string option : {"--csl-code=best", "--fabric-dims=20,20", "--fp16-format=bf16"})
    EXPECT_THAT(run({out(), option}).err, HasSubstr(": the program is compiled;")) << option;
}

TEST_F(WseCslExecutable, PrintsTheCodeWithTheLinesOfItsFiles) {
  const Finished finished = run({kHost, "--params=width:1,height:1", "--print-program"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, HasSubstr("pe.csl\" 25  ; a[n] = a[n] + v;\n"));
  EXPECT_THAT(finished.out, HasSubstr("\nfn add\n"));
}

TEST_F(WseCslExecutable, ACommandThatCannotEndIsExit4) {
  const Finished finished = run({kHost, "--params=width:2,height:1", "--launch", "silent"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, HasSubstr("and 1 other PE have not called unblock_cmd_stream"));
}

// A constant pointer to an array that changes is another matter.
TEST_F(WseCslExecutable, WritesToNoConstants) {
  write_file(folder.file("layout.csl"), R"(layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl");
  @export_name("c", [*]u32, false);
  @export_name("v", [*]u32, false);
})");
  write_file(folder.file("pe.csl"), R"(const c = [4]u32{5, 6, 7, 8};
const c_ptr: [*]const u32 = &c;
var v = [4]u32{1, 2, 3, 4};
const v_ptr: [*]u32 = &v;
comptime { @export_symbol(c_ptr, "c"); @export_symbol(v_ptr, "v"); })");
  write_input("a.npy", {1, 1, 4});
  const auto finished = [&](const std::string& name) {
    return run({folder.file("layout.csl"), "--input", name + "=" + folder.file("a.npy")});
  };
  EXPECT_EQ(finished("v").exit_code, 0) << finished("v").err;
  EXPECT_EQ(finished("c").exit_code, 2);
  EXPECT_THAT(finished("c").err,
              HasSubstr("the symbol leads to constants, of which the code of PE (0, 0)"));
}

TEST_F(WseCslExecutable, RefusesWhatTheProgramDoesNotHave) {
  const auto message = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {kHost, "--params=width:3,height:1"});
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 2);
    return finished.err;
  };
  write_input("a.npy", {4});
  EXPECT_THAT(message({"--input", "ab=" + folder.file("a.npy")}),
              HasSubstr("--input: 'ab' is no data that " + kHost + " exports"));
  EXPECT_THAT(message({"--input", "a=" + folder.file("a.npy")}),
              HasSubstr("an array of shape (4,) cannot be cut into equal pieces for 3 PEs"));
  write_input("nothing.npy", {0});
  EXPECT_THAT(message({"--input", "a=" + folder.file("nothing.npy")}),
              HasSubstr("an array of shape (0,) has no elements, so that nothing would be copied"));
  EXPECT_THAT(message({"--launch", "ad"}), HasSubstr("did you mean 'add'?"));
  EXPECT_THAT(message({"--launch", "add:1"}),
              HasSubstr("launch of 'add': 1 argument given; the function is fn(u16, f32)void"));
  EXPECT_THAT(message({"--launch", "add:1,x"}),
              HasSubstr("'x' is no number for a parameter of type f32"));
  EXPECT_THAT(message({"--launch", "add:65536,1"}),
              HasSubstr("'65536' is outside of 0 to 65535, the values of a parameter of type u16"));
  EXPECT_THAT(message({"--launch", "add:-1,1"}), HasSubstr("'-1' is outside of 0 to 65535"));
  EXPECT_THAT(message({"--fabric-dims", "2,1"}), HasSubstr("does not fit into the fabric"));
  const Finished layout = run({"examples/hello_wavelet/layout.json", "--launch", "main"});
  EXPECT_EQ(layout.exit_code, 2);
  EXPECT_THAT(layout.err, HasSubstr("the program is a layout, not a CSL file"));
}

}  // namespace
}  // namespace tessera::test::csl_executable_test
