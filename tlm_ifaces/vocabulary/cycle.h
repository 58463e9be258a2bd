// Time inside every model: whole clock cycles of one clock domain.
// sc_time appears only in SC_MODULEs (models/timing/clock_domain.h converts); nothing here is
// floating point.
#pragma once

#include <cstdint>
#include <limits>

namespace tessera {

/// Number of a clock cycle, counted from 0 at the start of the simulation.
using Cycle = std::uint64_t;

/// "At no cycle": what an idle block answers when asked for its next wake-up.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

}  // namespace tessera
