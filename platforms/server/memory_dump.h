// The memory of the PEs at the end of a run, as files beside the compiled program, so that a host
// program can read variables after its run and in another process (docs/csl-host.md).
#pragma once

#include <string>

#include "frontends/compiled/program.h"
#include "platforms/wse/command_stream.h"
#include "platforms/wse/workload.h"

namespace tessera::server {

/// Throws UserError when write_memory() cannot write into the folder: to be known before a long run.
void require_memory_writable(const std::string& folder);

/// Writes FOLDER/memory.json (tiles, and the variables of each code) and FOLDER/memory.bin (the memory
/// of the tiles, one after the other). Throws UserError when they cannot be written.
void write_memory(const compiled::Program& program, const wse::Workload& workload,
                  const wse::CommandStream& stream, const std::string& folder);

}  // namespace tessera::server
