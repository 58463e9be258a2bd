// Declarations as tile assembly, for the disassembler.
#pragma once

#include <string>

#include "models/pe/program.h"

namespace tessera::tasm {

/// Everything that stands above the code, one declaration a line. Lists keep the order of the
/// image.
std::string declarations_text(const pe::Image& image);

/// "task reduce local 10 blocked".
std::string task_line(const pe::Image& image, const pe::TaskBinding& task);

}  // namespace tessera::tasm
