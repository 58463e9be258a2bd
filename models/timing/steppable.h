// What the clock domain knows of a block: that it can be stepped and when it wants to be stepped
// next.
#pragma once

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::timing {

class Steppable {
 public:
  virtual ~Steppable() = default;
  /// Does the work of cycle `now`. Returns the next cycle (> now) in which the block wants to be
  /// stepped whatever its neighbours do, or kNever. A step in which nothing is due must not change
  /// anything: a block may be woken more often than it asked for.
  virtual Cycle step(Cycle now) = 0;
};

}  // namespace tessera::timing
