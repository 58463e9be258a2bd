// What may be attached to the AI cores of a launch when they are built.
#pragma once

#include <functional>
#include <utility>

#include "models/cluster/hazards/hazards.h"
#include "models/cluster/memory/cluster_data.h"
#include "models/observe/event.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// Tells when the last core of a launch has finished its kernel.
class LaunchWatch {
 public:
  /// `on_end` is called while that core is stepped, with the cycle.
  explicit LaunchWatch(std::function<void(Cycle)> on_end) : on_end_(std::move(on_end)) {}
  void core_starts() { ++busy_; }
  void core_finishes(Cycle now) {
    if (--busy_ == 0) on_end_(now);
  }

 private:
  std::function<void(Cycle)> on_end_;
  unsigned busy_ = 0;  // cores
};

/// Each may be absent. All belong to the same launch as the cores, and outlive them.
struct Attachments {
  observe::Sink* sink = nullptr;   ///< takes the events; places are CoreId::index()
  ClusterData* data = nullptr;     ///< the values of buffers and arrays; without it: timing only
  HazardWatch* hazards = nullptr;  ///< looks for hazards; it changes no cycle
  LaunchWatch* end = nullptr;
};

}  // namespace tessera::cluster
