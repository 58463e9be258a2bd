// Rules of the generations for routes, switches, color swap, CE injection and filters (reference
// wse.md 1.2, 1.4, 1.6 to 1.8, 1.10).
#pragma once

#include "frontends/layout/layout.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// Throws UserError.
void check_routes(const layout::Layout& layout, const WseConfig& config, const Programs& programs);

}  // namespace tessera::wse
