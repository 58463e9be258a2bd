// Configuration protocol: how the compute engine of a PE reaches the registers of its router
// (config_space.h), and how the router tells it that a color has entered teardown.
#pragma once

#include <systemc>

#include <string>

#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::config_space {

struct ConfigProtocol {
  using payload_type = std::uint16_t;
};

/// Compute engine to router.
class ConfigIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = ConfigProtocol;
  /// Value at the end of cycle `now` - 1. Requires is_router(address).
  virtual std::uint16_t read(Address address, Cycle now) const = 0;
  /// What `value` would set that the router cannot have, in words for a report; empty: nothing.
  virtual std::string why_illegal(Address address, std::uint16_t value) const = 0;
  /// Counts from cycle `due` on, which lies ahead.
  virtual void write(Address address, std::uint16_t value, Cycle due) = 0;
};

/// Router to compute engine.
class ConfigNotifyIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = ConfigProtocol;
  /// `color` has entered teardown; the engine may know from cycle `due` on.
  virtual void teardown(Color color, Cycle due) = 0;
};

// Sockets (tlm_ifaces/kit/socket.h). The compute engine is the initiator,
// the router the target. Both may stay open: a tile without a compute engine, a bench without a
// router.

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
