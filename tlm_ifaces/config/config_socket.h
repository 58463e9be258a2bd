// Configuration protocol: sockets (tlm_ifaces/kit/socket.h). The compute engine is the initiator,
// the router the target. Both may stay open: a tile without a compute engine, a bench without a
// router.
#pragma once

#include "tlm_ifaces/config/config_if.h"
#include "tlm_ifaces/kit/socket.h"

namespace tessera::config_space {

struct Kit {
  using Forward = ConfigIf;
  using Backward = ConfigNotifyIf;
  static constexpr unsigned kBits = 32;
  static constexpr const char* kName = "config";
  static constexpr const char* kRemedy = "bind a router or a compute engine";
};

using InitiatorSocket = kit::InitiatorSocket<Kit>;
using TargetSocket = kit::TargetSocket<Kit>;

}  // namespace tessera::config_space
