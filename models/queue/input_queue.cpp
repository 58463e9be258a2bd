#include "models/queue/input_queue.h"

#include <stdexcept>
#include <string>

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
  try {
    core_.put(w, due);
  } catch (const std::logic_error& broken_rule) {
    SC_REPORT_ERROR(kProtocolId, (std::string(name()) + ": " + broken_rule.what()).c_str());
    return;
  }
  out->arrived(due);
}

}  // namespace tessera::queue
