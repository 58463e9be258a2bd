// Hashes of several parts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::csl {

inline void mix(std::size_t& hash, std::size_t part) {
  std::uint64_t mixed = (hash ^ part) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 32;
  hash = static_cast<std::size_t>(mixed);
}

inline void mix(std::size_t& hash, const void* part) {
  mix(hash, reinterpret_cast<std::uintptr_t>(part));
}

}  // namespace tessera::csl
