// Queue protocol: sockets (tlm_ifaces/kit/socket.h). The block that reads or writes is the
// initiator, the queue is the target.
#pragma once

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/queue/queue_if.h"

namespace tessera::queue {

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
