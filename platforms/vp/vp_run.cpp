#include "platforms/vp/vp_run.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "platforms/cli/main.h"
#include "platforms/cli/run_control.h"

namespace tessera::vp {

namespace {

using Stop = cli::RunControl::Stop;

constexpr std::size_t kMostWaits = 10'000;

std::vector<int> tile_of(std::uint32_t place, const host::DeviceInfo& info) {
  const std::uint32_t width = info.kind == host::DeviceKind::kWse ? info.width : 3;
  const std::uint32_t x = place % width, y = place / width;
  if (info.kind == host::DeviceKind::kWse) return {static_cast<int>(x), static_cast<int>(y)};
  return {static_cast<int>(y), static_cast<int>(x)};  // cluster, unit
}

void describe_stop(Stop stop, Accelerator& accelerator, const ScriptHost& host,
                   const cli::Options& options, report::Report& report) {
  report.status = report::Status::kCouldNotFinish;
  report.message = cli::stop_text(stop, options.max_cycles) + "; the host is at " + host.position();
  observe::Waits waits(kMostWaits);
  accelerator.describe_waits(waits);
  for (const observe::Wait& wait : waits)
    report.waits.push_back({tile_of(wait.place, accelerator.device().info()), wait.who, wait.what});
  report.wait_count = waits.total();
}

void describe_checks(report::Report& report) {
  const auto failed = std::find_if(report.checks.begin(), report.checks.end(),
                                   [](const report::Check& c) { return !c.passed; });
  if (failed == report.checks.end()) return;
  report.status = report::Status::kCheckFailed;
  report.message = report.program + ", " + failed->name + ": " + failed->detail;
}

void add_host_counters(const ScriptHost& host, report::Report& report) {
  const double end_ps = host.end_time() / sc_core::sc_time(1, sc_core::SC_PS);
  report.counters.push_back({"host_end_ps", static_cast<std::uint64_t>(std::llround(end_ps)), "ps",
                             "simulated time at which the host script ended"});
  report.counters.push_back(
      {"bus_accesses", host.bus_accesses(), "transactions", "of the host through the bus"});
  report.counters.push_back({"direct_accesses", host.direct_accesses(), "transactions",
                             "of the host through DMI pointers"});
}

}  // namespace

report::Report run(const cli::Options& options, Accelerator& accelerator, const ScriptHost& host,
                   std::chrono::steady_clock::time_point begin) {
  report::Report report;
  report.platform = "vp";
  report.program = options.program;
  cli::RunControl control(accelerator.domain(), {options.max_cycles, options.timeout_s, false});
  report.wall.elaborate_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  try {
    // The machine comes to rest behind the end of the script.
    Stop stop = control.run_to_idle();
    if (stop == Stop::kIdle && host.done()) stop = Stop::kCondition;
    report.checks = host.checks();
    if (stop == Stop::kCondition)
      describe_checks(report);
    else
      describe_stop(stop, accelerator, host, options, report);
  } catch (const sc_core::sc_report& e) {
    const cli::Failure failure = cli::failure_of(e);
    report.status = failure.status;
    report.message = failure.message;
    report.checks = host.checks();
  }
  report.wall.run_s = control.elapsed_s();
  add_host_counters(host, report);
  accelerator.finish(report);
  return report;
}

}  // namespace tessera::vp
