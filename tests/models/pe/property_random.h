// Random numbers for the property test of DSD operations: the same on every host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "tests/models/pe/property_elements.h"

namespace tessera::pe::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<unsigned>(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }

  /// Bits of one element of a type of VectorOp: any bits, numbers of like size, special ones.
  std::uint32_t value(char type, HalfFormat half) {
    const bool narrow = type == 'w' || type == 'h';
    const std::uint32_t mask = narrow ? 0xFFFFU : 0xFFFFFFFFU;
    if (chance(30)) return bits() & mask;
    if (type == 'w' || type == 'd') return chance(50) ? below(20) : (bits() & mask);
    const FloatFormat f = type == 'h' ? format_of(half) : kSingleFormat;
    const std::uint32_t sign = chance(50) ? f.sign() : 0;
    const std::uint32_t fraction = bits() & ((1U << f.fraction_bits) - 1);
    if (chance(15)) {
      const std::uint32_t special[] = {0, f.infinity(),     f.quiet_nan(),
                                       1, f.infinity() - 1, fraction};
      return sign | special[below(6)];
    }
    const auto exponent = static_cast<std::uint32_t>(f.bias + between(-6, 6));
    return sign | exponent << f.fraction_bits | (chance(30) ? 0 : fraction);
  }
  /// A length: mostly short.
  unsigned length() {
    const unsigned kind = below(20);
    return 1 + below(kind < 7 ? 4 : kind < 18 ? 24 : 64);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace tessera::pe::test
