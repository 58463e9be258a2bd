#include "platforms/ascend/machine.h"

#include "platforms/ascend/module_machine.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using cluster::AiCore;
using cluster::ClusterCore;
using cluster::CoreId;
using cluster::Program;

class DenseMachine final : public Machine {
 public:
  DenseMachine(const cluster::ClusterConfig& config, const cluster::Launch& launch,
               observe::Sink& sink, cluster::ClusterData* data)
      : machine_(config, launch, &sink, data) {}

  const char* structure() const override { return "dense"; }
  void shuffle_step_order(std::uint64_t seed) override { machine_.shuffle_step_order(seed); }
  void watch_hazards() override { machine_.watch_hazards(); }
  std::vector<std::string> hazards() const override { return machine_.hazards(); }
  void launch(const std::shared_ptr<const Program>& aic,
              const std::shared_ptr<const Program>& aiv) override {
    machine_.launch(aic, aiv, 0);
  }
  // The words are those of timing::ClockDomain.
  bool run(Cycle end) override {
    try {
      return machine_.run(end);
    } catch (const IllegalBehaviour& e) {
      throw IllegalBehaviour("cycle " + std::to_string(machine_.now()) + ": " + e.what());
    }
  }
  Cycle now() const override { return machine_.now(); }
  const AiCore* find(CoreId core) const override { return machine_.find(core); }
  const cluster::SyncUnitCore& sync_unit() const override { return machine_.sync_unit(); }
  const cluster::GmCore& gm() const override { return machine_.gm(); }

 private:
  ClusterCore machine_;
};

}  // namespace

std::unique_ptr<Machine> make_machine(const std::string& structure,
                                      const cluster::ClusterConfig& config,
                                      const cluster::Launch& launch, observe::Sink& sink,
                                      cluster::ClusterData* data, std::uint64_t period_ps) {
  cluster::check_launch(launch);
  if (structure == "modules")
    return std::make_unique<ModuleMachine>(config, launch, sink, data, period_ps);
  return std::make_unique<DenseMachine>(config, launch, sink, data);
}

}  // namespace tessera::ascend
