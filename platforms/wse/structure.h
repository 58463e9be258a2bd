// In which structure a machine is built (docs/architecture.md#two-structures): what --structure names, and what
// "auto" means.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/observe/event_stream.h"
#include "platforms/cli/options.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/program_loader.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// What --structure accepts. "auto": modules for up to kAutoModuleTiles tiles, or where only
/// modules can do what is asked for, else dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleTiles = 1024;
/// Tiles that `modules` is built for: about 4 GB.
inline constexpr std::size_t kMaxModuleTiles = 65536;

/// Throws UserError when the structure that `options` ask for cannot hold the layout, takes no such
/// configuration or cannot do what they ask for.
void check_structure(const cli::Options& options, const layout::Layout& layout,
                     const WseConfig& config);

/// The machine of a checked layout. `events` may be nullptr; all arguments must outlive it.
std::unique_ptr<Machine> build_machine(const cli::Options& options, const layout::Layout& layout,
                                       const WseConfig& config, const Programs& programs,
                                       const std::vector<HostStream>& streams,
                                       observe::EventStream* events);

}  // namespace tessera::wse
