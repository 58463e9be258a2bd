// The memories of a core as far as tiles take them: where a tile without an address lies, and
// whether a tile has room where it lies.
#pragma once

#include <array>
#include <cstdint>

#include "frontends/pto/reserved.h"
#include "models/cluster/program.h"

namespace tessera::pto {

/// Bytes of all rows and columns of a tile.
std::int64_t bytes_of(const cluster::TileOperand& tile);

class TileMemory {
 public:
  /// First free byte of each memory.
  using Level = std::array<std::int64_t, cluster::kLocationCount>;

  /// What `reserved` has taken is not given to tiles.
  TileMemory(const ReservedBuffers& reserved, cluster::Profile profile,
             const Diagnostics& diagnostics);

  /// The aligned address behind the tiles before it. Throws UserError if there is no room.
  std::int64_t allot(const Operation& op, const cluster::TileOperand& tile);
  /// Throws UserError if the tile at `address` does not lie in its memory.
  void check_room(const Operation& op, const cluster::TileOperand& tile,
                  std::int64_t address) const;

  // Tiles of a function are gone when it returns.
  const Level& level() const { return level_; }
  void return_to(const Level& level) { level_ = level; }

 private:
  const Diagnostics& diagnostics_;
  const cluster::Profile profile_;
  const cluster::Capacities capacities_;
  Level level_{};
};

}  // namespace tessera::pto
