// Pseudo-random numbers of a tile (reference wse.md 6.1).
#include "models/pe/prng.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera::pe::test {
namespace {

/// One step of x^23 + x^18 + 1, bit by bit.
std::uint32_t step(std::uint32_t state) {
  const std::uint32_t entering = (state >> 22 ^ state >> 17) & 1;
  return (state << 1 | entering) & 0x7FFFFF;
}
std::uint32_t draw(std::uint32_t& state) {
  for (int i = 0; i < 128; ++i) state = step(state);
  return state & 0xFFFF;
}

TEST(PePrng, MakesOneHundredAndTwentyEightStepsPerNumber) {  // wse.md 6.1
  Prng prng;
  std::uint32_t state = 0xDEADBEEF & 0x7FFFFF;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(prng.draw16(), draw(state)) << i;
}

TEST(PePrng, SeedGivesTheStateOfTheActiveGenerator) {
  Prng prng;
  prng.draw16();
  prng.seed(12345);
  std::uint32_t state = 12345;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(prng.draw16(), draw(state)) << i;
  prng.seed(Prng::kSeed);
  EXPECT_EQ(prng.draw16(), Prng().draw16());
}

TEST(PePrng, AStateOfZeroIsReplaced) {
  Prng prng;
  for (const std::uint32_t seed : {0U, 0x800000U, 0xFF800000U}) {
    prng.seed(seed);
    std::set<std::uint16_t> seen;
    for (int i = 0; i < 20; ++i) seen.insert(prng.draw16());
    EXPECT_GT(seen.size(), 10u) << seed;
  }
}

TEST(PePrng, GeneratorsAreSelectedModuloTheirNumberAndKeepTheirStates) {
  Prng prng;
  const std::uint16_t first = prng.draw16();
  const std::uint16_t second = prng.draw16();
  ASSERT_NE(first, second);
  prng.select(1);
  EXPECT_EQ(prng.draw16(), first);  // its own state, the same seed
  prng.select(kPrngCount + 1);
  EXPECT_EQ(prng.draw16(), second);
  prng.select(kPrngCount);
  Prng other;
  other.draw16();
  other.draw16();
  EXPECT_EQ(prng.draw16(), other.draw16());
}

TEST(PePrng, ThePolynomialHasTheFullPeriod) {
  // x^23 + x^18 + 1 is primitive: the register takes every state but 0.
  std::uint32_t state = 1;
  std::uint32_t steps = 0;
  do {
    state = step(state);
    ++steps;
  } while (state != 1);
  EXPECT_EQ(steps, (1U << 23) - 1);
}

}  // namespace
}  // namespace tessera::pe::test
