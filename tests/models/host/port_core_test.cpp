// HostPortCore: the memory map, what each access answers, streams, launches, interrupts
// (docs/host-port.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/host/host_port_core.h"
#include "tests/models/host/fake_device.h"

namespace tessera::host {
namespace {

using Command = Access::Command;
using test::FakeDevice;

template <class Field>
constexpr Address at(Address base, Field field) {
  return base + static_cast<Address>(field);
}
constexpr Address channel(unsigned edge, unsigned color) {
  return kStreamBase + edge * kEdgeStride + color * kChannelStride;
}
constexpr Address slot(unsigned number, SlotField field) {
  return kSlotBase + number * kSlotStride + static_cast<Address>(field);
}
constexpr Address tile(unsigned number) {
  return kMemoryBase + number * kTileStride;
}

class HostPortCoreTest : public testing::Test {
 protected:
  HostPortCoreTest() = default;
  explicit HostPortCoreTest(std::unique_ptr<FakeDevice> other) : owned(std::move(other)) {}
  Answer run(Access access) {
    const HostPortCore::Checked checked = port.check(access);
    return checked.answer != Answer::kOk ? checked.answer : port.carry_out(access, now);
  }
  Answer run(Command command, Address address, std::uint32_t length) {
    Access access = access_of(command, address, length);
    return run(access);
  }
  Access access_of(Command command, Address address, std::uint32_t length) {
    Access access;
    access.command = command;
    access.address = address;
    access.data = buffer.data();
    access.length = length;
    access.streaming_width = length;
    return access;
  }
  Answer write(Address address, std::vector<std::uint32_t> words) {
    std::memcpy(buffer.data(), words.data(), 4 * words.size());
    return run(Command::kWrite, address, static_cast<std::uint32_t>(4 * words.size()));
  }
  std::uint32_t read(Address address) {
    EXPECT_EQ(run(Command::kRead, address, 4), Answer::kOk) << std::hex << address;
    return word(0);
  }
  std::uint32_t read(Register r) { return read(at(kRegisterBase, r)); }
  std::uint32_t word(unsigned i) const {
    std::uint32_t value = 0;
    std::memcpy(&value, buffer.data() + 4 * i, 4);
    return value;
  }

  std::unique_ptr<FakeDevice> owned = std::make_unique<FakeDevice>();
  FakeDevice& device = *owned;
  HostPortCore port{device, 8};
  std::vector<std::byte> buffer = std::vector<std::byte>(0x2'0000);
  Cycle now = 10;
};

TEST_F(HostPortCoreTest, TellsWhatTheMachineIs) {
  EXPECT_EQ(read(Register::kId), kIdValue);
  EXPECT_EQ(read(Register::kVersion), kMapVersion);
  EXPECT_EQ(read(Register::kKind), 1U);
  EXPECT_EQ(read(Register::kCapabilities), kHasMemory | kHasStreams | kHasDmi);
  EXPECT_EQ(read(Register::kWidth), 2U);
  EXPECT_EQ(read(Register::kHeight), 2U);
  EXPECT_EQ(read(Register::kTileBytes), 0x400U);
  EXPECT_EQ(read(Register::kEdges), 2U);
  EXPECT_EQ(read(Register::kFunctions), 2U);
  EXPECT_EQ(read(Register::kCounters), 2U);
  EXPECT_EQ(read(Register::kStreamDepth), 8U);
  EXPECT_EQ(read(Register::kPeriodPs), 1000U);
  now = 0x5'0000'0003ULL;
  EXPECT_EQ(read(Register::kCycleLow), 3U);
  EXPECT_EQ(read(Register::kCycleHigh), 5U);
}

TEST_F(HostPortCoreTest, NamesCountersAndEdgesAreReadable) {
  ASSERT_EQ(run(Command::kRead, kNameBase + kNameBytes, 8), Answer::kOk);
  EXPECT_STREQ(reinterpret_cast<const char*>(buffer.data()), "second");
  ASSERT_EQ(run(Command::kRead, kCounterBase + 8, 8), Answer::kOk);
  EXPECT_EQ(word(0), 8U);
  EXPECT_EQ(word(1), 1U);
  const Address edge = kStreamBase + kEdgeStride;
  EXPECT_EQ(read(at(edge, EdgeField::kX)), 1U);
  EXPECT_EQ(read(at(edge, EdgeField::kY)), 1U);
  EXPECT_EQ(read(at(edge, EdgeField::kSide)), index(Direction::kEast));
  EXPECT_EQ(read(at(edge, EdgeField::kColorsOut)), 8U);
}

// Every kind of mistake, and the answer of TLM-2.0 that goes with it.
TEST_F(HostPortCoreTest, IllegalAccessesAreAnsweredInTheOrderOfTheRules) {
  struct Case {
    const char* what;
    Command command;
    Address address;
    std::uint32_t length;
    Answer answer;
  };
  const std::vector<Case> cases = {
      {"no such command, nowhere", Command::kOther, ~Address{0}, 0, Answer::kCommand},
      {"reserved register", Command::kRead, 0x3C, 4, Answer::kAddress},
      {"after the registers", Command::kRead, 0x88, 4, Answer::kAddress},
      {"reserved page", Command::kRead, 0x5000, 4, Answer::kAddress},
      {"below the streams", Command::kWrite, kStreamBase - 4, 4, Answer::kAddress},
      {"no such edge", Command::kRead, channel(2, 0), 4, Answer::kAddress},
      {"no such color", Command::kRead, channel(0, 24), 4, Answer::kAddress},
      {"after a channel", Command::kRead, channel(0, 0) + 0x5C, 4, Answer::kAddress},
      {"after an edge", Command::kRead, kStreamBase + 0xF10, 4, Answer::kAddress},
      {"after the counters", Command::kRead, kCounterBase + 16, 4, Answer::kAddress},
      {"after the names", Command::kRead, kNameBase + 2 * kNameBytes, 4, Answer::kAddress},
      {"after the doorbells", Command::kWrite, kDoorbellBase + 32, 4, Answer::kAddress},
      {"between slots", Command::kRead, kSlotBase + 0x30, 4, Answer::kAddress},
      {"hole of a slot", Command::kRead, kSlotBase + 0x18, 4, Answer::kAddress},
      {"after the memory of a tile", Command::kRead, tile(0) + 0x400, 1, Answer::kAddress},
      {"tile without memory", Command::kRead, tile(3), 4, Answer::kAddress},
      {"no such tile", Command::kRead, tile(4), 4, Answer::kAddress},
      {"end of the addresses", Command::kRead, ~Address{0}, 4, Answer::kAddress},
      {"no bytes", Command::kRead, 0, 0, Answer::kBurst},
      {"half a word", Command::kRead, 0, 2, Answer::kBurst},
      {"unaligned", Command::kRead, 1, 4, Answer::kBurst},
      {"into a hole", Command::kRead, 0x38, 8, Answer::kBurst},
      {"over the end of memory", Command::kRead, tile(0) + 0x3FF, 2, Answer::kBurst},
      {"huge", Command::kRead, tile(0), 0xFFFFFFFF, Answer::kBurst},
      {"over the data window", Command::kWrite, channel(0, 0) + 0x3C, 8, Answer::kBurst},
      {"two doorbells", Command::kWrite, kDoorbellBase, 8, Answer::kBurst},
      {"write of what is read only", Command::kWrite, 0, 4, Answer::kCommand},
      {"write of a counter", Command::kWrite, kCounterBase, 4, Answer::kCommand},
      {"write of a name", Command::kWrite, kNameBase, 4, Answer::kCommand},
      {"read of what is write only", Command::kRead, 0x40, 4, Answer::kCommand},
      {"read of a doorbell", Command::kRead, kDoorbellBase, 4, Answer::kCommand},
      {"read only in the middle", Command::kWrite, 0x50, 8, Answer::kCommand},
      {"nothing to be read", Command::kRead, channel(1, 3), 4, Answer::kGeneric},
      {"no room", Command::kWrite, channel(0, 0), 36, Answer::kGeneric},
  };
  for (const Case& c : cases) EXPECT_EQ(run(c.command, c.address, c.length), c.answer) << c.what;
  EXPECT_EQ(read(Register::kRefused), 2U) << "generic errors are counted";
  EXPECT_TRUE(device.launches.empty() && device.sent.empty());
}

TEST_F(HostPortCoreTest, NoDataPointerIsAGenericError) {
  Access access = access_of(Command::kRead, tile(0), 4);
  access.data = nullptr;
  EXPECT_EQ(run(access), Answer::kGeneric);
}

TEST_F(HostPortCoreTest, IgnoreDoesNothingButMustNameAPlace) {
  std::memset(buffer.data(), 0x55, 8);
  EXPECT_EQ(run(Command::kIgnore, tile(0), 8), Answer::kOk);
  EXPECT_EQ(run(Command::kIgnore, 0x0, 4), Answer::kOk);
  EXPECT_EQ(word(0), 0x55555555U);
  EXPECT_EQ(device.memory[0][0], std::byte{0});
  EXPECT_EQ(run(Command::kIgnore, 0x3C, 4), Answer::kAddress);
}

TEST_F(HostPortCoreTest, ByteEnablesMoveBytesOfMemoryOnly) {
  const std::vector<std::uint8_t> enables = {0, 0xFF, 0xFF};  // repeated
  for (unsigned i = 0; i < 8; ++i) buffer[i] = static_cast<std::byte>(i + 1);
  Access access = access_of(Command::kWrite, tile(1) + 5, 8);
  access.byte_enables = enables.data();
  access.byte_enable_length = 3;
  ASSERT_EQ(run(access), Answer::kOk);
  const std::vector<unsigned> expected = {0, 2, 3, 0, 5, 6, 0, 8};
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(std::to_integer<unsigned>(device.memory[1][5 + i]), expected[i]) << i;
  access.byte_enable_length = 0;
  EXPECT_EQ(run(access), Answer::kByteEnable);
  access = access_of(Command::kWrite, at(kRegisterBase, Register::kScratch), 4);
  access.byte_enables = enables.data();
  access.byte_enable_length = 3;
  EXPECT_EQ(run(access), Answer::kByteEnable);
}

TEST_F(HostPortCoreTest, OnlyStreamDataMayBeStreamed) {
  Access access = access_of(Command::kWrite, channel(0, 2) + 8, 16);
  access.streaming_width = 4;
  EXPECT_EQ(run(access), Answer::kOk);
  EXPECT_EQ(device.sent.back().words.size(), 4U);
  access.streaming_width = 2;
  EXPECT_EQ(run(access), Answer::kBurst);
  access.streaming_width = 0;
  EXPECT_EQ(run(access), Answer::kBurst);
  access = access_of(Command::kWrite, tile(0), 16);
  access.streaming_width = 8;
  EXPECT_EQ(run(access), Answer::kBurst);
  access = access_of(Command::kRead, at(kRegisterBase, Register::kId), 8);
  access.streaming_width = 4;
  EXPECT_EQ(run(access), Answer::kBurst);
}

TEST_F(HostPortCoreTest, WordsEnterTheFabricInTheNextCycle) {
  ASSERT_EQ(write(channel(0, 5), {7, 8}), Answer::kOk);
  ASSERT_EQ(write(at(channel(0, 5), ChannelField::kControlData), {9}), Answer::kOk);
  ASSERT_EQ(device.sent.size(), 2U);
  EXPECT_EQ(device.sent[0].from, 11U);
  EXPECT_EQ(device.sent[0].words[1].payload, 8U);
  EXPECT_FALSE(device.sent[0].words[1].control);
  EXPECT_TRUE(device.sent[1].words[0].control);
  EXPECT_EQ(read(at(channel(0, 5), ChannelField::kWaiting)), 3U);
  EXPECT_EQ(read(at(channel(0, 5), ChannelField::kRoom)), 5U);
  EXPECT_EQ(write(channel(0, 5), {1, 2, 3, 4, 5}), Answer::kOk);
  EXPECT_EQ(write(channel(0, 5), {1}), Answer::kGeneric);
}

TEST_F(HostPortCoreTest, ReadsTakeWaveletsAndDebugLooksAtThem) {
  for (std::uint32_t i = 0; i < 3; ++i) device.deliver(1, Color(3), 100 + i, i == 2, 10 + i);
  const Address data = channel(1, 3);
  EXPECT_EQ(read(at(data, ChannelField::kLevel)), 3U);
  std::uint32_t seen[4] = {};
  EXPECT_EQ(port.debug_read(data, 16, reinterpret_cast<std::byte*>(seen), now), 12U);
  EXPECT_THAT(seen, testing::ElementsAre(100, 101, 102, 0));
  ASSERT_EQ(run(Command::kRead, data, 8), Answer::kOk);
  EXPECT_EQ(word(0), 100U);
  EXPECT_EQ(word(1), 101U);
  EXPECT_EQ(read(at(data, ChannelField::kIsControl)), 1U);
  EXPECT_EQ(run(Command::kRead, data, 8), Answer::kGeneric) << "all of it or nothing";
  EXPECT_EQ(read(at(data, ChannelField::kLevel)), 1U);
}

TEST_F(HostPortCoreTest, DoorbellLaunchesWhatIsInItsSlot) {
  ASSERT_EQ(write(slot(3, SlotField::kFunction), {0, 2, 1, 0, 1, 2}), Answer::kOk);
  ASSERT_EQ(write(slot(3, SlotField::kArgument0), {11, 12, 13, 14}), Answer::kOk);
  ASSERT_EQ(write(kDoorbellBase + 12, {1}), Answer::kOk);
  ASSERT_EQ(device.launches.size(), 1U);
  const auto& [request, from] = device.launches.front();
  EXPECT_EQ(from, 11U);
  EXPECT_EQ(request.origin.x, 1);
  EXPECT_EQ(request.width * request.height, 2U);
  EXPECT_THAT(request.arguments, testing::ElementsAre(11, 12));
  EXPECT_EQ(read(Register::kOpenLaunches), 2U);
  EXPECT_EQ(read(Register::kStatus) & kLaunched, kLaunched);
}

TEST_F(HostPortCoreTest, LaunchThatCannotBeStartsNothing) {
  const std::vector<std::vector<std::uint32_t>> wrong = {
      {2, 0, 0, 0, 0, 0},           // no such function
      {0, 5, 0, 0, 0, 0},           // too many arguments
      {0, 0, 2, 0, 1, 1},           // outside
      {0, 0, 1, 0, 0xFFFFFFFF, 1},  // around the end of the numbers
      {0, 0, 0, 1, 1, 2},           // over the edge
  };
  for (const auto& fields : wrong) {
    ASSERT_EQ(write(kSlotBase, fields), Answer::kOk);
    EXPECT_EQ(write(kDoorbellBase, {1}), Answer::kGeneric);
  }
  EXPECT_TRUE(device.launches.empty());
  ASSERT_EQ(write(kSlotBase, {1, 0, 0, 0, 0, 0}), Answer::kOk);
  EXPECT_EQ(write(kDoorbellBase, {1}), Answer::kGeneric) << "no tile has the function";
}

TEST_F(HostPortCoreTest, InterruptsOfLaunchStreamAndRest) {
  ASSERT_EQ(write(at(kRegisterBase, Register::kIrqEnable), {kLaunchDone}), Answer::kOk);
  ASSERT_EQ(write(kSlotBase, {0, 0, 0, 0, 1, 2}), Answer::kOk);
  ASSERT_EQ(write(kDoorbellBase, {1}), Answer::kOk);
  port.launch_ended();
  EXPECT_FALSE(port.irq());
  port.launch_ended();
  EXPECT_TRUE(port.irq());
  port.launch_ended();  // somebody else's
  ASSERT_EQ(write(at(kRegisterBase, Register::kIrqClear), {kLaunchDone}), Answer::kOk);
  EXPECT_FALSE(port.irq());
  port.came_to_rest();
  EXPECT_EQ(read(Register::kIrqPending), kAtRest);
  EXPECT_FALSE(port.irq()) << "not enabled";
  port.came_to_rest();
  ASSERT_EQ(write(at(channel(1, 3), ChannelField::kExpect), {2}), Answer::kOk);
  EXPECT_EQ(read(Register::kMissing), 2U);
  device.deliver(1, Color(3), 1, false, 20);
  port.stream_completed();
  EXPECT_EQ(read(at(channel(1, 3), ChannelField::kExpect)), 1U);
  device.deliver(1, Color(3), 1, false, 21);
  port.stream_completed();
  EXPECT_EQ(read(Register::kIrqPending), kAtRest | kStreamDone);
  ASSERT_EQ(write(at(kRegisterBase, Register::kControl), {kReset}), Answer::kOk);
  EXPECT_EQ(read(Register::kIrqPending), 0U);
  EXPECT_EQ(read(Register::kIrqEnable), 0U);
}

TEST_F(HostPortCoreTest, ResetOfTheMachineForgetsAll) {
  ASSERT_EQ(write(at(kRegisterBase, Register::kIrqEnable), {kAllIrqs}), Answer::kOk);
  ASSERT_EQ(write(slot(2, SlotField::kWidth), {1, 1}), Answer::kOk);
  ASSERT_EQ(write(channel(1, 3) + 0x54, {2}), Answer::kOk);
  ASSERT_EQ(write(kDoorbellBase + 8, {1}), Answer::kOk);
  device.deliver(1, Color(3), 7, false, now);
  port.failed("cycle 9: it broke");
  EXPECT_TRUE(port.irq());
  ASSERT_EQ(write(at(kRegisterBase, Register::kControl), {kResetMachine | kKeepMemory}),
            Answer::kOk);
  EXPECT_TRUE(port.has_reset());
  EXPECT_TRUE(port.ends_direct());
  EXPECT_EQ(device.resets, std::vector<bool>{true});
  EXPECT_FALSE(port.irq());
  for (const Register r : {Register::kStatus, Register::kOpenLaunches, Register::kMissing,
                           Register::kIrqPending, Register::kIrqEnable})
    EXPECT_EQ(read(r), 0U);
  EXPECT_EQ(read(channel(1, 3) + 0x4C), 0U) << "a wavelet is left";
  EXPECT_EQ(read(kTextBase + kTextBytes), 0U) << "the failure is left";
  ASSERT_EQ(write(at(kRegisterBase, Register::kControl), {kResetMachine}), Answer::kOk);
  EXPECT_EQ(device.resets, (std::vector<bool>{true, false}));
}

TEST_F(HostPortCoreTest, ExpectationsCanBeCancelled) {
  ASSERT_EQ(write(channel(1, 3) + 0x54, {5}), Answer::kOk);
  device.deliver(1, Color(3), 7, false, now);
  EXPECT_EQ(read(Register::kMissing), 4U);
  ASSERT_EQ(write(channel(1, 3) + 0x58, {1}), Answer::kOk);
  EXPECT_EQ(read(Register::kMissing), 0U);
  EXPECT_EQ(read(Register::kStatus) & kExpecting, 0U);
  EXPECT_EQ(read(channel(1, 3) + 0x4C), 1U) << "what has come stays";
  ASSERT_EQ(write(channel(1, 3) + 0x54, {2}), Answer::kOk);
  EXPECT_EQ(read(Register::kMissing), 2U);
}

TEST_F(HostPortCoreTest, SaysWhyAnAccessWasRefused) {
  const auto text = [this](Address from) {
    EXPECT_EQ(run(Command::kRead, from, kTextBytes), Answer::kOk);
    return std::string(reinterpret_cast<const char*>(buffer.data()));
  };
  Access access = access_of(Command::kWrite, 0x74, 4);
  const HostPortCore::Checked checked = port.check(access);
  EXPECT_EQ(checked.answer, Answer::kCommand);
  EXPECT_EQ(port.note_refusal(access, checked.why),
            "write of 4 bytes at 0x74: it can only be read");
  EXPECT_EQ(text(kTextBase), "write of 4 bytes at 0x74: it can only be read");
  ASSERT_EQ(write(slot(0, SlotField::kFunction), {77}), Answer::kOk);
  access = access_of(Command::kWrite, kDoorbellBase, 4);
  EXPECT_EQ(run(access), Answer::kGeneric);
  EXPECT_EQ(port.note_refusal(access), "write of 4 bytes at 0x3000: there is no such function");
  device.has_failed = true;
  port.failed("cycle 9: it broke");
  EXPECT_EQ(text(kTextBase + kTextBytes), "cycle 9: it broke");
  EXPECT_EQ(read(Register::kStatus) & kFailed, kFailed);
  EXPECT_EQ(run(access), Answer::kGeneric);
  EXPECT_THAT(port.note_refusal(access), testing::HasSubstr("reset it"));
}

TEST_F(HostPortCoreTest, SymbolsAreInATable) {
  EXPECT_EQ(read(Register::kSymbols), 1U);
  ASSERT_EQ(run(Command::kRead, kSymbolBase, kSymbolEntry), Answer::kOk);
  EXPECT_STREQ(reinterpret_cast<const char*>(buffer.data()), "A");
  EXPECT_EQ(word(16), 1U);
  EXPECT_EQ(word(17), 0x40U);
  EXPECT_EQ(word(18), 8U);
  EXPECT_EQ(word(19), 2U);
  EXPECT_EQ(run(Command::kRead, kSymbolBase + kSymbolEntry, 4), Answer::kAddress);
  ASSERT_EQ(write(at(kRegisterBase, Register::kTile), {1}), Answer::kOk);
  EXPECT_EQ(read(Register::kTileProgram), kNoProgram);
}

TEST_F(HostPortCoreTest, AnotherProgramIsLoaded) {
  EXPECT_EQ(read(Register::kPrograms), 3U);
  EXPECT_EQ(read(Register::kProgram), 0U);
  ASSERT_EQ(write(at(kRegisterBase, Register::kScratch), {7}), Answer::kOk);
  ASSERT_EQ(write(at(kRegisterBase, Register::kProgram), {1}), Answer::kOk);
  EXPECT_TRUE(port.has_reset());
  EXPECT_EQ(read(Register::kProgram), 1U);
  EXPECT_EQ(read(Register::kScratch), 0U);
  EXPECT_EQ(read(Register::kFunctions), 3U);
  EXPECT_EQ(read(Register::kSymbols), 0U);
  EXPECT_EQ(run(Command::kRead, kSymbolBase, 4), Answer::kAddress);
  EXPECT_EQ(run(Command::kRead, kNameBase + 2 * kNameBytes, kNameBytes), Answer::kOk);
  for (const auto& [program, why] : {std::pair(2U, "does not have what the program needs"),
                                     std::pair(3U, "there is no such program")}) {
    const Access access = access_of(Command::kWrite, offset_of(Register::kProgram), 4);
    EXPECT_EQ(write(at(kRegisterBase, Register::kProgram), {program}), Answer::kGeneric);
    EXPECT_THAT(port.note_refusal(access), testing::HasSubstr(why));
    EXPECT_EQ(read(Register::kProgram), 1U);
  }
}

TEST_F(HostPortCoreTest, WindowShowsAPieceOfTheMemory) {
  ASSERT_EQ(write(tile(1) + 0x10, {42}), Answer::kOk);
  EXPECT_EQ(read(kWindowBase + kTileStride + 0x10), 42U);
  EXPECT_EQ(run(Command::kRead, kWindowBase + kWindowBytes, 4), Answer::kAddress);
  EXPECT_EQ(port.direct(kWindowBase).data, nullptr) << "what it shows may change";
  ASSERT_EQ(write(at(kRegisterBase, Register::kWindow), {1}), Answer::kOk);
  EXPECT_EQ(run(Command::kRead, kWindowBase + kTileStride + 0x10, 4), Answer::kAddress);
}

TEST_F(HostPortCoreTest, WaveletsThatAreHereAlreadyMeetAnExpectationAtOnce) {
  device.deliver(1, Color(3), 1, false, 5);
  ASSERT_EQ(write(at(channel(1, 3), ChannelField::kExpect), {1}), Answer::kOk);
  EXPECT_EQ(read(Register::kIrqPending), kStreamDone);
}

// Nobody can keep so many; what is missing is told as far as a word goes.
TEST_F(HostPortCoreTest, MoreMayBeExpectedThanWillEverCome) {
  for (const unsigned color : {3U, 4U}) {
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(write(at(channel(1, color), ChannelField::kExpect), {0x8000'0000}), Answer::kOk);
    EXPECT_EQ(read(at(channel(1, color), ChannelField::kExpect)), 0xFFFF'FFFFU);
  }
  EXPECT_EQ(read(Register::kMissing), 0xFFFF'FFFFU);
  EXPECT_EQ(read(Register::kStatus) & kExpecting, kExpecting);
}

TEST_F(HostPortCoreTest, DebugReadsBytesAndWritesMemoryOnly) {
  std::byte bytes[8] = {};
  EXPECT_EQ(port.debug_read(1, 2, bytes, now), 2U);
  EXPECT_EQ(std::to_integer<unsigned>(bytes[0]), (kIdValue >> 8) & 0xFF);
  EXPECT_EQ(port.debug_read(tile(0) + 0x3FE, 8, bytes, now), 2U) << "up to the end of the window";
  EXPECT_EQ(port.debug_read(0x40, 4, bytes, now), 0U) << "write only";
  EXPECT_EQ(port.debug_read(0x38, 8, bytes, now), 4U) << "up to the hole";
  EXPECT_EQ(port.debug_write(tile(2) + 0x3FF, 4, bytes), 1U);
  EXPECT_EQ(port.debug_write(at(kRegisterBase, Register::kScratch), 4, bytes), 0U);
  EXPECT_EQ(port.debug_write(channel(0, 0), 4, bytes), 0U);
  EXPECT_TRUE(device.sent.empty());
}

TEST_F(HostPortCoreTest, DirectAccessIsToATileAndOnlyAtRest) {
  HostPortCore::Direct direct = port.direct(tile(1) + 7);
  EXPECT_EQ(direct.data, device.memory[1].data());
  EXPECT_EQ(direct.begin, tile(1));
  EXPECT_EQ(direct.end, tile(1) + 0x3FF);
  device.rests = false;
  EXPECT_EQ(port.direct(tile(1) + 7).data, nullptr);
  EXPECT_EQ(port.direct(0x10).data, nullptr);
  EXPECT_EQ(port.direct(tile(3)).data, nullptr);
}

/// Two arrays instead of memory of tiles, one of 16 bytes.
class ArrayDevice : public FakeDevice {
 public:
  ArrayDevice() {
    info_.tile_bytes = 0;
    info_.arrays = {"a", std::string(60, 'b')};
    memory[0].fill(std::byte{7});
  }
  std::uint32_t array_bytes(std::uint32_t array) const override { return bytes[array]; }
  bool resize_array(std::uint32_t array, std::uint32_t size) override {
    if (rests) bytes[array] = size;
    return rests;
  }
  std::array<std::uint32_t, 2> bytes = {16, 0};
};

class HostPortArrays : public HostPortCoreTest {
 protected:
  static constexpr Address array(unsigned number) {
    return kMemoryBase + number * Address{kArrayStride};
  }
  static constexpr Address kSecond = kArrayBase + kArrayEntry;
  static constexpr Address kBytes = static_cast<Address>(ArrayField::kBytes);
  HostPortArrays() : HostPortCoreTest(std::make_unique<ArrayDevice>()) {}
};

TEST_F(HostPortArrays, TableTellsNamesAndSizes) {
  EXPECT_EQ(read(Register::kCapabilities), kHasMemory | kHasStreams | kHasDmi | kHasArrays);
  EXPECT_EQ(read(Register::kArrays), 2U);
  EXPECT_EQ(read(Register::kTileBytes), 0U);
  EXPECT_EQ(read(kArrayBase), unsigned{'a'});
  EXPECT_EQ(read(kArrayBase + kBytes), 16U);
  ASSERT_EQ(run(Command::kRead, kSecond, kArrayFieldsEnd), Answer::kOk);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(buffer.data())), std::string(47, 'b'));
  EXPECT_EQ(word(12), 0U) << "its size";
  EXPECT_EQ(run(Command::kRead, kArrayBase + kArrayFieldsEnd, 4), Answer::kAddress);
  EXPECT_EQ(run(Command::kRead, kArrayBase + 2 * kArrayEntry, 4), Answer::kAddress);
  EXPECT_EQ(write(kArrayBase, {0}), Answer::kCommand) << "a name";
  EXPECT_FALSE(port.check(access_of(Command::kRead, kArrayBase, 0x30)).touches_machine);
  EXPECT_TRUE(port.check(access_of(Command::kRead, kArrayBase, 0x34)).touches_machine);
}

// The size may change until an access is carried out, and so decides only then.
TEST_F(HostPortArrays, WhatIsBehindTheEndIsRefusedNow) {
  EXPECT_EQ(run(Command::kRead, array(0), 16), Answer::kOk);
  EXPECT_EQ(word(3), 0x07070707U);
  EXPECT_EQ(run(Command::kRead, array(0) + 1, 16), Answer::kGeneric);
  EXPECT_EQ(run(Command::kWrite, array(0) + 0x1000, 1), Answer::kGeneric);
  EXPECT_EQ(run(Command::kRead, array(1), 1), Answer::kGeneric);
  EXPECT_EQ(read(Register::kRefused), 3U);
  EXPECT_EQ(run(Command::kRead, array(0) + kArrayStride - 1, 2), Answer::kBurst);
  EXPECT_EQ(run(Command::kRead, array(2), 1), Answer::kAddress);
  EXPECT_EQ(port.debug_read(array(0) + 12, 8, buffer.data(), now), 4U);
  EXPECT_EQ(port.debug_read(array(0) + 16, 8, buffer.data(), now), 0U);
  EXPECT_EQ(port.debug_write(array(0) + 15, 8, buffer.data()), 1U);
  EXPECT_EQ(port.debug_write(array(1), 8, buffer.data()), 0U);
}

TEST_F(HostPortArrays, HostSaysHowLargeAnArrayIsUnlessTheMachineRuns) {
  EXPECT_EQ(port.direct(array(0) + 3).end, array(0) + 15);
  EXPECT_EQ(port.direct(array(0) + 3).data, device.memory[0].data());
  EXPECT_EQ(port.direct(array(0) + 16).data, nullptr);
  EXPECT_EQ(port.direct(array(0) + 16).begin, array(0) + 16);
  EXPECT_EQ(write(kArrayBase + kBytes, {32}), Answer::kOk);
  EXPECT_TRUE(port.ends_direct());
  EXPECT_EQ(run(Command::kRead, array(0) + 16, 16), Answer::kOk);
  EXPECT_FALSE(port.ends_direct());
  EXPECT_EQ(write(kArrayBase + kBytes, {kArrayStride + 1}), Answer::kGeneric);
  device.rests = false;
  EXPECT_EQ(write(kArrayBase + kBytes, {64}), Answer::kGeneric);
  EXPECT_EQ(read(kArrayBase + kBytes), 32U);
}

TEST(HostPort, RefusesADeviceThatDoesNotFitTheMap) {
  FakeDevice device;
  EXPECT_THROW(HostPortCore(device, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::host
