// A compiled communication program as what the models run: VFSMs, schedules, addresses and tasks
// (models/scheduled/program.h).
#pragma once

#include <string>

#include "frontends/operators/compiler.h"
#include "frontends/operators/memory.h"
#include "frontends/operators/termination.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

/// Throws UserError when a node needs more VFSMs or addresses than the machine has.
scheduled::Program lower(const Program& program, const Compiled& compiled, const Target& target,
                         const MemoryMap& map);

}  // namespace tessera::operators
