// Parser of CSL (csl.md 1); docs/csl.md lists what it takes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/csl/syntax/source_file.h"

namespace tessera::csl {

/// Levels of brackets, blocks and operators inside each other.
inline constexpr unsigned kMostLevels = 256;
/// No tree is higher: sums of many terms and chains of calls are trees that lean to one side.
inline constexpr unsigned kMostHeight = 1000;

/// `number` is Node::file of all nodes. `mixed` gets the operations whose operands C would group
/// otherwise: the `&` of `a | b & c`. Throws UserError(file, "LINE:COLUMN", problem) at the first
/// mistake; the problem ends with the line and a caret.
std::shared_ptr<const SourceFile> parse(std::string text, std::string name,
                                        std::uint16_t number = 0,
                                        std::vector<const Expr*>* mixed = nullptr);
/// Reads a file. Throws UserError, also when it cannot be read.
std::shared_ptr<const SourceFile> parse_file(const std::string& path, std::uint16_t number = 0,
                                             std::vector<const Expr*>* mixed = nullptr);

}  // namespace tessera::csl
