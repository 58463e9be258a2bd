// Configuration protocol: sockets. The compute engine is the initiator, the router the target. Both
// may stay unbound: a tile without a compute engine, a bench without a router.
#pragma once

#include <systemc>
#include <tlm>

#include "tlm_ifaces/config/config_if.h"
#include "tlm_ifaces/link/link_socket.h"

namespace tessera::config_space {

using InitiatorSocket = tlm::tlm_base_initiator_socket<link::kLinkBits, ConfigIf, ConfigNotifyIf, 1,
                                                       sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_base_target_socket<link::kLinkBits, ConfigIf, ConfigNotifyIf, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;

}  // namespace tessera::config_space
