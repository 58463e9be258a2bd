// Streams of the host at the rim of the fabric, which an option of the compiler declares.
#pragma once

#include <string>

#include "frontends/compiled/program.h"

namespace tessera::compiled {

/// "NAME:in:X,Y:SIDE:COLOR" or "NAME:out:..": the side of the PE (X, Y) of the fabric over which the
/// wavelets enter or leave. Throws UserError.
Port port_of(const std::string& text);

/// Throws UserError if the link does not cross the rim or the name is taken.
void add_port(const Port& port, Program& program);

}  // namespace tessera::compiled
