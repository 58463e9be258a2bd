// Options behind the operands of an instruction and behind the dsd of a `dsr` line: which exist,
// what each stands behind, which exclude each other (reference wse.md 5.7, 5.11, 6.7), and on which
// generation (ut= on WSE-3, priority= on WSE-2, wse.md 4). Throws UserError at the option.
#pragma once

#include <string>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/lexer.h"

namespace tessera::tasm {

/// All options up to the end of the line. `behind` says what they follow, for the message when
/// there is something else ("the 2 operands of lddsr").
void parse_options(TokenCursor& cursor, const std::string& behind, OptionsSyntax& options);

/// Options of the load of `dsd` into `dsr`, by `lddsr` or a `dsr` line. Also throws if the DSR may
/// not hold the descriptor, or if it or its XDSR belongs to a FIFO of `a.image`. `place`: of the
/// name of the dsd.
pe::OpConfig encode_load_options(const Assembly& a, const OptionsSyntax& options,
                                 const pe::Operand& dsr, const pe::Dsd& dsd, Place place);

/// Options of any other instruction, which has its operands already.
pe::OpConfig encode_operation_options(const Assembly& a, const InstructionStatement& s,
                                      const pe::Instruction& instruction);

}  // namespace tessera::tasm
