// The lines of a tile program that stand for others: `include`, `macro`, `repeat` and `if`. They are
// carried out while the text is read, with the params and consts above them, so all later steps see
// plain statements. docs/tile-programs.md describes them to users.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {

/// The words that start such a line.
inline constexpr std::array<std::string_view, 8> kDirectives = {
    "include", "macro", "endmacro", "repeat", "endrepeat", "if", "else", "endif"};

/// Macros, repeats, ifs and includes inside each other.
inline constexpr unsigned kMostLevels = 64;
/// Words and lines that expansions write, in all.
inline constexpr std::size_t kMostExpanded = 1000000;

/// Reads a program. Declares params and consts in `a` where a line needs them. Adds what expands to
/// `diagnostics`, which are those of `a`. Throws UserError at the first line that is not part of the
/// language, and at the line that exceeds the bounds above.
std::vector<Statement> read_statements(std::string_view text, Assembly& a,
                                       Diagnostics& diagnostics);

}  // namespace tessera::tasm
