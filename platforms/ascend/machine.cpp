#include "platforms/ascend/machine.h"

#include <algorithm>

#include "models/cluster/deadlock.h"
#include "platforms/ascend/module_machine.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using cluster::AiCoreCore;
using cluster::CoreId;
using cluster::MachineCore;
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
  const AiCoreCore* find(CoreId core) const override { return machine_.find(core); }
  const cluster::SyncUnitCore& sync_unit() const override { return machine_.sync_unit(); }
  const cluster::GmCore& gm() const override { return machine_.gm(); }

 private:
  MachineCore machine_;
};

}  // namespace

std::vector<const AiCoreCore*> Machine::cores() const {
  std::vector<const AiCoreCore*> list;
  const unsigned places = sync_unit().launch().clusters * 3;
  for (unsigned i = 0; i < places; ++i) {
    const CoreId id{static_cast<std::uint16_t>(i / 3), static_cast<std::uint16_t>(i % 3)};
    if (const AiCoreCore* core = find(id)) list.push_back(core);
  }
  return list;
}

bool Machine::finished() const {
  const auto all = cores();
  return std::all_of(all.begin(), all.end(), [](const auto* core) { return core->finished(); });
}

Cycle Machine::finished_at() const {
  Cycle last = 0;
  for (const AiCoreCore* core : cores()) last = std::max(last, core->finished_at());
  return last;
}

std::string Machine::describe_waits(observe::Waits& waits) const {
  return cluster::describe_waits(
      cores(), sync_unit(), [this](CoreId core) { return find(core); }, waits);
}

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
