// numesh_platform: runs a communication program on a statically scheduled mesh. Manual:
// docs/numesh-platform.md.
#include <systemc>

#include <iostream>

#include "platforms/cli/main.h"
#include "platforms/numesh/machine.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/numesh/session.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"numesh_platform",
                                     "numesh",
                                     "runs a communication program on a scheduled mesh",
                                     "communication program (JSON, see docs/numesh-platform.md)",
                                     {"numesh"},
                                     numesh::kStructures,
                                     "numesh",
                                     true};

std::optional<report::Report> run(const cli::Options& options) {
  const numesh::NumeshConfig config = numesh::load_numesh_config(options);
  if (options.print_config) {
    numesh::print_numesh_config(std::cout, config);
    return std::nullopt;
  }
  numesh::Session session(options, config);
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
