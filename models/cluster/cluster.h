// The AI cores of a launch, their sync unit and GM in one module: ClusterCore as one block of a clock
// domain. For speed; modular_cluster.h is the same with a module per block, with the same events in the
// same cycles.
#pragma once

#include <systemc>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "models/cluster/cluster_core.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"

namespace tessera::cluster {

class Cluster : public sc_core::sc_module, public timing::Steppable {
 public:
  /// Other parameters and exceptions as ClusterCore.
  Cluster(sc_core::sc_module_name name, timing::ClockDomain& domain, const ClusterConfig& config,
          const Launch& launch, const Attachments& attached = {})
      : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
        core_(std::in_place, config, launch, attached) {}

  /// See ClusterCore::launch. `at` is put off to the next cycle that has not been stepped.
  void launch(const std::shared_ptr<const Program>& aic, const std::shared_ptr<const Program>& aiv,
              Cycle at) {
    const Cycle start = std::max(at, domain_.next_free_cycle());
    core_->launch(aic, aiv, start);
    domain_.wake(block_, start);
  }
  /// Shuffles the blocks inside; the domain shuffles blocks of its own.
  void shuffle_step_order(std::uint64_t seed) { core_->shuffle_step_order(seed); }
  const ClusterCore& core() const { return *core_; }
  /// As built with these parameters: no kernel runs. Requires that the domain is reset too.
  void reset(const ClusterConfig& config, const Launch& launch, const Attachments& attached) {
    core_.emplace(config, launch, attached);
  }

  /// See ClusterCore::visit. The domain has no other block.
  void visit(state::Archive& archive, Cycle next);

  Cycle step(Cycle now) override { return core_->step(now); }

 private:
  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  std::optional<ClusterCore> core_;  // always there; made anew by reset()
};

}  // namespace tessera::cluster
