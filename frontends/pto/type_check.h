// The types of a module, before it is lowered: each value has the type of its definition, each use repeats it, and each
// operation takes and gives types of its own kind, as MLIR asks for.
#pragma once

#include "frontends/pto/ast.h"

namespace tessera::pto {

/// Throws UserError for the first operand, result or argument whose type contradicts its definition or its operation.
/// What a text leaves out is not checked.
void check_types(const Module& module);

}  // namespace tessera::pto
