// Which run it was: what a report says of its command line and of the files that the run has read.
#pragma once

#include <string>
#include <vector>

#include "frontends/text/files_read.h"
#include "platforms/cli/options.h"
#include "platforms/report/report.h"

namespace tessera::cli {

/// Fills `run` but for the digest of the configuration and defaults of parameters, which only a
/// platform knows: View::summarize and the mains add these.
void describe_run(const Executable& executable, std::vector<std::string> argv,
                  const Options& options, const text::FilesRead& read, report::Run& run);

}  // namespace tessera::cli
