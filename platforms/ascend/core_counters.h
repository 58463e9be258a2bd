// What the cores of a launch counted, as reports have it.
#pragma once

#include <vector>

#include "models/cluster/machine_view.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

/// Coordinates of a place of events: [cluster, unit].
std::vector<int> core_of(std::uint32_t place);
/// Totals of the launch.
std::vector<report::Counter> totals(const cluster::MachineView& machine);
/// The counters of every core; with `detail` also its tile operations by kind and its flags. A run
/// took `cycles`.
report::Places counters_of_cores(const cluster::MachineView& machine, Cycle cycles, bool detail);
/// Warns of flags that are still set at the end, and of lines of the scalar cache whose stores have
/// not come to GM. Requires report.cycles.
void warn_of_flags(const cluster::AiCore& core, report::Report& report);
void warn_of_lines(const cluster::AiCore& core, report::Report& report);
/// Warns that the kernel has done nothing on any core.
void warn_of_nothing(const cluster::AiCore& core, report::Report& report);
void warn_of_subblocks(const cluster::AiCore& core, report::Report& report);

}  // namespace tessera::ascend
