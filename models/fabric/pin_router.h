// A router that is given as pins, such as one in Verilog: sockets and events of a Router around a module
// of the user (docs/rtl-in-the-loop.md).
//
//   fabric::PinRouter router("router", domain, at, timing, routes, probe, {});
//   auto rtl = std::make_unique<Vrouter>("rtl");      // made by verilator --sc
//   router.connect(*rtl);
//
// The pins are those of link::Pins on each side, "west_in_valid" to "ramp_out_capacity", and those of
// PinRouter itself: "clock", "reset", "route_rx", "route_tx", "fixed_order".
#pragma once

#include <systemc>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "models/fabric/lock_step.h"
#include "models/fabric/router_ports.h"
#include "models/observe/probe.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/link/pins.h"

namespace tessera::fabric {

struct PinRouterOptions {
  /// The clock stops after so many cycles without a change of a pin, and the module is taken for idle.
  unsigned quiet_cycles = 64;
  unsigned reset_edges = 4;
  /// Steps a RouterCore beside the module and ends the run at the first difference.
  bool lock_step = false;
  /// Where lock step writes the wave form of a difference; empty: nowhere.
  std::string vcd_file;
};

class PinRouter : public RouterPorts, public timing::Steppable, private config_space::ConfigIf {
 public:
  /// Lock step found a difference.
  static constexpr const char* kLockStepId = "/tessera/fabric/lock_step";
  /// The module gave a credit for a place that it does not have, or sent to nobody.
  static constexpr const char* kProtocolId = "/tessera/fabric/protocol";
  static constexpr unsigned kRouteBits = kColorCount * kDirectionCount;

  /// Parameters as in Router. Throws UserError for a route that the pins do not carry, such as one with
  /// switch positions.
  PinRouter(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
            const FabricTiming& timing, const LockStep::Routes& routes, observe::Probe probe,
            PinRouterOptions options);
  ~PinRouter() override;

  /// Binds the ports of `rtl` by their names. During construction.
  void connect(sc_core::sc_module& rtl);
  /// For bindings by hand.
  link::PinClock& clock() { return clock_; }
  link::Pins& input_pins(Direction d) { return to_pins_[index(d)]->pins; }
  link::Pins& output_pins(Direction d) { return from_pins_[index(d)]->pins; }
  /// Bit color * 5 + index(Direction): the color is received from there, is sent there.
  sc_core::sc_signal<sc_dt::sc_bv<kRouteBits>> route_rx{"route_rx"};
  sc_core::sc_signal<sc_dt::sc_bv<kRouteBits>> route_tx{"route_tx"};
  /// FabricTiming::arbitration is kFixed.
  sc_core::sc_signal<bool> fixed_order{"fixed_order"};

  std::size_t held() const override { return held_; }
  void describe_waits(observe::Waits& waits, Cycle now) const override;
  void restart() override;
  void start() override;
  Cycle step(Cycle now) override;

 private:
  // Stands between the sockets of the router and the adapters of one direction.
  struct Port : link::ForwardIf, link::BackwardIf {
    void put(const link::Wavelet& w, Cycle due) override { router->put(*this, w, due); }
    unsigned capacity(Color color) const override {
      return outer ? router->inner_out_[index(direction)]->capacity(color)
                   : router->room_behind(direction, color);
    }
    void credit(Color color, Cycle due) override;
    PinRouter* router = nullptr;
    Direction direction = Direction::kWest;
    bool outer = true;  // called from outside of the router; else by the adapters
  };
  // A wavelet inside the module.
  struct Held {
    link::Wavelet wavelet;
    DirectionSet left;     // outputs that a copy has left through
    Cycle freed = kNever;  // edge after which its place was given back
  };
  using Buffer = std::deque<Held>;

  void build_side(Direction d);
  void put(const Port& port, const link::Wavelet& w, Cycle due);
  unsigned room_behind(Direction side, Color color) const;
  void enter(Direction side, const link::Wavelet& w, Cycle due);
  void leave(Direction side, link::Wavelet w, Cycle due);
  void credit_to_sender(Direction side, Color color, Cycle due);
  Held* find(Direction side, const link::Wavelet& w, Cycle now);
  void activity(Cycle cycle);
  void compare_until(Cycle end);

  // The configuration space of a module behind pins is empty: routes are fixed.
  std::uint16_t read(config_space::Address, Cycle) const override { return 0; }
  std::string why_illegal(config_space::Address, std::uint16_t) const override {
    return "a route of a router that is given as pins; it is fixed";
  }
  void write(config_space::Address, std::uint16_t, Cycle) override {}
  void before_end_of_elaboration() override;
  unsigned latency_of(Direction side) const {
    return side == Direction::kRamp ? timing_.off_ramp_latency : timing_.hop_latency;
  }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const FabricTiming timing_;
  const LockStep::Routes routes_;
  const observe::Probe probe_;
  const PinRouterOptions options_;
  const sc_core::sc_time period_;
  DirectionSet received_[kColorCount];
  link::PinClock clock_;
  sc_core::sc_vector<link::InitiatorSocket> inner_out_;
  sc_core::sc_vector<link::TargetSocket> inner_in_;
  std::array<std::unique_ptr<link::ToPins>, kDirectionCount> to_pins_;
  std::array<std::unique_ptr<link::FromPins>, kDirectionCount> from_pins_;
  std::array<Port, kDirectionCount> outer_;
  std::array<Port, kDirectionCount> inner_;
  std::array<std::array<Buffer, kColorCount>, kDirectionCount> buffers_;
  std::size_t held_ = 0;
  sc_core::sc_module* rtl_ = nullptr;

  std::optional<LockStep> lock_step_;
  std::map<Cycle, RouterCycle> passed_;  // not compared yet
};

}  // namespace tessera::fabric
