// Options of ascend_platform.
#pragma once

#include <string>
#include <vector>

#include "platforms/cli/options.h"

namespace tessera::ascend {

struct Options : cli::MachineOptions {
  bool no_data = false;
  std::string pto_unknown;
  std::string hazards = "warn";  ///< warn, error or off

  std::vector<cli::OptionGroup> own_groups() override;
};

}  // namespace tessera::ascend
