// The loops in which processors do the I/O of an operator: word by word, so that no more words are
// under way than its streams hold. Words that only prove something (echoes, crossings, totals of a
// prefix) are read a few rounds later, so that waiting for them does not cost a round trip a word.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "frontends/operators/memory.h"
#include "frontends/operators/program.h"
#include "frontends/operators/streams.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

/// Where a node writes and reads the streams of an operator.
struct Addresses {
  std::function<unsigned(std::size_t stream)> output;
  std::function<unsigned(std::size_t stream)> input;  ///< the address at the node of the loop
  std::function<scheduled::StreamId(std::size_t stream)> id;
};

/// One use of the operator at one node.
std::vector<scheduled::Block> node_loops(const Operator& op, const OperatorStreams& streams,
                                         const NodeRole& role, const Addresses& addresses,
                                         const MemoryMap& map, std::size_t index,
                                         const scheduled::Rules& rules);

// An operator that is routed online (numesh.md 2.3): nodes hand their messages to the software
// router, then wait for the messages that come for them. Each of these has a queue of its own.

/// One use of the operator at `node`; empty if it neither sends nor receives.
std::vector<scheduled::Block> online_blocks(const Operator& op, NodeIndex node,
                                            const MemoryMap& map);
/// The number of messages for `node`.
unsigned queues_of(const Operator& op, NodeIndex node);
/// Throws UserError for messages that the software routers cannot take.
void check_messages(const Program& program, const Operator& op);

}  // namespace tessera::operators
