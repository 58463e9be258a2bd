// Counters of a machine as its report has them.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/observe/counters.h"
#include "platforms/report/report.h"
#include "platforms/wse/diagnosis_log.h"

namespace tessera::wse {

/// [x, y] of a place of events.
std::vector<int> tile_of(std::uint32_t place, const layout::Layout& layout);
/// Totals of the machine.
void add_counters(const observe::Counters& counters, report::Report& report);
/// Those of every tile; requires counters.has_tiles().
void add_places(const observe::Counters& counters, const layout::Layout& layout,
                report::Places& places);
report::Diagnoses report_of(const DiagnosisLog& log, const layout::Layout& layout);

}  // namespace tessera::wse
