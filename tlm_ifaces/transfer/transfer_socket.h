// Transfer protocol: sockets (tlm_ifaces/kit/socket.h). Binding as in the other kits.
#pragma once

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/transfer/transfer_if.h"

namespace tessera::transfer {

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  /// Of the path (ascend.md 1.4: 128 B per cycle).
  static constexpr unsigned kBits = 1024;
  static constexpr const char* kName = "transfer";
  static constexpr const char* kRemedy = "bind a core, a GM or a transfer::Stub";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/transfer/unbound";

}  // namespace tessera::transfer
