// Strips of a wafer (docs/architecture.md#strips): where it is cut, and threads that have begun with a cycle. That results
// do not depend on strips is tested in property_test.cpp.
#include "models/wafer/sharing/strips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/models/wafer/plan.h"

namespace tessera::wafer {
namespace {

using bench::kE;
using bench::kW;
using bench::PlanBuilder;
using bench::route;
using ::testing::ElementsAre;

/// Takes everything, and gives no credit back.
struct Nobody : Outside {
  unsigned capacity(std::uint32_t, Color) const override { return 3; }
  void put(std::uint32_t, const link::Wavelet&, Cycle) override {}
  void credit(std::uint32_t, Color, Cycle) override {}
};

/// Rows of each strip of a wafer of 16 x 64 tiles with a host edge at both ends of each row.
std::vector<int> rows_of_strips(unsigned threads, int first_row = 0) {
  constexpr int kRows = 64;
  PlanBuilder builder(16, kRows);
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < 16; ++x) builder.route_of({x, y}, 5, route({kW}, {kE}));
    builder.port({0, y}, kW).port({15, y}, kE);
  }
  Nobody outside;
  const Plan plan = builder.build();
  const Strips strips(Strip(plan, first_row, kRows), Threads{threads}, outside, nullptr);
  std::vector<int> rows(strips.count());
  for (int y = first_row; y < kRows; ++y) ++rows[strips.strip_of({0, y})];
  return rows;
}

TEST(WaferStrips, TheFirstThreadHasFewerTilesBecauseItHasTheEdges) {
  EXPECT_THAT(rows_of_strips(1), ElementsAre(64));
  // the edges are worth 67 rows, but the first strip has half a share
  EXPECT_THAT(rows_of_strips(2), ElementsAre(16, 48));
  EXPECT_THAT(rows_of_strips(4), ElementsAre(8, 19, 19, 18));
  EXPECT_THAT(rows_of_strips(8), ElementsAre(4, 9, 9, 8, 9, 8, 9, 8));
  // half of the wafer, for another process that has the edges
  EXPECT_THAT(rows_of_strips(4, 32), ElementsAre(8, 8, 8, 8));
}

/// Two tiles, one below the other, that start a task in the same cycle.
struct TwoTasks {
  explicit TwoTasks(unsigned threads)
      : strips(std::make_unique<Strips>(Strip(plan), Threads{threads}, outside, &stream)) {
    strips->start();
    strips->step(0);  // creates the threads
    for (int y : {0, 1}) {
      const TileCoord tile{0, y};
      strips->launch(tile, *strips->engine(tile)->image().find_function("main"), {}, 5);
    }
  }
  static Plan two_programs() {
    PlanBuilder builder(1, 2);
    for (int y : {0, 1}) builder.program({0, y}, "fn main\n    ret\n");
    return builder.build();
  }
  std::uint64_t started() const { return stream.counters().total(observe::Counter::kTasksStarted); }

  const Plan plan = two_programs();
  Nobody outside;
  observe::EventStream stream{1, 2, false};
  std::unique_ptr<Strips> strips;
};

TEST(WaferStrips, EndWhenOtherThreadsHaveEndedTheirCycle) {
  TwoTasks whole(1);
  Cycle start = 0;
  while (whole.started() == 0) {
    start = whole.strips->next_due(start);
    whole.strips->step(start);
  }
  ASSERT_EQ(whole.started(), 2U);

  TwoTasks ended(2);
  for (Cycle now = 1; now < start; ++now) ended.strips->step(now);
  ended.strips->begin(start);
  ASSERT_TRUE(ended.strips->has_begun());
  ended.strips.reset();
  EXPECT_EQ(ended.started(), 2U);
}

}  // namespace
}  // namespace tessera::wafer
