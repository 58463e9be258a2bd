// Options for the lines that a run executes (docs/coverage.md).
#pragma once

#include <string>

#include "platforms/cli/option.h"

namespace tessera::cli {

struct CoverageOptions {
  static constexpr const char* kHeading = "Coverage";

  std::string file;
  std::string folder;

  bool is_asked() const { return !file.empty() || !folder.empty(); }
  OptionGroup group() {
    return {kHeading,
            {cli::file("coverage", "FILE.info", file, Option::File::kWritten,
                       "how often each source line was executed, for genhtml and editors, e.g. "
                       "--coverage run.info; tessera coverage adds runs"),
             cli::text("coverage-listing", "DIR", folder,
                       "folder for listings of the sources with executions, places and waits of "
                       "each line")}};
  }
};

}  // namespace tessera::cli
