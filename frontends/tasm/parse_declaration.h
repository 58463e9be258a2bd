// Parsers of single declarations, used by parse_declaration only. The cursor stands behind the
// keyword; `place` is that of the keyword. What is left of the line is for the caller to refuse.
#pragma once

#include "frontends/tasm/parser.h"

namespace tessera::tasm {

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
