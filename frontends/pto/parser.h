// Parser of PTO assembly in MLIR text form; docs/ascend.md lists what it takes.
#pragma once

#include <string>
#include <string_view>

#include "frontends/pto/ast.h"

namespace tessera::pto {

/// Throws UserError(file, "LINE:COLUMN", "expected .., found ..").
Module parse(std::string_view text, const std::string& file);
/// Reads a file. Throws UserError, also when it cannot be read.
Module parse_file(const std::string& path);

}  // namespace tessera::pto
