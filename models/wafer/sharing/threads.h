// How a wafer is shared out.
#pragma once

#include "models/wafer/sharing/skew.h"

namespace tessera::wafer {

/// How many threads step a wafer.
struct Threads {
  unsigned count = 1;
  /// Step a cycle with one thread as long as cycles are too short to be worth more.
  bool when_busy = false;
  Skew skew = {};
  /// Other processes hand all their events on instead of counting them: a state of the run is saved.
  bool hands_on_events = false;
};

}  // namespace tessera::wafer
