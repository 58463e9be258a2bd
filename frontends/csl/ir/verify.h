// The rules of the IR: every block ends with its only terminator, types agree, registers have a
// value on every path to their use, calls fit their callees.
#pragma once

#include <string>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// One sentence for each broken rule, with function, block and instruction. Empty: none.
std::vector<std::string> problems_of(const Module& module);

/// Those of one function, which need not be that of the module.
std::vector<std::string> problems_of(const Module& module, const Function& function);

/// Throws std::logic_error with the problems: the IR comes from the compiler, not from the user.
void require_valid(const Module& module);

}  // namespace tessera::csl::ir
