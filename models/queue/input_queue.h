// Input queue module: InputQueueCore between the off-ramp of a router and a compute engine.
#pragma once

#include <systemc>

#include <string>

#include "models/queue/input_queue_core.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/link/link_kit.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::queue {

class InputQueue : public sc_core::sc_module, private link::ForwardIf, private ReadIf {
 public:
  static constexpr const char* kUnboundId = "/tessera/queue/unbound";
  /// The router broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/queue/protocol";

  link::TargetSocket in{"in"};  ///< from the off-ramp of the router
  ReadTargetSocket out{"out"};  ///< to the compute engine

  /// Parameters as in InputQueueCore.
  InputQueue(sc_core::sc_module_name name, QueueId id, Color color, unsigned length,
             observe::Probe probe)
      : sc_core::sc_module(name), core_(id, color, length, probe) {
    in.bind(static_cast<link::ForwardIf&>(*this));
    out.bind(static_cast<ReadIf&>(*this));
  }

  const InputQueueCore& core() const { return core_; }

 private:
  void end_of_elaboration() override {
    if (in.get_base_port().size() > 0 && out.get_base_port().size() > 0) return;
    const std::string text = std::string(name()) + ": an input queue needs the off-ramp of a " +
                             "router at 'in' and a reader at 'out'";
    SC_REPORT_ERROR(kUnboundId, text.c_str());
  }
  void put(const link::Wavelet& w, Cycle due) override {
    if (kit::obeys_rules(
            kProtocolId, [&] { core_.put(w, due); }, name()))
      out->arrived(due);
  }
  unsigned capacity(Color color) const override { return core_.capacity(color); }
  Cycle ready_at() const override { return core_.ready_at(); }
  unsigned available(Cycle now) const override { return core_.available(now); }
  const link::Wavelet& front() const override { return core_.front(); }
  void pop(Cycle now) override { in->credit(core_.color(), core_.pop(now)); }

  InputQueueCore core_;
};

}  // namespace tessera::queue
