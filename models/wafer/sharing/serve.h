// The other side of a RemotePart: a process that has some of the rows of a wafer and does what the leading
// process asks.
#pragma once

#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"

namespace tessera::wafer {

/// Answers the requests of a RemotePart until that is destroyed. `plan` is the one of the leading
/// process.
void serve(Channel& channel, const Plan& plan);

}  // namespace tessera::wafer
