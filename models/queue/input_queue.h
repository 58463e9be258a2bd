// Input queue module: InputQueueCore between the off-ramp of a router and a compute engine.
#pragma once

#include <systemc>

#include "models/queue/input_queue_core.h"
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
             observe::Probe probe);

  const InputQueueCore& core() const { return core_; }
  /// As built with these parameters.
  void reset(Color color, unsigned length, observe::Probe probe) {
    core_ = InputQueueCore(core_.id(), color, length, probe);
  }

 private:
  void end_of_elaboration() override;
  void put(const link::Wavelet& w, Cycle due) override;
  unsigned capacity(Color color) const override { return core_.capacity(color); }
  Cycle ready_at() const override { return core_.ready_at(); }
  unsigned available(Cycle now) const override { return core_.available(now); }
  const link::Wavelet& front() const override { return core_.front(); }
  void pop(Cycle now) override { in->credit(core_.color(), core_.pop(now)); }

  InputQueueCore core_;
};

}  // namespace tessera::queue
