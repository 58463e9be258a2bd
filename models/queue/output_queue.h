// Output queue module: OutputQueueCore between a compute engine and the on-ramp.
#pragma once

#include <systemc>

#include "models/queue/output_queue_core.h"
#include "models/queue/queue_ports.h"

namespace tessera::queue {

class OutputQueue : public OutputQueuePorts, private WriteIf, private ReadIf {
 public:
  /// The writer pushed without room.
  static constexpr const char* kProtocolId = "/tessera/queue/protocol";

  /// Parameters as in OutputQueueCore.
  OutputQueue(sc_core::sc_module_name name, QueueId id, unsigned length, unsigned write_latency,
              observe::Probe probe);

  const OutputQueueCore& core() const { return core_; }
  /// As built with these parameters.
  void reset(unsigned length, unsigned write_latency, observe::Probe probe) {
    core_ = OutputQueueCore(core_.id(), length, write_latency, probe);
  }
  std::size_t size() const override { return core_.size(); }
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(core_);
  }

 private:
  unsigned room(Cycle now) const override { return core_.room(now); }
  void push(const link::Wavelet& w, Cycle now) override;
  Cycle ready_at() const override { return core_.ready_at(); }
  unsigned available(Cycle now) const override { return core_.available(now); }
  const link::Wavelet& front() const override { return core_.front(); }
  void pop(Cycle now) override { in->room_made(core_.pop(now)); }

  OutputQueueCore core_;
};

}  // namespace tessera::queue
