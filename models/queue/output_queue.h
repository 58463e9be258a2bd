// Output queue module: OutputQueueCore between a compute engine and the on-ramp.
#pragma once

#include <systemc>

#include <string>

#include "models/queue/output_queue_core.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::queue {

class OutputQueue : public sc_core::sc_module, private WriteIf, private ReadIf {
 public:
  static constexpr const char* kUnboundId = "/tessera/queue/unbound";
  /// The writer pushed without room.
  static constexpr const char* kProtocolId = "/tessera/queue/protocol";

  WriteTargetSocket in{"in"};   ///< from the compute engine
  ReadTargetSocket out{"out"};  ///< to the on-ramp

  /// Parameters as in OutputQueueCore.
  OutputQueue(sc_core::sc_module_name name, QueueId id, unsigned length, unsigned write_latency,
              observe::Probe probe)
      : sc_core::sc_module(name), core_(id, length, write_latency, probe) {
    in.bind(static_cast<WriteIf&>(*this));
    out.bind(static_cast<ReadIf&>(*this));
  }

  const OutputQueueCore& core() const { return core_; }

 private:
  void end_of_elaboration() override {
    if (in.get_base_port().size() > 0 && out.get_base_port().size() > 0) return;
    const std::string text = std::string(name()) + ": an output queue needs a writer at 'in' and " +
                             "the on-ramp at 'out'";
    SC_REPORT_ERROR(kUnboundId, text.c_str());
  }
  unsigned room(Cycle now) const override { return core_.room(now); }
  void push(const link::Wavelet& w, Cycle now) override {
    Cycle readable_from = 0;
    if (kit::obeys_rules(
            kProtocolId, [&] { readable_from = core_.push(w, now); }, name()))
      out->arrived(readable_from);
  }
  Cycle ready_at() const override { return core_.ready_at(); }
  unsigned available(Cycle now) const override { return core_.available(now); }
  const link::Wavelet& front() const override { return core_.front(); }
  void pop(Cycle now) override { in->room_made(core_.pop(now)); }

  OutputQueueCore core_;
};

}  // namespace tessera::queue
