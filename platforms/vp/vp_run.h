// Runs a built virtual prototype and says how it ended.
#pragma once

#include <chrono>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/vp/accelerator.h"
#include "platforms/vp/script_host.h"

namespace tessera::vp {

/// Lets the kernel run until the host has carried out its script and nothing moves any more, or a
/// bound of `options` is reached. `begin`: when building it began.
report::Report run(const cli::Options& options, Accelerator& accelerator, const ScriptHost& host,
                   std::chrono::steady_clock::time_point begin);

}  // namespace tessera::vp
