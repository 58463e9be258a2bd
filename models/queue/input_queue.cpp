#include "models/queue/input_queue.h"

#include <string>

#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::queue {

InputQueue::InputQueue(sc_core::sc_module_name name, QueueId id, Color color, unsigned length,
                       observe::Probe probe)
    : sc_core::sc_module(name), core_(id, color, length, probe) {
  in.bind(static_cast<link::ForwardIf&>(*this));
  out.bind(static_cast<ReadIf&>(*this));
}

void InputQueue::end_of_elaboration() {
  if (in.get_base_port().size() > 0 && out.get_base_port().size() > 0) return;
  SC_REPORT_ERROR(kUnboundId,
                  (std::string(name()) +
                   ": an input queue needs the off-ramp of a router at 'in' and a reader at 'out'")
                      .c_str());
}

void InputQueue::put(const link::Wavelet& w, Cycle due) {
  if (kit::obeys_rules(
          kProtocolId, [&] { core_.put(w, due); }, name()))
    out->arrived(due);
}

}  // namespace tessera::queue
