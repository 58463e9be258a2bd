// Operations and tasks of a compute engine in words, for deadlock reports and messages.
#pragma once

#include <string>

#include "models/observe/wait.h"
#include "models/pe/engine_state.h"
#include "models/pe/operations.h"

namespace tessera::pe {

/// "microthread 2, fadds at gemv.tasm:31 (task reduce)".
std::string describe(const Operation& op, const Image& image);

/// As ComputeEngineCore::describe_waits.
void describe_waits(const EngineState& pe, const Operations& operations, observe::Waits& waits,
                    Cycle now);

}  // namespace tessera::pe
