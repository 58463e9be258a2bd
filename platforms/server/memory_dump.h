// The memory of the PEs at the end of a run, as files beside the compiled program, so that a host
// program can read variables after its run and in another process (docs/csl-host.md).
#pragma once

#include <memory>
#include <string>

#include "frontends/compiled/program.h"
#include "frontends/text/folder_lock.h"
#include "platforms/wse/command_stream.h"
#include "platforms/wse/workload.h"

namespace tessera::server {

/// Throws UserError when write_memory() cannot write into the folder: to be known before a long run.
void require_memory_writable(const std::string& folder);

/// Writes FOLDER/memory.json (tiles, and the variables of each code) and FOLDER/memory.bin (the memory
/// of the tiles, one after the other). As long as the caller keeps the lock that it answers, no other run replaces them.
/// Throws UserError when they cannot be written.
std::unique_ptr<text::FolderLock> write_memory(const compiled::Program& program,
                                               const wse::Workload& workload,
                                               const wse::CommandStream& stream,
                                               const std::string& folder);

}  // namespace tessera::server
