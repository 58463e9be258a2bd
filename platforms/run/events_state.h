// Digest and counters of a run, for checkpoints.
#pragma once

#include "models/observe/event_stream.h"
#include "models/state/fwd.h"

namespace tessera::run {

/// Saves what `events` has counted, or adds what was saved to it. It may keep fewer counts of tiles than were saved. Throws
/// state::Mismatch.
void visit_events(state::Archive& archive, observe::EventStream& events);

}  // namespace tessera::run
