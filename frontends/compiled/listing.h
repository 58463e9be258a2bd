// A tile program with the lines of its CSL files beside it.
#pragma once

#include <string>

#include "frontends/tasm/print.h"
#include "models/pe/program.h"

namespace tessera::compiled {

/// Tile assembly (tasm::disassemble) of a compiled program, with a `line` directive for each place.
std::string assembly_of(const pe::Image& image, tasm::NumberWriter& numbers);

/// Tile assembly with the text of each line that a `line` directive names as a comment, where the file can be read.
std::string with_sources(const std::string& assembly);

/// Both together.
std::string listing(const pe::Image& image);

}  // namespace tessera::compiled
