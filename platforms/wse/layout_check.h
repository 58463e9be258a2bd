// Rules that a layout must keep on the machine of a config: what the layout reader cannot know.
#pragma once

#include <vector>

#include "frontends/layout/layout.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// Rules of the generations for routes, switches, color swap, CE injection and filters (wse.md 1.2,
/// 1.4, 1.6 to 1.8, 1.10). Throws UserError.
void check_routes(const layout::Layout& layout, const WseConfig& config, const Programs& programs);

/// Checks the grid against the wafer (wse.md 1.12). Throws UserError.
void check_grid(const layout::Layout& layout, const WseConfig& config);

/// Checks grid and routes, that what leaves the grid is taken by a stream_out, that symbols and
/// launched functions exist in the programs, and that arrays fit the symbols they are copied to.
/// Throws UserError.
void check_layout(const layout::Layout& layout, const WseConfig& config, const Programs& programs,
                  const std::vector<HostStream>& streams);

}  // namespace tessera::wse
