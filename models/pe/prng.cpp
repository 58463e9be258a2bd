#include "models/pe/prng.h"

#include <algorithm>

namespace tessera::pe {
namespace {

constexpr unsigned kStateBits = 23;
constexpr std::uint32_t kStateMask = (1U << kStateBits) - 1;
constexpr unsigned kTap = 18;
constexpr unsigned kStepsPerDraw = 128;

/// Up to 18 steps at once: none of the bits that enter has reached a tap before.
std::uint32_t advance(std::uint32_t state, unsigned steps) {
  const std::uint32_t entering = (state >> (kStateBits - kTap) ^ state) & ((1U << kTap) - 1);
  return (state << steps | entering >> (kTap - steps)) & kStateMask;
}

}  // namespace

Prng::Prng() {
  states_.fill(kSeed & kStateMask);
}

void Prng::seed(std::uint32_t value) {
  const std::uint32_t state = value & kStateMask;
  states_[active_] = state != 0 ? state : kSeed & kStateMask;
}

std::uint16_t Prng::draw16() {
  std::uint32_t& state = states_[active_];
  for (unsigned left = kStepsPerDraw; left > 0;) {
    const unsigned steps = std::min(left, kTap);
    state = advance(state, steps);
    left -= steps;
  }
  return static_cast<std::uint16_t>(state);
}

}  // namespace tessera::pe
