// What the page of the live view is told, as JSON, and the page itself as one file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/run/driver.h"
#include "platforms/run/recording.h"

namespace tessera::run {

/// A sentence about a place (sentences_about), and the cell of the place that it waits for.
struct Said {
  std::string text;
  std::optional<std::size_t> to;
};
std::vector<Said> said_about(View& view, std::size_t cell, Cycle now);

/// What stays the same: program, machine, layers, texts of the program.
std::string about_json(const cli::Options& options, View& view, const Recording& recording);
/// Commands of the host.
std::string commands_json(const Recording& recording);
/// All slices of View::live_slices; "null": none are recorded. `process`: those of one process only.
std::string slices_json(View& view, Cycle now, std::optional<unsigned> process = {});
/// Symbols of a cell, with values.
std::string memory_json(const View& view, std::size_t cell);

/// Its input queues at the end of cycle `now`.
std::string queues_json(const View& view, std::size_t cell, Cycle now);

/// The page with the whole recording inside. Throws UserError when the file cannot be written.
void write_live_page(const std::string& path, const cli::Options& options,
                     const report::Report& report, View& view, Recording& recording);

}  // namespace tessera::run
