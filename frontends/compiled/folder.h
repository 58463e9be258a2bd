// The folder that tessera_cslc leaves, and a compiled program read from it without the sources.
//
//   out.json          params and colors of the command line, as scripts read them (csl.md 15)
//   bin/out_K_0.elf   a code as tile assembly, with the lines of its CSL files (code_files.h)
//   bin/out_rpc.json  what the host may name
//   layout.json       tiles and routes, a layout of docs/layout.md
//   tessera.json      the rest
#pragma once

#include <string>

#include "frontends/compiled/program.h"

namespace tessera::compiled {

/// Writes all files; `version` is that of Tessera. Throws UserError if one cannot be written.
void write_folder(const Program& program, const std::string& folder, const std::string& version);

/// Writes out.json alone, which needs no code.
void write_parameters(const std::string& folder,
                      const std::vector<std::pair<std::string, std::uint64_t>>& params,
                      const std::vector<std::pair<std::string, std::uint64_t>>& colors);

/// Reads the program. Throws UserError if a file is missing, is not what write_folder() writes, or
/// was written by another version. The code is assembled later (wse::Programs).
Program read_folder(const std::string& folder, const std::string& version);

}  // namespace tessera::compiled
