#include "models/host/edge.h"

#include <string>

#include "models/state/archive.h"
#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::host {

Edge::Edge(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord tile,
           Direction side, const fabric::FabricTiming& timing, IdentRange idents,
           observe::Probe probe)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), tile_(tile),
      side_(side), core_(side, timing, idents, probe) {
  in.bind(static_cast<link::ForwardIf&>(*this));
  out.bind(static_cast<link::BackwardIf&>(*this));
}

void Edge::end_of_elaboration() {
  const std::string place =
      std::string("host edge at ") + to_string(side_) + " of tile " + to_string(tile_);
  link::require_bound(out, place + ", output");
  link::require_bound(in, place + ", input");
}

void Edge::start() {
  for (unsigned c = 0; c < kColorCount; ++c) core_.set_capacity(Color(c), out->capacity(Color(c)));
}

void Edge::visit(state::Archive& archive, Cycle next, bool is_due) {
  core_.visit(archive);
  if (archive.saving()) return;
  for (const Cycle at : core_.due_cycles(next, is_due)) domain_.wake(block_, at);
}

void Edge::send(Color color, std::vector<Word> words, Cycle from) {
  core_.send(color, std::move(words), from);
  domain_.wake(block_, from);
}

Cycle Edge::step(Cycle now) {
  const EdgeCore::Step step = core_.step(now);
  if (step.put) out->put(step.put->wavelet, step.put->due);
  if (step.credit) in->credit(step.credit->color, step.credit->due);
  if (step.completed && on_complete_) on_complete_();
  return step.next;
}

void Edge::put(const link::Wavelet& w, Cycle due) {
  if (kit::obeys_rules(kProtocolId, [&] { core_.put(w, due); })) domain_.wake(block_, due);
}

void Edge::credit(Color color, Cycle due) {
  if (kit::obeys_rules(kProtocolId, [&] { core_.credit(color, due); })) domain_.wake(block_, due);
}

}  // namespace tessera::host
