// Queue protocol: how a block reads from or writes to a queue of a PE that is a module of its own.
//
// A queue has one writer and one reader. Both ask the queue directly (plain calls, no copies) and
// are told when it is worth asking again. What the writer does in cycle t is visible to the reader
// from a later cycle on, and the other way round, so it does not matter who is stepped first.
#pragma once

#include <systemc>

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::queue {

struct ReadProtocol {
  using payload_type = link::Wavelet;
};
struct WriteProtocol {
  using payload_type = link::Wavelet;
};

/// Reader to queue.
class ReadIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = ReadProtocol;
  /// Cycle from which the oldest wavelet may be read; kNever when the queue is empty.
  virtual Cycle ready_at() const = 0;
  /// How many wavelets may be read in cycle `now`.
  virtual unsigned available(Cycle now) const = 0;
  /// The oldest wavelet. Requires ready_at() <= now.
  virtual const link::Wavelet& front() const = 0;
  /// Removes the oldest wavelet in cycle `now`; the writer sees the room from now + 1 on.
  virtual void pop(Cycle now) = 0;
};

/// Queue to reader.
class ReadNotifyIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = ReadProtocol;
  /// A wavelet arrived that may be read from cycle `due` on.
  virtual void arrived(Cycle due) = 0;
};

/// Writer to queue.
class WriteIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = WriteProtocol;
  /// How many wavelets the writer may push in cycle `now`.
  virtual unsigned room(Cycle now) const = 0;
  /// Appends `w` in cycle `now`. Requires room(now) > 0.
  virtual void push(const link::Wavelet& w, Cycle now) = 0;
};

/// Queue to writer.
class WriteNotifyIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = WriteProtocol;
  /// Room was made that the writer may use from cycle `due` on.
  virtual void room_made(Cycle due) = 0;
};

// Sockets (tlm_ifaces/kit/socket.h). The block that reads or writes is the
// initiator, the queue is the target.

template <class ForwardIf, class BackwardIf>
struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  static constexpr unsigned kBits = 32;
  static constexpr const char* kName = "queue";
  static constexpr const char* kRemedy = "a queue has one writer and one reader";
};
using ReadKit = Kit<ReadIf, ReadNotifyIf>;
using WriteKit = Kit<WriteIf, WriteNotifyIf>;

using ReadInitiatorSocket = kit::InitiatorSocket<ReadKit>;
using ReadTargetSocket = kit::TargetSocket<ReadKit>;
using WriteInitiatorSocket = kit::InitiatorSocket<WriteKit>;
using WriteTargetSocket = kit::TargetSocket<WriteKit>;

}  // namespace tessera::queue
