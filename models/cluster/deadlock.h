// Why a wait for another core is not over (docs/architecture.md#errors): who could release it, and what
// each of those does instead.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/sync/sync_unit_core.h"

namespace tessera::cluster {

/// nullptr: the launch has no such core.
using CoreLookup = std::function<const AiCore*(CoreId)>;

/// "id 3 of AIC of cluster 0", and why: "AIV1 of cluster 0 has to set id 3 (mode 2): the program of AIV1 of
/// cluster 0 has ended".
AiCore::Wanted explain_wait(const sync::Request& wait, const SyncUnitCore& unit,
                            const CoreLookup& core_of);

/// The waits of all pipes, those first that wait for what will never come. Returns the cause of the first
/// one and who waits for it, "" if nobody knows it.
std::string describe_waits(const std::vector<const AiCore*>& cores, const SyncUnitCore& unit,
                           const CoreLookup& core_of, observe::Waits& waits);

}  // namespace tessera::cluster
