// Nearest known name for messages (docs/architecture.md#errors).
#include "tlm_ifaces/vocabulary/nearest.h"

#include <gtest/gtest.h>

using tessera::did_you_mean;
using tessera::edit_distance;
using tessera::nearest;

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("hop", "hop"), 0U);
  EXPECT_EQ(edit_distance("hop", "hops"), 1U);
  EXPECT_EQ(edit_distance("hop", "op"), 1U);
  EXPECT_EQ(edit_distance("hop", "hip"), 1U);
  EXPECT_EQ(edit_distance("hop", "hpo"), 1U);
  EXPECT_EQ(edit_distance("", "hop"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, UpperAndLowerCaseAreEqual) {
  EXPECT_EQ(edit_distance("WSE2", "wse2"), 0U);
}

TEST(Nearest, FindsTheClosestAndTheFirstOfEquals) {
  EXPECT_EQ(nearest("wes3", {"wse2", "wse3", "a5"}), "wse3");
  EXPECT_EQ(nearest("wse", {"wse2", "wse3"}), "wse2");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, AsksOnlyWhenThereIsSomethingToName) {
  EXPECT_EQ(did_you_mean("wes3", {"wse2", "wse3"}), "; did you mean 'wse3'?");
  EXPECT_EQ(did_you_mean("wes3", {}), "");
  EXPECT_EQ(did_you_mean("color", {"rect", "tx"}), "");
}
