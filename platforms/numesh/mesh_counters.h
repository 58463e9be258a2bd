// Counters of a scheduled mesh, as reports and the host port show them.
#pragma once

#include <vector>

#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"
#include "platforms/report/report.h"

namespace tessera::numesh {

/// Changes of its schedule that a node has made.
std::uint64_t phase_changes(const scheduled::Program& program, const scheduled::MeshView& mesh,
                            scheduled::NodeId node);

/// Totals over all nodes: words_written, words_read, phase_changes, words_left.
std::vector<report::Counter> totals(const scheduled::Program& program,
                                    const scheduled::MeshView& mesh);

}  // namespace tessera::numesh
