// Link protocol: sockets. 32 bits wide: a link of another width does not bind (compile-time error).
//
// A module implements ForwardIf (receiver) or BackwardIf (sender), one object a port, and binds
// that object to the export of its own socket: `socket.bind(object)`. A multi initiator socket fans
// out to several receivers that share one physical port, each owning some colors (the off-ramp of a
// router and the input queues behind it).
//
// Sockets may stay unbound for the kernel; `require_bound` says so in the model's terms instead of
// E109.
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/link/link_if.h"

namespace tessera::link {

inline constexpr unsigned kLinkBits = 32;

using InitiatorSocket = tlm::tlm_base_initiator_socket<kLinkBits, ForwardIf, BackwardIf, 1,
                                                       sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_base_target_socket<kLinkBits, ForwardIf, BackwardIf, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;
/// Bound to any number of target sockets.
using MultiInitiatorSocket = tlm::tlm_base_initiator_socket<kLinkBits, ForwardIf, BackwardIf, 0,
                                                            sc_core::SC_ZERO_OR_MORE_BOUND>;

/// Report id for sockets that were left open.
inline constexpr const char* kUnboundId = "/tessera/link/unbound";

/// Call in before_end_of_elaboration or later: reports an open socket as an integration mistake
/// (exit 3). `where` is in the terms of the model: "tile (3, 0), EAST output".
template <class Socket>
void require_bound(const Socket& socket, const std::string& where) {
  if (socket.get_base_port().size() > 0) return;
  SC_REPORT_ERROR(kUnboundId,
                  (where + " is not bound: bind a neighbour, a host edge or a link::Stub").c_str());
}

}  // namespace tessera::link
