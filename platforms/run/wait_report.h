// The waits of a machine for people and reports: causes first, waits that differ only in their place together.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "models/observe/wait_causes.h"
#include "platforms/report/report.h"

namespace tessera::run {

/// Coordinates of a place (View::coordinates).
using CoordinatesOf = std::function<std::vector<int>(std::uint32_t place)>;

/// Puts waits into a report: groups, then each of them in the same order.
void list_waits(const observe::Waits& waits, const observe::Flows* flows, observe::Help help,
                const CoordinatesOf& coordinates, report::Report& report);

}  // namespace tessera::run
