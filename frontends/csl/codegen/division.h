// Division of integers by constants without a division, as compilers do it: shifts and masks for powers
// of two, else a product with the reciprocal (Granlund and Montgomery 1994).
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// Appends code that does the same as `in`, a kDiv or kRem of integers by a constant. False: there is
/// no such code, and nothing was appended.
bool divide_by_constant(const ir::Instruction& in, ir::Function& function,
                        std::vector<ir::Instruction>& out);

}  // namespace tessera::csl::codegen
