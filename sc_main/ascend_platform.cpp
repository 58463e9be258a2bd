// ascend_platform: runs a PTO program on Ascend AI-core clusters. Manual: docs/ascend-platform.md.
#include <systemc>

#include <iostream>

#include "platforms/ascend/session.h"
#include "platforms/cli/main.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"ascend_platform",
                                     "ascend",
                                     "runs a PTO program on Ascend AI-core clusters",
                                     "PTO program (MLIR text, see docs/ascend-platform.md)",
                                     {"a2a3", "a5"},
                                     ascend::kStructures,
                                     "",  // the module names it; otherwise a5
                                     false,
                                     true};

std::optional<report::Report> run(const cli::Options& options) {
  const ascend::AscendConfig config = ascend::config_of(options);
  if (options.print_config) {
    ascend::print_ascend_config(std::cout, config);
    return std::nullopt;
  }
  ascend::Session session(options, config);
  report::Report report = session.run();
  if (!options.validate || report.status != report::Status::kFinished) return report;
  std::cout << options.program << ": valid for " << config.name << '\n';
  return std::nullopt;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return cli::run_main(kExecutable, argc, argv, run);
}
