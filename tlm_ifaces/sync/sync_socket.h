// Sync protocol: sockets. A module implements ForwardIf (sync unit) or BackwardIf (core), one object
// a port, and binds that object to the export of its own socket: `socket.bind(object)`. Sockets may
// stay unbound for the kernel; `require_bound` says so in the model's terms instead of E109.
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/sync/sync_if.h"

namespace tessera::sync {

/// Bits of the message of a set (ascend.md 2.6): a socket of another width does not bind.
inline constexpr unsigned kMessageBits = 16;

using InitiatorSocket = tlm::tlm_base_initiator_socket<kMessageBits, ForwardIf, BackwardIf, 1,
                                                       sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_base_target_socket<kMessageBits, ForwardIf, BackwardIf, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;

/// Report id for sockets that were left open.
inline constexpr const char* kUnboundId = "/tessera/sync/unbound";

/// Call in before_end_of_elaboration or later: reports an open socket as an integration mistake
/// (exit 3). `where` is in the terms of the model: "AIV1 of cluster 3".
template <class Socket>
void require_bound(const Socket& socket, const std::string& where) {
  if (socket.get_base_port().size() > 0) return;
  SC_REPORT_ERROR(kUnboundId,
                  (where + " is not bound: bind a core, a sync unit or a sync::Stub").c_str());
}

}  // namespace tessera::sync
