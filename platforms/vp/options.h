// Options of vp_platform: those of the host, and those of the accelerators that a script can name.
#pragma once

#include <string>

#include "platforms/wse/options.h"

namespace tessera::vp {

struct Options : cli::Options {
  static constexpr const char* kClusterHeading = "AI-core clusters";

  Options() {
    own_groups = {
        {"Host",
         {cli::text("quantum", "TIME", quantum,
                    "how far the host may run ahead of the simulation, e.g. --quantum 100ns"),
          failures_option(), header_option()}},
        {kClusterHeading,
         {cli::flag("no-data", no_data, "timing only: tiles and arrays have no contents")}},
        fabric.group()};
  }

  cli::Option failures_option() {
    return cli::one_of(
        "device-failures", "WHAT", device_failures, {"stop", "interrupt"},
        "illegal behaviour of the accelerator stops the run, or it tells the host by "
        "an interrupt");
  }
  cli::Option header_option() {
    return cli::file("driver-header", "FILE", driver_header, cli::Option::File::kWritten,
                     "write the memory map with the names of the accelerator as a C header");
  }

  std::string quantum = "1us";
  std::string device_failures = "stop";
  std::string driver_header;
  bool no_data = false;
  wse::FabricOptions fabric;
};

}  // namespace tessera::vp
