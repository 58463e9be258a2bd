// The other side of a RemotePart: a process that has some of the rows of a wafer and does what the leading
// process asks.
#pragma once

#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"

namespace tessera::wafer {

/// The ways to the leading process and to those with the rows north and south of the ones of this process; nullptr: there is
/// none, or the leading process has these rows.
struct ServedBy {
  Channel& leader;
  Channel* north = nullptr;
  Channel* south = nullptr;
};

/// Answers the requests of a RemotePart until that is destroyed. `plan` is the one of the leading
/// process.
void serve(const ServedBy& processes, const Plan& plan);

}  // namespace tessera::wafer
