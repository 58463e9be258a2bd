// Moves that happen at the same time, as a sequence: parameters into their registers, arguments
// into d0, d2, d4, d6.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::csl::codegen {

struct Move {
  std::uint8_t to = 0;
  std::uint8_t from = 0;
  bool is_wide = false;
};

/// A sequence with the same effect. At most four moves, whose destinations (or sources) are the low
/// four pairs: a ring of them goes through a pair that none of them names.
std::vector<Move> in_sequence(std::vector<Move> moves);

}  // namespace tessera::csl::codegen
