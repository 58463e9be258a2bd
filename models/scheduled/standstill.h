// Lets the nodes of a mesh that cannot move sleep (node.h). Words that nobody takes would keep
// their routers awake for ever: after longest_standstill() cycles in which nothing moved, nothing
// will before a processor goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/scheduled/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

class Standstill {
 public:
  /// `wake(node, cycle)`: the node must be stepped in that cycle.
  using Wake = std::function<void(NodeId node, Cycle cycle)>;

  explicit Standstill(Cycle patience) : patience_(patience) {}
  void set_wake(Wake wake) { wake_ = std::move(wake); }

  /// Something moved in cycle `now`: who sleeps must look again.
  void progress(Cycle now) {
    last_ = now;
    for (const NodeId node : sleepers_) wake_(node, now + 1);
    sleepers_.clear();
  }
  /// Whether a node that only has words to offer may sleep; it is woken by progress().
  bool may_sleep(NodeId node, Cycle now) {
    if (now - last_ <= patience_) return false;
    sleepers_.push_back(node);
    return true;
  }

 private:
  const Cycle patience_;
  Wake wake_;
  Cycle last_ = 0;
  std::vector<NodeId> sleepers_;
};

/// Longest time in which a mesh that will move again may stand still with no timer pending: slots
/// of two neighbours meet within the least common multiple of their lengths.
Cycle longest_standstill(const Program& program);

}  // namespace tessera::scheduled
