// How a compute engine reaches what is around it: the queues of its PE and the registers of its
// router. The module forwards to its sockets, a dense structure to its arrays.
#pragma once

#include <cstdint>
#include <string>

#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

/// Same meaning as the interfaces in tlm_ifaces/queue/queue_kit.h.
class PeQueues {
 public:
  virtual ~PeQueues() = default;
  /// Cycle from which the oldest wavelet of input queue `q` may be read; kNever when it is empty.
  virtual Cycle ready_at(QueueId q) const = 0;
  /// How many wavelets of input queue `q` may be read in cycle `now`.
  virtual unsigned available(QueueId q, Cycle now) const = 0;
  /// Those of `inputs` that have no wavelet to read in cycle `now`, one bit an input queue, and those
  /// of `outputs` without room, one bit an output queue from bit kMaxQueues on.
  [[gnu::always_inline]] std::uint32_t lacking(std::uint32_t inputs, std::uint32_t outputs,
                                               Cycle now) const {
    if (keeps_masks_) {
      return (inputs & ~std::uint32_t{with_wavelets_}) | (outputs & ~std::uint32_t{with_room_})
                                                             << kMaxQueues;
    }
    return ask(inputs, outputs, now);
  }
  virtual link::Wavelet front(QueueId q) const = 0;
  /// front(), which leaves the queue.
  virtual link::Wavelet take(QueueId q, Cycle now) = 0;
  /// How many wavelets output queue `q` takes in cycle `now`.
  virtual unsigned room(QueueId q, Cycle now) const = 0;
  virtual void push(QueueId q, const link::Wavelet& w, Cycle now) = 0;

 protected:
  /// Whether the masks say in the cycle of every step which input queues have a wavelet to read, and
  /// which output queues have room, one bit each: they cost less than to ask.
  bool keeps_masks_ = false;
  std::uint8_t with_wavelets_ = 0;
  std::uint8_t with_room_ = 0;

 private:
  /// lacking() without masks. Not inlined: those who have masks would save registers for its calls.
  [[gnu::noinline]] std::uint32_t ask(std::uint32_t inputs, std::uint32_t outputs,
                                      Cycle now) const {
    return those_of(inputs, [&](QueueId q) { return ready_at(q) > now; }) |
           those_of(outputs, [&](QueueId q) { return room(q, now) == 0; }) << kMaxQueues;
  }
  template <class Lacks>
  static std::uint32_t those_of(std::uint32_t asked, Lacks&& lacks) {
    std::uint32_t found = 0;
    for (; asked != 0; asked &= asked - 1) {
      const QueueId lowest(static_cast<unsigned>(__builtin_ctz(asked)));
      if (lacks(lowest)) found |= asked & -asked;
    }
    return found;
  }
};

/// The registers of the router (reference wse.md 1.10).
class PeConfig {
 public:
  virtual ~PeConfig() = default;
  /// Value at the end of cycle `now` - 1. Requires config_space::is_router(address).
  virtual std::uint16_t read_config(config_space::Address address, Cycle now) const = 0;
  /// What `value` would set that the router cannot have, in words for a report; empty: nothing.
  virtual std::string why_illegal(config_space::Address address, std::uint16_t value) const = 0;
  /// Counts from cycle `due` on.
  virtual void write_config(config_space::Address address, std::uint16_t value, Cycle due) = 0;
};

}  // namespace tessera::pe
