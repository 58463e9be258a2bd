#include "models/cluster/shared_units.h"

#include <sstream>
#include <string>
#include <utility>

namespace tessera::cluster {

namespace {

void take(SyncUnitCore& unit, const sync::Request& request, Cycle due) {
  unit.ask(request, due);
}
void take(GmCore& gm, const transfer::Transfer& transfer, Cycle due) {
  gm.start(transfer, due);
}

template <class Sockets>
void give(Sockets& cores, const SyncUnitCore::Answer& a) {
  cores[a.answer.request.core.index()]->answer(a.answer, a.due);
}
template <class Sockets>
void give(Sockets& cores, const GmCore::Answer& a) {
  cores[a.done.core.index()]->done(a.done, a.due);
}

}  // namespace

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
void SharedUnit<Core, Kit, Port>::receive(unsigned index, const Request& request, Cycle due) {
  if (request.core.index() != index) {
    std::ostringstream text;
    text << name() << ": \"" << request << "\" came through socket " << index
         << ", which belongs to another core";
    SC_REPORT_ERROR(protocol_id_, text.str().c_str());
    return;
  }
  take(core_, request, due);
  domain_.wake(block_, due);
}

template <class Core, class Kit, template <class> class Port>
Cycle SharedUnit<Core, Kit, Port>::step(Cycle now) {
  const typename Core::Step& step = core_.step(now);
  for (const typename Core::Answer& answer : step.answers) give(cores, answer);
  return step.next;
}

template class SharedUnit<SyncUnitCore, sync::Kit, SyncPort>;
template class SharedUnit<GmCore, transfer::Kit, TransferPort>;

}  // namespace tessera::cluster
