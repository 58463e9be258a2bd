// Files that a run writes.
#pragma once

#include <fstream>
#include <string>

namespace tessera::run {

/// Opens `path` for writing and empties it. Throws UserError when it cannot be written.
std::ofstream open_output(const std::string& path);
/// Throws UserError when `path` cannot be written. Leaves the file as it is, also if there is none.
void require_writable(const std::string& path);
/// Flushes; throws UserError when not everything could be written. `path` is for the message.
void require_complete(const std::string& path, std::ofstream& stream);

}  // namespace tessera::run
