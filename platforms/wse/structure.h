// In which structure a machine is built (ARCHITECTURE section 2): what --structure names, and what
// "auto" means.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// What --structure accepts. "auto": modules for up to kAutoModuleTiles tiles, or where only
/// modules can do what is asked for, else dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleTiles = 1024;
/// Tiles that `modules` is built for: about 4 GB.
inline constexpr std::size_t kMaxModuleTiles = 65536;

/// Throws UserError when the structure cannot hold the layout, takes no such configuration or cannot
/// do what `options` ask for.
void check_structure(const std::string& structure, const FabricOptions& options,
                     const layout::Layout& layout, const WseConfig& config);

/// The machine of a workload. `events` may be nullptr; all arguments must outlive the machine. Throws
/// UserError as check_structure() does.
std::unique_ptr<Machine> build_machine(const std::string& structure, const FabricOptions& options,
                                       const WseConfig& config, const Workload& workload,
                                       observe::EventStream* events);

}  // namespace tessera::wse
