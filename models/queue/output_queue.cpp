#include "models/queue/output_queue.h"

#include <string>

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::queue {

OutputQueue::OutputQueue(sc_core::sc_module_name name, QueueId id, unsigned length,
                         unsigned write_latency, observe::Probe probe)
    : OutputQueuePorts(name), core_(id, length, write_latency, probe) {
  in.bind(static_cast<WriteIf&>(*this));
  out.bind(static_cast<ReadIf&>(*this));
}

void OutputQueue::push(const link::Wavelet& w, Cycle now) {
  Cycle readable_from = 0;
  if (kit::obeys_rules(
          kProtocolId, [&] { readable_from = core_.push(w, now); }, name()))
    out->arrived(readable_from);
}

}  // namespace tessera::queue
