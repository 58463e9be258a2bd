// Router module: RouterCore behind link sockets. Cycle rules and storage: router_core.h.
#pragma once

#include <systemc>

#include <array>
#include <optional>
#include <string>

#include "models/fabric/router_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/config/config_kit.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::fabric {

class Router : public sc_core::sc_module, public timing::Steppable, private config_space::ConfigIf {
 public:
  /// Two input queues behind one off-ramp have room for the same color.
  static constexpr const char* kTwoQueuesId = "/tessera/fabric/two_queues";
  /// A neighbour broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/fabric/protocol";

  /// Input ports "west_in", "east_in", "south_in", "north_in", "ramp_in", by index(Direction). RAMP
  /// may stay unbound: a tile without a compute engine.
  sc_core::sc_vector<link::TargetSocket> in;
  /// Cardinal output ports "west_out" .. "north_out", by index(Direction).
  sc_core::sc_vector<link::InitiatorSocket> out;
  /// RAMP output: bind every input queue of the PE. A color goes to the queue with room for it.
  link::MultiInitiatorSocket off_ramp{"off_ramp"};
  /// Registers of the routes, for the compute engine of the tile. May stay unbound.
  config_space::TargetSocket config{"config"};

  /// `at` names the tile in reports. Parameters as in RouterCore.
  Router(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
         const FabricTiming& timing, observe::Probe probe);

  /// Before the simulation starts; see RouterCore::set_route.
  void set_route(Color color, const ColorRoute& route) { core_->set_route(color, route); }
  /// Before the first set_route(): the program of the tile rewrites routes.
  void set_reconfigurable(Generation generation) { core_->set_reconfigurable(generation); }
  /// See RouterCore::set_epoch_checker.
  void set_epoch_checker(EpochChecker* epochs) { core_->set_epoch_checker(epochs); }
  const RouterCore& core() const { return *core_; }

  /// As built with these parameters: empty and without routes. When all blocks around have been
  /// reset and configured, start() asks them for their room, as it does when the simulation starts.
  void reset(const FabricTiming& timing, observe::Probe probe) {
    core_.emplace(at_, timing, probe);
  }
  void start();

  Cycle step(Cycle now) override;

 private:
  // The sockets of a port call this object, which knows the port.
  struct Port : link::ForwardIf, link::BackwardIf {
    void put(const link::Wavelet& w, Cycle due) override;
    unsigned capacity(Color color) const override {
      return router->core_->input_capacity(direction, color);
    }
    void credit(Color color, Cycle due) override;
    Router* router = nullptr;
    Direction direction = Direction::kWest;
  };

  std::uint16_t read(config_space::Address address, Cycle now) const override {
    return core_->read_register(address, now);
  }
  std::string why_illegal(config_space::Address address, std::uint16_t value) const override {
    return core_->why_illegal(address, value);
  }
  void write(config_space::Address address, std::uint16_t value, Cycle due) override;
  void end_of_elaboration() override;
  void start_of_simulation() override { start(); }
  void find_queue_of(Color color);
  link::ForwardIf* receiver(Direction direction, Color color) const {
    return direction == Direction::kRamp ? queue_of_[color.value()] : receivers_[index(direction)];
  }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const TileCoord at_;
  std::optional<RouterCore> core_;  // always there; made anew by reset()
  std::array<Port, kDirectionCount> ports_;
  // Who is behind the sockets: asked once, because the way through a socket costs more than the
  // work of a hop. nullptr: not bound.
  std::array<link::ForwardIf*, kDirectionCount> receivers_{};
  std::array<link::BackwardIf*, kDirectionCount> senders_{};
  std::array<link::ForwardIf*, kColorCount> queue_of_{};  // input queue behind RAMP, per color
};

}  // namespace tessera::fabric
