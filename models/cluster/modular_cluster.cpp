#include "models/cluster/modular_cluster.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "models/cluster/cluster.h"
#include "models/state/archive.h"

namespace tessera::cluster {

// --- AI core ---

AiCoreModule::AiCoreModule(sc_core::sc_module_name name, timing::ClockDomain& domain,
                           const ClusterConfig& config, const Launch& launch, CoreId core,
                           const Attachments& attached)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
      core_(std::in_place, config, launch, core, attached) {
  sync.bind(static_cast<sync::BackwardIf&>(*this));
  gm.bind(static_cast<transfer::BackwardIf&>(*this));
}

void AiCoreModule::end_of_elaboration() {
  sync::require_bound(sync, to_string(core_->id()) + ", sync");
  transfer::require_bound(gm, to_string(core_->id()) + ", gm");
}

void AiCoreModule::launch(std::shared_ptr<const Program> program, Cycle at) {
  const Cycle start = std::max(at, domain_.next_free_cycle());
  core_->launch(std::move(program), start);
  domain_.wake(block_, start);
}

void AiCoreModule::answer(const sync::Answer& answer, Cycle due) {
  core_->answer(answer, due);
  domain_.wake(block_, due);
}

void AiCoreModule::done(const transfer::Done& done, Cycle due) {
  core_->done(done, due);
  domain_.wake(block_, due);
}

Cycle AiCoreModule::step(Cycle now) {
  const CoreStep& step = core_->step(now);
  for (const auto& ask : step.asks) sync->ask(ask.item, ask.due);
  for (const auto& move : step.moves) gm->start(move.item, move.due);
  return step.next;
}

// --- sync unit and GM ---

template <class Core, class Kit, template <class> class Port>
SharedUnit<Core, Kit, Port>::SharedUnit(sc_core::sc_module_name name, timing::ClockDomain& domain,
                                        const char* protocol_id, unsigned clusters, Core core)
    : sc_core::sc_module(name), cores("cores"), domain_(domain), block_(domain.add(*this)),
      protocol_id_(protocol_id), core_(std::move(core)), ports_(std::size_t{clusters} * 3) {
  cores.init(ports_.size());
  for (unsigned i = 0; i < ports_.size(); ++i) {
    ports_[i].unit = this;
    ports_[i].index = i;
    cores[i].bind(ports_[i]);
  }
}

template <class Core, class Kit, template <class> class Port>
void SharedUnit<Core, Kit, Port>::end_of_elaboration() {
  for (unsigned i = 0; i < cores.size(); ++i)
    kit::require_bound(cores[i],
                       std::string(name()) + ", the socket of " + to_string(CoreId::at(i)));
}

template <class Core, class Kit, template <class> class Port>
template <class Request>
void SharedUnit<Core, Kit, Port>::receive(unsigned index, const Request& request, Cycle due,
                                          void (Core::*take)(const Request&, Cycle)) {
  if (request.core.index() != index) {
    std::ostringstream text;
    text << name() << ": \"" << request << "\" came through socket " << index
         << ", which belongs to another core";
    SC_REPORT_ERROR(protocol_id_, text.str().c_str());
    return;
  }
  ((*core_).*take)(request, due);
  domain_.wake(block_, due);
}

template class SharedUnit<SyncUnitCore, sync::Kit, SyncPort>;
template class SharedUnit<GmCore, transfer::Kit, TransferPort>;

// --- the machine ---

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
    : sc_core::sc_module(name), domain_(domain) {
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

void ModularCluster::reset(const ClusterConfig& config, const Launch& launch,
                           const Attachments& attached) {
  for (const auto& core : cores_)
    if (core) core->reset(config, launch, attached);
  sync_unit_->reset(config.core.sync, launch);
  gm_->reset(config.core.cost);
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

// The domain numbers the blocks as the scheduler of ClusterCore does.
void ModularCluster::visit(state::Archive& archive, Cycle next) {
  for (const auto& core : cores_)
    if (core) archive(*core);
  archive(*sync_unit_, *gm_);
  domain_.visit(archive, next);
}

void Cluster::visit(state::Archive& archive, Cycle next) {
  core_->visit(archive, next);
  if (archive.saving()) return;
  domain_.go_on_at(next);
  if (core_->next_due() != kNever) domain_.wake(block_, core_->next_due());
}

}  // namespace tessera::cluster
