// A debugger beside the run of a machine, if the options ask for one (--debug).
#pragma once

#include <optional>
#include <utility>

#include "platforms/cli/options.h"
#include "platforms/debug/server.h"
#include "platforms/run/driver.h"

namespace tessera::debug {

/// `MachineTarget`: the Target of the machine.
template <class MachineTarget>
class Attached {
 public:
  /// `parts` are those of the target. All must outlive it, and it the run. Throws UserError as Channel.
  template <class... Parts>
  Attached(const cli::Options& options, run::Driver& driver, Parts&&... parts) {
    if (options.debug.empty()) return;
    target_.emplace(std::forward<Parts>(parts)...);
    server_.emplace(options.debug, *target_);
    driver.set_attendant(*server_);
  }

 private:
  std::optional<MachineTarget> target_;
  std::optional<Server> server_;
};

}  // namespace tessera::debug
