// How a compute engine reaches the queues of its PE. The module forwards to its queue sockets, a
// dense structure to its arrays. Same meaning as the interfaces in tlm_ifaces/queue/queue_kit.h.
#pragma once

#include <cstdint>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

class PeQueues {
 public:
  virtual ~PeQueues() = default;
  /// Cycle from which the oldest wavelet of input queue `q` may be read; kNever when it is empty.
  virtual Cycle ready_at(QueueId q) const = 0;
  /// How many wavelets of input queue `q` may be read in cycle `now`.
  virtual unsigned available(QueueId q, Cycle now) const = 0;
  /// Those of the input queues `asked` that have a wavelet to read in cycle `now`, and those of the
  /// output queues `asked` that have room; one bit a queue.
  virtual std::uint32_t readable(std::uint32_t asked, Cycle now) const {
    std::uint32_t found = asked;
    for (; asked != 0; asked &= asked - 1) {
      if (ready_at(lowest(asked)) > now) found &= ~(asked & -asked);
    }
    return found;
  }
  virtual std::uint32_t writable(std::uint32_t asked, Cycle now) const {
    std::uint32_t found = asked;
    for (; asked != 0; asked &= asked - 1) {
      if (room(lowest(asked), now) == 0) found &= ~(asked & -asked);
    }
    return found;
  }
  virtual const link::Wavelet& front(QueueId q) const = 0;
  virtual void pop(QueueId q, Cycle now) = 0;
  /// How many wavelets output queue `q` takes in cycle `now`.
  virtual unsigned room(QueueId q, Cycle now) const = 0;
  virtual void push(QueueId q, const link::Wavelet& w, Cycle now) = 0;

 private:
  static QueueId lowest(std::uint32_t queues) {
    return QueueId(static_cast<unsigned>(__builtin_ctz(queues)));
  }
};

}  // namespace tessera::pe
