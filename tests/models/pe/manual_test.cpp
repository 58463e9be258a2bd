// The programs on docs/tile-isa.md, tile-programs.md and configuration-space.md do what the pages
// say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/models/pe/bench.h"
#include "tests/models/pe/fake_config.h"

namespace tessera::pe::test {
namespace {

using testing::Each;
using testing::ElementsAre;

/// The program on the page that has `fn NAME` or `task NAME ..` in it.
Image program_with(const std::string& page, const std::string& line) {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/" + page);
  std::string program;
  bool inside = false;
  for (std::string text; std::getline(in, text);) {
    if (text == "```tasm") {
      inside = true;
      program.clear();
    } else if (text == "```" && inside) {
      inside = false;
      if (program.find("\n" + line) != std::string::npos)
        return tasm::assemble(program, {page, Generation::kWse3, {}});
    } else if (inside) {
      program += text + "\n";
    }
  }
  throw std::logic_error("no program with '" + line + "' on " + page);
}

void write(Bench& bench, const std::string& name, unsigned i, std::uint32_t bits) {
  const Symbol& symbol = *bench.core.image().find_symbol(name);
  bench.core.sram().write(symbol.address + i * bytes_of(symbol.type), bytes_of(symbol.type), bits);
}

TEST(TileIsaPage, AddUp) {
  Bench bench(program_with("tile-isa.md", "fn add_up"));
  bench.launch("add_up", {}, 1);
  bench.run();
  EXPECT_EQ(bench.f32("last"), 8);
  EXPECT_EQ(bench.f32("sum"), 36);
  EXPECT_EQ(bench.f32("v", 0), 4);     // 8 / 2
  EXPECT_EQ(bench.f32("v", 2), 3.5F);  // 7 / 2
  EXPECT_EQ(bench.f32("v", 4), 3);
  EXPECT_EQ(bench.f32("v", 6), 1.5F);  // the new v[4]
}

TEST(TileIsaPage, Add64Bits) {
  Bench bench(program_with("tile-isa.md", "fn add_up"));
  bench.launch("add_64_bits", {}, 1);
  bench.run();
  EXPECT_THAT(bench.contents("a"), ElementsAre(0, 0, 1, 1));
}

TEST(TileIsaPage, CallSavesTheReturnAddressAndBrkStops) {
  Bench passes(program_with("tile-isa.md", "fn outer"));
  passes.launch("outer", {1}, 1);
  passes.run();
  EXPECT_EQ(passes.all(EventKind::kTaskEnd).size(), 1U);

  Bench stops(program_with("tile-isa.md", "fn outer"));
  stops.launch("outer", {0}, 1);
  EXPECT_THAT(rule_broken_by(stops), Breaks(Illegal::kBreak));
}

TEST(TileProgramsPage, ReadsUntilAControlWaveletComesAndSendsOne) {
  Bench bench(program_with("tile-programs.md", "task row_done"));
  bench.queues.sink(4, 8);
  bench.queues.arrive(2, 11, 40);
  bench.queues.arrive(2, 12, 41);
  bench.queues.arrive(2, control_wavelet(31U << 16), 42);  // ends the row
  bench.queues.arrive(2, control_wavelet(40U << 16 | 5), 43);
  bench.run();
  EXPECT_EQ(bench.bits("a", 1), 12U);
  EXPECT_EQ(bench.bits("a", 2), 0U);
  ASSERT_EQ(bench.queues.sent.size(), 1U);
  EXPECT_TRUE(bench.queues.sent[0].wavelet.control);
  EXPECT_EQ(bench.queues.sent[0].wavelet.payload, 40U << 16 | 7);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(9, 10, 40));
}

TEST(TileProgramsPage, EveryFifthWaveletStartsTheControlTask) {
  Bench bench(program_with("tile-programs.md", "task every_fifth"));
  for (unsigned i = 0; i < 10; ++i) bench.queues.arrive(2, i, 10 + i);
  bench.run();
  EXPECT_EQ(bench.queues.taken.size(), 10U);
  const std::uint32_t alternative = bench.core.image().tasks[1].entry;
  std::vector<bool> rotated;
  for (const observe::Event& e : bench.all(EventKind::kTaskStart))
    rotated.push_back(e.b == alternative);
  EXPECT_THAT(rotated,
              ElementsAre(false, false, false, false, true, false, false, false, false, true));
}

TEST(TileProgramsPage, Transpose) {
  Bench bench(program_with("tile-programs.md", "fn transpose"));
  for (unsigned i = 0; i < 12; ++i) write(bench, "M", i, i);
  bench.launch("transpose", {}, 1);
  bench.run();
  EXPECT_THAT(bench.contents("T"), ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  const std::vector<Dsd>& dsds = bench.core.image().dsds;
  EXPECT_EQ(dsds[0].strides, dsds[1].strides);
  EXPECT_EQ(dsds[0].extents, dsds[1].extents);
}

TEST(TileProgramsPage, SquarePositive) {
  Bench bench(program_with("tile-programs.md", "fn square_positive"));
  for (unsigned i = 0; i < 8; ++i) write(bench, "v", i, bits_of(static_cast<float>(i) - 4));
  bench.launch("square_positive", {}, 1);
  bench.run();
  std::vector<float> w;
  for (unsigned i = 0; i < 8; ++i) w.push_back(bench.f32("w", i));
  EXPECT_THAT(w, ElementsAre(0, 0, 0, 0, 0, 1, 4, 9));
  EXPECT_EQ(bench.all(EventKind::kTaskEnd).size(), 1U);
}

TEST(TileProgramsPage, FifoHandsEverythingOn) {
  Bench bench(program_with("tile-programs.md", "fifo"));
  bench.queues.sink(4, 8);
  std::vector<std::uint32_t> sent;
  for (unsigned i = 0; i < 200; ++i) {
    sent.push_back(1000 + i);
    bench.queues.arrive(2, sent.back(), 20 + (i < 70 ? i : 10 * i));  // at once, then with gaps
  }
  bench.launch("main", {}, 1);
  bench.run(20000);
  EXPECT_EQ(bench.queues.payloads_sent(), sent);
}

TEST(ConfigurationSpacePage, TeardownHandlerTurnsTheRoute) {
  Bench bench(program_with("configuration-space.md", "task on_teardown"));
  FakeConfig router;
  router.initial[0x7F25] = 0x202;
  bench.core.set_config(&router);
  bench.launch("send_both", {}, 1);
  bench.teardown(Color(5), 40);
  bench.run();
  ASSERT_EQ(router.writes.size(), 2U);
  EXPECT_EQ(router.writes[0].value, 0x4201U);
  EXPECT_EQ(router.writes[1].value, 0x0201U);
  ASSERT_EQ(bench.queues.sent.size(), 9U);
  for (unsigned i = 0; i < 9; ++i) EXPECT_EQ(bench.queues.sent[i].wavelet.control, i == 4) << i;
  EXPECT_EQ(bench.queues.sent[4].wavelet.payload, 0x01DF0000U);
}

TEST(ConfigurationSpacePage, TeardownOfAnotherColorChangesNothing) {
  Bench bench(program_with("configuration-space.md", "task on_teardown"));
  FakeConfig router;
  bench.core.set_config(&router);
  bench.teardown(Color(4), 40);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(kTeardownTask));
  EXPECT_TRUE(router.writes.empty());
}

TEST(ConfigurationSpacePage, FilterIsSetInTeardown) {
  Bench bench(program_with("configuration-space.md", "task two_of_three"));
  FakeConfig router;
  router.initial[0x7F24] = 0x4030;
  bench.core.set_config(&router);
  bench.teardown(Color(4), 40);
  bench.run();
  EXPECT_EQ(router.read_config(0x7F84, 1000), 2U);
  EXPECT_EQ(router.read_config(0x7F88, 1000), 1U);
  EXPECT_EQ(router.read_config(0x7F24, 1000), 0x30U);
  EXPECT_EQ(router.writes.back().address, 0x7F24U);
}

TEST(ConfigurationSpacePage, FlushHandlerBindsTheQueueToAnotherColor) {
  Bench bench(program_with("configuration-space.md", "task on_flush"));
  bench.queues.sink(4, 4, 60, 3);
  bench.launch("send_v_then_w", {}, 1);
  bench.run();
  std::vector<unsigned> colors;
  for (const auto& sent : bench.queues.sent) colors.push_back(sent.wavelet.color.value());
  EXPECT_THAT(colors, ElementsAre(5, 5, 5, 5, 6, 6, 6, 6));
}

}  // namespace
}  // namespace tessera::pe::test
