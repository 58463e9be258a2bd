// Options of wse_platform.
#pragma once

#include <string>
#include <vector>

#include "platforms/cli/options.h"

namespace tessera::wse {

/// What can be recorded and checked of a fabric; vp_platform has these options too.
struct FabricOptions {
  static constexpr const char* kHeading = "Fabric";

  std::string trace_wse_file;
  std::string vcd_file;
  std::string heatmap_file;
  std::string heatmap_counter;
  bool check_links = false;
  bool check_epochs = false;

  cli::OptionGroup group();
};

struct Options : cli::MachineOptions {
  FabricOptions fabric;

  std::vector<cli::OptionGroup> own_groups() override;
};

}  // namespace tessera::wse
