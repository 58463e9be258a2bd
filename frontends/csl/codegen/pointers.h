// Where the addresses of a program come from.
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// Whether every pointer in `functions` comes from a variable: none is made of a number, as the address of a
/// register of the configuration space would be. Must see the module before addresses are lowered to arithmetic.
bool pointers_name_data(const ir::Module& module, const std::vector<ir::FunctionId>& functions);

}  // namespace tessera::csl::codegen
