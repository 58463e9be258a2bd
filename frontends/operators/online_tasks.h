// What nodes do in an operator that is routed online (numesh.md 2.3): they hand their messages to
// the software router, then wait for those that come for them, one in a queue of its own each.
#pragma once

#include <vector>

#include "frontends/operators/memory.h"
#include "frontends/operators/program.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

/// One use at `node`; empty if it neither sends nor receives.
std::vector<scheduled::Block> online_blocks(const Operator& op, NodeIndex node,
                                            const MemoryMap& map);
/// Messages for `node`.
unsigned queues_of(const Operator& op, NodeIndex node);
/// Throws UserError for messages that the software routers cannot take.
void check_messages(const Program& program, const Operator& op);

}  // namespace tessera::operators
