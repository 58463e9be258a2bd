// The types that operands have where they are used: in MLIR they repeat those of their definitions.
#pragma once

#include "frontends/pto/ast.h"
#include "frontends/pto/operations.h"
#include "frontends/pto/scope.h"

namespace tessera::pto {

/// Throws UserError for the first operand whose type contradicts its definition: another number of rows or columns,
/// other elements, another memory or layout. What one of the two leaves open agrees with everything.
void check_use_types(const Operation& op, const OperationInfo& info, const Scope& scope,
                     const Diagnostics& diagnostics);

}  // namespace tessera::pto
