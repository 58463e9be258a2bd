// What part of a run a trace shows.
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// Cycles `from` to `to`, and the tiles of a rectangle. Default: everything.
struct Scope {
  struct Rect {
    unsigned x = 0, y = 0, width = ~0U, height = ~0U;
  };

  Cycle from = 0;
  Cycle to = kNever;  ///< the last one
  Rect rect;

  bool has_cycle(Cycle cycle) const { return cycle >= from && cycle <= to; }
  /// Whether what happens from cycle `start` to cycle `end` is shown.
  bool has_span(Cycle start, Cycle end) const { return end >= from && start <= to; }
  /// The tile with linear index `place` of a machine with `machine_width` tiles in a row.
  bool has_place(std::uint32_t place, unsigned machine_width) const {
    return place % machine_width - rect.x < rect.width &&
           place / machine_width - rect.y < rect.height;
  }
};

}  // namespace tessera::observe
