// tessera_csl_server: simulates a compiled CSL program for a host program, which sends commands to its
// standard input (docs/csl-host.md). The package in python/ starts it.
#include <systemc>

#include <iostream>
#include <string>

#include <unistd.h>

#include "platforms/server/frame.h"
#include "platforms/server/serve.h"
#include "tessera_commit.h"

int sc_main(int argc, char* argv[]) {
  const std::string role = argc == 2 ? argv[1] : "";
  if (role == "--rank") return tessera::server::serve_rank(TESSERA_COMMIT);
  if (role == "--release") return tessera::server::release_ranks();
  if (isatty(STDIN_FILENO) != 0) {
    std::cerr << "tessera_csl_server is started by host programs; run them with cs_python\n";
    return 2;
  }
  tessera::server::FrameChannel channel = tessera::server::FrameChannel::of_process();
  return tessera::server::serve(channel, TESSERA_COMMIT);
}
