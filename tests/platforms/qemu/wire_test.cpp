// The PCI function and the wire of its messages, without QEMU. What a peer may do: qemu_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "platforms/qemu/pci_function.h"
#include "platforms/qemu/proxy_wire.h"
#include "platforms/qemu/windows.h"

namespace tessera::qemu {
namespace {

using ::testing::HasSubstr;

host::DeviceInfo grid(std::uint32_t width, std::uint32_t height) {
  host::DeviceInfo info;
  info.width = width;
  info.height = height;
  info.edges.resize(10);
  return info;
}

TEST(QemuWindows, FitTheMachine) {
  const std::vector<Bar> small = windows_of(grid(4, 3));
  ASSERT_EQ(small.size(), 2U);
  EXPECT_EQ(small[0].bytes, 0x200'0000U);
  EXPECT_EQ(small[1].bytes, 0x10'0000U);
  EXPECT_EQ(small[1].target, 0x1'0000'0000U);
  EXPECT_FALSE(small[1].wide);
  EXPECT_TRUE(windows_of(grid(757, 996))[1].wide);
  host::DeviceInfo clusters = grid(2, 1);
  clusters.arrays = {"a", "b", "c"};
  EXPECT_EQ(windows_of(clusters)[1].bytes, 0x1'0000'0000U);
  EXPECT_EQ(device_of("kernel.pto").kind, "ascend");
  EXPECT_EQ(device_of("layout.json").kind, "wse");
}

TEST(QemuPciFunction, A64BitWindowIsSizedAndPlacedByItsTwoRegisters) {
  PciFunction function({{0, 0x1000, false, 0}, {2, 0x1'0000'0000, true, 0x5000}});
  function.write_config(0x18, ~0U, 4);
  function.write_config(0x1C, ~0U, 4);
  EXPECT_EQ(function.read_config(0x18, 4), 0x0000'000CU);
  EXPECT_EQ(function.read_config(0x1C, 4), 0xFFFF'FFFFU);
  function.write_config(0x18, 0, 4);
  function.write_config(0x1C, 0x12, 4);
  function.write_config(0x04, 2, 2);
  EXPECT_EQ(function.translate(0x12'0000'0010, 8), 0x5010U);
  EXPECT_EQ(function.translate(0x12'FFFF'FFFC, 8), std::nullopt) << "across the end";
  EXPECT_EQ(function.translate(0x13'0000'0000, 4), std::nullopt);
}

TEST(QemuPciFunction, TheDriverMayTurnInterruptsOff) {
  PciFunction function({{0, 0x1000, false, 0}});
  EXPECT_TRUE(function.set_interrupt(true));
  EXPECT_EQ(function.read_config(0x06, 2), 8U);
  function.write_config(0x04, 0x400, 2);
  EXPECT_FALSE(function.set_interrupt(true));
  EXPECT_FALSE(function.set_interrupt(false));
  EXPECT_EQ(function.read_config(0x06, 2), 0U);
}

TEST(QemuPciFunction, OnlyRegistersOfADriverCanBeWritten) {
  PciFunction function({{0, 0x1000, false, 0}});
  for (unsigned offset = 0; offset < 256; ++offset) function.write_config(offset, 0xFF, 1);
  EXPECT_EQ(function.read_config(0x00, 4), 0x7E55'1234U);
  EXPECT_EQ(function.read_config(0x04, 2), 0x0406U);
  EXPECT_EQ(function.read_config(0x3C, 2), 0x01FFU);
  EXPECT_EQ(function.read_config(0x40, 4), 0U);
  EXPECT_EQ(function.read_config(0xFE, 4), ~0U);
  EXPECT_EQ(function.read_config(0, 0), ~0U);
}

// Random headers and payloads are requests, or a sentence.
TEST(QemuWire, RandomBytesAreRequestsOrASentence) {
  std::mt19937 draw(7);
  unsigned requests = 0;
  for (unsigned n = 0; n < 50000; ++n) {
    HeaderBytes header{};
    std::vector<std::byte> payload(kMostPayloadBytes);
    const auto command = static_cast<std::int32_t>(draw() % 12) - 2;
    const std::uint64_t sizes[] = {0, 8, 12, 24, 192, draw(), ~std::uint64_t{0}};
    const std::uint64_t size = sizes[draw() % 7];
    std::memcpy(&header[0], &command, sizeof command);
    std::memcpy(&header[8], &size, sizeof size);
    for (std::byte& b : payload) b = static_cast<std::byte>(draw() % 4 == 0 ? draw() : draw() % 5);
    try {
      ASSERT_LE(payload_bytes(header), kMostPayloadBytes);
      const Request request = decode(header, payload.data());
      EXPECT_LE(request.bytes, 8U);
      ++requests;
    } catch (const WireError& error) {
      ASSERT_THAT(error.what(), HasSubstr("does not speak the wire"));
    }
  }
  EXPECT_GT(requests, 1000U);
}

}  // namespace
}  // namespace tessera::qemu
