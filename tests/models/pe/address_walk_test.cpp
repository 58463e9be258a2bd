// Addresses of vectors in memory (reference wse.md 5.2 to 5.4), against nested loops.
#include "models/pe/address_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/models/pe/builder.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

AddressWalk start(const Dsd& dsd) {
  return AddressWalk(dsd.base, dsd.strides[0]);
}

/// Addresses of the first `count` elements.
std::vector<std::uint32_t> walk(const Dsd& dsd, unsigned count) {
  AddressWalk walk = start(dsd);
  std::vector<std::uint32_t> addresses;
  for (unsigned i = 0; i < count; ++i) {
    addresses.push_back(walk.address());
    walk.next(dsd, dsd.element_bytes);
  }
  return addresses;
}

struct Loop {
  unsigned trips;
  int step;  ///< elements from one value of the loop variable to the next
};

/// Addresses of a nest of 1 to 4 loops, outermost first, written as nested loops.
std::vector<std::uint32_t> nested(unsigned base, unsigned bytes, std::vector<Loop> loops) {
  while (loops.size() < 4) loops.insert(loops.begin(), {1, 0});
  std::vector<std::uint32_t> addresses;
  for (unsigned i = 0; i < loops[0].trips; ++i) {
    for (unsigned j = 0; j < loops[1].trips; ++j) {
      for (unsigned k = 0; k < loops[2].trips; ++k) {
        for (unsigned l = 0; l < loops[3].trips; ++l) {
          const int elements =
              static_cast<int>(i) * loops[0].step + static_cast<int>(j) * loops[1].step +
              static_cast<int>(k) * loops[2].step + static_cast<int>(l) * loops[3].step;
          addresses.push_back(base +
                              static_cast<std::uint32_t>(elements * static_cast<int>(bytes)));
        }
      }
    }
  }
  return addresses;
}

TEST(PeAddressWalk, VectorWithStride) {
  // wse.md 5.2: in elements
  Builder p;
  EXPECT_THAT(walk(p.dsd(p.mem1d(1000, 4)), 4), ElementsAre(1000, 1004, 1008, 1012));
  EXPECT_THAT(walk(p.dsd(p.mem1d(1000, 4, 3, 2)), 4), ElementsAre(1000, 1006, 1012, 1018));
  EXPECT_THAT(walk(p.dsd(p.mem1d(1000, 4, -2)), 4), ElementsAre(1000, 992, 984, 976));
  EXPECT_THAT(walk(p.dsd(p.mem1d(1000, 4, 0)), 4), ElementsAre(1000, 1000, 1000, 1000));
}

TEST(PeAddressWalk, VectorGoesOnBehindItsExtent) {
  // The operation may be longer than this operand says (wse.md 5.8).
  Builder p;
  EXPECT_THAT(walk(p.dsd(p.mem1d(1000, 2)), 4), ElementsAre(1000, 1004, 1008, 1012));
}

TEST(PeAddressWalk, BaseAndStrideAreThoseOfTheDsr) {
  Builder p;
  const Dsd& dsd = p.dsd(p.mem1d(1000, 4));
  AddressWalk walk(2000, -1);
  EXPECT_EQ(walk.address(), 2000u);
  EXPECT_EQ(walk.step(dsd.element_bytes), -4);
  walk.next(dsd, dsd.element_bytes);
  EXPECT_EQ(walk.address(), 1996u);
}

TEST(PeAddressWalk, FirstExampleOfTheReference) {
  // wse.md 5.3: 2i + j with 5x5 gives strides 1, -2.
  Builder p;
  const Dsd& dsd = p.dsd(p.mem4d(1000, {5, 5}, {1, -2}, 2));
  EXPECT_EQ(walk(dsd, 25), nested(1000, 2, {{5, 2}, {5, 1}}));
}

TEST(PeAddressWalk, SecondExampleOfTheReference) {
  // wse.md 5.3: A[4,5] accessed as [i+j, k+l+2] with 5^4 gives offset 2 and strides 1, -3, -3, -23.
  Builder p;
  const Dsd& dsd = p.dsd(p.mem4d(1000 + 2 * 4, {5, 5, 5, 5}, {1, -3, -3, -23}));
  EXPECT_EQ(walk(dsd, 625), nested(1000 + 2 * 4, 4, {{5, 5}, {5, 5}, {5, 1}, {5, 1}}));
}

TEST(PeAddressWalk, RandomNestsAgreeWithLoops) {
  std::mt19937 random(4711);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    const unsigned bytes = 2 + 2 * below(2);
    std::vector<Loop> loops(1 + below(4));
    for (Loop& loop : loops) loop = {1 + below(5), static_cast<int>(below(21)) - 10};
    Builder p;
    Dsd& dsd = p.dsd(p.mem4d(20000, {1}, {1}, bytes));
    dsd.dimensions = static_cast<std::uint8_t>(loops.size());
    unsigned length = 1;
    int inner = 0;  // from the first to the last element of the inner loops
    for (unsigned k = 0; k < loops.size(); ++k) {
      const Loop& loop = loops[loops.size() - 1 - k];
      dsd.extents[k] = static_cast<std::uint16_t>(loop.trips);
      dsd.strides[k] = static_cast<std::int16_t>(loop.step - inner);
      inner += loop.step * static_cast<int>(loop.trips - 1);
      length *= loop.trips;
    }
    ASSERT_EQ(walk(dsd, length), nested(20000, bytes, loops)) << "round " << round;
  }
}

TEST(PeAddressWalk, BehindTheLastElementTheSlowestLoopGoesOn) {
  // wse.md 5.11 save_address: a 2x3 block of a row of length 10, then the next two rows.
  Builder p;
  const Dsd& dsd = p.dsd(p.mem4d(1000, {3, 2}, {1, 10 - 2}));
  EXPECT_EQ(walk(dsd, 7).back(), 1000u + 4 * 20);
  EXPECT_EQ(walk(dsd, 12), nested(1000, 4, {{4, 10}, {3, 1}}));
}

TEST(PeAddressWalk, CircularBufferGoesRound) {
  // wse.md 5.4: the extent may exceed the size.
  Builder p;
  const Dsd& dsd = p.dsd(p.circbuf(1000, 7, 3));
  EXPECT_THAT(walk(dsd, 7), ElementsAre(1000, 1004, 1008, 1000, 1004, 1008, 1000));
}

TEST(PeAddressWalk, CircularBufferStartsAtItsHead) {
  Builder p;
  Dsd& dsd = p.dsd(p.circbuf(1000, 5, 4, 2));
  dsd.base = 1006;
  EXPECT_THAT(walk(dsd, 5), ElementsAre(1006, 1000, 1002, 1004, 1006));
}

TEST(PeAddressWalk, CircularBufferOfOneElement) {
  Builder p;
  EXPECT_THAT(walk(p.dsd(p.circbuf(1000, 3, 1)), 3), ElementsAre(1000, 1000, 1000));
}

// Whether all addresses of a walk are good is known before the first (compute_engine_core.h).
bool all_inside(const Dsd& dsd, unsigned count, std::uint32_t begin, std::uint32_t end) {
  const std::vector<std::uint32_t> addresses = walk(dsd, count);
  return std::all_of(addresses.begin(), addresses.end(), [&](std::uint32_t at) {
    return at % 2 == 0 && at >= begin && at <= end && at + dsd.element_bytes <= end;
  });
}

TEST(PeAddressWalk, KnowsWhetherItStaysInside) {
  Builder p;
  const Dsd& dsd = p.dsd(p.mem1d(1000, 4, -2));  // 1000, 992, 984, 976
  EXPECT_TRUE(start(dsd).stays_inside(dsd, dsd.element_bytes, 4, 976, 1004));
  EXPECT_FALSE(start(dsd).stays_inside(dsd, dsd.element_bytes, 4, 977, 1004));
  EXPECT_FALSE(start(dsd).stays_inside(dsd, dsd.element_bytes, 4, 976, 1003));
  EXPECT_FALSE(start(dsd).stays_inside(dsd, dsd.element_bytes, 5, 976, 1004));
  AddressWalk odd(1001, 1);
  EXPECT_FALSE(odd.stays_inside(dsd, dsd.element_bytes, 1, 0, 2000));
  AddressWalk shifted = start(dsd);
  shifted.shift(100);
  EXPECT_TRUE(shifted.stays_inside(dsd, dsd.element_bytes, 4, 1076, 1104));
  EXPECT_FALSE(shifted.stays_inside(dsd, dsd.element_bytes, 4, 976, 1004));
}

TEST(PeAddressWalk, StaysInsideAgreesWithItsAddresses) {
  std::mt19937 random(17);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  unsigned inside = 0;
  for (int round = 0; round < 20'000; ++round) {
    Builder p;
    const unsigned bytes = 2 + 2 * below(2);
    Dsd& dsd = below(4) == 0 ? p.dsd(p.circbuf(2 * below(1000), 1, 1 + below(30), bytes))
                             : p.dsd(p.mem4d(2 * below(1000), {1}, {1}, bytes));
    dsd.dimensions = static_cast<std::uint8_t>(1 + (dsd.kind == DsdKind::kMem4d ? below(4) : 0));
    for (unsigned k = 0; k < dsd.dimensions && dsd.kind == DsdKind::kMem4d; ++k) {
      dsd.extents[k] = static_cast<std::uint16_t>(below(6));
      dsd.strides[k] = static_cast<std::int16_t>(below(60) - 30U);
    }
    const unsigned elements = 1 + below(80);
    const std::uint32_t begin = below(500);
    const std::uint32_t end = 1500 + below(500);
    const bool says = start(dsd).stays_inside(dsd, dsd.element_bytes, elements, begin, end);
    inside += says ? 1 : 0;
    if (says) {
      ASSERT_TRUE(all_inside(dsd, elements, begin, end)) << round;
    }
    // A box around the loops: exact when they all come round.
    if (dsd.kind == DsdKind::kMem4d && dsd.dimensions == 1) {
      ASSERT_EQ(says, all_inside(dsd, elements, begin, end)) << round;
    }
  }
  EXPECT_GT(inside, 3000u);
}

// A column of a matrix, row by row: each loop for itself leaves the matrix far behind.
TEST(PeAddressWalk, ALoopThatGoesBackIsInside) {
  Builder p;
  const Dsd& dsd = p.dsd(p.mem4d(2000, {30, 20}, {20, 1 - 29 * 20}));
  EXPECT_TRUE(start(dsd).stays_inside(dsd, dsd.element_bytes, 600, 2000, 2000 + 600 * 4));
  EXPECT_FALSE(start(dsd).stays_inside(dsd, dsd.element_bytes, 601, 2000, 2000 + 600 * 4));
}

}  // namespace
}  // namespace tessera::pe::test
