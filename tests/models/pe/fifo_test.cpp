// The ring of a FIFO and the memory of what did not fit (reference wse.md 5.6). Operations on FIFOs:
// fifo_operation_test.cpp.
#include "models/pe/dsr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

Fifo ring(unsigned base, unsigned bytes) {
  Fifo fifo;
  fifo.base = static_cast<std::uint16_t>(base);
  fifo.bytes = static_cast<std::uint16_t>(bytes);
  return fifo;
}

std::vector<std::uint32_t> push(FifoState& state, unsigned words) {
  std::vector<std::uint32_t> addresses;
  for (unsigned i = 0; i < words; ++i) addresses.push_back(state.push_word());
  return addresses;
}
std::vector<std::uint32_t> pop(FifoState& state, unsigned words) {
  std::vector<std::uint32_t> addresses;
  for (unsigned i = 0; i < words; ++i) addresses.push_back(state.pop_word());
  return addresses;
}

TEST(PeFifo, StartsEmpty) {
  const Fifo fifo = ring(2048, 8);
  const FifoState state(fifo);
  EXPECT_EQ(state.bytes_held(), 0u);
  EXPECT_EQ(state.bytes_free(), 8u);
}

TEST(PeFifo, GoesRoundItsMemory) {
  const Fifo fifo = ring(2048, 6);
  FifoState state(fifo);
  EXPECT_THAT(push(state, 3), ElementsAre(2048, 2050, 2052));
  EXPECT_EQ(state.bytes_free(), 0u);
  EXPECT_THAT(pop(state, 2), ElementsAre(2048, 2050));
  EXPECT_THAT(push(state, 2), ElementsAre(2048, 2050));
  EXPECT_THAT(pop(state, 3), ElementsAre(2052, 2048, 2050));
  EXPECT_EQ(state.bytes_held(), 0u);
}

TEST(PeFifo, RandomTrafficComesOutInOrder) {
  const Fifo fifo = ring(2048, 20);
  FifoState state(fifo);
  std::mt19937 random(3);
  std::deque<std::uint32_t> expected;
  for (int i = 0; i < 10'000; ++i) {
    if (random() % 2 == 0 && state.bytes_free() >= 2) {
      expected.push_back(state.push_word());
    } else if (state.bytes_held() >= 2) {
      ASSERT_EQ(state.pop_word(), expected.front());
      expected.pop_front();
    }
    ASSERT_EQ(state.bytes_held(), 2 * expected.size());
    ASSERT_EQ(state.bytes_held() + state.bytes_free(), 20u);
  }
}

TEST(PeFifo, RoomCameOnceAndOnlyAfterAHit) {
  const Fifo fifo = ring(2048, 8);
  FifoState state(fifo);
  push(state, 4);
  pop(state, 1);
  EXPECT_FALSE(state.room_came());  // nobody wanted any
  push(state, 1);
  state.hit_full(4);
  pop(state, 1);
  EXPECT_FALSE(state.room_came());  // 2 bytes of 4
  pop(state, 1);
  EXPECT_TRUE(state.room_came());
  pop(state, 1);
  EXPECT_FALSE(state.room_came());
}

TEST(PeFifo, DataCameOnceAndOnlyAfterAHit) {
  const Fifo fifo = ring(2048, 8);
  FifoState state(fifo);
  push(state, 1);
  EXPECT_FALSE(state.data_came());
  state.hit_empty(4);
  EXPECT_FALSE(state.data_came());
  push(state, 1);
  EXPECT_TRUE(state.data_came());
  EXPECT_FALSE(state.data_came());
}

TEST(PeFifo, AHitAgainCountsAgain) {
  const Fifo fifo = ring(2048, 8);
  FifoState state(fifo);
  for (int i = 0; i < 3; ++i) {
    state.hit_empty(2);
    push(state, 1);
    EXPECT_TRUE(state.data_came());
    pop(state, 1);
  }
}

TEST(PeFifo, HitsOfBothEndsAreApart) {
  const Fifo fifo = ring(2048, 8);
  FifoState state(fifo);
  push(state, 2);
  state.hit_full(8);
  state.hit_empty(8);
  push(state, 2);
  EXPECT_TRUE(state.data_came());
  EXPECT_FALSE(state.room_came());
  pop(state, 4);
  EXPECT_TRUE(state.room_came());
  EXPECT_FALSE(state.data_came());
}

}  // namespace
}  // namespace tessera::pe::test
