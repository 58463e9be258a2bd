// Calls of the running program (csl.md 4): a call becomes one of the tile, is expanded where it
// stands, or is carried out at compile time.
#pragma once

#include <vector>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

Result run_time_call(Evaluator& evaluator, const FunctionValue& callee,
                     const std::vector<Result>& arguments, const Node& at);
/// Calls the function that a pointer of the running program points to.
Result call_through(Evaluator& evaluator, const Result& pointer,
                    const std::vector<Result>& arguments, const Node& at);
/// Analyses the body of a function in place of the call.
Result expand_call(Evaluator& evaluator, const FunctionValue& callee,
                   const std::vector<Result>& arguments, const Node& at);
/// Makes a parameter known under its name. `type` is that of the parameter.
void bind_parameter(Frame& frame, const Parameter& parameter, Result argument);

}  // namespace tessera::csl
