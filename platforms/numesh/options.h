// Options of numesh_platform.
#pragma once

#include <string>

#include "platforms/cli/options.h"
#include "platforms/run/checkpoints.h"

namespace tessera::numesh {

struct Options : cli::MachineOptions {
  Options() {
    own_groups.push_back(
        {"Scheduled mesh",
         {cli::file("vcd", "FILE", vcd_file, cli::Option::File::kWritten,
                    "wave form of phases and words, e.g. --vcd w.vcd"),
          cli::file("schedules", "FILE", schedules_file, cli::Option::File::kWritten,
                    "write the compiled schedules as tables, e.g. --schedules s.txt, or "
                    "/dev/stdout")}});
    own_groups.push_back(checkpoints.group());
  }

  std::string vcd_file;
  std::string schedules_file;
  run::CheckpointOptions checkpoints;
};

}  // namespace tessera::numesh
