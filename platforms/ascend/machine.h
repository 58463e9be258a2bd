// AI cores, sync unit and GM of a launch in one of two structures (docs/architecture.md#two-structures): all in
// one, or a module each, bound by sockets. Both give the same events in the same cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cluster/cluster_core.h"
#include "models/observe/event.h"
#include "models/observe/wait.h"

namespace tessera::ascend {

/// What --structure accepts. "auto" is dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};

class Machine : public cluster::MachineView {
 public:
  virtual const char* structure() const = 0;
  virtual void shuffle_step_order(std::uint64_t seed) = 0;
  /// Looks for hazards; before the launch.
  virtual void watch_hazards() = 0;
  /// See cluster::HazardWatch; none if nobody watches.
  virtual std::vector<std::string> hazards() const = 0;
  /// Starts the kernel on all cores in cycle 0. Throws UserError for an instruction that may not
  /// stand where it does.
  virtual void launch(const std::shared_ptr<const cluster::Program>& aic,
                      const std::shared_ptr<const cluster::Program>& aiv) = 0;
  /// Steps what is due before cycle `end`; true: nothing is due any more. Throws IllegalBehaviour,
  /// and with modules sc_core::sc_report.
  virtual bool run(Cycle end) = 0;
  /// The cycle stepped last.
  virtual Cycle now() const = 0;
};

/// `config`, `launch`, `sink` and `data` outlive the machine; without `data` (nullptr) nothing is
/// computed. With modules call it once: SystemC elaborates once a process. `period_ps`: of the clock
/// domain of the modules.
std::unique_ptr<Machine> make_machine(const std::string& structure,
                                      const cluster::ClusterConfig& config,
                                      const cluster::Launch& launch, observe::Sink& sink,
                                      cluster::ClusterData* data, std::uint64_t period_ps);

}  // namespace tessera::ascend
