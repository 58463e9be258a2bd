// Operators as streams (numesh.md 2.2). A stream is a tree of stops, one per node it visits: the
// word comes from the stop before and goes to the branches of the stop in their order. Where it
// goes is decided here, when (slots) is not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/operators/program.h"

namespace tessera::operators {

/// Why a stop hands a word to its own processor.
enum class Delivery : std::uint8_t {
  kData,   ///< the node is a destination
  kEcho,   ///< the node is the source: proof that the word has left (numesh.md 3.4)
  kCross,  ///< the word only crosses the node: proof that it has left; the processor drops it
};

struct Branch {
  bool deliver = false;
  Delivery delivery = Delivery::kData;  ///< if `deliver`
  std::size_t stop = 0;                 ///< index of the next stop, if not `deliver`
};

struct Stop {
  NodeIndex node = 0;
  std::size_t parent = 0;  ///< index of the stop before; the first stop has none
  std::size_t depth = 0;   ///< hops from the source
  std::vector<Branch> branches;

  bool takes_data() const {
    return std::any_of(branches.begin(), branches.end(),
                       [](const Branch& b) { return b.deliver && b.delivery == Delivery::kData; });
  }
};

struct StreamPlan {
  std::string name;         ///< "shift 0>1"
  bool total = false;       ///< prefix: this stream brings the total back to all
  std::vector<Stop> stops;  ///< the source first, parents before children

  NodeIndex source() const { return stops.front().node; }
  /// The node that a stop other than the first gets the word from.
  NodeIndex before(const Stop& stop) const { return stops[stop.parent].node; }
  /// Slots that a word of it takes on a node.
  std::size_t slots_on(std::size_t stop) const { return stops[stop].branches.size(); }
};

/// What the streams of an operator have besides their data. It follows from the technique.
struct StreamOptions {
  bool echo = false;
  bool echo_first = false;
  bool branch_outsiders = false;  ///< nodes that are crossed and take no part get a branch
  bool branch_members = false;    ///< nodes of the operator that are crossed get a branch
};

/// What a node does with the words of one round of an operator's loop. Streams are indices in
/// OperatorStreams::streams.
struct NodeRole {
  NodeIndex node = 0;
  bool member = false;              ///< false: the node is only crossed
  std::vector<std::size_t> writes;  ///< streams that start here
  std::vector<std::size_t> reads;   ///< streams whose data it takes, totals last
  std::vector<std::size_t> proofs;  ///< echoes and crossings, whose words are dropped
};

struct OperatorStreams {
  std::size_t op = 0;
  std::vector<StreamPlan> streams;
  std::vector<NodeRole> roles;  ///< all nodes that have something to do, by rising node
  Nodes touched;                ///< nodes that a stream visits, sorted

  const NodeRole* role_of(NodeIndex node) const;
};

/// The streams of an operator; for kOnline, one-hop streams between all neighbours.
OperatorStreams make_streams(const Program& program, std::size_t op, const StreamOptions& options);

}  // namespace tessera::operators
