// Parser of PTO assembly in MLIR text form; docs/ascend-platform.md lists what it takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/pto/ast.h"

namespace tessera::pto {

enum class Unknown : std::uint8_t {
  kRefuse,  ///< an operation without a row in operations.h is an error
  kKeep     ///< such an operation is kept as text
};

/// Throws UserError(file, "LINE:COLUMN", "expected X, found Y").
Module parse(std::string_view text, const std::string& file, Unknown unknown = Unknown::kRefuse);
/// Reads a file. Throws UserError, also when it cannot be read.
Module parse_file(const std::string& path, Unknown unknown = Unknown::kRefuse);

}  // namespace tessera::pto
