// Transfer protocol: sockets. Binding as in the other kits (tlm_ifaces/sync/sync_socket.h).
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/transfer/transfer_if.h"

namespace tessera::transfer {

/// Bits of the path (ascend.md 1.4: 128 B per cycle): a socket of another width does not bind.
inline constexpr unsigned kPathBits = 1024;

using InitiatorSocket = tlm::tlm_base_initiator_socket<kPathBits, ForwardIf, BackwardIf, 1,
                                                       sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_base_target_socket<kPathBits, ForwardIf, BackwardIf, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;

/// Report id for sockets that were left open.
inline constexpr const char* kUnboundId = "/tessera/transfer/unbound";

/// As sync::require_bound.
template <class Socket>
void require_bound(const Socket& socket, const std::string& where) {
  if (socket.get_base_port().size() > 0) return;
  SC_REPORT_ERROR(kUnboundId, (where + " is not bound: bind a core or a GM").c_str());
}

}  // namespace tessera::transfer
