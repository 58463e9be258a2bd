#include "platforms/vp/script_run.h"

#include <cmath>

namespace tessera::vp {

// The machine comes to rest behind the end of the script.
bool ScriptRun::is_done(run::Stop stop, const observe::Waits&) {
  return stop == run::Stop::kIdle && host_.done();
}

std::string ScriptRun::describe_stop(const std::string& stopped, const report::Report&) const {
  return stopped + "; the host is at " + host_.position();
}

std::string ScriptRun::describe_failure(const report::Check& check) const {
  return script_ + ", " + check.name + ": " + check.detail;
}

void ScriptRun::finish(report::Report& report) {
  const double end_ps = host_.end_time() / sc_core::sc_time(1, sc_core::SC_PS);
  report.counters.insert(
      report.counters.begin(),
      {{"host_end_ps", static_cast<std::uint64_t>(std::llround(end_ps)), "ps",
        "simulated time at which the host script ended"},
       {"bus_accesses", host_.bus_accesses(), "transactions", "of the host through the bus"},
       {"direct_accesses", host_.direct_accesses(), "transactions",
        "of the host through DMI pointers"}});
}

}  // namespace tessera::vp
