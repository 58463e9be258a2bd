// Strides of mem4d descriptors: the two examples of the reference, and the addresses of random loop
// nests against the nest itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "frontends/tasm/lower_strides.h"

namespace tessera::tasm {
namespace {

TEST(LowerStrides, ExamplesOfTheReference) {  // wse.md 5.3, inner loop first
  // |i, j, k, l|{5, 5, 5, 5} -> A[i + j, k + l + 2] of A[4, 5]
  EXPECT_EQ(lower_strides({1, 1, 5, 5}, {5, 5, 5, 5}), (Loops{1, -3, -3, -23}));
  // |i, j|{5, 5} -> A[2 * i + j]
  EXPECT_EQ(lower_strides({1, 2}, {5, 5}), (Loops{1, -2}));
}

TEST(LowerStrides, OneLoopKeepsItsStep) {
  EXPECT_EQ(lower_strides({-7}, {3}), Loops{-7});
}

TEST(LowerStrides, LoopsOfOneTripDoNotCount) {
  EXPECT_EQ(lower_strides({100, 3, 9}, {1, 4, 2}), (Loops{100, 3, 0}));
}

/// Elements in the order of the loops, counted from the first.
Loops walk(const Loops& steps, const Loops& trips) {
  Loops elements = {0};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::size_t inner = elements.size();
    for (std::int64_t i = 1; i < trips[k]; ++i) {
      for (std::size_t e = 0; e < inner; ++e) elements.push_back(elements[e] + i * steps[k]);
    }
  }
  return elements;
}

/// The same as the machine does it: the stride of the outermost loop that moves on is added to the
/// address of the last element.
Loops walk_by_strides(const Loops& strides, const Loops& trips) {
  Loops elements = {0};
  Loops at(trips.size(), 0);
  for (;;) {
    std::size_t k = 0;
    while (k < trips.size() && at[k] + 1 == trips[k]) at[k++] = 0;
    if (k == trips.size()) return elements;
    ++at[k];
    elements.push_back(elements.back() + strides[k]);
  }
}

TEST(LowerStrides, RandomNestsReachTheSameElements) {
  std::mt19937 random(53);
  const auto pick = [&random](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    Loops steps;
    Loops trips;
    for (std::int64_t k = pick(4); k >= 0; --k) {
      steps.push_back(pick(41) - 20);
      trips.push_back(1 + pick(6));
    }
    const Loops strides = lower_strides(steps, trips);
    const Loops elements = walk(steps, trips);
    EXPECT_EQ(walk_by_strides(strides, trips), elements);
    EXPECT_EQ(steps_of(strides, trips), steps);
    const Reach reach = reach_of(steps, trips);
    EXPECT_EQ(reach.lowest, *std::min_element(elements.begin(), elements.end()));
    EXPECT_EQ(reach.highest, *std::max_element(elements.begin(), elements.end()));
  }
}

}  // namespace
}  // namespace tessera::tasm
