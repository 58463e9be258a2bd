// Text of a tile program to statements. Knows the shape of every line, not the meaning of its
// names.
#pragma once

#include <string_view>
#include <vector>

#include "frontends/tasm/syntax.h"

namespace tessera::tasm {

/// Throws UserError at the first line that is not part of the language.
std::vector<Statement> parse(std::string_view text, const Diagnostics& diagnostics);

/// Parser of one instruction line.
InstructionStatement parse_instruction(TokenCursor& cursor);
/// All options up to the end of the line. `behind` says what they follow, for the message when
/// there is something else ("the 2 operands of lddsr").
void parse_options(TokenCursor& cursor, const std::string& behind, OptionsSyntax& options);

/// The words that start a declaration.
const std::vector<std::string>& keywords();

}  // namespace tessera::tasm
