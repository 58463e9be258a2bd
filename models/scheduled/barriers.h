// Barriers among the nodes of an extent (reference numesh.md 3.6, 4.5). A node arrives; when all
// have, they are released Rules::barrier_latency cycles after the last. Rounds follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/scheduled/program.h"

namespace tessera::scheduled {

class Barriers {
 public:
  /// `on_release(extent, cycle)`: the nodes of the extent may go on in `cycle`, a later one.
  using Release = std::function<void(std::uint32_t extent, Cycle cycle)>;

  explicit Barriers(const Program& program)
      : latency_(std::max<Cycle>(1, program.rules.barrier_latency)) {
    for (const std::vector<NodeId>& extent : program.extents)
      extents_.push_back({static_cast<std::uint32_t>(extent.size()), 0, 0, kNever});
  }
  void set_release(Release release) { release_ = std::move(release); }

  /// A node arrives in cycle `now`; returns the number of its round.
  std::uint32_t arrive(std::uint32_t extent, Cycle now) {
    Extent& e = extents_[extent];
    const std::uint32_t round = e.round;
    if (++e.arrived < e.members) return round;
    e.arrived = 0;
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
  std::uint32_t missing(std::uint32_t extent) const {
    return extents_[extent].members - extents_[extent].arrived;
  }

 private:
  struct Extent {
    std::uint32_t members;
    std::uint32_t arrived;
    std::uint32_t round;
    Cycle released_at;
  };
  Cycle latency_;
  Release release_;
  std::vector<Extent> extents_;
};

}  // namespace tessera::scheduled
