#include "tests/support/sc_wse_run.h"

#include "platforms/wse/host_program.h"
#include "platforms/wse/module_machine.h"

namespace tessera::test {

namespace {

class EventList : public observe::Sink {
 public:
  void on_event(const observe::Event& e) override {
    events.push_back(e);
    if (epochs != nullptr) epochs->on_event(e);
  }
  std::vector<observe::Event> events;
  fabric::EpochChecker* epochs = nullptr;
};

}  // namespace

std::vector<Cycle> WseRun::cycles_of(observe::EventKind kind, std::uint32_t place) const {
  std::vector<Cycle> cycles;
  for (const observe::Event& e : events) {
    if (e.kind == kind && e.place == place) cycles.push_back(e.cycle);
  }
  return cycles;
}

WseRun run_wse(const std::string& layout_file, const std::string& preset,
               const std::map<std::string, std::int64_t>& params,
               const std::vector<std::string>& sets) {
  WseRun run;
  run.config = wse::load_wse_config(preset, "", sets);
  const wse::Workload workload(std::string(TESSERA_SOURCE_DIR) + "/" + layout_file, params,
                               run.config);
  wse::HostArrays arrays(workload.layout, {});
  const wse::Checks checks(workload.layout, arrays);
  EventList sink;
  wse::ModuleMachine machine("wafer", run.config, workload, &sink, true);
  sink.epochs = &machine.check_epochs();
  run::RunControl control(machine.domain(), {});
  wse::HostProgram program(workload, arrays, checks, machine);
  run.stop = program.drive(control);
  run.events = std::move(sink.events);
  run.checks = program.checks();
  run.steps = machine.domain().steps();
  run.wavelets_held = machine.wavelets_held();
  return run;
}

}  // namespace tessera::test
