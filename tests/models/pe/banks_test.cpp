// Memory banks (reference wse.md 6.2).
#include "models/pe/banks.h"

#include <gtest/gtest.h>

namespace tessera::pe::test {
namespace {

TEST(PeBanks, Wse6_2ConsecutiveWordsAreInConsecutiveBanks) {
  for (std::uint32_t word = 0; word < 100; ++word) {
    EXPECT_EQ(bank_of(2 * word), word % 8) << word;
    EXPECT_EQ(bank_of(2 * word + 1), word % 8) << word;
  }
}

TEST(PeBanks, Wse6_2ReadsConflictInTheSameBankModuloFour) {
  const auto conflict = [](std::uint32_t a, std::uint32_t b) {
    return reads_conflict(a, b, BankRule::kModulo4);
  };
  EXPECT_TRUE(conflict(0x100, 0x100));
  EXPECT_TRUE(conflict(0x100, 0x110));  // same bank
  EXPECT_TRUE(conflict(0x100, 0x108));  // banks 0 and 4
  EXPECT_FALSE(conflict(0x100, 0x102));
  EXPECT_FALSE(conflict(0x100, 0x104));  // the best alignment of the page
  EXPECT_FALSE(conflict(0x106, 0x108));
  EXPECT_TRUE(conflict(0x106, 0x10E));
}

TEST(PeBanks, WseTimingA3OnSiliconOneOfFourAlignmentsOfSinglesConflicts) {
  for (unsigned apart = 0; apart < 8; ++apart) {
    EXPECT_EQ(reads_conflict(0x100, 0x100 + 4 * apart, BankRule::kSameBank), apart % 4 == 0)
        << apart;
  }
}

TEST(PeBanks, Wse6_2Stride0And1HaveTheFullWidth) {
  EXPECT_EQ(stride_limit(0), kFullWidth);
  EXPECT_EQ(stride_limit(1), kFullWidth);
}

TEST(PeBanks, Wse6_2Strides2And3And5And6HaveTheFullWidth) {
  for (const int turns : {-2, -1, 0, 1, 5}) {
    for (const int rest : {2, 3, 5, 6}) {
      EXPECT_EQ(stride_limit(8 * turns + rest), kFullWidth) << turns << " " << rest;
    }
  }
}

TEST(PeBanks, Wse6_2Strides1And7ModuloEightGiveTwo) {
  for (const int stride : {7, 9, 15, 17, -1, -7, -9}) EXPECT_EQ(stride_limit(stride), 2u) << stride;
}

TEST(PeBanks, Wse6_2Stride4ModuloEightGivesTwo) {
  for (const int stride : {4, 12, -4, 124}) EXPECT_EQ(stride_limit(stride), 2u) << stride;
}

TEST(PeBanks, Wse6_2Stride0ModuloEightGivesOne) {
  for (const int stride : {8, 16, -8, -128}) EXPECT_EQ(stride_limit(stride), 1u) << stride;
}

TEST(PeBanks, ThirtyTwoBitElementsPassTwiceTheirStride) {
  EXPECT_EQ(stride_limit(2 * 1), kFullWidth);
  EXPECT_EQ(stride_limit(2 * 2), 2u);
  EXPECT_EQ(stride_limit(2 * 3), kFullWidth);
  EXPECT_EQ(stride_limit(2 * 4), 1u);
}

TEST(PeBanks, WseTimingA3SpanOfAStrideTakesEightWordsACycle) {
  EXPECT_EQ(stride_cycles(0, 8), 0u);  // one word again and again
  for (int stride = 1; stride <= 8; ++stride) {
    EXPECT_EQ(stride_cycles(stride, 8), static_cast<unsigned>(stride)) << stride;
    EXPECT_EQ(stride_cycles(-stride, 8), static_cast<unsigned>(stride)) << stride;
  }
  EXPECT_EQ(stride_cycles(2, 4), 1u);
  EXPECT_EQ(stride_cycles(3, 4), 2u);    // 12 words
  EXPECT_EQ(stride_cycles(100, 8), 8u);  // at least an element a cycle
}

}  // namespace
}  // namespace tessera::pe::test
