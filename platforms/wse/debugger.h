// A debugger beside the run of a WSE machine, if the options ask for one (--debug).
#pragma once

#include <optional>

#include "platforms/cli/options.h"
#include "platforms/debug/server.h"
#include "platforms/run/driver.h"
#include "platforms/wse/debug_target.h"

namespace tessera::wse {

class Debugger {
 public:
  /// All must outlive it, and it the run. `compiled`: as DebugTarget. Throws UserError as debug::Channel.
  Debugger(const cli::Options& options, ObservedMachine& observed, const Workload& workload,
           const compiled::Program* compiled, run::Driver& driver) {
    if (options.debug.empty()) return;
    target_.emplace(observed, workload, compiled);
    server_.emplace(options.debug, *target_);
    driver.set_attendant(*server_);
  }

 private:
  std::optional<DebugTarget> target_;
  std::optional<debug::Server> server_;
};

}  // namespace tessera::wse
