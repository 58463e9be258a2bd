// How the host arrays of a layout lie on its tiles: data::TileMapping for the symbols and streams
// of a layout.
#pragma once

#include "frontends/layout/layout.h"
#include "platforms/data/tile_mapping.h"

namespace tessera::wse {

/// Both throw UserError, with the place in the layout, when the array cannot be cut into equal
/// pieces.
data::TileMapping mapping_of(const layout::Layout& layout, const layout::Symbol& symbol);
data::TileMapping mapping_of(const layout::Layout& layout, const layout::Stream& stream);

}  // namespace tessera::wse
