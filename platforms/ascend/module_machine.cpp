#include "platforms/ascend/module_machine.h"

#include <string>

namespace tessera::ascend {

using cluster::AiCoreModule;
using cluster::CoreId;

namespace {

CoreId place(std::size_t index) {
  return {static_cast<std::uint16_t>(index / 3), static_cast<std::uint16_t>(index % 3)};
}

/// "cluster3_aiv1"
std::string name_of(CoreId id) {
  const std::string unit = id.is_aic() ? "_aic" : "_aiv" + std::to_string(id.subblock());
  return "cluster" + std::to_string(id.cluster) + unit;
}

}  // namespace

// The blocks join the domain in the order of ClusterCore: of several failures in a cycle that of
// the first one is heard.
ModuleMachine::ModuleMachine(const cluster::ClusterConfig& config, const cluster::Launch& launch,
                             observe::Sink& sink, cluster::ClusterData* data,
                             std::uint64_t period_ps)
    : domain_("clock", period_ps), cores_(std::size_t{launch.clusters} * 3) {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreId id = place(i);
    if (!launch.has(id)) continue;
    const observe::Probe probe(&sink, static_cast<std::uint32_t>(i));
    cores_[i] =
        std::make_unique<AiCoreModule>(name_of(id).c_str(), domain_, config, launch, id, probe);
    if (data != nullptr) cores_[i]->attach(*data);
  }
  sync_unit_ = std::make_unique<cluster::SyncUnit>("sync_unit", domain_, config.core.sync, launch);
  gm_ = std::make_unique<cluster::Gm>("gm", domain_, config.core.cost, launch.clusters);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i]) {
      cores_[i]->sync.bind(sync_unit_->cores[i]);
      cores_[i]->gm.bind(gm_->cores[i]);
      continue;
    }
    const std::string nobody = "no_" + name_of(place(i));
    stubs_.push_back(std::make_unique<sync::Stub>(nobody.c_str()));
    stubs_.back()->out.bind(sync_unit_->cores[i]);
    gm_stubs_.push_back(std::make_unique<transfer::Stub>((nobody + "_gm").c_str()));
    gm_stubs_.back()->out.bind(gm_->cores[i]);
  }
}

void ModuleMachine::watch_hazards() {
  hazards_ = std::make_unique<cluster::HazardWatch>(sync_unit().launch());
  for (const auto& core : cores_)
    if (core) core->watch(hazards_->of(core->core().id()));
}

void ModuleMachine::launch(const std::shared_ptr<const cluster::Program>& aic,
                           const std::shared_ptr<const cluster::Program>& aiv) {
  for (const auto& core : cores_)
    if (core) core->launch(core->core().id().is_aic() ? aic : aiv, 0);
}

bool ModuleMachine::run(Cycle end) {
  domain_.set_bound(end);
  while (domain_.next_due() < end) sc_core::sc_start();
  return domain_.idle();
}

const cluster::AiCore* ModuleMachine::find(CoreId core) const {
  const bool exists = core.index() < cores_.size() && cores_[core.index()];
  return exists ? &cores_[core.index()]->core() : nullptr;
}

}  // namespace tessera::ascend
