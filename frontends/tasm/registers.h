// Names of registers and data structure registers: r0..r15, d0, d2 .. d14, dds0..15, s0ds0..15,
// s1ds0..15, and microthreads ut0..ut7.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/pe/isa.h"

namespace tessera::tasm {

class TokenCursor;

/// A name with the shape of a register (file prefix and number), whether there is such a register
/// or not.
struct RegisterName {
  pe::OperandKind kind = pe::kNoOperand;
  unsigned number = 0;
};

/// No value: the name does not have the shape of a register, so it is free for the program.
std::optional<RegisterName> register_name(std::string_view text);

/// What messages say after such a name where the program needs one of its own.
inline constexpr const char* kReadsAsRegister =
    ", which reads as a register; r, d, dds, s0ds, s1ds and ut with a number are no free names";

/// The register that comes next, if it is one; throws UserError if it has the shape of a register
/// but does not exist.
std::optional<RegisterName> accept_register(TokenCursor& cursor);

/// The operand in assembly; `kind` is that of a register, DSR or microthread.
std::string to_string(pe::OperandKind kind, unsigned number);

}  // namespace tessera::tasm
