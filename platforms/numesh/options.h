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
         {cli::file("schedules", "FILE", schedules_file, cli::Option::File::kWritten,
                    "write the compiled schedules as tables, e.g. --schedules s.txt, or "
                    "/dev/stdout")}});
    own_groups.push_back(checkpoints.group());
  }

  std::string schedules_file;
  run::CheckpointOptions checkpoints;
};

}  // namespace tessera::numesh
