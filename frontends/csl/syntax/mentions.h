// Whether an expression names one of some variables.
#pragma once

#include <string_view>
#include <vector>

#include "frontends/csl/syntax/ast.h"

namespace tessera::csl {

/// A name counts wherever it stands, also where a declaration inside of the expression hides it.
bool mentions(const Expr& e, const std::vector<std::string_view>& names);

}  // namespace tessera::csl
