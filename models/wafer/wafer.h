// Wafer module: Strips behind link sockets. All tiles of a rectangle are one block of the clock
// domain; the links that leave it (Plan::ports) are sockets, as those of a router are: bind a host
// edge, a stub, another wafer, or a model that takes the place of a tile. Where several threads step the tiles, the
// blocks behind the ports are stepped at the same time (docs/architecture.md#strips).
#pragma once

#include <systemc>

#include <cassert>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "models/fabric/router.h"
#include "models/timing/clock_domain.h"
#include "models/wafer/sharing/strips.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::wafer {

class Wafer : public sc_core::sc_module, public timing::Steppable, private Outside {
 public:
  /// A neighbour broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/wafer/protocol";
  /// Two input queues of a tile are bound to one color.
  static constexpr const char* kTwoQueuesId = fabric::Router::kTwoQueuesId;

  sc_core::sc_vector<link::InitiatorSocket> out;  ///< "out_0" and so on, as Plan::ports
  sc_core::sc_vector<link::TargetSocket> in;      ///< "in_0" and so on, as Plan::ports

  /// `plan` is kept. `events` may be nullptr. Throws as WaferCore.
  Wafer(sc_core::sc_module_name name, timing::ClockDomain& domain, Plan plan,
        observe::EventStream* events, Threads threads = {}, std::vector<Channel*> others = {});

  /// Who asks in a cycle finds tiles before or after its step.
  Strips& core() {
    complete_begun();
    return *core_;
  }
  /// Not for a cycle that has_begun().
  const Strips& core() const {
    assert(!has_begun());
    return *core_;
  }
  /// Other threads step tiles just now.
  bool has_begun() const { return core_->has_begun(); }
  /// As built from `plan`, which has the ports of the first one; `keep_memory`: PEs keep their SRAM, for
  /// a plan with the same programs. When the blocks behind the ports have been reset too, start()
  /// begins with cycle 0, as it does when the simulation starts. Throws as WaferCore.
  void reset(Plan plan, bool keep_memory);
  void start();
  /// Runs `function` on the tile from cycle `at` on, or from the next one if that is over. Requires
  /// a program there.
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at);
  /// The same of a command of the host (ComputeEngineCore::access).
  void access(TileCoord tile, pe::HostAccess access, Cycle at);
  /// The same of a tile that another process has.
  void order(TileCoord tile, const HostOrder& order, Cycle at, TakenListener listener);

  /// Strips::visit(); restored, it is woken for cycle `due` and for what is due itself.
  void visit(state::Archive& archive, Cycle next, Cycle due);

  Cycle step(Cycle now) override;
  void begin(Cycle now) noexcept override { core_->begin(now); }

 private:
  // The sockets of a port call this object, which knows the port.
  struct Port : link::ForwardIf, link::BackwardIf {
    Port(Wafer& owner, std::uint32_t number) : wafer(owner), index(number) {}
    void put(const link::Wavelet& w, Cycle due) override;
    unsigned capacity(Color color) const override { return wafer.core_->capacity(index, color); }
    void credit(Color color, Cycle due) override;
    Wafer& wafer;
    const std::uint32_t index;
  };

  // Outside: what the core calls.
  unsigned capacity(std::uint32_t port, Color color) const override {
    return out[port]->capacity(color);
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    out[port]->put(w, due);
  }
  void credit(std::uint32_t port, Color color, Cycle due) override { in[port]->credit(color, due); }

  /// Where other threads have begun with a cycle: steps the other tiles, and takes what has come from ports.
  void complete_begun();
  void take_from_ports();
  void end_of_elaboration() override;
  void start_of_simulation() override { start(); }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  Plan plan_;
  observe::EventStream* const events_;
  const Threads threads_;
  const std::vector<Channel*> others_;
  std::optional<Strips> core_;  // always there; made anew by reset()
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<PortMessage> from_ports_;  // for tiles that other threads step just now
  std::exception_ptr broken_rule_;       // by the first of them that did
};

}  // namespace tessera::wafer
