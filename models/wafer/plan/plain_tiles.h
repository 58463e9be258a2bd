// Which routers of a wafer are plain: no more than pipes and slots.
#pragma once

#include <vector>

#include "models/wafer/plan/plan.h"

namespace tessera::wafer {

/// By tile of the strip, whether its router needs no more than pipes and slots:
///  - its colors have plain routes (RouteShape), and altogether no more inputs than a Group has slots,
///  - its program accesses no register that decides where wavelets go (pe::Image::may_reach_routing),
///  - no wavelet can arrive that a router whose registers can be written would keep and a plain one would not let
///    in: one of a color of the tile, on a side from which no position of its switch receives.
/// Any other tile gets a fabric::RouterCore of its own.
std::vector<bool> plain_tiles(const Strip& strip);

}  // namespace tessera::wafer
