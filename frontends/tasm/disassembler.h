// Disassembler: a code image back to tile assembly. What `assemble` made is printed so that
// assembling the text again gives the same image; params and consts appear as their values. Of all
// places, only those are kept that a `line` directive or a compiler has named.
//
// Images from elsewhere may hold what the language cannot say (a jump into the middle of another
// task, a task id without a name, a descriptor of no symbol's elements); these print as numbers.
#pragma once

#include <string>

#include "frontends/tasm/print.h"
#include "models/pe/program.h"

namespace tessera::tasm {

std::string disassemble(const pe::Image& image);
/// As above, with the numbers of the program as `numbers` writes them, in the order of the text.
std::string disassemble(const pe::Image& image, NumberWriter& numbers);

/// One instruction on one line, for messages: "fadds dds2, s0ds2, s1ds2 async".
std::string to_string(const pe::Instruction& instruction, const pe::Image& image);

}  // namespace tessera::tasm
