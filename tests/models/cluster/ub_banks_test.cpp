// Banks of the UB of A2/A3: which addresses conflict (reference ascend.md 1.3, 4.3).
#include <gtest/gtest.h>

#include "models/cluster/program/program.h"

namespace tessera::cluster {
namespace {

constexpr std::int64_t kFree = 131072;  // address of the result, in a bank without sources

TEST(UbBanks, 1_3_SourcesConflictInOneGroup) {
  EXPECT_EQ(bank_conflict({0, 32768}, kFree), BankConflict::kReadRead);
  EXPECT_EQ(bank_conflict({0, 65536}, kFree), BankConflict::kReadRead);  // same group, other bank
  EXPECT_EQ(bank_conflict({0, 32768 + 7 * 32}, kFree), BankConflict::kReadRead);
  EXPECT_EQ(bank_conflict({0, 32768 + 8 * 32}, kFree), BankConflict::kNone);  // 8 groups apart
  EXPECT_EQ(bank_conflict({0, 32768 + 9 * 32}, kFree), BankConflict::kReadRead);
}

TEST(UbBanks, 4_3_OneAddressIsReadOnce) {
  EXPECT_EQ(bank_conflict({4096, 4096}, kFree), BankConflict::kNone);
}

TEST(UbBanks, 4_3_NeighbouringBlocksOfOneSource) {
  EXPECT_EQ(bank_conflict({0, 32}, kFree), BankConflict::kNeighbour);
  EXPECT_EQ(bank_conflict({32, 0}, kFree), BankConflict::kNeighbour);
}

TEST(UbBanks, 4_3_ResultInTheBankOfASourceIsAlignedOrConflicts) {
  EXPECT_EQ(bank_conflict({0}, 0), BankConflict::kNone);
  EXPECT_EQ(bank_conflict({0}, 512), BankConflict::kNone);
  EXPECT_EQ(bank_conflict({0}, 32), BankConflict::kReadWrite);
  EXPECT_EQ(bank_conflict({0}, 65536 + 32), BankConflict::kNone);  // another bank of its group
  EXPECT_EQ(bank_conflict({0, 256}, 32), BankConflict::kReadWrite);
  EXPECT_EQ(bank_conflict({0, 512}, 32), BankConflict::kReadRead);  // the worst one
}

}  // namespace
}  // namespace tessera::cluster
