// The words that blocks share (tlm_ifaces/vocabulary): rings, directions, ids, wavelets, errors.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <sstream>
#include <type_traits>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera {
namespace {

template <class T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(Ring, AgreesWithADequeOverRandomOperations) {
  for (const std::size_t capacity : {1U, 2U, 3U, 8U}) {
    Ring<int> ring(capacity);
    std::deque<int> reference;
    std::mt19937 random(static_cast<unsigned>(capacity));
    for (int i = 0; i < 2000; ++i) {
      if (random() % 2 == 0 && !ring.full()) {
        ring.push_back(i);
        reference.push_back(i);
      } else if (!ring.empty()) {
        ASSERT_EQ(ring.front(), reference.front());
        ring.pop_front();
        reference.pop_front();
      }
      ASSERT_EQ(ring.size(), reference.size());
      ASSERT_EQ(ring.empty(), reference.empty());
      ASSERT_EQ(ring.full(), reference.size() == capacity);
      for (std::size_t n = 0; n < reference.size(); ++n) ASSERT_EQ(ring[n], reference[n]);
    }
  }
}

TEST(Ring, WithoutCapacityItIsEmptyAndFull) {
  const Ring<int> ring;
  EXPECT_TRUE(ring.empty());
  EXPECT_TRUE(ring.full());
}

TEST(Direction, NeighboursAndOppositesFitTogether) {
  // wse.md 1.2: x grows east, y grows south.
  EXPECT_EQ(neighbour({5, 5}, Direction::kWest), (TileCoord{4, 5}));
  EXPECT_EQ(neighbour({5, 5}, Direction::kEast), (TileCoord{6, 5}));
  EXPECT_EQ(neighbour({5, 5}, Direction::kSouth), (TileCoord{5, 6}));
  EXPECT_EQ(neighbour({5, 5}, Direction::kNorth), (TileCoord{5, 4}));
  for (const Direction d : kCardinalDirections) {
    EXPECT_EQ(neighbour(neighbour({5, 5}, d), opposite(d)), (TileCoord{5, 5}));
    EXPECT_NE(opposite(d), d);
  }
  EXPECT_EQ(opposite(Direction::kRamp), Direction::kRamp);
}

TEST(DirectionSet, HoldsWhatWasInsertedInTheBitOrderOfTheRouteWord) {
  DirectionSet set{Direction::kWest, Direction::kRamp};
  EXPECT_EQ(set.bits(), 0b10001u);
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(to_string(set), "WEST+RAMP");
  EXPECT_FALSE(set.contains(Direction::kEast));
  set.insert(Direction::kWest);
  EXPECT_EQ(set.size(), 2u);
  set.erase(Direction::kWest);
  set.erase(Direction::kRamp);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(to_string(set), "none");
  EXPECT_EQ(DirectionSet::from_bits(0xFF).bits(), 0x1Fu);
}

TEST(Ids, OneKindIsNotAnother) {
  static_assert(!std::is_convertible_v<QueueId, Color>);
  static_assert(!std::is_convertible_v<unsigned, Color>);
  static_assert(!std::is_convertible_v<Color, unsigned>);
  EXPECT_LT(Color(3), Color(4));
  EXPECT_EQ(printed(TaskId(30)), "30");  // a number, not a character
}

TEST(Wavelet, HalvesAreIndexAndData) {
  // wse.md 1.1
  link::Wavelet w;
  w.payload = 0xABCD1234;
  EXPECT_EQ(w.data(), 0x1234u);
  EXPECT_EQ(w.wavelet_index(), 0xABCDu);
}

TEST(Wavelet, EqualityLooksAtEveryField) {
  const link::Wavelet w;
  link::Wavelet other = w;
  EXPECT_TRUE(other == w);
  other.ident = 1;
  EXPECT_FALSE(other == w);
  other = w;
  other.control = true;
  EXPECT_FALSE(other == w);
  other = w;
  other.color = Color(1);
  EXPECT_FALSE(other == w);
  other = w;
  other.payload = 1;
  EXPECT_FALSE(other == w);
  other = w;
  other.half = true;
  EXPECT_FALSE(other == w);
  other = w;
  other.local_flip = true;
  EXPECT_FALSE(other == w);
}

TEST(Wavelet, PrintingLeavesTheStreamAsItWas) {
  link::Wavelet w;
  w.color = Color(7);
  w.control = true;
  w.payload = 0xBEEF;
  std::ostringstream text;
  text << w << ' ' << 255;
  EXPECT_EQ(text.str(), "C7 ctrl 0x0000beef ident 0000000000000000 255");
}

TEST(Wavelet, PrintsItsFlags) {
  link::Wavelet w;
  w.half = true;
  w.local_flip = true;
  EXPECT_EQ(printed(w), "C0 data half lf 0x00000000 ident 0000000000000000");
}

TEST(Generation, QueueCountsAreThoseOfTheReference) {
  // wse.md 2.1
  EXPECT_EQ(queue_count(Generation::kWse2, true), 8u);
  EXPECT_EQ(queue_count(Generation::kWse2, false), 6u);
  EXPECT_EQ(queue_count(Generation::kWse3, true), 8u);
  EXPECT_EQ(queue_count(Generation::kWse3, false), 8u);
}

TEST(IllegalBehaviour, TextEndsWithTheId) {
  const IllegalBehaviour with_id("PE (1, 2): it broke", "/tessera/pe/fifo_reentry");
  EXPECT_STREQ(with_id.what(), "PE (1, 2): it broke [/tessera/pe/fifo_reentry]");
  EXPECT_EQ(with_id.id(), "/tessera/pe/fifo_reentry");
  const IllegalBehaviour without("PE (1, 2): it broke");
  EXPECT_STREQ(without.what(), "PE (1, 2): it broke");
  EXPECT_EQ(without.id(), "");
}

TEST(UserError, JoinsFilePlaceAndProblem) {
  EXPECT_STREQ(UserError("a.tasm", "3:4", "it is wrong").what(), "a.tasm:3:4: it is wrong");
  EXPECT_STREQ(UserError("a.json", "routes[2]", "it is wrong").what(),
               "a.json: routes[2]: it is wrong");
  EXPECT_STREQ(UserError("", "routes[2]", "it is wrong").what(), "routes[2]: it is wrong");
  EXPECT_STREQ(UserError("", "", "it is wrong").what(), "it is wrong");
}

}  // namespace
}  // namespace tessera
