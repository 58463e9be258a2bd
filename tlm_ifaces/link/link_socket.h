// Link protocol: sockets. 32 bits wide: a link of another width does not bind (compile-time error).
//
// A module implements ForwardIf (receiver) or BackwardIf (sender), one object a port, and binds
// that object to the export of its own socket: `socket.bind(object)`. A multi initiator socket fans
// out to several receivers that share one physical port, each owning some colors (the off-ramp of a
// router and the input queues behind it). Open sockets and second bindings: tlm_ifaces/kit/socket.h.
#pragma once

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/link/link_if.h"

namespace tessera::link {

inline constexpr unsigned kLinkBits = 32;

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  static constexpr unsigned kBits = kLinkBits;
  static constexpr const char* kName = "link";
  static constexpr const char* kRemedy = "bind a neighbour, a host edge or a link::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
/// Bound to any number of target sockets.
using MultiInitiatorSocket = kit::InitiatorSocket<Kit, 0>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/link/unbound";

}  // namespace tessera::link
