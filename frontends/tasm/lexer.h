// Cuts one line of tile assembly into tokens.
#pragma once

#include <string_view>
#include <vector>

#include "frontends/tasm/token.h"

namespace tessera::tasm {

/// Tokens of `line` without its comment; the last one is always kEnd. Throws UserError on a
/// character or number that is not part of the language.
std::vector<Token> lex_line(std::string_view line, unsigned line_number,
                            const Diagnostics& diagnostics);

}  // namespace tessera::tasm
