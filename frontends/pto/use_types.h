// The types that an operation says its operands have: in MLIR they repeat those of their definitions.
#pragma once

#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/pto/operations.h"

namespace tessera::pto {

/// The type that the text states for each argument of the operation; nullptr: it states none.
std::vector<const Type*> stated_types(const Operation& op, const OperationInfo& info);

/// Whether a value cannot have both types: another number of rows or columns, other elements, another memory or
/// layout. A type of which nothing is known agrees with everything.
bool contradict(const Type& defined, const Type& used);

}  // namespace tessera::pto
