// What every platform executable does around its run: read the options, turn errors into exit codes
// and one clear message, print and write the report (INTERFACE.md exit codes, ARCHITECTURE section
// 9).
#pragma once

#include <functional>
#include <optional>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"

namespace tessera::cli {

/// Runs `body` with the options. It answers a report, or no value when there is nothing to report
/// (--validate,
/// --print-config). Returns the exit code. With --report an error is written there too.
int run_main(const Executable& executable, int argc, const char* const* argv,
             const std::function<std::optional<report::Report>(const Options&)>& body);

}  // namespace tessera::cli
