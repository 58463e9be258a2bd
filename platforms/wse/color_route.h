// The route of a layout as the fabric models take it.
#pragma once

#include "frontends/layout/layout.h"
#include "models/fabric/route.h"

namespace tessera::wse {

fabric::ColorRoute to_route(const layout::RouteSpec& spec);

}  // namespace tessera::wse
