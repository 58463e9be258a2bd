// Commands of the host of a CSL program (csl.md 11) on whole machines, in both structures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "platforms/wse/command_stream.h"
#include "tests/support/csl_program.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::test::command_stream_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wse::CommandError;
using wse::Region;
using Words = std::vector<std::uint32_t>;

struct Machine {
  const char* preset;
  const char* structure;
  bool shuffles;
};

std::uint32_t f32(float value) {
  return bit_cast<std::uint32_t>(value);
}

Region region(layout::Rect rect, std::size_t elements, bool narrow = false) {
  Region made;
  made.rect = rect;
  made.elements = elements;
  made.narrow = narrow;
  return made;
}

Words numbers(std::size_t count, std::uint32_t first = 0) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class WseCommandStream : public ::testing::TestWithParam<Machine> {
 protected:
  WseCommandStream() {
    options_.preset = GetParam().preset;
    options_.structure = GetParam().structure;
    options_.shuffle_step_order = GetParam().shuffles;
  }
  /// The machine of tests/platforms/wse/programs/csl_host. Once in a test.
  wse::CommandStream& start(const std::string& params,
                            const std::vector<std::string>& settings = {}) {
    config_ = wse::load_wse_config(GetParam().preset, "", settings);
    program_ =
        csl_program("tests/platforms/wse/programs/csl_host/layout.csl", GetParam().preset, params);
    workload_ = std::make_unique<wse::Workload>(program_, config_);
    observed_ = std::make_unique<wse::ObservedMachine>(options_, fabric_, config_, *workload_);
    control_ =
        std::make_unique<run::RunControl>(observed_->machine().domain(), run::RunControl::Limits{});
    commands_ =
        std::make_unique<wse::CommandStream>(program_, *workload_, config_, *observed_, *control_);
    return *commands_;
  }
  /// Words that PE (0, 0) takes of a stream while the host expects none back.
  bool accepts(std::size_t words) {
    wse::CommandStream& commands = start("width:2,height:1");
    commands.launch("echo", {});
    try {
      commands.stream_to(Color(1), region({0, 0, 1, 1}, words), numbers(words));
    } catch (const CommandError&) {
      return false;
    }
    return true;
  }

  wse::WseConfig config_;
  compiled::Program program_;
  cli::MachineOptions options_;
  wse::FabricOptions fabric_;
  std::unique_ptr<wse::Workload> workload_;
  std::unique_ptr<wse::ObservedMachine> observed_;
  std::unique_ptr<run::RunControl> control_;
  std::unique_ptr<wse::CommandStream> commands_;
};

INSTANTIATE_TEST_SUITE_P(Machines, WseCommandStream,
                         ::testing::Values(Machine{"wse2", "modules", false},
                                           Machine{"wse2", "dense", false},
                                           Machine{"wse3", "modules", true},
                                           Machine{"wse3", "dense", true}),
                         [](const auto& machine) {
                           return std::string(machine.param.preset) + machine.param.structure;
                         });

TEST_P(WseCommandStream, CopiesLieByRowsOrColumns) {
  wse::CommandStream& commands = start("width:3,height:2");
  Region rows = region({0, 0, 3, 2}, 4);
  commands.copy_to("a", rows, numbers(24));
  EXPECT_EQ(commands.copy_from("a", rows), numbers(24));
  // Element 2 of PE (1, 1).
  Region one = region({1, 1, 1, 1}, 4);
  EXPECT_EQ(commands.copy_from("a", one)[2], (1U * 3 + 1) * 4 + 2);
  Region columns = rows;
  columns.order = Region::Order::kColumn;
  EXPECT_EQ(commands.copy_from("a", columns)[1 + 1 * 2 + 2 * 6], (1U * 3 + 1) * 4 + 2);
  EXPECT_EQ(commands.completed(), 4U);
}

TEST_P(WseCommandStream, SixteenBitElementsTakeTheLowHalves) {
  wse::CommandStream& commands = start("width:1,height:1");
  const Region half = region({0, 0, 1, 1}, 3, true);
  commands.copy_to("h", half, {0xAAAA0001, 0xBBBB0002, 0xCCCCFFFF});
  EXPECT_THAT(commands.copy_from("h", half), ElementsAre(1U, 2U, 0xFFFFU));
  std::vector<std::int16_t> values(3);
  const auto bytes = commands.read_symbol({4, 1}, "h");
  ASSERT_EQ(bytes.size(), 6U);
  std::memcpy(values.data(), bytes.data(), 6);
  EXPECT_THAT(values, ElementsAre(1, 2, -1));
}

TEST_P(WseCommandStream, BroadcastsAndStrides) {
  wse::CommandStream& commands = start("width:3,height:2");
  const Region all = region({0, 0, 3, 2}, 1);
  Region broadcast = all;
  broadcast.copies = Region::Copies::kEachColumn;
  commands.copy_to("a", broadcast, {5, 6});
  EXPECT_THAT(commands.copy_from("a", all), ElementsAre(5U, 5U, 5U, 6U, 6U, 6U));
  broadcast.copies = Region::Copies::kEachRow;
  commands.copy_to("a", broadcast, {7, 8, 9});
  EXPECT_THAT(commands.copy_from("a", all), ElementsAre(7U, 8U, 9U, 7U, 8U, 9U));
  Region strided = all;
  strided.column_stride = 2;
  commands.copy_to("a", strided, {1, 2, 3, 4});
  EXPECT_THAT(commands.copy_from("a", all), ElementsAre(1U, 8U, 2U, 3U, 8U, 4U));
}

TEST_P(WseCommandStream, LaunchesHaveArgumentsAndPointersMayChange) {
  wse::CommandStream& commands = start("width:2,height:1");
  const Region all = region({0, 0, 2, 1}, 4);
  commands.copy_to("a", all, Words(8, f32(1.5F)));
  commands.launch("add", {2, f32(0.25F)});
  EXPECT_THAT(commands.copy_from("a", region({1, 0, 1, 1}, 4)),
              ElementsAre(f32(1.5F), f32(1.5F), f32(1.75F), f32(1.5F)));
  commands.launch("swap", {});
  EXPECT_THAT(commands.copy_from("a", region({0, 0, 1, 1}, 2)), ElementsAre(f32(10), f32(20)));
  EXPECT_EQ(commands.elements_behind("a", {4, 1}), 4U);
  commands.finish();
}

TEST_P(WseCommandStream, ACopyWaitsUntilTheMainThreadIsFree) {
  wse::CommandStream& commands =
      start("width:1,height:1",
            {"memcpy.command_cycles=1", "memcpy.copy_cycles=1", "memcpy.start_cycles=0"});
  const Region one = region({0, 0, 1, 1}, 1);
  commands.launch("spin", {1000});
  const Cycle begin = commands.now();
  commands.copy_from("a", one);
  EXPECT_GT(commands.now(), begin + 5000);
  std::uint16_t count = 0;
  std::memcpy(&count, commands.read_symbol({4, 1}, "count").data(), 2);
  EXPECT_EQ(count, 1000);
}

TEST_P(WseCommandStream, CommandsCostWhatTheConfigurationSays) {
  wse::CommandStream& commands =
      start("width:3,height:2",
            {"memcpy.command_cycles=50", "memcpy.copy_cycles=100", "memcpy.out_word_cycles=10",
             "memcpy.start_cycles=0", "memcpy.words_per_cycle=2", "memcpy.hop_cycles=7"});
  const Region all = region({0, 0, 3, 2}, 4);
  commands.copy_to("a", all, numbers(24));
  // Both rows share the channel of the program: the last PE takes it after 2 hops and the 5 * 2 cycles of the words of the others.
  EXPECT_EQ(commands.now(), 100U + 2 * 7 + 10 + 1);
  commands.copy_from("a", all);
  // Its own words took 2 cycles. The PEs begin to send together.
  const Cycle taken = 126 + 100 + 2 * 7;
  EXPECT_EQ(commands.now(), taken + 1);
  commands.copy_to("a", region({0, 0, 1, 1}, 4), numbers(4));
  // Each of them sent its 4 words in 10 cycles each.
  EXPECT_EQ(commands.now(), taken + 40 + 100 + 1);
}

TEST_P(WseCommandStream, WhatGoesToAllColumnsTravelsOnce) {
  wse::CommandStream& commands =
      start("width:3,height:2",
            {"memcpy.copy_cycles=100", "memcpy.start_cycles=0", "memcpy.hop_cycles=0"});
  Region broadcast = region({0, 0, 3, 2}, 4);
  broadcast.copies = Region::Copies::kEachColumn;
  commands.copy_to("a", broadcast, numbers(8));
  EXPECT_EQ(commands.now(), 100U + 4 + 1);  // after the words of the first row
}

TEST(WseMemcpyTiming, RowsShareTheChannelsOfTheProgram) {
  wse::MemcpyTiming timing;
  timing.out_word_cycles = 52;
  // 8 words of each of 30 x 4 PEs.
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 1, true).rows, 4U);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 1, true).apart, 8U);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 2, true).rows, 2U);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 16, true).rows, 1U);
  EXPECT_EQ(timing.pace(8, 30, 1, 4, 1, true).rows, 1U);  // a copy of one row
  // One word of each PE in turn: the channel takes 120 cycles for that, two channels 60, and a PE 52.
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 1, false).ends, 8U * 120);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 2, false).ends, 8U * 60);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 4, false).ends, 8U * 52);
  EXPECT_EQ(timing.pace(8, 30, 4, 4, 1, false).held, 8U * 52);
}

TEST_P(WseCommandStream, CommandsOfSiliconHaveLatenciesAndSharedChannels) {
  wse::CommandStream& commands = start(
      "width:2,height:3", {"memcpy.profile=silicon", "memcpy.start_cycles=0", "memcpy.hop_cycles=0",
                           "memcpy.silicon.copy_cycles=1000", "memcpy.silicon.launch_cycles=5000",
                           "memcpy.silicon.channels=2", "memcpy.silicon.percent_in=150",
                           "memcpy.silicon.percent_out=600"});
  const Region all = region({0, 0, 2, 3}, 4);
  commands.copy_to("a", all, numbers(24));
  // Two rows share a channel: 4 words of a PE take 4 * 2 * 1.5 cycles.
  EXPECT_EQ(commands.now(), 1000U + 12 + 1);
  commands.copy_from("a", all);
  EXPECT_EQ(commands.now(), 1000U + 24 + 1000 + 48 + 1);
  const Cycle before = commands.now() - 1 + 48;
  commands.launch("spin", {1});
  EXPECT_GT(commands.now(), before + 5000);
  EXPECT_LT(commands.now(), before + 5200);
  EXPECT_THAT(
      message_of<UserError>([&] {
        commands.stream_to(Color(1), region({0, 0, 1, 1}, 1), numbers(1));
      }),
      HasSubstr("no rate of streams to and from PEs is published for memcpy.profile=silicon"));
}

TEST_P(WseCommandStream, FourteenWordsFitBetweenHostAndHostOnWse2) {  // wse.md 1.11
  const std::size_t room = std::string(GetParam().preset) == "wse2" ? 14 : 4 + 2 + 8 + 2 + 2;
  EXPECT_TRUE(accepts(room));
}

TEST_P(WseCommandStream, OneWordMoreStalls) {
  const std::size_t room = std::string(GetParam().preset) == "wse2" ? 14 : 4 + 2 + 8 + 2 + 2;
  EXPECT_FALSE(accepts(room + 1));
}

TEST_P(WseCommandStream, StreamsReachEveryPe) {
  wse::CommandStream& commands = start("width:3,height:2");
  const Region all = region({0, 0, 3, 2}, 5);
  commands.launch("echo", {});
  commands.stream_to(Color(1), all, numbers(30, 100));
  EXPECT_EQ(commands.stream_from(Color(2), all), numbers(30, 100));
  commands.stream_to(Color(1), region({1, 1, 1, 1}, 2), {1, 2});
  EXPECT_THAT(commands.stream_from(Color(2), region({1, 1, 1, 1}, 1)), ElementsAre(1U));
  EXPECT_THAT(commands.stream_from(Color(2), region({1, 1, 1, 1}, 1)), ElementsAre(2U));
  commands.finish();  // the operations wait for more, which is no error
}

TEST_P(WseCommandStream, StreamsReachThePesOfSeveralThreads) {
  // Streams begin in one strip while tiles of another one send to the host.
  if (options_.structure == "dense") fabric_.threads = 4;
  wse::CommandStream& commands = start("width:60,height:8");
  const Region all = region({0, 0, 60, 8}, 5);
  commands.launch("echo", {});
  for (std::uint32_t round = 0; round < 3; ++round) {
    commands.stream_to(Color(1), all, numbers(60 * 8 * 5, round));
    EXPECT_EQ(commands.stream_from(Color(2), all), numbers(60 * 8 * 5, round));
  }
  commands.finish();
}

TEST_P(WseCommandStream, WaveletsThatLeaveTheRectangleAreNoError) {
  wse::CommandStream& commands = start("width:2,height:1");
  commands.launch("outward", {});
  commands.finish();
  EXPECT_EQ(observed_->machine().wavelets_held(), 0U);
}

TEST_P(WseCommandStream, ACommandThatCannotEndTellsWhoWaits) {
  wse::CommandStream& commands = start("width:2,height:1");
  const std::string text = message_of<CommandError>([&] { commands.launch("silent", {}); });
  EXPECT_THAT(text, HasSubstr("launch of 'silent': deadlock"));
  EXPECT_THAT(text, HasSubstr("PE (0, 0) (tile (4, 1)) and 1 other PE have not called "
                              "unblock_cmd_stream"));
}

TEST_P(WseCommandStream, AStreamThatCannotEndTellsHowFarItIs) {
  wse::CommandStream& commands = start("width:1,height:1");
  commands.launch("echo", {});
  commands.stream_to(Color(1), region({0, 0, 1, 1}, 3), numbers(3));
  EXPECT_THAT(message_of<CommandError>([&] {
                commands.stream_from(Color(2), region({0, 0, 1, 1}, 4));
              }),
              HasSubstr("color 2 waits for a wavelet: 3 of 4 wavelets received"));
}

TEST_P(WseCommandStream, RefusesBadCommandsBeforeTheyRun) {
  wse::CommandStream& commands = start("width:2,height:1");
  const auto refused = [&](auto call) { return message_of<UserError>(call); };
  const Region one = region({0, 0, 1, 1}, 1);
  EXPECT_EQ(refused([&] { commands.copy_to("b", one, {1}); }), "the program exports no symbol 'b'");
  EXPECT_EQ(refused([&] { commands.copy_to("add", one, {1}); }),
            "the symbol 'add' is fn(u16, f32)void, which is no data");
  EXPECT_EQ(refused([&] { commands.launch("add", {1}); }),
            "launch of 'add': 1 argument given; the function is fn(u16, f32)void");
  EXPECT_EQ(refused([&] { commands.launch("missing", {}); }),
            "launch of 'missing': no PE supplies the function");
  EXPECT_EQ(refused([&] {
              commands.launch("wide", {1, 2, 3, 4});
            }),
            "launch of 'wide': 4 arguments given; the function is "
            "fn(u16, u16, u16, u16, u16)void");
  EXPECT_EQ(refused([&] {
              commands.copy_to("a", one, {1, 2});
            }),
            "copy to 'a': the array has 2 words; the region [0, 0, 1, 1], 1 element a PE, takes 1");
  EXPECT_EQ(refused([&] {
              commands.copy_from("a", region({1, 0, 2, 1}, 1));
            }),
            "copy from 'a': the region [1, 0, 2, 1] does not lie in the rectangle of 2 x 1 PEs");
  EXPECT_EQ(refused([&] { commands.stream_to(Color(3), one, {1}); }),
            "stream to color 3: the program gives <memcpy/get_params> no such color as "
            "MEMCPYH2D_k");
  EXPECT_EQ(refused([&] { commands.read_symbol({0, 0}, "a"); }), "tile (0, 0) runs no program");
  EXPECT_EQ(commands.now(), 0U);
  commands.launch("swap", {});
  EXPECT_EQ(refused([&] { commands.copy_from("wild", one); }),
            "copy from 'wild': 1 element of 4 bytes from address 49150 on do not lie in the memory "
            "of the PE");
}

TEST_P(WseCommandStream, RefusesCopiesBeyondTheArrayThatTheSymbolPointsTo) {
  wse::CommandStream& commands = start("width:2,height:1");
  const auto refused = [&](auto call) { return message_of<UserError>(call); };
  const Region both = region({0, 0, 2, 1}, 5);
  const std::string no_room =
      "there is no room for 5 elements of 4 bytes: the symbol points to 'a' of PE ";
  // The program may still change its pointers: each PE refuses for itself.
  EXPECT_EQ(refused([&] { commands.copy_to("a", both, numbers(10)); }),
            "copy to 'a': " + no_room + "(0, 0) (tile (4, 1)), which has 16 bytes");
  commands.copy_to("a", region({0, 0, 2, 1}, 4), Words(8, 7));
  commands.finish();
  const Cycle before = commands.now();
  EXPECT_EQ(refused([&] { commands.copy_to("a", both, numbers(10)); }),
            "copy to 'a': " + no_room + "(0, 0) (tile (4, 1)), which has 16 bytes");
  EXPECT_EQ(commands.now(), before);  // at rest nothing is begun
  // What is read beyond is copied, and reported.
  EXPECT_EQ(commands.copy_from("a", both).size(), 10U);
  report::Report report;
  observed_->summarize(report);
  EXPECT_THAT(report.diagnoses.first,
              testing::Contains(testing::Field(&report::Diagnosis::text,
                                               HasSubstr("copy from 'a': " + no_room))));
  EXPECT_THAT(
      refused([&] {
        commands.copy_to("h", region({1, 0, 1, 1}, 4, true), numbers(4));
      }),
      HasSubstr("no room for 4 elements of 2 bytes: the symbol points to 'h' of PE (1, 0)"));
  // A pointer to other elements is measured in bytes.
  EXPECT_EQ(refused([&] {
              commands.copy_to("a", region({0, 0, 1, 1}, 8, true), numbers(8));
            }),
            "nothing was thrown");
}

}  // namespace
}  // namespace tessera::test::command_stream_test
