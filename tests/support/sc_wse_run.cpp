#include "tests/support/sc_wse_run.h"

#include "frontends/layout/layout_reader.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/layout_check.h"
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
  const layout::Layout layout =
      layout::read_layout(std::string(TESSERA_SOURCE_DIR) + "/" + layout_file, params);
  const wse::Programs programs(layout, run.config.generation);
  const auto streams = wse::resolve_streams(layout);
  wse::check_layout(layout, run.config, programs, streams);
  wse::HostArrays arrays(layout, {});
  const wse::Checks checks(layout, arrays);
  EventList sink;
  wse::ModuleMachine machine("wafer", layout, run.config, programs, streams, &sink, true);
  sink.epochs = &machine.check_epochs();
  cli::RunControl control(machine.domain(), {});
  wse::HostProgram program(layout, programs, streams, arrays, checks, machine, control);
  run.stop = program.run();
  run.events = std::move(sink.events);
  run.checks = program.checks();
  run.steps = machine.domain().steps();
  run.wavelets_held = machine.wavelets_held();
  return run;
}

}  // namespace tessera::test
