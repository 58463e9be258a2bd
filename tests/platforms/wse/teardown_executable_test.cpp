// Routes and queues changed by the programs of the tiles, through all modules (reference wse.md 1.9,
// 1.10, 2.4; numesh.md S23, S24): results, and that no step order changes a cycle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

constexpr const char* kTeardown = "tests/platforms/wse/programs/teardown/layout.json";
constexpr const char* kRebinding = "tests/platforms/wse/programs/rebinding/layout.json";

struct Result {
  int exit_code = 0;
  std::string digest;
  std::string messages;
};

Result run(const std::string& layout, const std::string& preset, std::vector<std::string> more) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {layout,    "--preset", preset,
                                        "--quiet", "--report", folder.file("r.json")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished finished = run_executable("wse_platform", arguments);
  Result result{finished.exit_code, "", finished.out + finished.err};
  const auto report = boost::json::parse(read_file(folder.file("r.json"))).as_object();
  result.digest = report.at("digest").as_string().c_str();
  return result;
}

void expect_same_in_any_order(const std::string& layout, const std::string& preset) {
  const Result plain = run(layout, preset, {"--check-links", "--check-epochs"});
  EXPECT_EQ(plain.exit_code, 0) << preset << ": " << plain.messages;
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const Result shuffled = run(layout, preset, {"--shuffle-step-order", "--seed", seed});
    EXPECT_EQ(shuffled.exit_code, 0) << shuffled.messages;
    EXPECT_EQ(shuffled.digest, plain.digest) << preset << ", seed " << seed;
  }
}

TEST(WseTeardown_numesh_S24, RouteTurnedInTheTeardownHandlerTakesWhatComesBehindTheMarker) {
  for (const char* preset : {"wse2", "wse3"}) expect_same_in_any_order(kTeardown, preset);
}

TEST(WseTeardown_numesh_S24, EpochsAreCheckedInModulesOnly) {
  const Finished dense = run_executable(
      "wse_platform", {kTeardown, "--structure", "dense", "--check-epochs", "--quiet"});
  EXPECT_EQ(dense.exit_code, 2);
  EXPECT_THAT(dense.err, testing::HasSubstr("--check-epochs: structure 'dense'"));
}

TEST(WseTeardown_numesh_S24, LengthOfTheStreamsDoesNotMatter) {
  for (const char* words : {"B=1", "B=2", "B=40"}) {
    const Result result = run(kTeardown, "wse3", {"--param", words});
    EXPECT_EQ(result.exit_code, 0) << words << ": " << result.messages;
  }
}

TEST(WseRebinding_numesh_S23, QueueBoundToAnotherColorAfterItsFlush) {
  expect_same_in_any_order(kRebinding, "wse3");
}

TEST(WseRebinding_numesh_S23, QueueBoundToAnotherColorRightBehindTheSendIsIllegal) {
  const Result result = run(kRebinding, "wse3", {"--param", "SAFE=0", "--param", "B=14"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.messages, testing::HasSubstr("/tessera/pe/queue_reuse"));
  EXPECT_THAT(result.messages, testing::HasSubstr("output queue 4 is bound to color 6"));
}

}  // namespace
}  // namespace tessera::test
