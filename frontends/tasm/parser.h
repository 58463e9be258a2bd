// Text of a tile program to statements. Knows the shape of every line, not the meaning of its
// names.
#pragma once

#include <string_view>
#include <vector>

#include "frontends/tasm/syntax.h"

namespace tessera::tasm {

/// Throws UserError at the first line that is not part of the language.
std::vector<Statement> parse(std::string_view text, const Diagnostics& diagnostics);

/// Parser of one declaration line, which starts with one of `keywords`.
Statement parse_declaration(TokenCursor& cursor);
/// Parser of one instruction line.
InstructionStatement parse_instruction(TokenCursor& cursor);

/// A name that the program gives to something: neither a keyword nor a register. `what` for the
/// message ("a task").
Name parse_new_name(TokenCursor& cursor, const std::string& what);

/// The words that start a declaration.
const std::vector<std::string>& keywords();

}  // namespace tessera::tasm
