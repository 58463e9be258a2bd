// Options of numesh_platform.
#pragma once

#include <string>
#include <vector>

#include "platforms/cli/options.h"

namespace tessera::numesh {

struct Options : cli::MachineOptions {
  std::string schedules_file;

  std::vector<cli::OptionGroup> own_groups() override {
    std::vector<cli::OptionGroup> groups = cli::MachineOptions::own_groups();
    groups.push_back({"Scheduled mesh",
                      {cli::file("schedules", "FILE", schedules_file, cli::Option::File::kWritten,
                                 "write the compiled schedules as tables, e.g. --schedules s.txt, "
                                 "or /dev/stdout")}});
    return groups;
  }
};

}  // namespace tessera::numesh
