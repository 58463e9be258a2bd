// The phases and tasks of all nodes as a trace for ui.perfetto.dev: a process per node, 1 us per
// cycle.
#pragma once

#include <iosfwd>

#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"

namespace tessera::numesh {

/// `end`: cycle in which the run ended; what is not over by then lasts until it.
void write_phase_trace(std::ostream& out, const scheduled::Program& program,
                       const scheduled::MeshView& mesh, Cycle end);

}  // namespace tessera::numesh
