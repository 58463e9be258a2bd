// The lines of a deadlock diagnosis (docs/architecture.md#errors).
#include "models/observe/wait.h"

#include <gtest/gtest.h>

using namespace tessera::observe;

TEST(ObserveWaits, AreKeptInTheOrderInWhichTheyCome) {
  Waits waits;
  waits.push_back({1, "a", "x", true});
  waits.push_back({2, "b", "y", false});
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].who, "a");
  EXPECT_EQ(waits[1].who, "b");
  EXPECT_EQ(waits.total(), 2U);
}

TEST(ObserveWaits, OfEachSortTheFirstAreKeptAndAllAreCounted) {
  Waits waits(2);
  for (std::uint32_t place = 0; place < 5; ++place) {
    waits.push_back({place, "task", "", false, true});
    waits.push_back({place, "queue", "", false});
    if (place > 1) waits.push_back({place, "main thread", "", true});
  }
  EXPECT_FALSE(waits.keeps_idle());
  waits.count_idle();
  EXPECT_EQ(waits.blocking(), 3U);
  EXPECT_EQ(waits.unread(), 5U);
  EXPECT_EQ(waits.total(), 14U);
  ASSERT_EQ(waits.size(), 6U);
  EXPECT_EQ(waits[4].who, "main thread");
  EXPECT_EQ(waits[4].place, 2U);
}
