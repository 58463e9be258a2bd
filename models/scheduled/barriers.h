// Barriers among the nodes of an extent (reference numesh.md 3.6, 4.5). A node arrives; when all
// have, they are released Rules::barrier_latency cycles after the last. Rounds follow each other.
// Who arrives is a member: program.h. The end of the program is noted here too: who has come to it, and when
// the last has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/scheduled/program.h"
#include "models/state/fwd.h"

namespace tessera::scheduled {

class Barriers {
 public:
  /// `on_release(extent, cycle)`: the nodes of the extent may go on in `cycle`, a later one.
  using Release = std::function<void(std::uint32_t extent, Cycle cycle)>;
  /// `on_end(cycle)`: the last node is through its phases in `cycle`.
  using End = std::function<void(Cycle cycle)>;

  /// `program` outlives the barriers.
  explicit Barriers(const Program& program)
      : program_(program), latency_(std::max<Cycle>(1, program.rules.barrier_latency)),
        extents_(program.extents.size()),
        going_(static_cast<std::size_t>(
            std::count_if(program.nodes.begin(), program.nodes.end(),
                          [](const Node& node) { return !node.turns.empty(); }))) {
    for (std::size_t e = 0; e < extents_.size(); ++e)
      extents_[e].arrived.reserve(program.extents[e].size());
  }
  void set_release(Release release) { release_ = std::move(release); }
  void set_end(End end) { end_ = std::move(end); }
  /// Nobody has arrived anywhere.
  void reset() {
    for (Extent& extent : extents_) {
      extent.arrived.clear();
      extent.round = 0;
      extent.released_at = kNever;
    }
    ended_ = 0;
  }
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// A node is through its phases in cycle `now`.
  void end(Cycle now) {
    if (++ended_ == going_ && end_) end_(now);
  }

  /// `node` arrives in cycle `now`; returns the number of its round.
  std::uint32_t arrive(std::uint32_t extent, NodeId node, Cycle now) {
    Extent& e = extents_[extent];
    const std::uint32_t round = e.round;
    e.arrived.push_back(node);
    if (e.arrived.size() < program_.extents[extent].size()) return round;
    e.arrived.clear();
    ++e.round;
    e.released_at = now + latency_;
    if (release_) release_(extent, e.released_at);
    return round;
  }
  /// The cycle from which a node of `round` may go on; kNever if some have not arrived. A node asks
  /// before it arrives in a later round, so only the last release must be known.
  Cycle released(std::uint32_t extent, std::uint32_t round) const {
    const Extent& e = extents_[extent];
    return e.round > round ? e.released_at : kNever;
  }
  /// The members that have not arrived in the present round, in words for a deadlock report.
  std::string missing(std::uint32_t extent) const;

 private:
  struct Extent {
    std::vector<NodeId> arrived;  // in this round
    std::uint32_t round = 0;
    Cycle released_at = kNever;

    void visit(state::Archive& archive);
  };
  const Program& program_;
  const Cycle latency_;
  Release release_;
  End end_;
  std::vector<Extent> extents_;
  const std::size_t going_;  // nodes with phases
  std::size_t ended_ = 0;    // nodes that are through their phases
};

/// The barrier at the end of a turn, as one node takes part in it.
class TurnBarrier {
 public:
  /// `barriers` outlives it.
  TurnBarrier(Barriers& barriers, NodeId at) : barriers_(barriers), at_(at) {}

  /// The cycle in which it lets the node go from `phase`, the delay of its tasks included; kNever:
  /// not known yet. The node arrives if it has not.
  Cycle released(const NodePhase& phase, Cycle now);
  /// The node goes to the next turn.
  void leave() { arrived_ = false; }
  /// The node is through its phases.
  void end(Cycle now) { barriers_.end(now); }
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  bool arrived() const { return arrived_; }
  std::string missing(const NodePhase& phase) const { return barriers_.missing(phase.extent); }
  /// It has arrived, and others of `phase` have not.
  bool waits(const NodePhase& phase) const {
    return arrived_ && barriers_.released(phase.extent, round_) == kNever;
  }

 private:
  Barriers& barriers_;
  const NodeId at_;
  bool arrived_ = false;  // in this turn
  std::uint32_t round_ = 0;
};

/// Whether a node waits for a barrier at the end of `phase`.
bool has_barrier(const NodePhase& phase, const Rules& rules);

}  // namespace tessera::scheduled
