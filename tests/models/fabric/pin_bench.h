// A router behind pins between five random senders and receivers, in lock step with RouterCore.
#pragma once

#include <systemc>

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "models/fabric/pin_router.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/link/control_word.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::fabric::bench {

inline ColorRoute plain_route(DirectionSet rx, DirectionSet tx) {
  ColorRoute route;
  route.positions[0] = {rx, tx, true};
  return route;
}

/// Routes of random colors: from one or two sides to one to three.
inline LockStep::Routes random_routes(std::mt19937& draw) {
  LockStep::Routes routes;
  for (unsigned color = 0; color < kColorCount; ++color) {
    if (draw() % 3 == 0) continue;
    DirectionSet rx;
    DirectionSet tx;
    for (unsigned n = 1 + draw() % 2; n > 0; --n) rx.insert(static_cast<Direction>(draw() % 5));
    for (unsigned n = 1 + draw() % 3; n > 0; --n) tx.insert(static_cast<Direction>(draw() % 5));
    routes.emplace_back(Color(color), plain_route(rx, tx));
  }
  return routes;
}

/// One side of the router: sends random wavelets when it has credits, takes what comes and gives the
/// room back after some cycles.
class Traffic : public sc_core::sc_module,
                public timing::Steppable,
                private link::ForwardIf,
                private link::BackwardIf {
 public:
  link::InitiatorSocket out{"out"};
  link::TargetSocket in{"in"};
  std::size_t sent = 0;
  std::size_t received = 0;

  Traffic(sc_core::sc_module_name name, timing::ClockDomain& domain, unsigned seed, Cycle end)
      : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), draw_(seed),
        end_(end) {
    out.bind(static_cast<link::BackwardIf&>(*this));
    in.bind(static_cast<link::ForwardIf&>(*this));
  }

  /// As at the start; the clock domain has been reset.
  void restart() {
    returning_.clear();
    held_.clear();
    ident_ = 0;
    start_of_simulation();
  }
  Cycle step(Cycle now) override {
    while (!returning_.empty() && returning_.front().second <= now) {
      ++credits_[returning_.front().first];
      returning_.pop_front();
    }
    give_back(now);
    if (now < end_) send(now);
    if (now < end_) return now + 1;
    return held_.empty() ? kNever : now + 1;
  }

 private:
  void send(Cycle now) {
    if (draw_() % 100 >= 70 || (now / 512) % 4 == 3) return;  // pauses, in which the clock stops
    const unsigned color = draw_() % kColorCount;
    if (credits_[color] == 0) return;
    --credits_[color];
    ++sent;
    const bool control = draw_() % 8 == 0;
    auto payload = static_cast<std::uint32_t>(draw_());
    if (control && link::command_at(payload, 0).command == link::Command::kTeardown)
      payload = link::with_command(payload, 0, {link::Command::kAdvance, draw_() % 2 == 0});
    out->put(
        {payload, Color(color), control, !control && draw_() % 4 == 0, draw_() % 16 == 0, ++ident_},
        now + 1);
  }
  void give_back(Cycle now) {
    while (!held_.empty() && (now >= end_ || draw_() % 100 < 60)) {
      in->credit(held_.front(), now + 1);
      held_.pop_front();
    }
  }
  void put(const link::Wavelet& w, Cycle due) override {
    ++received;
    held_.push_back(w.color);
    domain_.wake(block_, due);
  }
  unsigned capacity(Color color) const override { return 1 + color.value() % 5; }
  void credit(Color color, Cycle due) override {
    returning_.emplace_back(color.value(), due);
    domain_.wake(block_, due);
  }
  void start_of_simulation() override {
    for (unsigned c = 0; c < kColorCount; ++c) credits_[c] = out->capacity(Color(c));
    domain_.wake(block_, 1);
  }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  std::mt19937 draw_;
  const Cycle end_;
  std::array<unsigned, kColorCount> credits_{};
  std::deque<std::pair<unsigned, Cycle>> returning_;
  std::deque<Color> held_;
  std::uint64_t ident_ = 0;
};

/// Connect a module to `router`, then simulate.
struct PinBench {
  PinBench(unsigned seed, Cycle cycles, FabricTiming timing, std::string vcd = {})
      : draw(seed), routes(random_routes(draw)),
        router("router", domain, {2, 1}, timing, routes, {}, {64, 4, true, std::move(vcd)}) {
    for (Direction d : kAllDirections) {
      traffic[index(d)] = std::make_unique<Traffic>(
          (std::string("traffic_") + to_string(d)).c_str(), domain, seed * 5 + index(d), cycles);
      Traffic& side = *traffic[index(d)];
      side.out.bind(router.in[index(d)]);
      d == Direction::kRamp ? router.off_ramp.bind(side.in) : router.out[index(d)].bind(side.in);
    }
  }
  std::size_t sent() const {
    std::size_t n = 0;
    for (const auto& side : traffic) n += side->sent;
    return n;
  }
  std::size_t received() const {
    std::size_t n = 0;
    for (const auto& side : traffic) n += side->received;
    return n;
  }

  timing::ClockDomain domain{"clock", 1176};
  std::mt19937 draw;
  LockStep::Routes routes;
  PinRouter router;
  std::array<std::unique_ptr<Traffic>, kDirectionCount> traffic;
};

}  // namespace tessera::fabric::bench
