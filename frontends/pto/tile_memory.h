// Gives addresses to the tiles that have none in the text, and checks that tiles fit their memory.
#pragma once

#include <array>
#include <cstdint>

#include "frontends/pto/reserved.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// The number of bytes that all rows and columns of a tile take.
std::int64_t bytes_of(const cluster::TileOperand& tile);

class TileMemory {
 public:
  /// The first free byte of each memory.
  using Level = std::array<std::int64_t, cluster::kLocationCount>;

  /// Tiles get the bytes that `reserved` does not take.
  TileMemory(const ReservedBuffers& reserved, cluster::Profile profile,
             const Diagnostics& diagnostics);

  /// Returns the first free address that is aligned. Throws UserError if the tile does not fit.
  std::int64_t allot(const Operation& op, const cluster::TileOperand& tile);
  /// Throws UserError if the tile does not fit its memory at `address`.
  void check_room(const Operation& op, const cluster::TileOperand& tile,
                  std::int64_t address) const;

  // A function that returns frees its tiles: the caller restores the level.
  const Level& level() const { return level_; }
  void return_to(const Level& level) { level_ = level; }

 private:
  const Diagnostics& diagnostics_;
  const cluster::Profile profile_;
  const cluster::Capacities capacities_;
  Level level_{};
};

}  // namespace tessera::pto
