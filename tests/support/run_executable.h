// Runs a built executable as a user would and keeps what it printed.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"  // IWYU pragma: export: its users read and write files

namespace tessera::test {

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs build/bin/`name` in the root of the sources.
Finished run_executable(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace tessera::test
