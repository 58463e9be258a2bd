#include "frontends/pto/tile_memory.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

std::int64_t bytes_of(const cluster::TileOperand& tile) {
  return (tile.full_rows * tile.row_stride * cluster::bits_of(tile.element) + 7) / 8;
}

TileMemory::TileMemory(const ReservedBuffers& reserved, cluster::Profile profile,
                       const Diagnostics& diagnostics)
    : diagnostics_(diagnostics), profile_(profile), capacities_(reserved.room()) {
  for (unsigned l = 0; l < cluster::kLocationCount; ++l)
    level_[l] = reserved.first_free(static_cast<cluster::Location>(l));
}

std::int64_t TileMemory::allot(const Operation& op, const cluster::TileOperand& tile) {
  std::int64_t& next = level_[static_cast<unsigned>(tile.location)];
  const std::int64_t alignment = cluster::alignment_of(tile.location);
  const std::int64_t address = (next + alignment - 1) / alignment * alignment;
  check_room(op, tile, address);
  next = address + bytes_of(tile);
  return address;
}

void TileMemory::check_room(const Operation& op, const cluster::TileOperand& tile,
                            std::int64_t address) const {
  const std::int64_t room = capacities_[static_cast<unsigned>(tile.location)];
  if (address >= 0 && bytes_of(tile) <= room && address <= room - bytes_of(tile)) return;
  diagnostics_.fail(op.place,
                    joined("the tile ", tile.name, " needs ", bytes_of(tile), " bytes from byte ",
                           address, " on; ", to_string(tile.location), " of ",
                           cluster::to_string(profile_), " has ", room));
}

}  // namespace tessera::pto
