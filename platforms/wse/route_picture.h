// A picture of the routes of a layout: a map for each color, as an SVG file that a browser shows.
#pragma once

#include <iosfwd>
#include <string>

#include "frontends/layout/layout.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::wse {

/// Draws a map for each color that a tile routes. A map of few tiles has an arrow for each side that a
/// tile transmits to, in the color of the direction (observe::svg::color_of), and grey lines from
/// the sides that it receives from; other positions of a switch are dashed. A map of many tiles
/// has squares in the color of the direction, each for one tile or for what most tiles of a block
/// do.
void draw_routes(std::ostream& out, const layout::Layout& layout, fabric::SwitchPositions positions,
                 const std::string& title);

}  // namespace tessera::wse
