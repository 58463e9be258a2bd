#include "platforms/ascend/tasks/task_report.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "frontends/text/output_file.h"
#include "models/observe/perfetto_writer.h"
#include "platforms/ascend/tasks/task_state.h"

namespace tessera::ascend {

namespace {

constexpr std::size_t kShownTasks = 24;

double us(Ns ns) {
  return static_cast<double>(ns) / 1000;
}
double percent(Ns part, Ns all) {
  return all > 0 ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

report::Group schedule_group(const TaskList& list, const Schedule& s) {
  const Overhead o = overhead_of(list, s);
  const CriticalPath path = critical_path(list, s);
  const Ns all = s.end - s.begin;
  report::Group group;
  group.key = "schedule";
  group.add("tasks", static_cast<double>(s.tasks.size()));
  group.add("blocks", static_cast<double>(s.blocks.size()));
  group.add("first_start_ns", static_cast<double>(s.begin));
  group.add("last_end_ns", static_cast<double>(s.end));
  group.add("makespan_us", us(all));
  group.entry("scheduler_overhead_percent").values = {{"aic", percent(o.aic, all)},
                                                      {"aiv", percent(o.aiv, all)},
                                                      {"all", percent(o.all, all)},
                                                      {"has", percent(o.any, all)}};
  group.entry("critical_path_us").values = {{"blocks", static_cast<double>(path.blocks.size())},
                                            {"computes", us(path.computes)},
                                            {"switches", us(path.switches)},
                                            {"scheduler", us(path.scheduler)},
                                            {"transport", us(path.transport)}};
  return group;
}

/// Busy time of each core, and its gaps between the first start and the last end.
report::Group core_group(const TaskList& list, const Schedule& s) {
  std::vector<Ns> busy(s.cores, 0), switches(s.cores, 0);
  std::vector<unsigned> blocks(s.cores, 0);
  for (const BlockRun& b : s.blocks) {
    busy[b.core] += b.end - b.start;
    if (b.follows) switches[b.core] += b.start - b.waits_from;
    ++blocks[b.core];
  }
  report::Group group;
  group.key = "cores";
  for (unsigned core = 0; core < s.cores; ++core)
    group.entry(core_name(list, core)).values = {{"blocks", blocks[core]},
                                                 {"busy_us", us(busy[core])},
                                                 {"switch_us", us(switches[core])},
                                                 {"gap_us", us(s.end - s.begin - busy[core])}};
  return group;
}

report::Group task_group(const TaskList& list, const Schedule& s) {
  report::Group group;
  group.key = "tasks";
  for (std::size_t n = 0; n < s.tasks.size(); ++n) {
    const TaskRun& t = s.tasks[n];
    auto& entry = group.entry(list.tasks[n].name);
    entry.values = {{"ready_ns", static_cast<double>(t.ready)},
                    {"dispatch_ns", static_cast<double>(t.dispatched)},
                    {"start_ns", static_cast<double>(t.start)},
                    {"end_ns", static_cast<double>(t.end)},
                    {"finish_ns", static_cast<double>(t.finished)}};
    entry.texts = {{"kernel", list.kernel_names[list.tasks[n].kernel]}};
  }
  return group;
}

}  // namespace

void print_tasks(const TaskList& list, const Schedule& s, std::ostream& out) {
  char line[200];
  std::snprintf(line, sizeof line, "%10s %10s %10s %10s  %s\n", "ready us", "start us", "end us",
                "run us", "task");
  out << line;
  for (std::size_t n = 0; n < std::min(s.tasks.size(), kShownTasks); ++n) {
    const TaskRun& t = s.tasks[n];
    std::snprintf(line, sizeof line, "%10.2f %10.2f %10.2f %10.2f  ", us(t.ready), us(t.start),
                  us(t.end), us(t.end - t.start));
    out << line << list.tasks[n].name << '\n';
  }
  if (s.tasks.size() > kShownTasks)
    out << "  .. and " << s.tasks.size() - kShownTasks << " more, in the report\n";
  const Overhead o = overhead_of(list, s);
  const CriticalPath path = critical_path(list, s);
  const Ns all = s.end - s.begin;
  std::snprintf(line, sizeof line,
                "makespan %.2f us; idle cores with work that was not given out: AIC %.1f %%, AIV "
                "%.1f %%, both %.1f %%\n",
                us(all), percent(o.aic, all), percent(o.aiv, all), percent(o.all, all));
  out << line;
  std::snprintf(line, sizeof line,
                "critical path of %zu blocks: %.2f us run, %.2f us switches, %.2f us scheduler, "
                "%.2f us transport\n",
                path.blocks.size(), us(path.computes), us(path.switches), us(path.scheduler),
                us(path.transport));
  out << line;
}

void write_task_trace(const TaskList& list, const Schedule& s, std::ostream& out) {
  observe::PerfettoWriter writer(out);
  writer.name_process(0, "cores (1 us = 1 ns)");
  for (unsigned core = 0; core < s.cores; ++core)
    writer.name_thread({0, core}, core_name(list, core));
  for (const BlockRun& b : s.blocks) {
    observe::PerfettoWriter::Args args;
    args.add("kernel", list.kernel_names[list.tasks[b.task].kernel]);
    args.add("ready", static_cast<std::uint64_t>(s.tasks[b.task].ready));
    args.add("dispatched", static_cast<std::uint64_t>(b.dispatched));
    writer.slice({0, b.core}, list.tasks[b.task].name, static_cast<Cycle>(b.start),
                 static_cast<Cycle>(b.end), args);
  }
  writer.finish();
}

void run_tasks(const TaskRunOptions& options, report::Report& report) {
  TaskList list = read_tasks(options.file);
  if (list.preset.empty()) list.preset = options.preset;
  TaskState state(*options.checkpoints, options.header());
  const std::vector<Ns> times = times_of(list, options.executable, state);
  const Schedule s = schedule(list, times);
  report.preset = list.preset;
  report.structure = "tasks";
  report.clock_period_ps = 1000;  // a cycle of the report is a nanosecond
  report.cycles = static_cast<Cycle>(s.end);
  report.groups = {schedule_group(list, s), core_group(list, s), task_group(list, s)};
  if (state.restored() > 0) {
    report.groups.push_back({"checkpoint", {}});
    report.groups.back().add("restored_runs", static_cast<double>(state.restored()));
  }
  if (!options.quiet) print_tasks(list, s, std::cout);
  if (options.trace_file.empty()) return;
  text::OutputFile file(options.trace_file);
  write_task_trace(list, s, file.stream());
  file.commit();
}

}  // namespace tessera::ascend
