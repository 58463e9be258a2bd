// What a wavelet that passes a router does to the switch of its color, and what a control wavelet loses on its
// way (reference wse.md 1.4, 1.5): one rule for every structure that a router may have. Plain C++.
#pragma once

#include "tlm_ifaces/link/control_word.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::fabric {

/// `w`, which came from `in`, has left as the color of `route`: calls `move(position)` for each position that the switch is to
/// take, which `route.current` has to be when it returns. True: the color enters teardown, unless it is in it.
template <class Move>
bool obey(const ColorRoute& route, const link::Wavelet& w, Direction in, Move&& move) {
  if (route.injection != Injection::kNone) return false;
  if (w.local_flip && in == Direction::kRamp) move(route.advanced());
  if (!w.control) return false;
  const link::Command command = link::command_at(w.payload, 0).command;
  if (command == link::Command::kAdvance) move(route.advanced());
  if (command == link::Command::kReset) move(0U);
  return command == link::Command::kTeardown;
}

/// wse.md 1.4: whether a passing control wavelet loses `command`, its first.
inline bool pops(const ColorRoute& route, link::Command command) {
  if (route.pop == PopMode::kNoPop || route.pop == PopMode::kAlwaysPop)
    return route.pop == PopMode::kAlwaysPop;
  return route.moves(command) ||
         (route.pop == PopMode::kPopOnAdvanceNop && command == link::Command::kNop);
}

}  // namespace tessera::fabric
