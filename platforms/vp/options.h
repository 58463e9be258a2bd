// Options of vp_platform: those of the host, and those of the accelerators that a script can name.
#pragma once

#include <string>
#include <utility>

#include "platforms/wse/options.h"

namespace tessera::vp {

/// What runs with any of these accelerators: their presets and structures stand here only.
inline cli::Executable executable(std::string name, std::string platform, std::string purpose,
                                  std::string program_kind, std::string commit = {}) {
  return {std::move(name),
          std::move(platform),
          std::move(purpose),
          std::move(program_kind),
          {"wse2", "wse3", "a2a3", "a5", "numesh"},
          {"modules", "dense", "auto"},
          "",  // the device has its own default preset
          "fabric.hop_latency=3",
          std::move(commit)};
}

struct Options : cli::Options {
  static constexpr const char* kClusterHeading = "AI-core clusters";

  Options() {
    own_groups = {
        {"Host",
         {cli::text("quantum", "TIME", quantum,
                    "how far the host may run ahead of the simulation, e.g. --quantum 100ns"),
          failures_option(), header_option()}},
        {kClusterHeading,
         {cli::deciding(
             cli::flag("no-data", no_data, "timing only: tiles and arrays have no contents"))}},
        fabric.group()};
  }

  cli::Option failures_option() {
    return cli::deciding(
        cli::one_of("device-failures", "WHAT", device_failures, {"stop", "interrupt"},
                    "illegal behaviour of the accelerator stops the run, or it tells the host by "
                    "an interrupt"));
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
