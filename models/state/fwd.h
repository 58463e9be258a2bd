// The archive of checkpoints, for headers whose classes are visited: models/state/archive.h.
#pragma once

namespace tessera::state {
class Archive;
}  // namespace tessera::state
