// What the documents let us read in two ways (docs/reference/wse.md 10), on whole machines: both
// values of each setting, both structures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platforms/data/npy.h"
#include "tests/support/run_executable.h"

namespace tessera::test::readings_executable_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<std::uint32_t>;

struct Machine {
  const char* preset;
  const char* structure;
};

/// A row of tiles with one program: the host calls `send` of the first and `receive` of the others.
struct Row {
  int width = 2;
  std::string program;  ///< has `got: u16[4]`
  std::string routes = R"({"rect": [0, 0, 1, 1], "color": 4, "rx": "RAMP", "tx": "EAST"},
                          {"rect": [1, 0, 1, 1], "color": 4, "rx": "WEST", "tx": "RAMP"})";
};

struct Outcome {
  Finished run;
  Values got;  ///< values of all tiles
};

class WseReadings : public ::testing::TestWithParam<Machine> {
 protected:
  static bool is_wse2() { return GetParam().preset == std::string("wse2"); }
  static Outcome run(const Row& row, const std::string& setting) {
    const TemporaryFolder folder;
    const std::string width = std::to_string(row.width);
    const std::string others = std::to_string(row.width - 1);
    write_file(folder.file("row.tasm"), row.program);
    write_file(folder.file("layout.json"), R"({"schema": "tessera-wse-layout-1",
      "grid": [)" + width + R"(, 1], "params": {"W": )" +
                                               width + R"(},
      "arrays": {"got": {"dtype": "u16", "shape": ["4 * W"]}},
      "tiles": [{"rect": [0, 0, "W", 1], "code": "row.tasm"}], "routes": [)" +
                                               row.routes + R"(],
      "symbols": {"got": {"symbol": "got", "rect": [0, 0, "W", 1]}},
      "host": [{"launch": "send", "rect": [0, 0, 1, 1]},
        {"launch": "receive", "rect": [1, 0, )" +
                                               others + R"(, 1]},
        {"wait": "idle"}, {"copy_out": "got"}]})");
    const std::string got = folder.file("got.npy");
    Outcome outcome;
    outcome.run =
        run_executable("wse_platform", {folder.file("layout.json"), "--preset", GetParam().preset,
                                        "--structure", GetParam().structure, "--set", setting,
                                        "--quiet", "--output", "got=" + got});
    if (outcome.run.exit_code != 0) return outcome;
    const data::HostArray array = data::read_npy(got);
    for (std::size_t i = 0; i < array.size(); ++i) outcome.got.push_back(array.bits(i));
    return outcome;
  }
};

class WseReadingsOfWse2 : public WseReadings {};

/// Tile 0 sends packed 16-bit elements 1, 2 and so on, tile 1 receives 2 by its descriptor.
Row packed(const std::string& count, const std::string& source = "in") {
  Row row;
  row.program = "data got: u16[4]\ndata sent: u16[4] = 1, 2, 3, 4\n"
                "queue in input 2 color=4\nqueue out output 4 color=4\n"
                "dsd from fabin " +
                source + " extent=2\ndsd into mem1d got\ndsd mine mem1d sent extent=" + count +
                "\ndsd to fabout out extent=1\n"
                "fn send\n lddsr dds1, to\n lddsr s1ds1, mine\n mov16 dds1, s1ds1\n ret\n"
                "fn receive\n lddsr dds1, into\n lddsr s1ds1, from\n mov16 dds1, s1ds1\n ret\n";
  return row;
}

TEST_P(WseReadings, AnExtentCountsElementsOrWavelets) {  // wse.md 5.5, 10.50
  const Outcome elements = run(packed("2"), "pe.fabric_extent=elements");
  EXPECT_THAT(elements.got, ElementsAre(0, 0, 0, 0, 1, 2, 0, 0)) << elements.run.err;
  const Outcome wavelets = run(packed("4"), "pe.fabric_extent=wavelets");
  EXPECT_THAT(wavelets.got, ElementsAre(0, 0, 0, 0, 1, 2, 3, 4)) << wavelets.run.err;
  const Outcome too_few = run(packed("2"), "pe.fabric_extent=wavelets");
  EXPECT_EQ(too_few.run.exit_code, 4);
  EXPECT_THAT(too_few.run.err, HasSubstr("2 of 4 elements done"));
}

TEST_P(WseReadings, AFabinOfWse2NamesItsColor) {  // wse.md 5.5, 10.15
  const Outcome outcome = run(packed("2", "color=4"), "pe.fabric_extent=elements");
  if (is_wse2()) {
    EXPECT_THAT(outcome.got, ElementsAre(0, 0, 0, 0, 1, 2, 0, 0)) << outcome.run.err;
  } else {
    EXPECT_EQ(outcome.run.exit_code, 2);
    EXPECT_THAT(outcome.run.err, HasSubstr("a wse3 queue has its own color"));
  }
}

TEST_P(WseReadings, ControlTask31StartsWhereItIsBound) {  // wse.md 3.1, 10.1
  Row row;
  row.program = "data got: u16[4]\nqueue in input 2 color=4 unblocked\nqueue out output 4 color=4\n"
                "dsd to fabout out extent=1 control\ndsr dds1 to\n"
                "fn send\n mov32 dds1, 0x001f0007\n ret\nfn receive\n ret\n";
  for (const char* setting : {"pe.control_task_31=task", "pe.control_task_31=none"})
    EXPECT_THAT(run(row, setting).got, Each(0)) << setting;
  row.program += "task last control 31\n st16 [got], r0\n end\n";
  const Outcome bound = run(row, "pe.control_task_31=task");
  EXPECT_THAT(bound.got, ElementsAre(0, 0, 0, 0, 7, 0, 0, 0)) << bound.run.err;
  const Outcome refused = run(row, "pe.control_task_31=none");
  EXPECT_EQ(refused.run.exit_code, 2);
  EXPECT_THAT(refused.run.err, AllOf(HasSubstr("row.tasm:11:19"), HasSubstr("other than 31")));
}

// What is sent on color 1 arrives on color 0, then on color 1 and so on, by both wordings.
TEST_P(WseReadingsOfWse2, PartnersThatBothSwapAreExchangedAtEachHop) {  // wse.md 1.6, 10.6
  Row row;
  row.width = 4;
  row.program =
      "data got: u16[4]\ndata sent: u32[4] = 1, 2, 3, 4\nqueue zero input 2 color=0\n"
      "queue one input 3 color=1\nqueue out output 2 color=1\ndsd mine mem1d sent\n"
      "dsd to fabout out extent=4\n"
      "fn send\n lddsr dds1, to\n lddsr s1ds1, mine\n mov32 dds1, s1ds1\n ret\n"
      "fn receive\n ret\n"
      "task on_zero data zero\n ld16 r2, [got]\n add16 r2, r2, r0\n st16 [got], r2\n end\n"
      "task on_one data one\n ld16 r2, [got + 2]\n add16 r2, r2, r0\n st16 [got + 2], r2\n end\n";
  row.routes.clear();
  for (const std::string color : {"0", "1"}) {
    const std::string begin = R"({"color": )" + color + R"(, "color_swap_x": true, "rect": )";
    row.routes += (row.routes.empty() ? "" : ", ") + begin +
                  R"([0, 0, 1, 1], "rx": "RAMP", "tx": ["RAMP", "EAST"]}, )" + begin +
                  R"([1, 0, 2, 1], "rx": "WEST", "tx": ["RAMP", "EAST"]}, )" + begin +
                  R"([3, 0, 1, 1], "rx": "WEST", "tx": "RAMP"})";
  }
  for (const char* setting : {"fabric.color_swap=both", "fabric.color_swap=partner"}) {
    const Outcome outcome = run(row, setting);
    EXPECT_THAT(outcome.got, ElementsAre(0, 10, 0, 0, 10, 0, 0, 0, 0, 10, 0, 0, 10, 0, 0, 0))
        << setting << outcome.run.err;
  }
}

std::string name_of(const ::testing::TestParamInfo<Machine>& machine) {
  return std::string(machine.param.preset) + "_" + machine.param.structure;
}

INSTANTIATE_TEST_SUITE_P(Machines, WseReadings,
                         ::testing::Values(Machine{"wse2", "modules"}, Machine{"wse2", "dense"},
                                           Machine{"wse3", "modules"}, Machine{"wse3", "dense"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Machines, WseReadingsOfWse2,
                         ::testing::Values(Machine{"wse2", "modules"}, Machine{"wse2", "dense"}),
                         name_of);

}  // namespace
}  // namespace tessera::test::readings_executable_test
