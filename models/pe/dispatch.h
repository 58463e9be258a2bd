// The dispatch of one DSD operation (reference wse.md 4, 5.5 to 5.11, 6.3): what its operands,
// length, thread and rate are, and what forbids it.
#pragma once

#include <optional>

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"
#include "models/pe/output_bindings.h"

namespace tessera::pe {

/// The operation for instruction `in`, which the main thread has issued. Operations `running` are in
/// progress. None: there is none to do, because a single_step operand has no element left.
std::optional<Operation> dispatch(EngineState& pe, const DecodedInstruction& in,
                                  const Operations& running, OutputBindings& outputs, Cycle now);

}  // namespace tessera::pe
