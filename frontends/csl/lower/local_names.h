// What debuggers know of the locals of a function: their names, types and blocks (ir::SourceLocal).
#pragma once

#include <string_view>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// `variable`, a local of the function that is made, is `name` of the source, declared at `at` in the innermost block.
void name_variable(Evaluator& evaluator, ir::VariableId variable, std::string_view name,
                   const Type& type, const Node& at);
/// The same of a value that never changes, if it is in a register or in memory of its own.
void name_constant(Evaluator& evaluator, const Result& value, std::string_view name,
                   const Node& at);
/// Nothing more is added to the function: which lines give its variables their values.
void find_assignments(ir::Module& module, const FunctionCode& code);

}  // namespace tessera::csl
