// Runs a layout on a WSE fabric inside the test's process and keeps every event. One run a process.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/observe/event.h"
#include "platforms/report/report.h"
#include "platforms/run/run_control.h"
#include "platforms/wse/wse_config.h"

namespace tessera::test {

struct WseRun {
  run::RunControl::Stop stop = run::RunControl::Stop::kIdle;
  wse::WseConfig config;
  std::vector<observe::Event> events;  ///< in the order they were announced
  std::vector<report::Check> checks;
  std::uint64_t steps = 0;        ///< steps of all blocks
  std::size_t wavelets_held = 0;  ///< at the end

  /// Cycles of the events of one kind at one tile.
  std::vector<Cycle> cycles_of(observe::EventKind kind, std::uint32_t place) const;
};

/// `layout`: path below the sources. Link and epoch checkers are on.
WseRun run_wse(const std::string& layout, const std::string& preset,
               const std::map<std::string, std::int64_t>& params,
               const std::vector<std::string>& sets = {});

}  // namespace tessera::test
