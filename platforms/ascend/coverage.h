// The source lines that the cores of a launch executed.
#pragma once

#include "models/cluster/machine_view.h"
#include "platforms/report/coverage.h"

namespace tessera::ascend {

/// After the run. Bodies of vector functions count as often as they ran. If `is_native`, the instructions are those of calls that
/// native code made: a line counts as often as the instruction of it that ran most often.
report::Coverage coverage_of(const cluster::MachineView& machine, bool is_native);

}  // namespace tessera::ascend
