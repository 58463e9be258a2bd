// The route of a color as configuration registers (reference wse.md 1.10; addresses and fields:
// tlm_ifaces/config/config_space.h).
#pragma once

#include <cstdint>

#include "models/fabric/route.h"

namespace tessera::fabric {

std::uint16_t color_register(const ColorRoute& route);
/// Routes, swap, pop mode and teardown; sides that a switch position does not set follow position 0.
void set_color_register(ColorRoute& route, std::uint16_t value);

/// A position that sets both sides, or transmits to several, reads as its first output.
std::uint16_t switch_register(const ColorRoute& route);
/// Positions 1 to 3, ring mode and current position.
void set_switch_register(ColorRoute& route, std::uint16_t value);

}  // namespace tessera::fabric
