// Slot protocol: sockets. Sockets may stay unbound for the kernel: links that no schedule uses are
// not there. `require_bound` says so of those that are used.
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/slot/slot_if.h"

namespace tessera::slot {

inline constexpr unsigned kSlotBits = 32;

using InitiatorSocket = tlm::tlm_base_initiator_socket<kSlotBits, ForwardIf, BackwardIf, 1,
                                                       sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_base_target_socket<kSlotBits, ForwardIf, BackwardIf, 1,
                                                 sc_core::SC_ZERO_OR_MORE_BOUND>;

/// Report id for sockets that were left open.
inline constexpr const char* kUnboundId = "/tessera/slot/unbound";

/// Call in end_of_elaboration or later: reports an open socket as an integration mistake (exit 3).
/// `where` is in the terms of the model: "node 3, +x output".
template <class Socket>
void require_bound(const Socket& socket, const std::string& where) {
  if (socket.get_base_port().size() > 0) return;
  SC_REPORT_ERROR(kUnboundId, (where + " is not bound: a schedule uses it").c_str());
}

}  // namespace tessera::slot
