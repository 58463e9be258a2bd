// Options of wse_platform.
#pragma once

#include <string>

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
  Options() { own_groups.push_back(fabric.group()); }

  FabricOptions fabric;
};

}  // namespace tessera::wse
