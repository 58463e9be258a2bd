// A tile program with the lines of its CSL files beside it.
#pragma once

#include <string>

#include "models/pe/program.h"

namespace tessera::compiled {

/// Tile assembly (tasm::disassemble). Each `line` that names a file which can be read has the text of
/// the line as a comment.
std::string listing(const pe::Image& image);

}  // namespace tessera::compiled
