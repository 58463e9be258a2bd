// Lets the host stand between a PE and its router for the colors of some streams (csl.md 11): what
// the PE sends on them goes to the host instead of the router, and their input queues receive from
// the host. All other colors pass. No cycle is added: a host::Edge with the side RAMP has the
// latencies.
#pragma once

#include <systemc>

#include <cstdint>

#include "tlm_ifaces/link/link_kit.h"

namespace tessera::host {

class RampTap : public sc_core::sc_module {
 public:
  link::TargetSocket from_on_ramp{"from_on_ramp"};
  link::InitiatorSocket to_router{"to_router"};  ///< its RAMP input
  link::InitiatorSocket to_host{"to_host"};
  link::TargetSocket from_host{"from_host"};
  link::MultiInitiatorSocket to_queues{"to_queues"};  ///< the input queues of the streams

  /// `out_colors`: those that the host takes, one bit each.
  RampTap(sc_core::sc_module_name name, std::uint32_t out_colors);

 private:
  /// From the PE: a color goes to the router or to the host.
  struct Outward : link::ForwardIf, link::BackwardIf {
    explicit Outward(RampTap& owner) : tap(owner) {}
    void put(const link::Wavelet& w, Cycle due) override { behind(w.color).put(w, due); }
    unsigned capacity(Color color) const override { return behind(color).capacity(color); }
    void credit(Color color, Cycle due) override { tap.from_on_ramp->credit(color, due); }
    link::ForwardIf& behind(Color color) const {
      return (tap.out_colors_ >> color.value() & 1U) != 0 ? *tap.to_host[0] : *tap.to_router[0];
    }
    RampTap& tap;
  };
  /// To the PE: a color goes to the queue that has room for it.
  struct Inward : link::ForwardIf, link::BackwardIf {
    explicit Inward(RampTap& owner) : tap(owner) {}
    void put(const link::Wavelet& w, Cycle due) override { queue_of(w.color)->put(w, due); }
    unsigned capacity(Color color) const override {
      link::ForwardIf* const queue = queue_of(color);
      return queue == nullptr ? 0 : queue->capacity(color);
    }
    void credit(Color color, Cycle due) override { tap.from_host->credit(color, due); }
    /// nullptr: no stream of the PE has the color.
    link::ForwardIf* queue_of(Color color) const;
    RampTap& tap;
  };

  const std::uint32_t out_colors_;
  Outward outward_{*this};
  Inward inward_{*this};
};

}  // namespace tessera::host
