#include "models/cluster/sync/sync_unit.h"

#include "tlm_ifaces/sync/core_port.h"

namespace tessera::cluster {

SyncUnit::SyncUnit(sc_core::sc_module_name name, timing::ClockDomain& domain,
                   const SyncConfig& config, const Launch& launch)
    : sc_core::sc_module(name), cores("cores"), domain_(domain), block_(domain.add(*this)),
      core_(config, launch), ports_(std::size_t{launch.clusters} * 3) {
  cores.init(ports_.size());
  for (unsigned i = 0; i < ports_.size(); ++i) {
    ports_[i].unit = this;
    ports_[i].index = i;
    cores[i].bind(ports_[i]);
  }
}

void SyncUnit::end_of_elaboration() {
  sync::require_bound_for_cores(*this, cores);
}

void SyncUnit::ask(unsigned index, const sync::Request& request, Cycle due) {
  if (!sync::belongs_to_port(*this, kProtocolId, index, request.core, request)) return;
  core_.ask(request, due);
  domain_.wake(block_, due);
}

Cycle SyncUnit::step(Cycle now) {
  const SyncUnitCore::Step& step = core_.step(now);
  for (const SyncUnitCore::Answer& a : step.answers)
    cores[a.answer.request.core.index()]->answer(a.answer, a.due);
  return step.next;
}

}  // namespace tessera::cluster
