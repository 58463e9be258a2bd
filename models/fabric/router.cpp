#include "models/fabric/router.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::fabric {

namespace {

std::string port_name(std::size_t direction, const char* suffix) {
  std::string name = to_string(static_cast<Direction>(direction));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name + suffix;
}

}  // namespace

Router::Router(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
               const FabricTiming& timing, observe::Probe probe)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), at_(at),
      core_(std::in_place, at, timing, probe) {
  in.init(kDirectionCount, [](const char*, std::size_t i) {
    return new link::TargetSocket(port_name(i, "_in").c_str());
  });
  out.init(kCardinalDirections.size(), [](const char*, std::size_t i) {
    return new link::InitiatorSocket(port_name(i, "_out").c_str());
  });
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

void Router::end_of_elaboration() {
  const std::string tile = "tile " + to_string(at_) + ", ";
  for (Direction d : kCardinalDirections) {
    link::require_bound(in[index(d)], tile + to_string(d) + " input");
    link::require_bound(out[index(d)], tile + to_string(d) + " output");
  }
}

void Router::start() {
  queue_of_ = {};
  for (Direction d : kAllDirections) {
    if (in[index(d)].get_base_port().size() > 0)
      senders_[index(d)] = in[index(d)].get_base_port()[0];
    if (d != Direction::kRamp && out[index(d)].size() > 0) receivers_[index(d)] = out[index(d)][0];
  }
  for (unsigned c = 0; c < kColorCount; ++c) {
    const Color color(c);
    find_queue_of(color);
    for (Direction d : kAllDirections) {
      const link::ForwardIf* behind = receiver(d, color);
      if (behind != nullptr) core_->set_downstream_capacity(d, color, behind->capacity(color));
    }
  }
}

void Router::find_queue_of(Color color) {
  for (int i = 0; i < off_ramp.size(); ++i) {
    if (off_ramp[i]->capacity(color) == 0) continue;
    if (queue_of_[color.value()] != nullptr) {
      SC_REPORT_ERROR(kTwoQueuesId,
                      ("tile " + to_string(at_) + ": two input queues are bound to color " +
                       std::to_string(color.value()) +
                       "; a color may belong to one input queue of a PE")
                          .c_str());
      return;
    }
    queue_of_[color.value()] = off_ramp[i];
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
    senders_[index(credit.in)]->credit(credit.color, credit.due);
  }
  for (const RouterCore::Teardown& teardown : step.teardowns) {
    if (config.get_base_port().size() > 0) config->teardown(teardown.color, teardown.due);
  }
  return step.next;
}

}  // namespace tessera::fabric
