// Routes of compiled programs: from the configuration of a color, and as entries of a layout.
#pragma once

#include <string>

#include "frontends/csl/sema/program.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::compiled {

fabric::ColorRoute route_of(const csl::ColorConfig& config);

/// The members of an entry of "routes" (docs/layout.md) but rect and color, as JSON text. Equal
/// routes have equal texts.
std::string route_text(const fabric::ColorRoute& route);

}  // namespace tessera::compiled
