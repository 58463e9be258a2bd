// The dispatch of one DSD operation (reference wse.md 4, 5.5 to 5.11, 6.3): what its operands,
// length, thread and rate are, and what forbids it.
#pragma once

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"
#include "models/pe/output_bindings.h"

namespace tessera::pe {

/// What dispatch() begins with: what another engine has dispatched for `in` if this one may, too, else a
/// new operation.
Operation operation_for(const EngineState& pe, const DecodedInstruction& in,
                        const OutputBindings& outputs);
/// Sets up `op`, which is operation_for() of instruction `in`, which the main thread has issued.
/// Operations `running` are in progress. False: there is none to do, because a single_step operand
/// has no element left.
bool dispatch(EngineState& pe, const DecodedInstruction& in, const Operations& running,
              OutputBindings& outputs, Cycle now, Operation& op);

}  // namespace tessera::pe
