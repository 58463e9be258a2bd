// Queue protocol: sockets. The block that reads or writes is the initiator, the queue is the
// target.
#pragma once

#include <systemc>
#include <tlm>

#include "tlm_ifaces/link/link_socket.h"
#include "tlm_ifaces/queue/queue_if.h"

namespace tessera::queue {

template <class Forward, class Backward>
using Initiator = tlm::tlm_base_initiator_socket<link::kLinkBits, Forward, Backward, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;
template <class Forward, class Backward>
using Target = tlm::tlm_base_target_socket<link::kLinkBits, Forward, Backward, 1,
                                           sc_core::SC_ZERO_OR_MORE_BOUND>;

using ReadInitiatorSocket = Initiator<ReadIf, ReadNotifyIf>;
using ReadTargetSocket = Target<ReadIf, ReadNotifyIf>;
using WriteInitiatorSocket = Initiator<WriteIf, WriteNotifyIf>;
using WriteTargetSocket = Target<WriteIf, WriteNotifyIf>;

}  // namespace tessera::queue
