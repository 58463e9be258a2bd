// wse_platform: runs a tile program (layout + .tasm files) on a WSE-2 or WSE-3 fabric. Manual:
// docs/running.md.
#include <systemc>

#include <iostream>

#include "platforms/cli/main.h"
#include "platforms/wse/session.h"
#include "platforms/wse/structure.h"
#include "platforms/wse/wse_config.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"wse_platform",
                                     "wse",
                                     "runs a tile program on a WSE-2 or WSE-3 fabric",
                                     "layout (JSON, see docs/layout.md)",
                                     {"wse2", "wse3"},
                                     wse::kStructures,
                                     "wse3",
                                     false};

std::optional<report::Report> run(const cli::Options& options) {
  const wse::WseConfig config = wse::load_wse_config(options);
  if (options.print_config) {
    wse::print_wse_config(std::cout, config);
    return std::nullopt;
  }
  // Left to the end of the process on purpose, with a machine that the kernel takes long to destroy
  // (wse::Machine::is_quick_to_destroy).
  static wse::Session& session = *new wse::Session(options, config);
  if (options.validate) {
    std::cout << options.program << ": valid for " << config.name << '\n';
    return std::nullopt;
  }
  return session.run();
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return cli::run_main(kExecutable, argc, argv, run);
}
