// The waits of the heads of a router's buffers, for observe::LinkWaits. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "models/observe/link_waits.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

/// A head is named by its (input port, color) pair. A router is stepped in the first cycle of a head, so no head
/// needs an entry before it has been looked at.
class HeadWaits {
 public:
  HeadWaits(observe::LinkWaits& waits, std::uint32_t place)
      : waits_(waits), place_(place), heads_(kColorCount * kDirectionCount) {}

  /// Cycle `now`, in which the head of `pair` may leave through `outputs`; there is room behind those that are
  /// `open`. Before any head leaves.
  void look(unsigned pair, DirectionSet outputs, DirectionSet open, Cycle now) {
    Head& head = heads_[pair];
    if (head.is_new || head.outputs != outputs) {
      if (!head.is_new) account(head, now, waits_);
      head = {now, outputs, false};
    }
    for (Direction out : kAllDirections) {
      if (open.contains(out)) waits_.take(place_, out);
    }
  }
  /// A copy leaves through `out`.
  void leave(unsigned pair, Direction out, Cycle now) {
    Head& head = heads_[pair];
    waits_.take(place_, out, -1);
    waits_.wait(place_, out, now - head.since);
    head.outputs.erase(out);
  }
  /// It has left; the next one comes to the front.
  void remove(unsigned pair) { heads_[pair].is_new = true; }
  /// Adds to `waits` what has waited in the cycles before `end` and still does.
  void add_lasting(observe::LinkWaits& waits, Cycle end) const {
    for (const Head& head : heads_) {
      if (!head.is_new && head.since < end) account(head, end, waits);
    }
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(heads_);
  }
  /// Restores what nobody asks for here.
  template <class Archive>
  static void skip(Archive& archive) {
    std::vector<Head> heads;
    archive(heads);
  }

 private:
  struct Head {
    Cycle since = 0;  ///< all before is accounted
    DirectionSet outputs;
    bool is_new = true;  ///< not looked at yet
    template <class Archive>
    void visit(Archive& archive) {
      archive(since, outputs, is_new);
    }
  };
  void account(const Head& head, Cycle to, observe::LinkWaits& waits) const {
    if (head.outputs.empty()) waits.wait_for_route(place_, to - head.since);
    for (Direction out : kAllDirections) {
      if (head.outputs.contains(out)) waits.wait(place_, out, to - head.since);
    }
  }

  observe::LinkWaits& waits_;
  const std::uint32_t place_;
  std::vector<Head> heads_;  // by pair
};

}  // namespace tessera::fabric
