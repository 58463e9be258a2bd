// Payload of control wavelets (reference wse.md 1.5, 8.7).
#include "tlm_ifaces/link/control_word.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera::link {
namespace {

/// The table of wse.md 1.5: lowest bit of the command, bit of its flag.
constexpr unsigned kCommandBit[kMaxCommands] = {22, 25, 28, 1, 4, 7, 10, 13};
constexpr unsigned kFlagBit[kMaxCommands] = {24, 27, 0, 3, 6, 9, 12, 15};

TEST(LinkControlWord_wse_1_5, CommandsHaveTheNumbersOfTheLibrary) {
  EXPECT_EQ(static_cast<unsigned>(Command::kNop), 0U);
  EXPECT_EQ(static_cast<unsigned>(Command::kAdvance), 1U);
  EXPECT_EQ(static_cast<unsigned>(Command::kReset), 2U);
  EXPECT_EQ(static_cast<unsigned>(Command::kTeardown), 3U);
}

TEST(LinkControlWord_wse_1_5, EntriesLieWhereTheTableSays) {
  for (unsigned i = 0; i < kMaxCommands; ++i) {
    for (unsigned command = 0; command < 4; ++command) {
      const auto name = static_cast<Command>(command);
      EXPECT_EQ(with_command(0, i, {name, false}), command << kCommandBit[i]) << i;
      EXPECT_EQ(with_command(0, i, {name, true}), command << kCommandBit[i] | 1U << kFlagBit[i]);
      EXPECT_EQ(command_at(command << kCommandBit[i], i), (CommandEntry{name, false})) << i;
      EXPECT_EQ(command_at(command << kCommandBit[i] | 1U << kFlagBit[i], i),
                (CommandEntry{name, true}))
          << i;
    }
  }
}

TEST(LinkControlWord_wse_1_5, AnEntryReplacesNothingElse) {
  for (unsigned i = 0; i < kMaxCommands; ++i) {
    const std::uint32_t own = 3U << kCommandBit[i] | 1U << kFlagBit[i];
    EXPECT_EQ(with_command(0xFFFFFFFF, i, {Command::kNop, false}), ~own) << i;
    EXPECT_EQ(with_command(0, i, {Command::kTeardown, true}), own) << i;
  }
}

TEST(LinkControlWord_wse_1_5, WorkedAdvanceWithoutTask) {
  EXPECT_EQ(entry_point(0x015F0000), 31U);
  EXPECT_EQ(command_at(0x015F0000, 0), (CommandEntry{Command::kAdvance, true}));
  for (unsigned i = 1; i < kMaxCommands; ++i) {
    EXPECT_EQ(command_at(0x015F0000, i), (CommandEntry{Command::kNop, false})) << i;
  }
}

TEST(LinkControlWord_wse_1_5, WorkedTeardown) {
  EXPECT_EQ(entry_point(0x01DF0000), 31U);
  EXPECT_EQ(command_at(0x01DF0000, 0), (CommandEntry{Command::kTeardown, true}));
  std::uint32_t full = 0x01DF0000;
  for (unsigned i = 1; i < kMaxCommands; ++i) full = with_command(full, i, {Command::kNop, true});
  EXPECT_EQ(full, 0x09DF9249U);
}

TEST(LinkControlWord_wse_1_5, WorkedPop) {
  EXPECT_EQ(pop_command(0x09DF9249), 0x091F9249U);
  EXPECT_EQ(pop_command(0x091F9249), 0x091F9249U);
}

TEST(LinkControlWord_wse_1_5, EntryPointIsBits16To21) {
  for (unsigned id = 0; id < 64; ++id) {
    EXPECT_EQ(entry_point(id << 16), id);
    EXPECT_EQ(entry_point(id << 16 | 0xFFC0FFFF), id);
  }
}

TEST(LinkControlWord_wse_1_5, PopMovesEveryEntryUpAndKeepsTheRest) {
  std::mt19937 random(5);
  for (unsigned n = 0; n < 1000; ++n) {
    const std::uint32_t payload = random();
    const std::uint32_t popped = pop_command(payload);
    EXPECT_EQ(entry_point(popped), entry_point(payload));
    EXPECT_EQ(popped >> 30, payload >> 30);  // marker of control_transform
    for (unsigned i = 0; i + 1 < kMaxCommands; ++i) {
      EXPECT_EQ(command_at(popped, i), command_at(payload, i + 1)) << i;
    }
    EXPECT_EQ(command_at(popped, kMaxCommands - 1), (CommandEntry{Command::kNop, true}));
  }
}

TEST(LinkControlWord_wse_1_5, EightPopsLeaveNopsThatTheCeIgnores) {
  std::uint32_t payload = 0xFFFFFFFF;
  for (unsigned i = 0; i < kMaxCommands; ++i) payload = pop_command(payload);
  for (unsigned i = 0; i < kMaxCommands; ++i) {
    EXPECT_EQ(command_at(payload, i), (CommandEntry{Command::kNop, true})) << i;
  }
  EXPECT_EQ(payload, 0xC93F9249U);
}

TEST(LinkControlWord_wse_1_5, ListsComeBackAsTheyWereWritten) {
  std::mt19937 random(6);
  for (unsigned n = 0; n < 1000; ++n) {
    std::uint32_t payload = random();
    const std::uint32_t others = payload & 0xC03F0000;
    CommandEntry list[kMaxCommands];
    for (unsigned i = 0; i < kMaxCommands; ++i) {
      list[i] = {static_cast<Command>(random() % 4), random() % 2 == 1};
      payload = with_command(payload, i, list[i]);
    }
    for (unsigned i = 0; i < kMaxCommands; ++i) EXPECT_EQ(command_at(payload, i), list[i]) << i;
    EXPECT_EQ(payload & 0xC03F0000, others);
  }
}

TEST(FabricControlWord_wse_8_7, SingleCommandLeavesTheLowHalfToTheArgument) {
  EXPECT_EQ(single_command({Command::kAdvance, true}, 31, 0), 0x015F0000U);
  EXPECT_EQ(single_command({Command::kTeardown, true}, 31, 0), 0x01DF0000U);
  EXPECT_EQ(single_command({Command::kNop, false}, 0, 0), 0U);
  for (const unsigned argument : {0U, 1U, 0x8000U, 0x1234U, 0xFFFFU}) {
    const std::uint32_t payload =
        single_command({Command::kReset, false}, 40, static_cast<std::uint16_t>(argument));
    EXPECT_EQ(payload & 0xFFFFU, argument);
    EXPECT_EQ(entry_point(payload), 40U);
    EXPECT_EQ(command_at(payload, 0), (CommandEntry{Command::kReset, false}));
  }
}

TEST(FabricControlWord_wse_8_7, SingleCommandTakesSixBitsOfTheEntryPoint) {
  EXPECT_EQ(single_command({Command::kNop, false}, 0xFF, 0), 0x003F0000U);
}

}  // namespace
}  // namespace tessera::link
