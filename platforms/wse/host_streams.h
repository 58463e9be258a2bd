// The host's streams of a layout: at which sides of which rim tiles they enter and leave.
#pragma once

#include <cstddef>
#include <vector>

#include "frontends/layout/layout.h"

namespace tessera::wse {

/// A stream_in or stream_out step with its side decided.
struct HostStream {
  const layout::Stream* step = nullptr;
  std::size_t step_index = 0;  ///< in Layout::host
  bool into_fabric = true;
  Direction side = Direction::kWest;
  std::vector<TileCoord> tiles;  ///< in the order in which the array is cut
};

/// All streams of the layout, in the order of the host steps. A side that the layout leaves open is
/// the one rim side of the rect that the routes of all its tiles use. Throws UserError when there
/// is none, or more than one, or when a tile does not route the color there.
std::vector<HostStream> resolve_streams(const layout::Layout& layout);

}  // namespace tessera::wse
