// Filters between router and compute engine (reference wse.md 1.7).
#include "models/fabric/filter.h"

#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench::filter_test {
namespace {

constexpr unsigned kColor = 6;

/// '1' for each of `kinds` that passes; kinds: 'd' data, 'c' control.
std::string accepted(Filter& filter, const std::string& kinds) {
  std::string text;
  for (const char kind : kinds) {
    text += filter.accept(kind == 'c' ? control(kColor, 0) : data(kColor, 0)) ? '1' : '.';
  }
  return text;
}
std::string accepted(const FilterConfig& config, const std::string& kinds) {
  Filter filter(config);
  return accepted(filter, kinds);
}

FilterConfig counter(std::uint32_t limit1, std::uint32_t max_counter) {
  FilterConfig f;
  f.count_data = true;
  f.limit1 = limit1;
  f.max_counter = max_counter;
  return f;
}

TEST(FabricFilter_wse_1_7, WorkedExampleTakesTheFirstTwoOfFifteen) {
  EXPECT_EQ(accepted(counter(14, 1), std::string(35, 'd')), "11............."
                                                            "11............."
                                                            "11...");
}

TEST(FabricFilter_wse_1_7, CounterStartsAtInitCounter) {
  FilterConfig f = counter(4, 1);
  f.init_counter = 3;
  Filter filter(f);
  EXPECT_EQ(filter.counter.value(), 3U);
  EXPECT_EQ(accepted(filter, "ddddddddd"), "..11...11");
}

TEST(FabricFilter_wse_1_7, WithoutALimitEveryWaveletMeetsZero) {
  EXPECT_EQ(accepted(counter(0, 0), "dddd"), "1111");
}

TEST(FabricFilter_wse_1_7, MaxCounterAtTheLimitTakesEverything) {
  EXPECT_EQ(accepted(counter(2, 2), "ddddddd"), "1111111");
}

TEST(FabricFilter_wse_1_7, NothingCountsByDefault) {
  FilterConfig f;
  f.limit1 = 4;
  EXPECT_EQ(accepted(f, "dcdcdc"), "111111");
  f.init_counter = 1;
  EXPECT_EQ(accepted(f, "dcdcdc"), "......");
}

TEST(FabricFilter_wse_1_7, CountDataCountsDataOnly) {
  EXPECT_EQ(accepted(counter(1, 0), "dcdcd"), "1..11");
}

TEST(FabricFilter_wse_1_7, CountControlCountsControlOnly) {
  FilterConfig f = counter(1, 0);
  f.count_data = false;
  f.count_control = true;
  EXPECT_EQ(accepted(f, "ddcddcdd"), "111...11");
}

TEST(FabricFilter_wse_1_7, BothMayCount) {
  FilterConfig f = counter(1, 0);
  f.count_control = true;
  EXPECT_EQ(accepted(f, "dcdc"
                        "cdcd"),
            "1.1."
            "1.1.");
}

TEST(FabricFilter_wse_1_7, FilterControlTakesOnlyControlThatMeetsTheCount) {
  FilterConfig f = counter(3, 2);
  f.filter_control = true;
  EXPECT_EQ(accepted(f, "cdcdccdcdddc"), "....11.....1");
}

FilterConfig sparse(std::uint32_t limit1, std::uint32_t limit2, std::uint32_t max_counter) {
  FilterConfig f = counter(limit1, max_counter);
  f.kind = FilterKind::kSparseCounter;
  f.limit2 = limit2;
  return f;
}

TEST(FabricFilter_wse_1_7, SparseCounterCountsTheSecondLimitOnceAndIsThenDisabled) {
  Filter filter(sparse(3, 5, 0));
  EXPECT_EQ(accepted(filter, "dddd"), "1...");
  EXPECT_FALSE(filter.mode.disabled);
  EXPECT_EQ(accepted(filter, "dddddd"), "1.....");
  EXPECT_TRUE(filter.mode.disabled);
  EXPECT_EQ(accepted(filter, "dcddcddddddd"), "111111111111");
}

TEST(FabricFilter_wse_1_7, SparseCounterWithoutASecondLimitIsDisabledAfterTheFirst) {
  Filter filter(sparse(3, 0, 1));
  EXPECT_EQ(accepted(filter, "dddd"), "11..");
  EXPECT_TRUE(filter.mode.disabled);
  EXPECT_EQ(accepted(filter, "dddd"), "1111");
}

TEST(FabricFilter_wse_1_7, SparseCounterKnowsInitCounterAndCountControl) {
  FilterConfig f = sparse(3, 2, 0);
  f.count_data = false;
  f.count_control = true;
  f.init_counter = 2;
  EXPECT_EQ(accepted(f, "dcc"
                        "dccc"
                        "dd"),
            "..."
            "11.."
            "11");
}

TEST(FabricFilter_wse_1_7, SparseCounterHasNoFilterControl) {
  FilterConfig f = sparse(3, 0, 0);
  f.filter_control = true;
  EXPECT_EQ(accepted(f, "ddddd"), "1...1");
}

FilterConfig range(std::uint16_t min_idx, std::uint16_t max_idx) {
  FilterConfig f;
  f.kind = FilterKind::kRange;
  f.min_idx = min_idx;
  f.max_idx = max_idx;
  return f;
}

TEST(FabricFilter_wse_1_7, RangeTakesItsBorders) {
  Filter filter(range(10, 12));
  const auto passes = [&](std::uint32_t index) {
    return filter.accept(data(kColor, index << 16 | 0xFFFF));
  };
  EXPECT_FALSE(passes(9));
  EXPECT_TRUE(passes(10));
  EXPECT_TRUE(passes(11));
  EXPECT_TRUE(passes(12));
  EXPECT_FALSE(passes(13));
  EXPECT_FALSE(passes(0));
  EXPECT_FALSE(passes(0xFFFF));
}

TEST(FabricFilter_wse_1_7, RangeOfAllAndOfNothing) {
  Filter all(range(0, 0xFFFF));
  Filter nothing(range(5, 4));
  for (const std::uint32_t index : {0U, 4U, 5U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
    EXPECT_TRUE(all.accept(data(kColor, index << 16)));
    EXPECT_FALSE(nothing.accept(data(kColor, index << 16)));
  }
}

TEST(FabricFilter_wse_1_7, ControlAlwaysPassesARange) {
  Filter filter(range(10, 12));
  EXPECT_TRUE(filter.accept(control(kColor, 0)));
  EXPECT_TRUE(filter.accept(control(kColor, 0xFFFFFFFF)));
}

// ---------------------------------------------------------------------------------------------
// In the router

ColorRoute with_filter(DirectionSet tx, const FilterConfig& filter) {
  ColorRoute r = route({kW}, tx);
  r.filter = filter;
  return r;
}
void send(Alone& router, unsigned count, unsigned color = kColor) {
  for (std::uint32_t n = 0; n < count; ++n) router.send(kW, data(color, n));
}

TEST(FabricFilter_wse_1_7, TransitCopiesAreNotTouched) {
  Alone router;
  router.set(kColor, with_filter({kE, kR}, counter(3, 0)));
  send(router, 6);
  EXPECT_EQ(router.run(), "E0 R0 E1 E2 E3 E4 R4 E5");
}

TEST(FabricFilter_wse_1_7, ARejectedWaveletWithNowhereElseToGoIsDroppedAndItsRoomReturns) {
  Alone router;
  router.set(kColor, with_filter({kR}, counter(3, 0)), 2);
  send(router, 9);
  EXPECT_EQ(router.run(), "R0 R4");  // then the CE has no room
  EXPECT_EQ(router.core.credits(kR, Color(kColor)), 0U);
  EXPECT_EQ((router.returned[{kW, kColor}]), 8U);  // without the ninth, which waits
  EXPECT_EQ(router.core.held(), 1U);
}

TEST(FabricFilter_wse_1_7, DroppedWaveletsTakeOneCycleEach) {
  Alone router;
  router.set(kColor, with_filter({kR}, counter(9, 0)), 0);
  router.send(kW, data(kColor, 0));  // waits for room
  send(router, 5);
  router.run(10);
  EXPECT_EQ(router.core.held(), timing_1_1_2().input_room(kW));
  router.open(kColor, kR, 1);
  EXPECT_EQ(router.run(1), "R0");
  EXPECT_EQ(router.run(1), "");
  EXPECT_EQ((router.returned[{kW, kColor}]), 2U);
}

TEST(FabricFilter_wse_1_7, AWaveletThatWaitsIsCountedOnce) {
  Alone router;
  router.set(kColor, with_filter({kE, kR}, counter(2, 1)), 0);
  send(router, 4);
  EXPECT_EQ(router.run(), "");
  router.open(kColor, kE);
  EXPECT_EQ(router.run(), "E0");
  router.open(kColor, kR);
  EXPECT_EQ(router.run(), "R0 E1 R1 E2 E3 R3");
}

TEST(FabricFilter_wse_1_7, OnlyWaveletsForTheCeAreCounted) {
  Alone router;
  ColorRoute r = with_filter({kE}, counter(1, 0));
  r.positions[1] = {{kW}, {kE, kR}, true};
  router.set(kColor, r);
  send(router, 3);
  router.send(kW, control(kColor, {noce(kAdv)}));
  send(router, 3);
  EXPECT_EQ(router.run(), "E0 E1 E2 E*1400000 E0 R0 E1 E2 R2");
}

TEST(FabricFilter_wse_1_7, AFilterBelongsToItsColor) {
  Alone router;
  router.set(kColor, with_filter({kR}, counter(3, 0)));
  router.set(7, route({kW}, {kR}));
  send(router, 4);
  send(router, 4, 7);
  EXPECT_EQ(router.run(), "R0 R0 R1 R2 R3");
}

TEST(FabricFilter_wse_1_7, AColorWithoutOutputsLosesWhatComesWhateverOtherColorsFilter) {
  Alone router;
  router.set(kColor, with_filter({kR}, counter(3, 0)));
  router.set(7, route({kW}, {}));
  router.send(kW, data(7, 1));
  router.run();
  EXPECT_EQ(router.core.held(), 0U);
}

// wse.md 1.7, WSE-3 worked example: all PEs forward every wavelet while each consumes a part.
TEST(FabricFilter_wse_1_7, ARowSharesAStream) {
  constexpr int kTiles = 4;
  Mesh mesh(kTiles, 1, timing_2_1_2());
  for (int x = 0; x < kTiles; ++x) {
    ColorRoute r = route({x == 0 ? kR : kW}, {kR});
    if (x + 1 < kTiles) r.positions[0].tx.insert(kE);
    FilterConfig f = counter(kTiles - 1, 0);
    f.init_counter = static_cast<unsigned>(kTiles - x) % kTiles;
    r.filter = f;
    mesh.router({x, 0}).set_route(Color(kColor), r);
    mesh.endpoint({x, 0}).open(Color(kColor), 2);
  }
  mesh.connect();
  for (std::uint32_t n = 0; n < 100; ++n) mesh.endpoint({0, 0}).send(data(kColor, n));
  mesh.run();
  for (int x = 0; x < kTiles; ++x) {
    const std::vector<Delivery>& got = mesh.endpoint({x, 0}).deliveries();
    ASSERT_EQ(got.size(), 25U) << x;
    for (unsigned i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].wavelet.payload, i * kTiles + static_cast<unsigned>(x));
    }
  }
  EXPECT_EQ(mesh.held(), 0U);
  EXPECT_EQ(mesh.missing_credits(), "");
}

// Five inputs drop in the cycle in which five outputs send.
TEST(FabricFilter_wse_1_7, EveryInputMayDropWhileEveryOutputSends) {
  Alone router;
  FilterConfig nothing = range(1, 1);
  for (const Direction d : kAllDirections) {
    ColorRoute through = route({d}, {opposite(d)});
    router.set(index(d), through);
    ColorRoute dropped = route({d}, {kR});
    dropped.filter = nothing;
    router.set(10 + index(d), dropped);
    router.core.put(d, data(index(d), 1), 1);
    router.core.put(d, data(10 + index(d), 1), 1);
  }
  const RouterCore::Step step = router.step();
  EXPECT_EQ(step.sends.size(), 5U);
  EXPECT_EQ(step.credits.size(), 10U);
  EXPECT_EQ(router.core.held(), 0U);
}

}  // namespace
}  // namespace tessera::fabric::bench::filter_test
