// Expressions of constants.
#pragma once

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

/// Whether an operator stands between numbers, parameters and constants of files alone, so that the expression has the same value
/// wherever it stands in the file.
bool is_of_constants(Engine& engine, const Frame& frame, const Expr& e);

}  // namespace tessera::csl
