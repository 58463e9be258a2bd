// Engines execute groups that need nobody late (models/pe/compute_engine_core.h). The host cannot
// tell: copies in the middle of an operation, and runs that end there.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "models/observe/digest.h"
#include "platforms/data/npy.h"
#include "tests/support/run_executable.h"
#include "tests/support/sc_wse_run.h"

namespace tessera::test {
namespace {

constexpr const char* kLayout = "tests/platforms/wse/programs/late_groups/layout.json";

TEST(WseLateGroups, ACopyInTheMiddleOfAnOperationSeesTheGroupsUpToThen) {
  const WseRun run = run_wse(kLayout, "wse3", {{"COUNT", 10}});
  const std::vector<Cycle> bell = run.cycles_of(observe::EventKind::kEdgeOut, 1);
  ASSERT_EQ(bell.size(), 1u);
  std::uint32_t filled = 0;
  for (const observe::Event& e : run.events) {
    const bool group = e.kind == observe::EventKind::kCompute && e.place == 0;
    if (group && e.cycle <= bell[0]) filled += e.b;
  }
  ASSERT_GT(filled, 20u);
  ASSERT_LT(filled, 1900u);
  for (const char* structure : {"modules", "dense"}) {
    const TemporaryFolder folder;
    const Finished finished =
        run_executable("wse_platform", {kLayout, "--structure", structure, "--quiet", "--output",
                                        "seen=" + folder.file("seen.npy")});
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    const data::HostArray seen = data::read_npy(folder.file("seen.npy"));
    std::uint32_t sevens = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) sevens += seen.at(i) == 7 ? 1 : 0;
    EXPECT_EQ(sevens, filled) << structure;
  }
}

TEST(WseLateGroups, ARunThatIsStoppedHasAllEventsBeforeItsEnd) {
  const WseRun run = run_wse(kLayout, "wse3", {{"COUNT", 10}});
  for (const Cycle end : {60, 150, 333}) {
    observe::Digest digest;
    for (const observe::Event& e : run.events) {
      if (e.cycle < end) digest.on_event(e);
    }
    for (const char* structure : {"modules", "dense"}) {
      const TemporaryFolder folder;
      const Finished finished = run_executable(
          "wse_platform", {kLayout, "--structure", structure, "--quiet", "--max-cycles",
                           std::to_string(end), "--report", folder.file("r.json")});
      EXPECT_EQ(finished.exit_code, 4) << finished.err;
      const auto report = boost::json::parse(read_file(folder.file("r.json"))).as_object();
      EXPECT_EQ(report.at("digest").as_string(), digest.hex()) << structure << ", " << end;
    }
  }
}

}  // namespace
}  // namespace tessera::test
