// Operations as they are dispatched again and again (Prototype, operation.h): an engine begins with what it or another one
// that runs the image has dispatched for the instruction before.
#pragma once

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"
#include "models/pe/output_bindings.h"

namespace tessera::pe {

/// Whether the prototype of `in` was made of the descriptors and options that the DSRs of `pe` have now, and reads the
/// queues that receive for them.
bool fits(const Prototype& prototype, const EngineState& pe, const DecodedInstruction& in,
          const OutputBindings& outputs);
/// Keeps `op`, which has been worked out for `pe`, if that pays.
void keep_prototype(const EngineState& pe, const Operation& op);

}  // namespace tessera::pe
