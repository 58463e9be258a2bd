// What a route asks of its router: whether pipes and slots will do, from where it receives and where it sends.
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::wafer {

struct RouteShape {
  enum class Kind : std::uint8_t {
    kFixed,     ///< received from one port, and keeps its outputs
    kSwitched,  ///< the same in each position of its switch, or loses commands on its way
    kOther,     ///< needs a router of its own
  };

  RouteShape(const fabric::ColorRoute& route, fabric::SwitchPositions rule);

  Kind kind = Kind::kOther;
  DirectionSet inputs;        ///< in any position
  DirectionSet outputs;       ///< in any position
  fabric::ColorRoute filled;  ///< the route with all sides of all positions (ColorRoute::fill_in)
};

}  // namespace tessera::wafer
