// Scenarios S23 and S24 of numesh.md on the whole machine: layouts and programs in numesh/, run as
// a user runs them, with --check-epochs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/observe/event_fields.h"
#include "tests/support/run_executable.h"
#include "tests/support/sc_wse_run.h"

namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kS23 = "tests/scenario/numesh/S23/layout.json";
constexpr const char* kS24 = "tests/scenario/numesh/S24/layout.json";
constexpr int kFinished = 0, kCheckFailed = 1, kIllegal = 4;

Finished run(const std::string& layout, const std::string& preset,
             const std::vector<std::string>& params, std::uint64_t shuffle = 0) {
  // Queues of WSE-2 as the documentation has them; the preset lets them carry several colors.
  std::vector<std::string> arguments = {
      layout, "--preset", preset, "--quiet", "--check-epochs", "--set", "pe.queue_colors=one"};
  for (const std::string& param : params) arguments.push_back("--param=" + param);
  if (shuffle != 0) {
    arguments.insert(arguments.end(), {"--shuffle-step-order", "--seed", std::to_string(shuffle)});
  }
  return run_executable("wse_platform", arguments);
}

// --- S24

TEST(numesh, S24_rewritten_before_the_marker_is_reported) {
  for (const char* preset : {"wse2", "wse3"}) {
    const Finished finished = run(kS24, preset, {"AWAITS_MARKER=0"});
    EXPECT_EQ(finished.exit_code, kIllegal);
    EXPECT_THAT(finished.err,
                AllOf(HasSubstr("tile (1, 0), color 5: a wavelet from tile (0, 0), sent in epoch 0 "
                                "there, goes from WEST to RAMP in epoch 1 here"),
                      HasSubstr("it was sent for epoch 0, to go to EAST"),
                      HasSubstr("by stcfg at tests/scenario/numesh/S24/turner.tasm:40 (task turn)"),
                      HasSubstr("[/tessera/fabric/epoch_misrouted]")));
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      EXPECT_EQ(run(kS24, preset, {"AWAITS_MARKER=0"}, seed).err, finished.err);
  }
}

TEST(numesh, S24_message_is_the_one_on_the_page) {
  const Finished finished =
      run_executable("wse_platform", {kS24, "--param", "AWAITS_MARKER=0", "--check-epochs"});
  EXPECT_THAT(read_file(TESSERA_SOURCE_DIR "/docs/route-epochs.md"),
              HasSubstr("\n```\n" + finished.err + "```\n"));
}

TEST(numesh, S24_rewritten_before_the_local_completion_gives_a_wrong_result) {
  for (const char* preset : {"wse2", "wse3"}) {
    const Finished finished = run(kS24, preset, {"AWAITS_LOCAL=0", "DELAY=40"});
    EXPECT_EQ(finished.exit_code, kCheckFailed) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("check of 'sum' failed"));
  }
}

TEST(numesh, S24_rewritten_when_both_have_happened_is_silent) {
  for (const char* preset : {"wse2", "wse3"}) {
    for (const char* order : {"DELAY=0", "DELAY=40"}) {
      for (std::uint64_t seed = 0; seed <= 2; ++seed) {
        const Finished finished = run(kS24, preset, {order}, seed);
        EXPECT_EQ(finished.exit_code, kFinished) << preset << ", " << order << finished.err;
      }
    }
  }
}

/// The cycles in which tile 1 has obeyed the marker and in which its local operation is complete.
void expect_order(const std::string& preset, std::int64_t delay, bool marker_first) {
  const WseRun run =
      run_wse(kS24, preset,
              {{"A", 60}, {"B", 8}, {"DELAY", delay}, {"AWAITS_MARKER", 1}, {"AWAITS_LOCAL", 1}});
  const auto marker = run.cycles_of(observe::EventKind::kTeardown, 1);
  const auto completion = run.cycles_of(observe::EventKind::kOpEnd, 1);
  ASSERT_EQ(marker.size(), 2U);  // entry and exit
  ASSERT_EQ(completion.size(), 2U);
  EXPECT_EQ(marker[0] < completion[0], marker_first) << marker[0] << ", " << completion[0];
  EXPECT_GT(marker[1], std::max(marker[0], completion[0]));
  EXPECT_LT(marker[1], completion[1]);
}
TEST(numesh, S24_local_completion_comes_first_wse2) {
  expect_order("wse2", 0, false);
}
TEST(numesh, S24_local_completion_comes_first_wse3) {
  expect_order("wse3", 0, false);
}
TEST(numesh, S24_marker_comes_first_wse2) {
  expect_order("wse2", 40, true);
}
TEST(numesh, S24_marker_comes_first_wse3) {
  expect_order("wse3", 40, true);
}

// --- S23

TEST(numesh, S23_queue_used_for_another_color_at_once_is_reported) {
  const Finished wse2 = run(kS23, "wse2", {"WSE=2", "SAFE=0"});
  EXPECT_EQ(wse2.exit_code, kIllegal);
  EXPECT_THAT(
      wse2.err,
      AllOf(HasSubstr("PE (1, 0), tests/scenario/numesh/S23/sender_wse2.tasm:31 (task sent)"),
            HasSubstr("output queue 4 still holds wavelets of color 5 and is used "
                      "for color 6"),
            HasSubstr("[/tessera/pe/queue_reuse]")));
  const Finished wse3 = run(kS23, "wse3", {"WSE=3", "SAFE=0"});
  EXPECT_EQ(wse3.exit_code, kIllegal);
  EXPECT_THAT(
      wse3.err,
      AllOf(HasSubstr("PE (1, 0), tests/scenario/numesh/S23/sender_wse3.tasm:28 (task sent)"),
            HasSubstr("output queue 4 is bound to color 6 while it holds wavelets "
                      "of color 5, which would go out on color 6"),
            HasSubstr("[/tessera/pe/queue_reuse]")));
}

TEST(numesh, S23_queue_used_for_another_color_when_it_is_empty_is_silent) {
  for (std::uint64_t seed = 0; seed <= 2; ++seed) {
    const Finished wse2 = run(kS23, "wse2", {"WSE=2"}, seed);
    EXPECT_EQ(wse2.exit_code, kFinished) << wse2.err;
    const Finished wse3 = run(kS23, "wse3", {"WSE=3"}, seed);
    EXPECT_EQ(wse3.exit_code, kFinished) << wse3.err;
  }
}

}  // namespace
}  // namespace tessera::test
