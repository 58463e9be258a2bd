// Output queue of a PE (reference wse.md 2.1): what lies between the compute engine and the
// on-ramp. Which colors it may carry is a matter of the program (wse.md 2.2) and is checked by the
// assembler. Plain C++; `output_queue.h` is its module.
#pragma once

#include <stdexcept>
#include <string>

#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "models/queue/queue_core.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::queue {

class OutputQueueCore : private QueueCore {
 public:
  /// `length` in wavelets (wse.md 2.1); `write_latency`: push to first cycle the on-ramp may read,
  /// at least 1, else std::invalid_argument.
  OutputQueueCore(QueueId id, unsigned length, unsigned write_latency, observe::Probe probe)
      : QueueCore(length), id_(id), write_latency_(write_latency), probe_(probe) {
    if (write_latency > 0) return;
    throw std::invalid_argument("output queue " + std::to_string(id.value()) +
                                ": write_latency must be at least 1");
  }

  QueueId id() const { return id_; }
  using QueueCore::size;
  using QueueCore::visit;

  /// As queue::WriteIf.
  using QueueCore::room;
  /// Returns the cycle from which the on-ramp may read `w`. Throws std::logic_error when there is
  /// no room.
  Cycle push(const link::Wavelet& w, Cycle now) {
    if (room(now) == 0) {
      throw std::logic_error("output queue " + std::to_string(id_.value()) +
                             " has no room in cycle " + std::to_string(now));
    }
    put(w, now + write_latency_);
    probe_.emit(now, observe::EventKind::kQueueOut, id_.value() | w.color.value() << 8, w.payload,
                w.ident);
    return now + write_latency_;
  }
  /// As queue::ReadIf; pop() returns the cycle from which the compute engine may use the room.
  using QueueCore::available, QueueCore::front, QueueCore::pop, QueueCore::ready_at;

 private:
  QueueId id_;
  unsigned write_latency_;
  observe::Probe probe_;
};

}  // namespace tessera::queue
