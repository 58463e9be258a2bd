// SIGINT and SIGTERM end a run as --timeout does: with a diagnosis, a report and complete traces.
#pragma once

#include <string>

namespace tessera::run {

/// From now on the first SIGINT or SIGTERM is noted, for RunControl; a second one ends the process at
/// once. A signal that the process ignores (nohup, a job in the background) stays ignored.
void catch_signals();

/// "SIGINT" or "SIGTERM" when it has come; "" before.
std::string caught_signal();
/// The same question at a cost that does not count in any cycle.
bool has_caught_signal();

}  // namespace tessera::run
