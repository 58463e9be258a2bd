// Router module: RouterCore behind link sockets. Cycle rules and storage: router_core.h.
#pragma once

#include <systemc>

#include <array>
#include <optional>
#include <string>

#include "models/fabric/router_core.h"
#include "models/fabric/router_ports.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/config/config_kit.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::fabric {

class Router : public RouterPorts, public timing::Steppable, private config_space::ConfigIf {
 public:
  /// A neighbour broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/fabric/protocol";

  /// `at` names the tile in reports. Parameters as in RouterCore.
  Router(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
         const FabricTiming& timing, observe::Probe probe);

  /// Before the simulation starts; see RouterCore::set_route.
  void set_route(Color color, const ColorRoute& route) { core_->set_route(color, route); }
  /// Before the first set_route(): the program of the tile rewrites routes.
  void set_reconfigurable(Generation generation) { core_->set_reconfigurable(generation); }
  /// See RouterCore::set_epoch_checker.
  void set_epoch_checker(EpochChecker* epochs) { core_->set_epoch_checker(epochs); }
  /// See RouterCore::set_diagnoses.
  void set_diagnoses(observe::Diagnoses* diagnoses) { core_->set_diagnoses(diagnoses); }
  const RouterCore& core() const { return *core_; }
  std::size_t held() const override { return core_->held(); }
  void describe_waits(observe::Waits& waits, Cycle now) const override {
    core_->describe_waits(waits, now);
  }

  void set_link_waits(observe::LinkWaits& waits) override { core_->set_link_waits(waits); }
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const override {
    core_->add_lasting_waits(waits, end);
  }

  /// As built with these parameters: empty and without routes. When all blocks around have been
  /// reset and configured, start() asks them for their room, as it does when the simulation starts.
  void reset(const FabricTiming& timing, observe::Probe probe) {
    core_.emplace(tile(), timing, probe);
  }
  void start() override;
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(*core_);
  }

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

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  std::optional<RouterCore> core_;  // always there; made anew by reset()
  std::array<Port, kDirectionCount> ports_;
};

}  // namespace tessera::fabric
