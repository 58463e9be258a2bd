// Addresses in the buffers of a core, for the buffers that functions reserve and for tiles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontends/pto/tile_plan.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

/// Buffers that one function reserves and another one imports (pto.reserve_buffer). Both have to
/// know the addresses, so buffers are placed before the lowering, from the end of UB and L1.
class ReservedBuffers {
 public:
  struct Buffer {
    Place place;
    std::string name;
    Location location = Location::kUb;
    std::int64_t address = 0, bytes = 0;
    bool is_fixed = false;  ///< it has a base of its own
  };

  /// Throws UserError for buffers that have no room, and attributes that are wrong.
  ReservedBuffers(const Module& module, const cluster::Capacities& capacities);

  /// nullptr: the function reserves no such buffer.
  const Buffer* find(const std::string& function, const std::string& name) const;
  /// The bytes at the begin of a memory that are left to tiles.
  const cluster::Capacities& room() const { return room_; }
  /// The first address after the buffers that have a base of their own.
  std::int64_t first_free(Location location) const {
    return first_free_[static_cast<unsigned>(location)];
  }

 private:
  void reserve(const Function& function, const Operation& op);
  /// Throws UserError if a function has a buffer with auto = false and tiles without addresses.
  void refuse_mixture(const Function& function) const;
  /// Places the buffers with a base of their own, which must not overlap, then the others below.
  void place_all();
  /// A buffer that has its address and shares bytes with `buffer`; nullptr: none.
  const Buffer* overlapping(const Buffer& buffer) const;

  const Diagnostics diagnostics_;
  const cluster::Capacities capacities_;
  cluster::Capacities room_;
  std::array<std::int64_t, cluster::kLocationCount> first_free_{};
  std::map<std::pair<std::string, std::string>, Buffer> buffers_;
  std::vector<Buffer*> in_order_, placed_;  // elements of buffers_
};

/// The number of bytes that all rows and columns of a tile take.
std::int64_t bytes_of(const TileOperand& tile);
/// What a tile of the type takes of its memory, which may be more than its elements: room_bits_of().
TileOperand room_of(const TileOperand& tile, const Type& type);

/// Gives addresses to the tiles that have none in the text, and checks that tiles fit their memory.
class TileMemory {
 public:
  /// The first free byte of each memory.
  using Level = std::array<std::int64_t, cluster::kLocationCount>;

  /// Tiles get the bytes that `reserved` does not take.
  TileMemory(const ReservedBuffers& reserved, Profile profile, const Diagnostics& diagnostics);

  /// Plans the tiles of the function that the cores start (tile_plan.h).
  void plan(const Function& function);
  /// Returns the address that is planned, or the first free one that is aligned. Throws UserError if the tile does not fit.
  std::int64_t allot(const Operation& op, const TileOperand& tile);
  /// Throws UserError if the tile does not fit its memory at `address`.
  void check_room(const Operation& op, const TileOperand& tile, std::int64_t address) const;

  // A function that returns frees its tiles: the caller restores the level.
  const Level& level() const { return level_; }
  void return_to(const Level& level) { level_ = level; }

 private:
  const Diagnostics& diagnostics_;
  const Profile profile_;
  const cluster::Capacities capacities_;
  Level level_{};
  std::optional<TilePlan> plan_;
};

}  // namespace tessera::pto
