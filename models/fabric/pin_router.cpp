#include "models/fabric/pin_router.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

#include "models/observe/event_fields.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

namespace {

std::string lower(Direction d) {
  std::string name = to_string(d);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// What a route has that the pins do not carry; empty: nothing.
std::string why_not_plain(const ColorRoute& route) {
  for (unsigned position = 1; position < kSwitchPositions; ++position) {
    if (route.positions[position].valid) return "switch positions";
  }
  if (route.injection != Injection::kNone) return "CE injection";
  if (route.swap_x || route.swap_y) return "color swap";
  if (route.filter) return "a filter";
  if (route.suspended) return "a teardown at the start";
  return route.pop == PopMode::kNoPop ? "" : "a pop mode";
}

void require_plain(TileCoord at, const LockStep::Routes& routes) {
  for (const auto& [color, route] : routes) {
    const std::string has = why_not_plain(route);
    if (!has.empty())
      throw UserError("", "router of tile " + to_string(at),
                      "its " + color_text(color) + " has " + has +
                          "; the pins of a router carry routes of one position only");
  }
}

}  // namespace

PinRouter::PinRouter(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
                     const FabricTiming& timing, const LockStep::Routes& routes,
                     observe::Probe probe, PinRouterOptions options)
    : RouterPorts(name, at), domain_(domain), block_(domain.add(*this)), timing_(timing),
      routes_(routes), probe_(probe), options_(std::move(options)),
      period_(domain.to_time(1) - domain.to_time(0)),
      clock_("clock", period_, options_.quiet_cycles, options_.reset_edges),
      inner_out_("to_adapter", kDirectionCount), inner_in_("from_adapter", kDirectionCount) {
  require_plain(at, routes);
  sc_dt::sc_bv<kRouteBits> rx = 0;
  sc_dt::sc_bv<kRouteBits> tx = 0;
  for (const auto& [color, route] : routes) {
    received_[color.value()] = route.positions[0].rx;
    for (Direction d : kAllDirections) {
      const auto bit = static_cast<int>(color.value() * kDirectionCount + index(d));
      rx[bit] = route.positions[0].rx.contains(d);
      tx[bit] = route.positions[0].tx.contains(d);
    }
  }
  route_rx.write(rx);
  route_tx.write(tx);
  fixed_order.write(timing.arbitration == Arbitration::kFixed);
  for (Direction d : kAllDirections) build_side(d);
  off_ramp.bind(static_cast<link::BackwardIf&>(outer_[index(Direction::kRamp)]));
  config.bind(static_cast<config_space::ConfigIf&>(*this));
}

PinRouter::~PinRouter() = default;

void PinRouter::build_side(Direction d) {
  const std::size_t i = index(d);
  outer_[i].router = inner_[i].router = this;
  outer_[i].direction = inner_[i].direction = d;
  inner_[i].outer = false;
  to_pins_[i] = std::make_unique<link::ToPins>((lower(d) + "_to_pins").c_str(), period_,
                                               [this, d](Color color) {
                                                 return received_[color.value()].contains(d)
                                                            ? timing_.input_room(d)
                                                            : 0;
                                               },
                                               timing_.credit_latency);
  from_pins_[i] =
      std::make_unique<link::FromPins>((lower(d) + "_from_pins").c_str(), period_, latency_of(d));
  in[i].bind(static_cast<link::ForwardIf&>(outer_[i]));
  if (d != Direction::kRamp) out[i].bind(static_cast<link::BackwardIf&>(outer_[i]));
  inner_out_[i].bind(static_cast<link::BackwardIf&>(inner_[i]));
  inner_out_[i].bind(to_pins_[i]->in);
  inner_in_[i].bind(static_cast<link::ForwardIf&>(inner_[i]));
  from_pins_[i]->out.bind(inner_in_[i]);
  for (link::PinEnd* end : {static_cast<link::PinEnd*>(to_pins_[i].get()),
                            static_cast<link::PinEnd*>(from_pins_[i].get())}) {
    end->clock.bind(clock_.clock);
    end->on_activity([this](Cycle cycle) { activity(cycle); });
  }
}

void PinRouter::connect(sc_core::sc_module& rtl) {
  rtl_ = &rtl;
  link::bind_pin(rtl, "clock", clock_.clock, 1);
  link::bind_pin(rtl, "reset", clock_.reset, 1);
  link::bind_pin(rtl, "route_rx", route_rx, kRouteBits, true);
  link::bind_pin(rtl, "route_tx", route_tx, kRouteBits, true);
  link::bind_pin(rtl, "fixed_order", fixed_order, 1, true);
  for (Direction d : kAllDirections) {
    link::bind_pins(rtl, lower(d) + "_in_", input_pins(d));
    link::bind_pins(rtl, lower(d) + "_out_", output_pins(d));
  }
}

void PinRouter::before_end_of_elaboration() {
  if (rtl_ != nullptr) link::require_pins_bound(*rtl_);
}

void PinRouter::restart() {
  for (auto& side : buffers_) side.fill({});
  held_ = 0;
  passed_.clear();
  for (const auto& end : to_pins_) end->restart(domain_.origin());
  for (const auto& end : from_pins_) end->restart(domain_.origin());
  clock_.restart(domain_.origin());
}

void PinRouter::start() {
  RouterPorts::start();
  if (!options_.lock_step) return;
  lock_step_.emplace(tile(), timing_, routes_);
  for (unsigned c = 0; c < kColorCount; ++c) {
    for (Direction d : kAllDirections)
      lock_step_->set_downstream_capacity(d, Color(c), room_behind(d, Color(c)));
  }
}

void PinRouter::put(const Port& port, const link::Wavelet& w, Cycle due) {
  port.outer ? enter(port.direction, w, due) : leave(port.direction, w, due);
}

unsigned PinRouter::room_behind(Direction side, Color color) const {
  const link::ForwardIf* const behind = receiver(side, color);
  return behind == nullptr ? 0 : behind->capacity(color);
}

void PinRouter::Port::credit(Color color, Cycle due) {
  if (!outer) return router->credit_to_sender(direction, color, due);
  if (router->lock_step_) ++router->passed_[due][index(direction)].credits[color.value()];
  router->inner_in_[index(direction)]->credit(color, due);
}

void PinRouter::enter(Direction side, const link::Wavelet& w, Cycle due) {
  buffers_[index(side)][w.color.value()].push_back({w, {}});
  ++held_;
  if (lock_step_) passed_[due][index(side)].arrives = w;
  inner_out_[index(side)]->put(w, due);
}

// Pins carry no ident. What leaves is the oldest wavelet of a buffer, so it is found by its contents.
PinRouter::Held* PinRouter::find(Direction side, const link::Wavelet& w, Cycle now) {
  for (auto& colors : buffers_) {
    Buffer& buffer = colors[w.color.value()];
    while (!buffer.empty() && buffer.front().freed < now) buffer.pop_front();
    if (buffer.empty() || buffer.front().left.contains(side)) continue;
    const link::Wavelet& head = buffer.front().wavelet;
    if (head.payload == w.payload && head.control == w.control) return &buffer.front();
  }
  return nullptr;
}

void PinRouter::leave(Direction side, link::Wavelet w, Cycle due) {
  const Cycle now = due - latency_of(side);
  bool flip = false;
  if (Held* const held = find(side, w, now)) {
    held->left.insert(side);
    w.ident = held->wavelet.ident;
    flip = held->wavelet.local_flip;
  }
  if (lock_step_) passed_[now][index(side)].leaves = w;
  link::Wavelet as_it_came = w;
  as_it_came.local_flip |= flip;
  probe_.emit(now, observe::EventKind::kHop, observe::hop_word(as_it_came, side), w.payload,
              w.ident);
  link::ForwardIf* const behind = receiver(side, w.color);
  if (behind != nullptr && room_behind(side, w.color) > 0) return behind->put(w, due);
  std::ostringstream text;
  text << name() << ": in cycle " << now << " the module sends " << w << " through "
       << to_string(side) << ", where nobody receives its color";
  SC_REPORT_ERROR(kProtocolId, text.str().c_str());
}

void PinRouter::credit_to_sender(Direction side, Color color, Cycle due) {
  const Cycle now = due - timing_.credit_latency;
  Buffer& buffer = buffers_[index(side)][color.value()];
  const auto head = std::find_if(buffer.begin(), buffer.end(),
                                 [](const Held& held) { return held.freed == kNever; });
  if (head == buffer.end()) {
    SC_REPORT_ERROR(kProtocolId,
                    (std::string(name()) + ": in cycle " + std::to_string(now) +
                     " the module gives a credit of color " + std::to_string(color.value()) +
                     " back at its " + to_string(side) + " input, where it holds no wavelet of it")
                        .c_str());
    return;
  }
  head->freed = now;
  --held_;
  if (lock_step_) ++passed_[now][index(side)].freed[color.value()];
  sender(side)->credit(color, due);
}

void PinRouter::activity(Cycle cycle) {
  clock_.run_until_after(cycle);
  domain_.wake(block_, std::max(cycle, domain_.now() + 1));
}

// The domain stays awake while the module works: a machine that nothing moves in has come to rest.
Cycle PinRouter::step(Cycle now) {
  if (lock_step_) compare_until(now);
  const bool works = held_ > 0 && clock_.running();
  return works || !passed_.empty() ? now + 1 : kNever;
}

void PinRouter::compare_until(Cycle end) {
  while (true) {
    const Cycle passed = passed_.empty() ? kNever : passed_.begin()->first;
    const Cycle now = std::min(passed, lock_step_->next());
    if (now >= end) return;
    std::string difference;
    const bool obeyed = kit::obeys_rules(kProtocolId, [&] {
      difference =
          lock_step_->compare(now, passed == now ? passed_.begin()->second : RouterCycle{});
    });
    if (passed == now) passed_.erase(passed_.begin());
    if (!obeyed || difference.empty()) continue;
    if (!options_.vcd_file.empty()) {
      std::ofstream file(options_.vcd_file);
      lock_step_->write_vcd(file, static_cast<std::uint64_t>(period_.to_seconds() * 1e12 + 0.5));
      difference += "; the cycles before are in " + options_.vcd_file;
    }
    SC_REPORT_ERROR(kLockStepId, difference.c_str());
  }
}

void PinRouter::describe_waits(observe::Waits& waits, Cycle) const {
  if (clock_.running()) return;
  for (Direction d : kAllDirections) {
    for (unsigned c = 0; c < kColorCount; ++c) {
      const Buffer& buffer = buffers_[index(d)][c];
      const auto inside = std::count_if(buffer.begin(), buffer.end(),
                                        [](const Held& h) { return h.freed == kNever; });
      if (inside == 0) continue;
      waits.push_back({probe_.place(), router_input(Color(c), d),
                       "the module behind the pins, which has not changed a pin for " +
                           std::to_string(options_.quiet_cycles) +
                           " cycles: " + wavelets_wait(static_cast<std::size_t>(inside)),
                       true});
    }
  }
}

}  // namespace tessera::fabric
