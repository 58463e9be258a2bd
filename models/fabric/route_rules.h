// What the routers of a generation do not have (reference wse.md 1.2, 1.4, 1.6, 1.7): for layouts,
// and for programs that write registers.
#pragma once

#include <cstdint>
#include <string>

#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

/// wse.md 1.4: on WSE-3 only some colors have a switch.
bool is_switchable(Color color, Generation generation);

/// What register `address` of any router of `generation` cannot be, though `value` says so:
/// "color 3 has no color swap; only a WSE-2 has it". Empty: nothing.
std::string why_illegal(config_space::Address address, std::uint16_t value, Generation generation);

}  // namespace tessera::fabric
