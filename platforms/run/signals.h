// SIGINT and SIGTERM end a run as --timeout does: with a diagnosis, a report and complete traces.
#pragma once

#include <string>

namespace tessera::run {

/// From now on the first SIGINT or SIGTERM is noted, for RunControl; a second one ends the process at
/// once. A signal that the process ignores (nohup, a job in the background) stays ignored.
void catch_signals();

/// The same end for a run whose host program has gone. Any thread may call it.
void abandon_run();
/// The same for a run whose debugger ends it.
void end_debugged_run();

/// Whether the run is to end.
bool must_stop();
/// Why: "stopped by SIGINT", "the host program ended without stop()"; "" as long as it may go on.
std::string stop_reason();

}  // namespace tessera::run
