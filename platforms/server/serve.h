// The whole life of a server: it is told which compiled program to load and with which options,
// builds the machine, carries out the commands of the host and writes the report.
#pragma once

#include <string>

#include "platforms/server/frame.h"

namespace tessera::server {

/// Serves one host program; `commit` is that of the sources (cli::Executable). Answers the exit code of the process. Call from sc_main: SystemC elaborates
/// once a process.
int serve(FrameChannel& channel, const std::string& commit);
/// One of the other processes of mpirun: has tiles of the machine of the first one, until that releases it.
int serve_rank(const std::string& commit);
/// Releases the other processes of mpirun, if no run has done so.
int release_ranks();

}  // namespace tessera::server
