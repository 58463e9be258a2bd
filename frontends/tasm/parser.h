// Lines of a tile program to statements. Knows the shape of every line, not the meaning of its
// names.
#pragma once

#include <string>
#include <vector>

#include "frontends/tasm/syntax.h"

namespace tessera::tasm {

/// The statement of a line that is not empty. Throws UserError if it is not part of the language.
Statement parse_line(TokenCursor& cursor);
/// A name that the program gives to something: neither a keyword nor a register. `what` for the
/// message ("a task").
Name parse_new_name(TokenCursor& cursor, const std::string& what);

/// Parser of one instruction line.
InstructionStatement parse_instruction(TokenCursor& cursor);
/// All options up to the end of the line. `behind` says what they follow, for the message when
/// there is something else ("the 2 operands of lddsr").
void parse_options(TokenCursor& cursor, const std::string& behind, OptionsSyntax& options);

/// The words that start a declaration, or a line that expand.cpp carries out.
const std::vector<std::string>& keywords();

}  // namespace tessera::tasm
