// The pseudo-random numbers of a tile (reference wse.md 6.1): several generators, one of them
// active, each a linear feedback shift register x^23 + x^18 + 1 that makes 128 steps per number.
//
// Documented: the polynomial, the steps per number, the seed 0xDEADBEEF, and that an id selects
// generator id mod N. Choices of this model: all generators start from that seed; the state is the
// low 23 bits of a seed; a state of 0, which the register would never leave, is replaced by that of
// the default seed; a step shifts left and puts bit 22 xor bit 17 into bit 0; a number is the low
// 16 bits of the state after its steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/pe/isa.h"

namespace tessera::pe {

class Prng {
 public:
  static constexpr std::uint32_t kSeed = 0xDEADBEEF;

  Prng() { states_.fill(kSeed & kStateMask); }
  /// Makes generator `id` mod kPrngCount the active one; it goes on where it was.
  void select(std::uint16_t id) { active_ = id % kPrngCount; }
  /// Restarts the active generator.
  void seed(std::uint32_t value) {
    const std::uint32_t state = value & kStateMask;
    states_[active_] = state != 0 ? state : kSeed & kStateMask;
  }
  /// Next number of the active generator.
  std::uint16_t draw16() {
    std::uint32_t& state = states_[active_];
    for (unsigned left = kStepsPerDraw; left > 0;) {
      const unsigned steps = std::min(left, kTap);
      state = advance(state, steps);
      left -= steps;
    }
    return static_cast<std::uint16_t>(state);
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(states_, active_);
  }

 private:
  static constexpr unsigned kStateBits = 23;
  static constexpr std::uint32_t kStateMask = (1U << kStateBits) - 1;
  static constexpr unsigned kTap = 18;
  static constexpr unsigned kStepsPerDraw = 128;

  /// Up to 18 steps at once: none of the bits that enter has reached a tap before.
  static std::uint32_t advance(std::uint32_t state, unsigned steps) {
    const std::uint32_t entering = (state >> (kStateBits - kTap) ^ state) & ((1U << kTap) - 1);
    return (state << steps | entering >> (kTap - steps)) & kStateMask;
  }

  std::array<std::uint32_t, kPrngCount> states_;
  unsigned active_ = 0;
};

}  // namespace tessera::pe
