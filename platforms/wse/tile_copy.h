// How the host's arrays lie on tiles, and copies of them to and from the memory of tiles: debug
// accesses between two cycles, which take no time in the fabric (docs/layout.md).
#pragma once

#include "frontends/layout/layout.h"
#include "platforms/data/host_array.h"
#include "platforms/data/tile_mapping.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"

namespace tessera::wse {

/// Both throw UserError, with the place in the layout, when the array cannot be cut into equal
/// pieces.
data::TileMapping mapping_of(const layout::Layout& layout, const layout::Symbol& symbol);
data::TileMapping mapping_of(const layout::Layout& layout, const layout::Stream& stream);

/// `array` to the tiles that `symbol` names.
void copy_in(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
             const data::HostArray& array, Machine& machine);
/// The tiles to `array`.
void copy_out(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
              Machine& machine, data::HostArray& array);

}  // namespace tessera::wse
