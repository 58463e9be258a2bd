// What the tiles of a run waited for, for its report (docs/waits.md).
#pragma once

#include <memory>
#include <vector>

#include "models/observe/counters.h"
#include "models/observe/heatmap.h"
#include "models/observe/link_waits.h"
#include "models/observe/wait_book.h"
#include "models/pe/program.h"
#include "platforms/report/report.h"

namespace tessera::wse {

/// Adds machine totals and source lines. `images`: by the programs of `book`, which is finished.
void summarize_waits(const observe::WaitBook& book,
                     const std::vector<std::shared_ptr<const pe::Image>>& images,
                     report::WaitSummary& summary);
/// Adds the links between tiles, or to the rim, that carried most, and those that wavelets waited for most, RAMP
/// among them. Requires counters of tiles.
void add_links(const observe::Counters& counters, const observe::LinkWaits& waits,
               report::WaitSummary& summary);

/// Share of cycles in which a tile waited, in percent of `cycles`.
observe::HeatMap wait_map(const observe::WaitBook& book, unsigned width, unsigned height,
                          Cycle cycles);
/// Wavelets on the busiest of the four links that leave a tile, in percent of `cycles`.
observe::HeatMap link_map(const observe::Counters& counters, Cycle cycles);

}  // namespace tessera::wse
