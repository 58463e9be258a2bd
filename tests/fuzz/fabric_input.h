// One input of the fabric's fuzz target: bytes that choose a fabric without loops, its traffic,
// stalls and step order (tests/models/fabric/random.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::fabric::fuzz {

struct Outcome {
  unsigned wavelets = 0;  ///< sent
  std::string problem;    ///< empty: none lost, doubled or reordered, all credits back
};

/// Any bytes are an input. Those that are missing follow from those that are there.
Outcome run_fabric(const std::uint8_t* data, std::size_t size);

}  // namespace tessera::fabric::fuzz
