// A tile program with the lines of its CSL files beside it.
#pragma once

#include <string>

#include "models/pe/program.h"

namespace tessera::compiled {

/// Tile assembly (tasm::disassemble) of a compiled program, with a `line` directive for each place.
/// Where the file can be read, the text of the line stands beside it as a comment.
std::string listing(const pe::Image& image);

}  // namespace tessera::compiled
