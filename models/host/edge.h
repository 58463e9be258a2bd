// Host edge module: EdgeCore behind link sockets. Bind `out` to the input of a rim tile and its
// output to `in`; at the side RAMP bind a RampTap (ramp_tap.h).
#pragma once

#include <systemc>

#include <functional>
#include <utility>
#include <vector>

#include "models/host/edge_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::host {

class Edge : public sc_core::sc_module,
             public timing::Steppable,
             private link::ForwardIf,
             private link::BackwardIf {
 public:
  /// The tile broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/host/protocol";

  link::InitiatorSocket out{"out"};  ///< to the tile
  link::TargetSocket in{"in"};       ///< from the tile

  /// `tile`: the rim tile, for reports; the other parameters as in EdgeCore.
  Edge(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord tile, Direction side,
       const fabric::FabricTiming& timing, IdentRange idents, observe::Probe probe);

  /// Called in a cycle in which the last wavelet of a send() left or the last one of an expect()
  /// came. A host that runs the kernel itself pauses it there (ClockDomain::request_pause).
  void on_complete(std::function<void()> listener) { on_complete_ = std::move(listener); }

  /// As built with these parameters, and without take_only() and drop_control(); start() when the tile
  /// has been reset too (Router::reset).
  void reset(const fabric::FabricTiming& timing, IdentRange idents, observe::Probe probe) {
    core_ = EdgeCore(side_, timing, idents, probe);
  }
  void start();
  /// Saves what changes, or restores it and wakes the edge: see EdgeCore.
  void visit(state::Archive& archive, Cycle next, bool is_due);

  /// Before the simulation starts; see EdgeCore::take_only.
  void take_only(std::uint32_t colors) { core_.take_only(colors); }
  /// After take_only(); see EdgeCore::drop.
  void drop(std::uint32_t colors) { core_.drop(colors); }
  /// See EdgeCore::drop_control.
  void drop_control() { core_.drop_control(); }
  /// Sends `words` on `color` from the next free cycle on.
  void send(Color color, std::vector<Word> words) {
    send(color, std::move(words), domain_.next_free_cycle());
  }
  /// The same from cycle `from` on, which has not been stepped.
  void send(Color color, std::vector<Word> words, Cycle from);
  /// Waits for `count` more wavelets of `color`.
  void expect(Color color, std::size_t count) { core_.expect(color, count); }
  /// At RAMP: from cycle `from` on, which has not been stepped.
  void expect(Color color, std::size_t count, Cycle from) {
    core_.expect(color, count, from);
    domain_.wake(block_, from);
  }
  /// See EdgeCore::cancel.
  void cancel(Color color) { core_.cancel(color); }
  const std::vector<Received>& received(Color color) const { return core_.received(color); }
  const EdgeCore& core() const { return core_; }

  Cycle step(Cycle now) override;

 private:
  void end_of_elaboration() override;
  void start_of_simulation() override { start(); }
  void put(const link::Wavelet& w, Cycle due) override;
  unsigned capacity(Color color) const override { return core_.capacity(color); }
  void credit(Color color, Cycle due) override;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const TileCoord tile_;
  const Direction side_;
  EdgeCore core_;
  std::function<void()> on_complete_;
};

}  // namespace tessera::host
