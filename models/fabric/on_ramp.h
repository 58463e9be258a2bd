// On-ramp module: OnRampCore between the output queues of a PE and the RAMP input of its router.
#pragma once

#include <systemc>

#include <array>

#include "models/fabric/on_ramp_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/kit/numbered_sockets.h"
#include "tlm_ifaces/link/link_kit.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::fabric {

class OnRamp : public sc_core::sc_module,
               public timing::Steppable,
               private queue::ReadNotifyIf,
               private link::BackwardIf {
 public:
  /// The router broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/fabric/protocol";

  /// By output queue id: "queue_0" .. "queue_7".
  kit::NumberedSockets<queue::ReadInitiatorSocket> queues;
  link::InitiatorSocket out{"out"};  ///< to the RAMP input of the router

  /// `at` and `place` (its linear index) name the tile in reports; `which`: the output queues that have
  /// a socket. Those the PE does not have stay unbound.
  OnRamp(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
         const FabricTiming& timing, std::uint32_t place, kit::Numbers which = kit::kAllNumbers);

  const OnRampCore& core() const { return core_; }
  /// As built with this parameter; start() when the router has been reset too (Router::reset).
  void reset(const FabricTiming& timing) { core_ = OnRampCore(at_, timing, core_.place()); }
  void start();
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(core_);
  }
  void describe_waits(observe::Waits& waits, Cycle now) const {
    core_.describe_waits(waits, now, heads(now));
  }

  Cycle step(Cycle now) override;

 private:
  void end_of_elaboration() override;
  void start_of_simulation() override { start(); }
  void arrived(Cycle due) override { domain_.wake(block_, due); }
  void credit(Color color, Cycle due) override;
  OnRampCore::Heads heads(Cycle now) const;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const TileCoord at_;
  OnRampCore core_;
  // Who is behind the sockets, asked once; nullptr: not bound.
  link::ForwardIf* router_ = nullptr;
  std::array<queue::ReadIf*, kMaxQueues> readable_{};
};

}  // namespace tessera::fabric
