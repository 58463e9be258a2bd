// How a compute engine reaches the registers of its router (reference wse.md 1.10). The module
// forwards to its configuration socket, a dense structure to its arrays.
#pragma once

#include <string>

#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

class PeConfig {
 public:
  virtual ~PeConfig() = default;
  /// Value at the end of cycle `now` - 1. Requires config_space::is_router(address).
  virtual std::uint16_t read_config(config_space::Address address, Cycle now) const = 0;
  /// What `value` would set that the router cannot have, in words for a report; empty: nothing.
  virtual std::string why_illegal(config_space::Address address, std::uint16_t value) const = 0;
  /// Counts from cycle `due` on.
  virtual void write_config(config_space::Address address, std::uint16_t value, Cycle due) = 0;
};

}  // namespace tessera::pe
