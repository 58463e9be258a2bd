// Programs that a driver loads one after the other into one machine, through the registers of the host port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/run_executable.h"

namespace tessera::test::vp_load_test {
namespace {

using ::testing::HasSubstr;
namespace json = boost::json;

/// Layouts of one tile: the first adds 1 to the words of `a`, the second stores 7 in `b`; the third has a
/// stream at an edge that the others do not have.
void write_layouts(const TemporaryFolder& folder) {
  const auto layout = [&](const std::string& name, const std::string& code,
                          const std::string& more) {
    write_file(folder.file(name + ".tasm"), code);
    write_file(folder.file(name + ".json"),
               R"({"schema": "tessera-wse-layout-1", "grid": [1, 1],
                   "tiles": [{"rect": [0, 0, 1, 1], "code": ")" +
                   name + R"(.tasm"}], )" + more + "}");
  };
  const std::string plain = R"("routes": [], "host": [])";
  layout(
      "add",
      "data a: u16[4]\nfn add\n    ld16 r2, [a]\n    add16 r2, r2, 1\n    st16 [a], r2\n    ret\n",
      plain);
  layout("seven",
         "data pad: u16[8]\ndata b: u16[4]\nfn idle\n    ret\nfn seven\n    movri r2, 7\n"
         "    st16 [b], r2\n    ret\n",
         plain);
  layout("edge", "data a: u16[4]\nfn main\n    ret\n",
         R"("arrays": {"x": {"dtype": "u32", "shape": [1]}},
            "routes": [{"rect": [0, 0, 1, 1], "color": 1, "rx": ["WEST"], "tx": ["RAMP"]}],
            "host": [{"stream_in": {"color": 1, "rect": [0, 0, 1, 1], "name": "x"}}])");
}

Finished run_script(const TemporaryFolder& folder, const std::string& script,
                    const std::string& structure, const std::string& report = {}) {
  write_file(folder.file("s.vps"), script);
  std::vector<std::string> arguments = {folder.file("s.vps"), "--structure", structure};
  if (!report.empty()) arguments.insert(arguments.end(), {"--report", folder.file(report)});
  return run_executable("vp_platform", arguments);
}

class VpLoad : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, VpLoad, testing::Values("modules", "dense"),
                         [](const auto& chosen) { return std::string(chosen.param); });

const std::string kSeven = R"(write slot[0].function fn.seven
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect tile[0,0].b 7
)";

TEST_P(VpLoad, FabricRunsOneProgramAfterTheOther) {
  const TemporaryFolder folder;
  write_layouts(folder);
  const Finished run = run_script(folder, R"(device wse add.json seven.json
expect port.programs 2
expect port.program 0
expect port.functions 1
write tile[0,0].a 41
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect tile[0,0].a 42
load 2
expect port.program 1
expect port.functions 2
expect tile[0,0].b 0
)" + kSeven + R"(refused generic write port.program 2
load 1
expect tile[0,0].a 0
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect tile[0,0].a 1
load 2
)" + kSeven,
                                  GetParam(), "loaded.json");
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
  // The run of the last program has the digest of a machine that was built for it.
  const Finished alone =
      run_script(folder, "device wse seven.json\nload 1\n" + kSeven, GetParam(), "alone.json");
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  const auto digest = [&](const char* file) {
    return json::parse(read_file(folder.file(file))).at("digest");
  };
  EXPECT_EQ(digest("loaded.json"), digest("alone.json"));
}

TEST_P(VpLoad, ProgramWithAnotherEdgeIsRefused) {
  const TemporaryFolder folder;
  write_layouts(folder);
  const Finished run = run_script(folder, R"(device wse add.json edge.json
write tile[0,0].a 41
refused generic write port.program 1
expect port.program 0
expect tile[0,0].a 41
)",
                                  GetParam());
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
}

TEST_P(VpLoad, ClustersRunOneProgramAfterTheOther) {
  const TemporaryFolder folder;
  std::string twice = read_file(TESSERA_SOURCE_DIR "/examples/vp/twice.pto");
  write_file(folder.file("twice.pto"), twice);
  twice.replace(twice.find("pto.tadd"), 8, "pto.tmul");
  twice.replace(twice.find("%y: !pto.ptr"), 2, "%square");
  for (std::size_t at = twice.find("%y,"); at != std::string::npos; at = twice.find("%y,"))
    twice.replace(at, 2, "%square");
  write_file(folder.file("square.pto"), twice);
  const Finished run = run_script(folder, R"(device ascend twice.pto square.pto
expect port.programs 2
write array[x].bytes 256
write array[x] 1.5 3.0
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect array[y] 3.0 6.0
load 2
expect array[x].bytes 0
write array[x].bytes 256
write array[x] 1.5 3.0
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect array[square] 2.25 9.0
load 1
write array[x].bytes 256
write array[x] 2.0 4.0
write port.irq_enable launch_done
write doorbell[0] 1
wait irq
expect array[y] 4.0 8.0
)",
                                  GetParam());
  EXPECT_EQ(run.exit_code, 0) << run.err << run.out;
}

TEST(VpLoadMistakes, AreToldBeforeTheRun) {
  const TemporaryFolder folder;
  write_layouts(folder);
  const Finished number = run_script(folder, "device wse add.json seven.json\nload 3\n", "modules");
  EXPECT_EQ(number.exit_code, 2);
  EXPECT_THAT(number.err, HasSubstr("2:6: expected 'load N' with the number of a program, 1 to 2"));
  const Finished symbol =
      run_script(folder, "device wse add.json seven.json\nload 2\nread tile[0,0].a\n", "modules");
  EXPECT_EQ(symbol.exit_code, 2);
  EXPECT_THAT(symbol.err, HasSubstr("has no symbol 'a'"));
  const std::string examples = TESSERA_SOURCE_DIR "/examples/";
  std::string other = read_file(TESSERA_SOURCE_DIR "/examples/vp/twice.pto");
  other.replace(other.find("module {"), 6, R"(module attributes {pto.target_arch = "a2a3"})");
  write_file(folder.file("other.pto"), other);
  const Finished unlike =
      run_script(folder, "device ascend " + examples + "vp/twice.pto other.pto\n", "modules");
  EXPECT_EQ(unlike.exit_code, 2);
  EXPECT_THAT(unlike.err, HasSubstr("other.pto: the program needs clusters with a2a3"));
  const Finished mesh = run_script(
      folder, "device numesh " + examples + "numesh/tour.json " + examples + "numesh/jacobi.json\n",
      "modules");
  EXPECT_EQ(mesh.exit_code, 2);
  EXPECT_THAT(mesh.err, HasSubstr("a scheduled mesh has one program, found 2"));
}

}  // namespace
}  // namespace tessera::test::vp_load_test
