// Slot protocol: sockets (tlm_ifaces/kit/socket.h). Those of links that no schedule uses stay open;
// `require_bound` is for those that are used.
#pragma once

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/slot/slot_if.h"

namespace tessera::slot {

struct Kit {
  using Forward = ForwardIf;
  using Backward = BackwardIf;
  static constexpr unsigned kBits = 32;
  static constexpr const char* kName = "slot";
  static constexpr const char* kRemedy = "a schedule uses it";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;
using kit::require_bound;

inline constexpr const char* kUnboundId = "/tessera/slot/unbound";

}  // namespace tessera::slot
