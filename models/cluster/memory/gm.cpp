#include "models/cluster/memory/gm.h"

#include "tlm_ifaces/sync/core_port.h"

namespace tessera::cluster {

Gm::Gm(sc_core::sc_module_name name, timing::ClockDomain& domain, const CostConfig& config,
       unsigned clusters)
    : sc_core::sc_module(name), cores("cores"), domain_(domain), block_(domain.add(*this)),
      core_(config), ports_(std::size_t{clusters} * 3) {
  cores.init(ports_.size());
  for (unsigned i = 0; i < ports_.size(); ++i) {
    ports_[i].gm = this;
    ports_[i].index = i;
    cores[i].bind(ports_[i]);
  }
}

void Gm::end_of_elaboration() {
  sync::require_bound_for_cores(*this, cores);
}

void Gm::start(unsigned index, const transfer::Transfer& t, Cycle due) {
  if (!sync::belongs_to_port(*this, kProtocolId, index, t.core, t)) return;
  core_.start(t, due);
  domain_.wake(block_, due);
}

Cycle Gm::step(Cycle now) {
  const GmCore::Step& step = core_.step(now);
  for (const GmCore::Answer& a : step.answers) cores[a.done.core.index()]->done(a.done, a.due);
  return step.next;
}

}  // namespace tessera::cluster
