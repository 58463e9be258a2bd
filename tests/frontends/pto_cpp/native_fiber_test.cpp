// Code on a stack of its own keeps its values and exceptions while others run.
#include "frontends/pto_cpp/native_fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace tessera::pto_cpp {
namespace {

TEST(NativeFiber, KeepsItsValuesWhileOthersRun) {
  std::vector<double> sums(3);
  std::array<NativeFiber, 3> fibers;
  for (std::size_t f = 0; f < fibers.size(); ++f)
    fibers[f].start([&fiber = fibers[f], &sum = sums[f], f] {
      for (int round = 0; round < 100; ++round) {
        std::array<double, 8> values{};
        for (std::size_t k = 0; k < values.size(); ++k)
          values[k] = static_cast<double>(f) + 0.5 * static_cast<double>(k);
        fiber.wait();
        for (const double v : values) sum += v;
      }
    });
  unsigned runs = 0;
  for (bool goes_on = true; goes_on; ++runs) {
    goes_on = false;
    for (NativeFiber& fiber : fibers) {
      if (fiber.ended()) continue;
      fiber.run();
      goes_on = true;
    }
  }
  EXPECT_EQ(runs, 102U);
  for (std::size_t f = 0; f < fibers.size(); ++f)
    EXPECT_DOUBLE_EQ(sums[f], 100 * (8 * static_cast<double>(f) + 14));
}

TEST(NativeFiber, CatchesItsOwnExceptionsBetweenWaits) {
  NativeFiber fiber;
  int caught = 0;
  for (int start = 0; start < 2; ++start) {
    fiber.start([&] {
      try {
        fiber.wait();
        throw std::runtime_error("inside");
      } catch (const std::runtime_error&) {
        fiber.wait();
        ++caught;
      }
    });
    for (int run = 0; run < 3; ++run) {
      EXPECT_FALSE(fiber.ended());
      fiber.run();
    }
    EXPECT_TRUE(fiber.ended());
  }
  EXPECT_EQ(caught, 2);
}

}  // namespace
}  // namespace tessera::pto_cpp
