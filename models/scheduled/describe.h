// Words that lie in a router and why they do: for a deadlock report (reference numesh.md 6.2, S18,
// S20), which names node, stream and phase.
#pragma once

#include <functional>

#include "models/observe/wait.h"
#include "models/scheduled/program.h"
#include "models/scheduled/router_core.h"

namespace tessera::scheduled {

using RouterOf = std::function<const RouterCore&(NodeId)>;

/// A line for every VFSM of `node` that holds words.
void describe_words(const Program& program, NodeId node, const RouterOf& router,
                    observe::Waits& waits);

}  // namespace tessera::scheduled
