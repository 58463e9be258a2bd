// Filters as configuration registers, read and rewritten while the router runs (reference wse.md
// 1.7, 1.9).
#include "models/fabric/registers.h"

#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"
#include "tlm_ifaces/config/config_space.h"

namespace tessera::fabric::bench::filter_registers_test {
namespace {

using config_space::Address;
using config_space::FilterWord;

constexpr unsigned kColor = 6;

constexpr Address address_of(unsigned filter, FilterWord word, unsigned half = 0) {
  return static_cast<Address>(config_space::kFilterBase + filter * config_space::kFilterStride +
                              static_cast<unsigned>(word) + half);
}

FilterConfig counter(std::uint32_t limit1, std::uint32_t max_counter) {
  FilterConfig f;
  f.count_data = true;
  f.limit1 = limit1;
  f.max_counter = max_counter;
  return f;
}

std::uint32_t read(const Filter& filter, FilterWord word) {
  const auto offset = static_cast<unsigned>(word);
  return filter_register(filter, Color(kColor), offset) |
         std::uint32_t{filter_register(filter, Color(kColor), offset + 1)} << 16;
}
void write(Filter& filter, FilterWord word, std::uint32_t value) {
  const auto offset = static_cast<unsigned>(word);
  set_filter_register(filter, offset, static_cast<std::uint16_t>(value));
  set_filter_register(filter, offset + 1, static_cast<std::uint16_t>(value >> 16));
}
std::uint16_t word(const Filter& filter, FilterWord word) {
  return filter_register(filter, Color(kColor), static_cast<unsigned>(word));
}
void set_word(Filter& filter, FilterWord word, unsigned value) {
  set_filter_register(filter, static_cast<unsigned>(word), static_cast<std::uint16_t>(value));
}

/// '1' for each of `count` data wavelets that passes.
std::string accepted(Filter& filter, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += filter.accept(data(kColor, 0)) ? '1' : '.';
  return text;
}
bool accepts_half(Filter& filter) {
  link::Wavelet w = data(kColor, 0);
  w.half = true;
  return filter.accept(w);
}

// --- addresses

TEST(FilterRegisters_wse_1_7, EachGenerationHasItsWords) {
  const std::string both = "111.11111111....................";
  const std::string wse3 = "111.11111111....1.111111........";
  for (unsigned filter : {0U, 1U, 5U, 23U}) {
    for (unsigned offset = 0; offset < config_space::kFilterStride; ++offset) {
      const auto at = static_cast<Address>(address_of(filter, FilterWord::kControl) + offset);
      EXPECT_EQ(config_space::is_filter(at, Generation::kWse2), both[offset] == '1') << offset;
      EXPECT_EQ(config_space::is_filter(at, Generation::kWse3), wse3[offset] == '1') << offset;
      EXPECT_EQ(config_space::filter_of(at), filter);
      EXPECT_EQ(config_space::filter_offset_of(at), offset);
    }
  }
  EXPECT_FALSE(config_space::is_filter(config_space::kFilterBase - 1, Generation::kWse3));
  EXPECT_FALSE(
      config_space::is_filter(address_of(kColorCount, FilterWord::kControl), Generation::kWse3));
}

// --- words

TEST(FilterRegisters_wse_1_7, ControlWordHasColorKindAndFlags) {
  FilterConfig config;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), kColor);
  config.count_data = true;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), 0x100U | kColor);
  config = FilterConfig();
  config.count_control = true;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), 0x200U | kColor);
  config = FilterConfig();
  config.filter_control = true;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), 0x400U | kColor);
  config = FilterConfig();
  config.kind = FilterKind::kSparseCounter;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), 0x20U | kColor);
  config.kind = FilterKind::kRange;
  EXPECT_EQ(word(Filter(config), FilterWord::kControl), 0x40U | kColor);
}

TEST(FilterRegisters_wse_1_7, EveryControlWordReadsBackButTheColor) {
  for (unsigned value = 0; value < 0x10000; value += 0x20) {
    const std::string problem = why_illegal(address_of(0, FilterWord::kControl),
                                            static_cast<std::uint16_t>(value), Generation::kWse3);
    EXPECT_EQ(problem.empty(), (value & 0x60U) != 0x60U);
    if (!problem.empty()) continue;
    Filter filter(counter(3, 1));
    set_word(filter, FilterWord::kControl, value | 0x1F);
    EXPECT_EQ(word(filter, FilterWord::kControl), (value & 0x8760U) | kColor);
  }
}

TEST(FilterRegisters_wse_1_7, NumbersHaveTwoWords) {
  FilterConfig config = counter(0x00030014, 0x00020007);
  config.init_counter = 0x00010005;
  config.limit2 = 0x00040009;
  config.min_idx = 0x1234;
  config.max_idx = 0x5678;
  const Filter filter(config);
  EXPECT_EQ(read(filter, FilterWord::kLimit), 0x00030014U);
  EXPECT_EQ(read(filter, FilterWord::kLimit2), 0x00040009U);
  EXPECT_EQ(read(filter, FilterWord::kMaxCounter), 0x00020007U);
  EXPECT_EQ(read(filter, FilterWord::kCounter), 0x00010005U);
  EXPECT_EQ(word(filter, FilterWord::kMinIndex), 0x1234U);
  EXPECT_EQ(word(filter, FilterWord::kMaxIndex), 0x5678U);
}

TEST(FilterRegisters_wse_1_7, EachNumberIsWrittenByItself) {
  const FilterWord words[] = {FilterWord::kLimit, FilterWord::kLimit2, FilterWord::kMaxCounter,
                              FilterWord::kCounter};
  for (const FilterWord changed : words) {
    for (const std::uint32_t value : {0U, 1U, 0x10000U, 0xFFFFU, 0xFFFFFFFFU}) {
      Filter filter(counter(9, 4));
      filter.counter.set_value(7);
      write(filter, changed, value);
      for (const FilterWord other : words) {
        const std::uint32_t before = other == FilterWord::kLimit        ? 9
                                     : other == FilterWord::kMaxCounter ? 4
                                     : other == FilterWord::kCounter    ? 7
                                                                        : 0;
        EXPECT_EQ(read(filter, other), other == changed ? value : before);
      }
    }
  }
}

TEST(FilterRegisters_wse_1_7, LargestNumbersPassEverything) {
  Filter filter(counter(0xFFFFFFFF, 0xFFFFFFFF));
  EXPECT_EQ(accepted(filter, 5), "11111");
  EXPECT_EQ(read(filter, FilterWord::kCounter), 5U);
}

// --- what a written value does

TEST(FilterRegisters_wse_1_7, CounterLimitAndMaximumCountForTheNextWavelet) {
  Filter filter(counter(4, 1));
  EXPECT_EQ(accepted(filter, 3), "11.");
  write(filter, FilterWord::kCounter, 0);
  EXPECT_EQ(accepted(filter, 3), "11.");
  write(filter, FilterWord::kMaxCounter, 3);  // the counter is 3
  EXPECT_EQ(accepted(filter, 7), "1.1111.");
  write(filter, FilterWord::kMaxCounter, 0);
  write(filter, FilterWord::kLimit, 2);  // and at 0
  EXPECT_EQ(accepted(filter, 7), "1..1..1");
}

TEST(FilterRegisters_wse_1_7, ACounterAboveItsLimitStartsAgainBehindTheNextWavelet) {
  Filter filter(counter(9, 0));
  EXPECT_EQ(accepted(filter, 6), "1.....");
  write(filter, FilterWord::kLimit, 2);
  EXPECT_EQ(accepted(filter, 5), ".1..1");
}

TEST(FilterRegisters_wse_1_7, RangeIsRewritten) {
  FilterConfig config;
  config.kind = FilterKind::kRange;
  config.max_idx = 3;
  Filter filter(config);
  EXPECT_TRUE(filter.accept(data(kColor, 2 << 16)));
  set_word(filter, FilterWord::kMinIndex, 3);
  EXPECT_FALSE(filter.accept(data(kColor, 2 << 16)));
  set_word(filter, FilterWord::kMaxIndex, 9);
  EXPECT_TRUE(filter.accept(data(kColor, 9 << 16)));
}

TEST(FilterRegisters_wse_1_7, WhatIsCountedIsRewritten) {
  Filter filter(counter(1, 0));
  EXPECT_EQ(accepted(filter, 2), "1.");
  set_word(filter, FilterWord::kControl, 0x200);  // control wavelets instead of data
  EXPECT_EQ(accepted(filter, 3), "111");
  EXPECT_TRUE(filter.accept(control(kColor, 0)));
  EXPECT_EQ(accepted(filter, 3), "...");
}

TEST(FilterRegisters_wse_1_7, SparseCounterShowsItsRoundAndItsEnd) {
  FilterConfig config = counter(2, 0);
  config.kind = FilterKind::kSparseCounter;
  config.limit2 = 1;
  Filter filter(config);
  EXPECT_EQ(accepted(filter, 3), "1..");
  EXPECT_EQ(read(filter, FilterWord::kLimit), 1U);  // limit2 has taken the place of limit1
  EXPECT_EQ(read(filter, FilterWord::kLimit2), 0U);
  EXPECT_EQ(accepted(filter, 2), "1.");
  EXPECT_EQ(word(filter, FilterWord::kControl), 0x8120U | kColor);  // it has run out
  EXPECT_EQ(accepted(filter, 3), "111");
  set_word(filter, FilterWord::kControl, 0x0120);  // again
  EXPECT_EQ(accepted(filter, 4), "1.11");
}

// --- WSE-3: PASS and DROP, in half-wavelets

TEST(FilterRegisters_wse_1_7, WorkedExamplePassesFourHalvesOfThirty) {
  Filter filter(counter(14, 1));
  EXPECT_EQ(read(filter, FilterWord::kPassCount), 4U);
  EXPECT_EQ(read(filter, FilterWord::kDropCount), 26U);
  for (unsigned wavelet = 0; wavelet < 40; ++wavelet) {
    const unsigned at = wavelet % 15;
    EXPECT_EQ(word(filter, FilterWord::kState), at < 2 ? 0U : 1U) << wavelet;
    EXPECT_EQ(read(filter, FilterWord::kStateCounter), at < 2 ? 2 * at : 2 * (at - 2)) << wavelet;
    EXPECT_EQ(read(filter, FilterWord::kCounter), at);
    EXPECT_EQ(filter.accept(data(kColor, 0)), at < 2);
  }
}

TEST(FilterRegisters_wse_1_7, PassAndDropCountsAreSetByThemselves) {
  Filter filter(counter(3, 1));
  write(filter, FilterWord::kPassCount, 6);
  EXPECT_EQ(read(filter, FilterWord::kDropCount), 4U);
  EXPECT_EQ(accepted(filter, 10), "111..111..");
  write(filter, FilterWord::kDropCount, 8);
  EXPECT_EQ(read(filter, FilterWord::kPassCount), 6U);
  EXPECT_EQ(read(filter, FilterWord::kMaxCounter), 2U);
  EXPECT_EQ(read(filter, FilterWord::kLimit), 6U);
  EXPECT_EQ(accepted(filter, 14), "111....111....");
}

TEST(FilterRegisters_wse_1_7, CountsOf0LeaveTheStateOut) {
  Filter filter(counter(3, 1));
  write(filter, FilterWord::kDropCount, 0);
  EXPECT_EQ(accepted(filter, 6), "111111");
  write(filter, FilterWord::kDropCount, 4);
  write(filter, FilterWord::kPassCount, 0);  // PASS ends with the wavelet that is next
  EXPECT_EQ(accepted(filter, 6), "1.....");
  write(filter, FilterWord::kDropCount, 0);
  EXPECT_EQ(accepted(filter, 6), "......");
}

TEST(FilterRegisters_wse_1_7, StateAndItsCounterAreSetByThemselves) {
  Filter filter(counter(5, 2));
  EXPECT_EQ(accepted(filter, 1), "1");
  set_word(filter, FilterWord::kState, 1);  // DROP, 2 halves of 6 are over
  EXPECT_EQ(read(filter, FilterWord::kStateCounter), 2U);
  EXPECT_EQ(accepted(filter, 6), "..111.");
  set_word(filter, FilterWord::kState, 0);
  write(filter, FilterWord::kStateCounter, 4);
  EXPECT_EQ(accepted(filter, 5), "1...1");
}

// wse.md 12 gap 13: no source says what a half wavelet counts; the unit does.
TEST(FilterRegisters_wse_1_7, AHalfWaveletCountsHalf) {
  Filter filter(counter(2, 0));
  std::string text;
  for (unsigned i = 0; i < 12; ++i) text += accepts_half(filter) ? '1' : '.';
  EXPECT_EQ(text, "11....11....");
  EXPECT_TRUE(accepts_half(filter));
  EXPECT_EQ(read(filter, FilterWord::kStateCounter), 1U);
  EXPECT_EQ(accepted(filter, 3), "1..");  // the first ends PASS, half of it too late
}

// --- in a router

/// WEST to RAMP and EAST, in a router whose program writes.
struct Filtered : Alone {
  explicit Filtered(const FilterConfig& f, Generation generation = Generation::kWse3) {
    core.set_reconfigurable(generation);
    ColorRoute r = route({kW}, {kR});
    r.filter = f;
    set(kColor, r);
  }
  void write(FilterWord word, unsigned value, unsigned filter = 0) {
    ASSERT_TRUE(
        core.write_register(address_of(filter, word), static_cast<std::uint16_t>(value), now));
  }
  unsigned read(FilterWord word, Cycle at, unsigned filter = 0) const {
    return core.read_register(address_of(filter, word), at);
  }
};

TEST(RouterFilterRegisters_wse_1_7, FiltersAreNumberedByRisingColor) {
  Alone router;
  router.core.set_reconfigurable(Generation::kWse3);
  for (const unsigned color : {20U, 3U, 9U, 4U}) {
    ColorRoute r = route({kW}, {kR});
    if (color != 4) r.filter = counter(color, 0);
    router.set(color, r);
  }
  const unsigned colors[] = {3, 9, 20};
  for (unsigned filter = 0; filter < 3; ++filter) {
    EXPECT_EQ(router.core.read_register(address_of(filter, FilterWord::kControl), 1) & 0x1FU,
              colors[filter]);
    EXPECT_EQ(router.core.read_register(address_of(filter, FilterWord::kLimit), 1), colors[filter]);
  }
}

TEST(RouterFilterRegisters_wse_1_7, AFilterThatTheTileDoesNotHaveReads0AndCannotBeWritten) {
  Filtered router(counter(3, 1));
  for (const FilterWord word : {FilterWord::kControl, FilterWord::kLimit, FilterWord::kState}) {
    EXPECT_EQ(router.read(word, 1, 1), 0U);
    EXPECT_FALSE(router.core.write_register(address_of(1, word), 1, 1));
    EXPECT_EQ(router.core.why_illegal(address_of(1, word), 1), "no color has filter 1");
    EXPECT_EQ(router.core.why_illegal(address_of(0, word), 1), "");
  }
}

TEST(RouterFilterRegisters_wse_1_7, TheFourthKindDoesNotExist) {
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    const Filtered router(counter(3, 1), generation);
    EXPECT_EQ(router.core.why_illegal(address_of(0, FilterWord::kControl), 0x60),
              "3 is no kind of filter");
    EXPECT_EQ(router.core.why_illegal(address_of(0, FilterWord::kLimit), 0x60), "");
  }
}

TEST(RouterFilterRegisters_wse_1_7, AReadGivesTheEndOfTheCycleBeforeInAnyStepOrder) {
  Filtered router(counter(9, 9));
  router.send(kW, data(kColor, 1));
  router.send(kW, data(kColor, 2));
  for (unsigned count = 0; count < 2; ++count) {
    const Cycle cycle = router.now;
    EXPECT_EQ(router.read(FilterWord::kCounter, cycle), count);
    ASSERT_EQ(router.step().sends.size(), 1U);
    EXPECT_EQ(router.read(FilterWord::kCounter, cycle), count);
    EXPECT_EQ(router.read(FilterWord::kCounter, cycle + 1), count + 1);
  }
  const Cycle cycle = router.now;
  router.write(FilterWord::kCounter, 7);
  EXPECT_EQ(router.read(FilterWord::kCounter, cycle), 2U);
  router.step();
  EXPECT_EQ(router.read(FilterWord::kCounter, cycle), 2U);
  EXPECT_EQ(router.read(FilterWord::kCounter, cycle + 1), 7U);
}

TEST(RouterFilterRegisters_wse_1_7, AWriteCountsBeforeTheWaveletsOfItsCycle) {
  Filtered router(counter(9, 0));
  router.core.write_register(address_of(0, FilterWord::kCounter), 0, router.now + 2);
  for (unsigned i = 1; i <= 4; ++i) router.send(kW, data(kColor, i));
  EXPECT_EQ(router.run(), "R1 R3");
}

TEST(RouterFilterRegisters_wse_1_9, TheFilterIsRewrittenInTeardown) {
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Filtered router(counter(3, 0), generation);
    router.send(kW, data(kColor, 1));
    router.send(kW, control(kColor, {noce(kTeardown)}));
    for (unsigned i = 2; i <= 6; ++i) router.send(kW, data(kColor, i));
    EXPECT_EQ(router.run(), "R1");
    EXPECT_EQ(router.read(FilterWord::kCounter, router.now), 1U);  // the others wait unasked
    router.write(FilterWord::kCounter, 0);
    router.write(FilterWord::kMaxCounter, 2);
    EXPECT_EQ(router.run(), "");
    const Address at = config_space::kColorBase + kColor;
    router.core.write_register(
        at, router.core.read_register(at, router.now) & ~config_space::kTeardownBit, router.now);
    EXPECT_EQ(router.run(), "R2 R3 R4 R6");
  }
}

// It was asked when it came to the front.
TEST(RouterFilterRegisters_wse_1_7, AWaveletThatWaitsKeepsItsAnswer) {
  Filtered router(counter(9, 0));
  router.open(kColor, kR, 0);
  router.send(kW, data(kColor, 1));
  router.run();
  router.write(FilterWord::kCounter, 5);
  router.run();
  router.open(kColor, kR, 9);
  EXPECT_EQ(router.run(), "R1");
  EXPECT_EQ(router.read(FilterWord::kCounter, router.now), 5U);
}

}  // namespace
}  // namespace tessera::fabric::bench::filter_registers_test
