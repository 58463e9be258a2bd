// Memory of a tile (reference wse.md 6.2): 48 KB, 16-bit words, little endian, taken from the host
// page by page.
#include "models/pe/sram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace tessera::pe {
namespace {

TEST(Sram, WordsAreLittleEndian) {
  Sram sram;
  sram.write(100, 4, 0x11223344);
  EXPECT_EQ(sram.read(100, 4), 0x11223344u);
  EXPECT_EQ(sram.read(100, 2), 0x3344u);
  EXPECT_EQ(sram.read(102, 2), 0x1122u);
  sram.write(102, 2, 0xABCD);
  EXPECT_EQ(sram.read(100, 4), 0xABCD3344u);
}

TEST(Sram, A16BitWriteTakesTheLowHalfAndLeavesItsNeighboursAlone) {
  Sram sram;
  sram.write(10, 2, 0xFFFF);
  sram.write(14, 2, 0xFFFF);
  sram.write(12, 2, 0xDEAD1234);
  EXPECT_EQ(sram.read(10, 4), 0x1234FFFFu);
  EXPECT_EQ(sram.read(14, 2), 0xFFFFu);
}

TEST(Sram, BytesAreCopiedOverPages) {
  Sram sram;
  const std::uint32_t at = 2 * Sram::kPageBytes - 6;
  std::vector<std::byte> bytes(Sram::kPageBytes + 12);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
  sram.write_bytes(at, static_cast<std::uint32_t>(bytes.size()), bytes.data());
  EXPECT_EQ(sram.allocated_bytes(), 3 * Sram::kPageBytes);
  EXPECT_EQ(sram.read(at, 4), 0x150E0700u);
  EXPECT_EQ(sram.read(at + 6, 2), 0x312Au) << "after the border";
  std::vector<std::byte> back(bytes.size() + 4, std::byte{0xFF});
  sram.read_bytes(at - 2, static_cast<std::uint32_t>(back.size()), back.data());
  EXPECT_EQ(std::vector<std::byte>(back.begin() + 2, back.end() - 2), bytes);
  EXPECT_EQ(back.front(), std::byte{0});
  EXPECT_EQ(back.back(), std::byte{0});
  const Sram untouched;
  untouched.read_bytes(0, 2, back.data());
  EXPECT_EQ(back[1], std::byte{0});
}

TEST(Sram, WhatWasNeverWrittenReadsZeroAndTakesNothing) {
  const Sram sram;
  for (std::uint32_t a = 0; a < kSramBytes; a += 2) ASSERT_EQ(sram.read(a, 2), 0u) << a;
  EXPECT_EQ(sram.allocated_bytes(), 0u);
}

TEST(Sram, PagesAreTakenWhenFirstWritten) {
  Sram sram;
  sram.write(0, 2, 1);
  EXPECT_EQ(sram.allocated_bytes(), Sram::kPageBytes);
  sram.write(Sram::kPageBytes - 2, 2, 1);
  EXPECT_EQ(sram.allocated_bytes(), Sram::kPageBytes);
  sram.write(kSramBytes - 4, 4, 1);
  EXPECT_EQ(sram.allocated_bytes(), 2 * Sram::kPageBytes);
  EXPECT_EQ(sram.read(2, 2), 0u);  // the rest of a fresh page
}

TEST(Sram, PagesOfTheInitialMemoryAreSharedUntilTheyAreWritten) {
  Sram initial;
  initial.write(Sram::kPageBytes - 2, 4, 0x11223344);  // on both sides of a border
  initial.write(1000, 2, 77);
  Sram sram(&initial);
  EXPECT_EQ(sram.allocated_bytes(), 0u);
  EXPECT_EQ(sram.read(Sram::kPageBytes - 2, 4), 0x11223344u);
  EXPECT_EQ(sram.read(1000, 2), 77u);
  EXPECT_EQ(sram.read(40'000, 4), 0u);
  sram.write(Sram::kPageBytes + 10, 2, 5);
  EXPECT_EQ(sram.allocated_bytes(), Sram::kPageBytes);
  EXPECT_EQ(sram.read(Sram::kPageBytes - 2, 4), 0x11223344u);
  EXPECT_EQ(sram.read(Sram::kPageBytes + 10, 2), 5u);
  EXPECT_EQ(initial.read(Sram::kPageBytes + 10, 2), 0u);
  std::vector<std::byte> bytes(1002);
  sram.read_bytes(0, 1002, bytes.data());
  EXPECT_EQ(bytes[1000], std::byte{77});
  EXPECT_EQ(bytes[Sram::kPageBytes + 10], std::byte{5});
  sram.write_bytes(998, 2, bytes.data());  // a part of a page
  EXPECT_EQ(sram.read(1000, 2), 77u);
}

TEST(Sram, AnyNumberOfPagesHoldsWhatWasWritten) {
  std::mt19937 random(7);
  Sram initial;
  std::vector<std::uint8_t> expected(kSramBytes);
  const auto write = [&](Sram& sram, std::uint32_t address, unsigned bytes) {
    const std::uint32_t value = random();
    if (!sram.write_near(address, bytes, value)) sram.write(address, bytes, value);
    for (unsigned i = 0; i < bytes; ++i)
      expected[address + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  for (unsigned i = 0; i < 40; ++i) write(initial, random() % (kSramBytes / 2 - 1) * 2, 4);
  Sram sram(&initial);
  for (unsigned i = 0; i < 3000; ++i) {  // pages come one by one
    const std::uint32_t pages = 1 + i / 10;
    const std::uint32_t at = random() % std::min(pages * Sram::kPageBytes, kSramBytes - 2U) / 2 * 2;
    write(sram, at, random() % 2 == 0 ? 2 : 4);
    const std::uint32_t address = random() % (kSramBytes / 2 - 1) * 2;
    std::uint32_t value = 0;
    if (!sram.read_near(address, 4, value)) value = sram.read(address, 4);
    const std::uint8_t* const at_host = &expected[address];
    ASSERT_EQ(value, at_host[0] | at_host[1] << 8 | at_host[2] << 16 |
                         static_cast<std::uint32_t>(at_host[3]) << 24)
        << address << " in step " << i;
  }
  const auto* const whole = reinterpret_cast<const std::uint8_t*>(sram.in_one_piece());
  EXPECT_EQ(std::vector<std::uint8_t>(whole, whole + kSramBytes), expected);
}

TEST(Sram, ThePageOfTheLastWriteAndThatOfTheLastReadAreNear) {
  constexpr std::uint32_t kOther = 2 * Sram::kPageBytes;
  Sram initial;
  initial.write(20 * Sram::kPageBytes, 4, 7);
  Sram sram(&initial);
  std::uint32_t value = 0;
  sram.write(0, 4, 0x11111111);
  sram.write(kOther, 4, 0x22222222);
  EXPECT_TRUE(sram.read_near(kOther, 4, value));
  EXPECT_EQ(value, 0x22222222U);
  EXPECT_EQ(sram.read(0, 4), 0x11111111U);
  EXPECT_TRUE(sram.read_near(2, 2, value)) << "read last";
  EXPECT_EQ(value, 0x1111U);
  EXPECT_TRUE(sram.read_near(kOther + 2, 2, value)) << "written last";
  EXPECT_FALSE(sram.write_near(2, 2, 3)) << "only read last";
  EXPECT_TRUE(sram.write_near(kOther + 4, 4, 0x33333333));
  EXPECT_EQ(sram.read(kOther + 4, 4), 0x33333333U);
  EXPECT_FALSE(sram.read_near(4 * Sram::kPageBytes, 2, value));
  EXPECT_EQ(sram.read(0, 2), 0x1111U);
  EXPECT_EQ(sram.read(20 * Sram::kPageBytes, 4), 7U);
  EXPECT_FALSE(sram.read_near(20 * Sram::kPageBytes, 4, value)) << "a page of the initial memory";
  EXPECT_TRUE(sram.read_near(0, 2, value)) << "still read last";
}

TEST(Sram, WhatIsNearMovesWithItsPages) {
  Sram sram;
  std::uint32_t value = 0;
  for (std::uint32_t page = 0; page < 30; ++page) {  // they move as they become more
    sram.write(page * Sram::kPageBytes, 4, page);
    ASSERT_TRUE(sram.read_near(page * Sram::kPageBytes, 4, value));
    EXPECT_EQ(value, page);
    const std::uint32_t earlier = page / 2;
    EXPECT_EQ(sram.read(earlier * Sram::kPageBytes, 4), earlier);
    ASSERT_TRUE(sram.read_near(earlier * Sram::kPageBytes, 2, value));
    EXPECT_EQ(value, earlier);
    ASSERT_TRUE(sram.write_near(page * Sram::kPageBytes + 4, 2, ~page));
  }
  Sram heir;
  heir.write(100, 2, 1);
  heir.take_over(std::move(sram));
  EXPECT_TRUE(heir.write_near(29 * Sram::kPageBytes, 4, 55));
  EXPECT_EQ(heir.read(29 * Sram::kPageBytes, 4), 55U);
  EXPECT_EQ(heir.read(100, 2), 0U);
  std::byte* const bytes = heir.in_one_piece();
  EXPECT_FALSE(heir.write_near(29 * Sram::kPageBytes, 4, 66));
  EXPECT_FALSE(heir.read_near(0, 2, value));
  heir.write(29 * Sram::kPageBytes, 4, 77);
  EXPECT_EQ(bytes[29 * Sram::kPageBytes], std::byte{77});
  EXPECT_TRUE(heir.write_near(29 * Sram::kPageBytes, 4, 88));
  EXPECT_EQ(bytes[29 * Sram::kPageBytes], std::byte{88});
}

TEST(Sram, NothingIsNearOutsideMemoryOrBeforeTheFirstWrite) {
  Sram sram;
  std::uint32_t value = 0;
  for (const std::uint32_t address : {0U, 0xFF00U, 0xFFFF00U, 0xFFFFFF00U, 0xFFFFFFFEU})
    EXPECT_FALSE(sram.read_near(address, 2, value)) << address;
  sram.write(kSramBytes - 2, 2, 1);
  EXPECT_TRUE(sram.read_near(kSramBytes - 4, 4, value));
  EXPECT_EQ(value, 0x10000U);
  EXPECT_FALSE(sram.read_near(kSramBytes - 2, 4, value)) << "reaches after the end";
  EXPECT_FALSE(sram.read_near(kSramBytes - 3, 2, value)) << "odd";
  EXPECT_FALSE(sram.read_near(kSramBytes, 2, value));
}

TEST(Sram, A32BitWordMayLieAcrossTwoPages) {
  Sram sram;
  const std::uint32_t edge = Sram::kPageBytes - 2;
  EXPECT_EQ(sram.read(edge, 4), 0u);
  sram.write(edge, 4, 0xCAFEF00D);
  EXPECT_EQ(sram.read(edge, 4), 0xCAFEF00Du);
  EXPECT_EQ(sram.read(edge, 2), 0xF00Du);
  EXPECT_EQ(sram.read(edge + 2, 2), 0xCAFEu);
  EXPECT_EQ(sram.allocated_bytes(), 2 * Sram::kPageBytes);
}

TEST(Sram, AcceptsExactlyTheEvenAddressesInside) {
  EXPECT_TRUE(Sram::accepts(0, 2));
  EXPECT_TRUE(Sram::accepts(0, 4));
  EXPECT_TRUE(Sram::accepts(2, 4));  // 32-bit words need no more than a 16-bit boundary
  EXPECT_FALSE(Sram::accepts(1, 2));
  EXPECT_FALSE(Sram::accepts(3, 4));
  EXPECT_TRUE(Sram::accepts(49'150, 2));
  EXPECT_TRUE(Sram::accepts(49'148, 4));
  EXPECT_FALSE(Sram::accepts(49'150, 4));
  EXPECT_FALSE(Sram::accepts(49'152, 2));
}

TEST(Sram, DoesNotAcceptAddressesBelowZero) {
  // What a negative stride or offset makes of a 32-bit address; its end wraps round to a small
  // number.
  EXPECT_FALSE(Sram::accepts(static_cast<std::uint32_t>(-2), 2));
  EXPECT_FALSE(Sram::accepts(static_cast<std::uint32_t>(-2), 4));
  EXPECT_FALSE(Sram::accepts(static_cast<std::uint32_t>(-4), 4));
  EXPECT_FALSE(Sram::accepts(static_cast<std::uint32_t>(-6), 4));
}

TEST(Sram, AgreesWithAnArrayOfBytesOverRandomAccesses) {
  Sram sram;
  std::vector<std::uint8_t> reference(kSramBytes, 0);
  std::mt19937 random(11);
  for (int i = 0; i < 20'000; ++i) {
    const unsigned bytes = random() % 2 == 0 ? 2 : 4;
    const std::uint32_t address = random() % ((kSramBytes - bytes) / 2 + 1) * 2;
    const std::uint32_t value = random();
    if (random() % 2 == 0) {
      if (!sram.write_near(address, bytes, value)) sram.write(address, bytes, value);
      for (unsigned b = 0; b < bytes; ++b) {
        reference[address + b] = static_cast<std::uint8_t>(value >> (8 * b));
      }
    }
    std::uint32_t expected = 0;
    for (unsigned b = 0; b < bytes; ++b) {
      expected |= static_cast<std::uint32_t>(reference[address + b]) << (8 * b);
    }
    std::uint32_t found = 0;
    if (!sram.read_near(address, bytes, found)) found = sram.read(address, bytes);
    ASSERT_EQ(found, expected) << "address " << address;
  }
}

TEST(Sram, InOnePieceIsTheSameMemoryForGood) {
  Sram initial;
  initial.write(0x300, 4, 0xAABBCCDD);
  Sram sram(&initial);
  sram.write(0x9000, 2, 0x1234);
  sram.write(0x100, 2, 0x5678);
  std::byte* const bytes = sram.in_one_piece();
  EXPECT_EQ(bytes[0x300], std::byte{0xDD});
  EXPECT_EQ(bytes[0x9001], std::byte{0x12});
  EXPECT_EQ(bytes[0x100], std::byte{0x78});
  EXPECT_EQ(bytes[kSramBytes - 1], std::byte{0});
  bytes[0x8000] = std::byte{7};
  EXPECT_EQ(sram.read(0x8000, 2), 7U);
  for (std::uint32_t at = 0; at < kSramBytes; at += 2) sram.write(at, 2, at);
  EXPECT_EQ(sram.in_one_piece(), bytes);
  EXPECT_EQ(bytes[0x2002], std::byte{0x02});
  EXPECT_EQ(initial.read(0x300, 4), 0xAABBCCDDU);
}

TEST(Sram, InOnePieceWhenNothingWasWritten) {
  Sram sram;
  EXPECT_EQ(sram.in_one_piece()[0], std::byte{0});
  EXPECT_EQ(sram.allocated_bytes(), kSramBytes);
}

}  // namespace
}  // namespace tessera::pe
