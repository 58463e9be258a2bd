#include "models/cluster/modular_cluster.h"

#include <string>

namespace tessera::cluster {

namespace {

/// "cluster3_aiv1"
std::string name_of(CoreId id) {
  const std::string unit = id.is_aic() ? "_aic" : "_aiv" + std::to_string(id.subblock());
  return "cluster" + std::to_string(id.cluster) + unit;
}

}  // namespace

// The blocks join the domain in the same order as in ClusterCore: when several fail in one cycle, the
// domain reports the failure of the first.
ModularCluster::ModularCluster(sc_core::sc_module_name name, timing::ClockDomain& domain,
                               const ClusterConfig& config, const Launch& launch,
                               const Attachments& attached)
    : sc_core::sc_module(name) {
  check_launch(launch);
  cores_.resize(launch.places());
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreId id = CoreId::at(i);
    if (launch.has(id))
      cores_[i] =
          std::make_unique<AiCoreModule>(name_of(id).c_str(), domain, config, launch, id, attached);
  }
  sync_unit_ = std::make_unique<SyncUnit>("sync_unit", domain, config.core.sync, launch);
  gm_ = std::make_unique<Gm>("gm", domain, config.core.cost, launch.clusters);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i]) {
      cores_[i]->sync.bind(sync_unit_->cores[i]);
      cores_[i]->gm.bind(gm_->cores[i]);
      continue;
    }
    const std::string nobody = "no_" + name_of(CoreId::at(i));
    sync_stubs_.push_back(std::make_unique<sync::Stub>(nobody.c_str()));
    sync_stubs_.back()->out.bind(sync_unit_->cores[i]);
    gm_stubs_.push_back(std::make_unique<transfer::Stub>((nobody + "_gm").c_str()));
    gm_stubs_.back()->out.bind(gm_->cores[i]);
  }
}

void ModularCluster::launch(const std::shared_ptr<const Program>& aic,
                            const std::shared_ptr<const Program>& aiv, Cycle at) {
  for (const auto& core : cores_)
    if (core) core->launch(core->core().id().is_aic() ? aic : aiv, at);
}

const AiCore* ModularCluster::find(CoreId core) const {
  const bool exists = core.index() < cores_.size() && cores_[core.index()];
  return exists ? &cores_[core.index()]->core() : nullptr;
}

}  // namespace tessera::cluster
