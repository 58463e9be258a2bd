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

// Parsers of single declarations, for parse_declaration only. The cursor stands behind the keyword;
// `place` is that of the keyword. The caller refuses what is left of the line.

inline Name name_of(const Token& token) {
  return {token.place, token.text};
}

// parse_dsd.cpp
Statement parse_dsd(TokenCursor& cursor, Place place);
Statement parse_fifo(TokenCursor& cursor, Place place);
Statement parse_initial_load(TokenCursor& cursor, Place place);

// parse_task.cpp
Statement parse_task(TokenCursor& cursor, Place place);
Statement parse_control_table(TokenCursor& cursor, Place place);
Statement parse_rotate(TokenCursor& cursor, Place place);
Statement parse_main_thread(TokenCursor& cursor, Place place);
Statement parse_control_transform(TokenCursor& cursor, Place place);
Statement parse_microthread(TokenCursor& cursor, Place place);

}  // namespace tessera::tasm
