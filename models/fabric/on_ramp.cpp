#include "models/fabric/on_ramp.h"

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::fabric {

OnRamp::OnRamp(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
               const FabricTiming& timing, std::uint32_t place, kit::Numbers which)
    : sc_core::sc_module(name), queues("queue", kMaxQueues, which), domain_(domain),
      block_(domain.add(*this)), at_(at), core_(at, timing, place) {
  queues.for_each([this](auto& s) { s.bind(static_cast<queue::ReadNotifyIf&>(*this)); });
  out.bind(static_cast<link::BackwardIf&>(*this));
}

void OnRamp::end_of_elaboration() {
  link::require_bound(out, "tile " + to_string(at_) + ", output of the on-ramp");
}

void OnRamp::start() {
  router_ = out[0];
  for (unsigned c = 0; c < kColorCount; ++c)
    core_.set_capacity(Color(c), router_->capacity(Color(c)));
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (queues.is_bound(q)) readable_[q] = queues[q][0];
  }
}

OnRampCore::Heads OnRamp::heads(Cycle now) const {
  OnRampCore::Heads heads;
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (readable_[q] == nullptr) continue;
    heads[q].ready_at = readable_[q]->ready_at();
    if (heads[q].ready_at <= now) heads[q].wavelet = &readable_[q]->front();
  }
  return heads;
}

Cycle OnRamp::step(Cycle now) {
  const OnRampCore::Step step = core_.step(now, heads(now));
  if (step.grant) {
    readable_[step.grant->queue.value()]->pop(now);
    router_->put(step.grant->wavelet, step.grant->due);
  }
  return step.next;
}

void OnRamp::credit(Color color, Cycle due) {
  if (kit::obeys_rules(kProtocolId, [&] { core_.credit(color, due); })) domain_.wake(block_, due);
}

}  // namespace tessera::fabric
