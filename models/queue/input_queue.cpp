#include "models/queue/input_queue.h"

#include <string>

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::queue {

InputQueue::InputQueue(sc_core::sc_module_name name, QueueId id, Color color, unsigned length,
                       observe::Probe probe)
    : InputQueuePorts(name), core_(id, color, length, probe) {
  in.bind(static_cast<link::ForwardIf&>(*this));
  out.bind(static_cast<ReadIf&>(*this));
}

void InputQueue::put(const link::Wavelet& w, Cycle due) {
  if (kit::obeys_rules(
          kProtocolId, [&] { core_.put(w, due); }, name()))
    out->arrived(due);
}

}  // namespace tessera::queue
