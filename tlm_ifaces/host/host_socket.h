// Host protocol: TLM-2.0 base protocol, 32 bits wide. Sockets, and what is said in our terms about
// one that is bound wrongly instead of the kernel's E109 with a generated name. They are not sockets
// of tlm_ifaces/kit, as the other side may be anybody's: bindings are counted when all are made.
#pragma once

#include <systemc>
#include <tlm>

#include <string>

namespace tessera::host {

inline constexpr unsigned kHostBits = 32;

using InitiatorSocket =
    tlm::tlm_base_initiator_socket<kHostBits, tlm::tlm_fw_transport_if<>,
                                   tlm::tlm_bw_transport_if<>, 0, sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket =
    tlm::tlm_base_target_socket<kHostBits, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>,
                                0, sc_core::SC_ZERO_OR_MORE_BOUND>;

inline constexpr const char* kUnboundId = "/tessera/host/unbound";
inline constexpr const char* kBoundTwiceId = "/tessera/host/bound_twice";
inline constexpr const char* kWidthId = "/tessera/host/width";

/// Call in end_of_elaboration: reports (exit 3) a socket or port that is not bound exactly once.
/// `where`: "host port 'top.port', socket"; `what`: what can be bound there.
template <class Port>
void require_bound_once(const Port& port, const std::string& where, const std::string& what) {
  const auto bound = port.size();
  if (bound == 1) return;
  if (bound == 0) {
    SC_REPORT_ERROR(kUnboundId, (where + " is not bound: bind " + what).c_str());
    return;
  }
  SC_REPORT_ERROR(
      kBoundTwiceId,
      (where + " is bound " + std::to_string(bound) + " times: put a bus in between").c_str());
}

/// Binds an initiator socket of any width to a target socket of this protocol. A width that differs
/// is a report (exit 3) instead of a page of templates from the compiler.
template <unsigned Bits, int N, sc_core::sc_port_policy Policy>
void connect(tlm::tlm_base_initiator_socket<Bits, tlm::tlm_fw_transport_if<>,
                                            tlm::tlm_bw_transport_if<>, N, Policy>& from,
             TargetSocket& to) {
  if constexpr (Bits == kHostBits) {
    from.bind(to);
  } else {
    SC_REPORT_ERROR(kWidthId,
                    (std::string(from.name()) + " is " + std::to_string(Bits) + " bits wide, and " +
                     to.name() + " is " + std::to_string(kHostBits) + ": use sockets of " +
                     std::to_string(kHostBits) + " bits, or put a host::WidthAdapter in between")
                        .c_str());
  }
}

}  // namespace tessera::host
