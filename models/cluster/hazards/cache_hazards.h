// What scalar caches did to values that others see (reference ascend.md 2.9, 7): loads that got a value
// which GM no longer has, copies and loads that missed a store which GM does not have yet, and lines that
// took words of other cores along when they went back. Seen by values and bytes, so only in a machine
// with data.
#pragma once

#include <string>
#include <vector>

#include "models/cluster/machine_view.h"

namespace tessera::cluster {

/// One sentence for each line of a program. `data` is that of the machine; nullptr: nothing is known.
std::vector<std::string> describe_cache_hazards(const MachineView& machine, ClusterData* data);
/// "2 lines in the scalar cache of AIV0 of cluster 0 have stores that never reached GM, the last one by
/// k.pto:7: nothing has cleaned them"; "": there are none. Of a core whose kernel has ended.
std::string describe_lines_left(const AiCore& core);

}  // namespace tessera::cluster
