// What a run of TASKS.json says: members `schedule`, `cores` and `tasks` of the report, a table, and a trace for ui.perfetto.dev.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "platforms/ascend/tasks/task_schedule.h"
#include "platforms/report/report.h"
#include "platforms/run/checkpoints.h"

namespace tessera::ascend {

/// Runs what `file` says, with the machine of `preset` if the file names none.
struct TaskRunOptions {
  std::string file, preset, executable, trace_file;
  bool quiet = false;
  const run::CheckpointOptions* checkpoints = nullptr;
  /// run::header_of(), once the list has been read.
  std::function<run::CheckpointHeader()> header;
};
/// Fills the report. Throws UserError and IllegalBehaviour.
void run_tasks(const TaskRunOptions& options, report::Report& report);

void print_tasks(const TaskList& list, const Schedule& schedule, std::ostream& out);
/// A row a core; 1 us of the viewer is 1 ns.
void write_task_trace(const TaskList& list, const Schedule& schedule, std::ostream& out);

}  // namespace tessera::ascend
