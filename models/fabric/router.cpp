#include "models/fabric/router.h"

#include <utility>

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::fabric {

Router::Router(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
               const FabricTiming& timing, observe::Probe probe)
    : RouterPorts(name, at), domain_(domain), block_(domain.add(*this)),
      core_(std::in_place, at, timing, probe) {
  for (Direction d : kAllDirections) {
    Port& port = ports_[index(d)];
    port.router = this;
    port.direction = d;
    in[index(d)].bind(static_cast<link::ForwardIf&>(port));
    if (d != Direction::kRamp) out[index(d)].bind(static_cast<link::BackwardIf&>(port));
  }
  off_ramp.bind(static_cast<link::BackwardIf&>(ports_[index(Direction::kRamp)]));
  config.bind(static_cast<config_space::ConfigIf&>(*this));
}

void Router::start() {
  RouterPorts::start();
  for (unsigned c = 0; c < kColorCount; ++c) {
    const Color color(c);
    for (Direction d : kAllDirections) {
      const link::ForwardIf* behind = receiver(d, color);
      if (behind != nullptr) core_->set_downstream_capacity(d, color, behind->capacity(color));
    }
  }
}

void Router::Port::put(const link::Wavelet& w, Cycle due) {
  if (kit::obeys_rules(kProtocolId, [&] { router->core_->put(direction, w, due); }))
    router->domain_.wake(router->block_, due);
}

void Router::Port::credit(Color color, Cycle due) {
  if (kit::obeys_rules(kProtocolId, [&] { router->core_->credit(direction, color, due); }))
    router->domain_.wake(router->block_, due);
}

void Router::write(config_space::Address address, std::uint16_t value, Cycle due) {
  if (core_->write_register(address, value, due)) domain_.wake(block_, due);
}

Cycle Router::step(Cycle now) {
  const RouterCore::Step step = core_->step(now);
  for (const RouterCore::Send& send : step.sends) {
    receiver(send.out, send.wavelet.color)->put(send.wavelet, send.due);
  }
  for (const RouterCore::CreditReturn& credit : step.credits) {
    sender(credit.in)->credit(credit.color, credit.due);
  }
  for (const RouterCore::Teardown& teardown : step.teardowns) {
    if (config.get_base_port().size() > 0) config->teardown(teardown.color, teardown.due);
  }
  return step.next;
}

}  // namespace tessera::fabric
