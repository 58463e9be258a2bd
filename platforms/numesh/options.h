// Options of numesh_platform.
#pragma once

#include <string>

#include "platforms/cli/options.h"

namespace tessera::numesh {

struct Options : cli::MachineOptions {
  Options() {
    own_groups.push_back(
        {"Scheduled mesh",
         {cli::file("schedules", "FILE", schedules_file, cli::Option::File::kWritten,
                    "write the compiled schedules as tables, e.g. --schedules s.txt, or "
                    "/dev/stdout")}});
  }

  std::string schedules_file;
};

}  // namespace tessera::numesh
