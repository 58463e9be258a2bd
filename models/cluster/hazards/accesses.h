// Which bytes of which memory a tile operation reads and writes: the basis of automatic
// synchronisation and of the search for hazards.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// Bytes [first, first + bytes), of them `width` in every `pitch` if pitch is not 0.
struct Extent {
  std::int64_t first = 0, bytes = 0;
  std::int64_t pitch = 0, width = 0;
  bool dense = false;  ///< all of [first, first + bytes)

  friend bool operator==(const Extent& a, const Extent& b) {
    return a.first == b.first && a.bytes == b.bytes && a.pitch == b.pitch && a.width == b.width;
  }
};
Extent extent_of(const ResolvedOperand& operand);
/// Whether both can touch the same byte. Columns are told apart where both have the same pitch.
bool overlap(const Extent& a, const Extent& b);
/// Whether `a` touches every byte that `b` does; false if that is not certain.
bool covers(const Extent& a, const Extent& b);

/// A memory as one number: of a cluster the buffers of its cores, then the arrays in GM.
using MemoryId = std::uint16_t;
MemoryId local_memory(unsigned unit, Location location);
MemoryId gm_memory(std::uint16_t array);
bool is_gm(MemoryId memory);
/// "UB of AIV0"; of an array "%a", its name in `program`.
std::string memory_name(MemoryId memory, const Program& program);

struct MemoryAccess {
  MemoryId memory = 0;
  bool reads = false, writes = false;
  Extent extent;
};

/// What one operation touches; a list of fixed size, for one is made for every operation.
struct Accesses {
  static constexpr unsigned kMost = kMostOperands + 2;  // operands that are divided count twice
  std::array<MemoryAccess, kMost> list;
  unsigned count = 0;
};
/// Puts those of an operation of `core` into `accesses`. An operand that is divided among both AIVs is
/// an access of each.
void accesses_of(const ResolvedOperation& operation, CoreId core, Accesses& accesses);

}  // namespace tessera::cluster
