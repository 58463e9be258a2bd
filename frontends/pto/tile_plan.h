// Addresses of tiles without `addr` that do not fit one after the other: tiles whose lives do not overlap share
// memory, as the public assembler plans it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto/words.h"

namespace tessera::pto {

/// The lives of the tiles that a function allocates, in the order of its text. A tile lives from its first use
/// to its last one; a tile that a loop uses and that is allocated in front of the loop lives as long as the
/// loop. Parts and other names of a tile are the tile. Tiles that are scratch only take no memory where
/// operations do not use it (A5).
class TilePlan {
 public:
  struct Room {
    std::int64_t first = 0, end = 0;  ///< bytes of a buffer
  };
  /// `rooms` by Location.
  TilePlan(const Function& function, const std::array<Room, cluster::kLocationCount>& rooms,
           bool ignores_scratch, const Diagnostics& diagnostics);

  /// The address of the tile that the operation allocates; nothing if the tiles of its buffer fit one
  /// after the other, or if they do not fit in any way.
  std::optional<std::int64_t> address_of(const Operation& op) const;

 private:
  struct Life {
    const Operation* op = nullptr;
    Location location = Location::kUb;
    std::int64_t bytes = 0;
    unsigned defined = 0, first = ~0U, last = 0;
    std::int64_t address = -1;
    bool is_scratch = true;  ///< every operation that uses the tile uses it as scratch
  };
  struct Loop {
    unsigned first, last;
  };

  void visit(const Region& region, std::vector<Loop>& loops, const Diagnostics& diagnostics);
  void use(const std::string& name, unsigned at, const std::vector<Loop>& loops);
  void add_alias(const Operation& op);
  static unsigned count(const Region& region);
  bool place(Location location, Room room);

  std::vector<Life> lives_;
  std::map<std::string, std::vector<std::size_t>> tiles_;  ///< indices in lives_ by the tile's name
  unsigned next_ = 0;                                      ///< number of the next operation
};

}  // namespace tessera::pto
