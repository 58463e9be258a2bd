// Assembler of tile assembly (`.tasm`): text to the code image of a tile. The language is described
// in docs/tile-isa.md; limits of the machine that it enforces: queues and colors (reference
// wse.md 2.1, 2.2), task ids and control task tables (3.1, 3.3), descriptors and FIFOs (5.2 to 5.6,
// 5.8, 5.10, 5.11), forms of DSD operations (6.7), 48 KB of SRAM (6.2).
//
// SRAM holds, from address 0: the task tables (pe::Image::task_table_bytes), the code (4 bytes an
// instruction), the data symbols in the order of the text, each aligned to the size of its
// elements or to what the program says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "models/pe/program.h"

namespace tessera::tasm {

struct AssembleOptions {
  std::string file;  ///< name of the program in messages and in Image::file
  Generation generation = Generation::kWse3;
  /// Values of params; each must be declared, each param without a default must be here.
  std::map<std::string, std::int64_t> params;
  bool control_task_31 = true;  ///< a control task may have the id 31 (wse.md 3.1)
};

/// Name of the warnings in Image::warnings: what link_check.cpp finds.
inline constexpr const char* kStaleReturn = "/tessera/tasm/stale_return";

/// Throws UserError with file, line:column and what was expected there.
pe::Image assemble(std::string_view text, const AssembleOptions& options);

/// As `assemble`, for the contents of a file. If `options.file` is empty, messages name the file by
/// `path`. Throws UserError also if the file cannot be read.
pe::Image assemble_file(const std::string& path, AssembleOptions options);

}  // namespace tessera::tasm
