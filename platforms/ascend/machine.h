// AI cores, sync unit and GM of a launch in one of two structures: a module each, or all in one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/machine_view.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"

namespace tessera::cluster {
class Cluster;
class ModularCluster;
}  // namespace tessera::cluster

namespace tessera::ascend {

/// What --structure accepts. "auto" is dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};

class Machine {
 public:
  /// `config` and `launch` outlive the machine. Throws UserError for a launch that no machine has.
  Machine(const std::string& structure, const cluster::ClusterConfig& config,
          const cluster::Launch& launch, const cluster::Attachments& attached);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// "modules" or "dense".
  const char* structure() const { return dense_ ? "dense" : "modules"; }
  timing::ClockDomain& domain() { return domain_; }
  const timing::ClockDomain& domain() const { return domain_; }
  const cluster::MachineView& view() const { return *view_; }
  const cluster::ClusterConfig& config() const { return config_; }
  /// A core whose registers a debugger may change between two cycles; nullptr: there is none.
  cluster::AiCore* find(cluster::CoreId core) {
    return const_cast<cluster::AiCore*>(view_->find(core));
  }

  void shuffle_step_order(std::uint64_t seed);
  /// As a new machine: no kernel runs, no flag is up. Simulated time goes on; the clock domain counts
  /// from cycle 0 again. At any time between two cycles, also after a deadlock or a failure. The
  /// events begin anew; the owner resets the other attachments.
  void reset();
  /// For checkpoints, between two cycles of which `next` is the second, with what is attached. Either structure can go on with
  /// the state of the other. A kernel has been launched before it is restored.
  void visit(state::Archive& archive, Cycle next);
  /// Starts the kernel on all cores in cycle `at`, or in the next one that has not been stepped.
  /// Throws IllegalBehaviour for an instruction that may not stand where it does.
  void launch(const std::shared_ptr<const cluster::Program>& aic,
              const std::shared_ptr<const cluster::Program>& aiv, Cycle at);

 private:
  const cluster::ClusterConfig& config_;
  const cluster::Launch& launch_;
  const cluster::Attachments attached_;
  std::optional<std::uint64_t> shuffle_seed_;
  timing::ClockDomain domain_;
  std::unique_ptr<cluster::Cluster> dense_;  // either this one or `modules_`
  std::unique_ptr<cluster::ModularCluster> modules_;
  const cluster::MachineView* view_ = nullptr;
};

}  // namespace tessera::ascend
