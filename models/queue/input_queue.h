// Input queue module: InputQueueCore between the off-ramp of a router and a compute engine.
#pragma once

#include <systemc>

#include "models/queue/input_queue_core.h"
#include "models/queue/queue_ports.h"

namespace tessera::queue {

class InputQueue : public InputQueuePorts, private link::ForwardIf, private ReadIf {
 public:
  /// The router broke the link protocol (link::Checker tells which rule).
  static constexpr const char* kProtocolId = "/tessera/queue/protocol";

  /// Parameters as in InputQueueCore.
  InputQueue(sc_core::sc_module_name name, QueueId id, Color color, unsigned length,
             observe::Probe probe);

  const InputQueueCore& core() const { return core_; }
  /// As built with these parameters.
  void reset(Color color, unsigned length, observe::Probe probe) {
    core_ = InputQueueCore(core_.id(), color, length, probe);
  }
  std::size_t size() const override { return core_.size(); }
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(core_);
  }
  void describe_waits(observe::Waits& waits, Cycle now) const override {
    core_.describe_waits(waits, now);
  }

 private:
  void put(const link::Wavelet& w, Cycle due) override;
  unsigned capacity(Color color) const override { return core_.capacity(color); }
  Cycle ready_at() const override { return core_.ready_at(); }
  unsigned available(Cycle now) const override { return core_.available(now); }
  const link::Wavelet& front() const override { return core_.front(); }
  void pop(Cycle now) override { in->credit(core_.color(), core_.pop(now)); }

  InputQueueCore core_;
};

}  // namespace tessera::queue
