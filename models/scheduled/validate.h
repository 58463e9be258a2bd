// Whether a Program is one that the models can run: every number names something, slots do not
// collide inside a node, no link leaves the mesh.
#pragma once

#include "models/scheduled/program.h"

namespace tessera::scheduled {

/// Throws std::invalid_argument: "node 3, schedule 'a': ..; expected ..".
void validate(const Program& program);
/// `program`, if it is valid and SkewPolicy::kCheck does not refuse it; throws as validate() and
/// refuse_collisions().
const Program& checked(const Program& program);

}  // namespace tessera::scheduled
