// Sync protocol: sockets (tlm_ifaces/kit/socket.h). A module implements ForwardIf (sync unit) or
// BackwardIf (core), one object a port, and binds that object to the export of its own socket:
// `socket.bind(object)`.
#pragma once

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/sync/sync_if.h"

namespace tessera::sync {

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  /// Of the message of a set (ascend.md 2.6).
  static constexpr unsigned kBits = 16;
  static constexpr const char* kName = "sync";
  static constexpr const char* kRemedy = "bind a core, a sync unit or a sync::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/sync/unbound";

}  // namespace tessera::sync
