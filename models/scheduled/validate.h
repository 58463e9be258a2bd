// Whether a Program is one that the models can run: every number names something, slots do not
// collide inside a node, no link leaves the mesh; and what SkewPolicy::kCheck refuses (reference
// numesh.md 4.4, 4.5).
#pragma once

#include "models/scheduled/program.h"

namespace tessera::scheduled {

/// Throws std::invalid_argument that names node, schedule and problem: "node 3, schedule 'a': a slot
/// names no transfer".
void validate(const Program& program);
/// `program`, if it is valid and SkewPolicy::kCheck does not refuse it. Throws as validate(), and
/// IllegalBehaviour (kCollisionId) that names the first pair of slots that may collide: while
/// neighbours are in consecutive phases, a word of one phase may enter a stream of the other.
const Program& checked(const Program& program);

inline constexpr const char* kCollisionId = "/tessera/scheduled/phase_collision";

}  // namespace tessera::scheduled
