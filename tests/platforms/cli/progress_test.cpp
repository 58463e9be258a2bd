// The progress line of long runs (docs/running.md).
#include "platforms/run/progress.h"

#include <gtest/gtest.h>

using namespace tessera::run;

TEST(CliEstimate, ThereIsNoneBeforeSomethingHasMoved) {
  Estimate estimate;
  EXPECT_FALSE(estimate.seconds_left(1, {0, 100, ""}));
  EXPECT_FALSE(estimate.seconds_left(2, {0, 100, ""}));
  EXPECT_FALSE(estimate.seconds_left(3, {10, 100, ""})) << "one point gives no pace";
  EXPECT_FALSE(estimate.seconds_left(4, {10, 100, ""})) << "nothing has moved since";
  EXPECT_TRUE(estimate.seconds_left(5, {20, 100, ""}));
}

TEST(CliEstimate, ThePaceCountsFromTheFirstMove) {
  Estimate estimate;
  EXPECT_FALSE(estimate.seconds_left(100, {10, 100, ""}));  // 100 s to fill a pipeline
  EXPECT_DOUBLE_EQ(*estimate.seconds_left(102, {30, 100, ""}), 7);
  EXPECT_DOUBLE_EQ(*estimate.seconds_left(104, {30, 100, ""}), 14) << "a pause makes it longer";
}

TEST(CliEstimate, ThereIsNoneWhenAllIsDone) {
  Estimate estimate;
  estimate.seconds_left(1, {10, 100, ""});
  EXPECT_FALSE(estimate.seconds_left(2, {100, 100, ""}));
}

TEST(CliProgressLine, SaysWhatIsKnown) {
  ProgressLine line;
  line.now = 50000;
  line.elapsed_s = 2;
  EXPECT_EQ(to_string(line), "cycle 50000, 2.5e+04 cycles/s");
  line.progress = Progress{1234567, 48000000, "awaited wavelets"};
  EXPECT_EQ(to_string(line), "cycle 50000, 2.5e+04 cycles/s, 1234567 of 48000000 awaited wavelets");
  line.seconds_left = 41.2;
  line.max_cycles = 100000;
  EXPECT_EQ(to_string(line),
            "cycle 50000, 2.5e+04 cycles/s, 1234567 of 48000000 awaited wavelets, about 42 s left, "
            "at most 2 s to --max-cycles");
}

TEST(CliProgressLine, LongTimesHaveMinutesAndHours) {
  ProgressLine line;
  line.seconds_left = 200;
  EXPECT_EQ(to_string(line), "cycle 0, 0 cycles/s, about 3 min 20 s left");
  line.seconds_left = 18610;
  EXPECT_EQ(to_string(line), "cycle 0, 0 cycles/s, about 5 h 10 min left");
}
