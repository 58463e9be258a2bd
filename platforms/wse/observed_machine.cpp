#include "platforms/wse/observed_machine.h"

#include <algorithm>
#include <string>

#include "frontends/tasm/assembler.h"

namespace tessera::wse {

ObservedMachine::ObservedMachine(const cli::Options& options, const FabricOptions& fabric,
                                 const WseConfig& config, const Workload& workload,
                                 Replacements* replacements)
    : options_(options), config_(config), layout_(workload.layout),
      recorders_(options, fabric, workload, config),
      machine_(build_machine(options.structure, fabric, config, workload, recorders_.sink(),
                             replacements)) {
  diagnoses_.set_prints(recorders_.prints());
  machine_->set_diagnoses(&diagnoses_);
  for (std::size_t i = 0; i < workload.programs.images().size(); ++i) {
    const auto& tiles = layout_.program_of_tile;
    const auto tile = std::find(tiles.begin(), tiles.end(), static_cast<std::int32_t>(i));
    for (const std::string& warning : workload.programs.images()[i]->warnings) {
      diagnoses_.on_diagnosis(
          {0, static_cast<std::uint32_t>(tile - tiles.begin()), tasm::kStaleReturn, warning});
    }
  }
  diagnoses_.begin_run();
  if (const auto seed = options.step_order_seed()) machine_->shuffle_step_order(*seed);
}

ObservedMachine::~ObservedMachine() {
  if (machine_ && !is_destroyed_ && !machine_->is_quick_to_destroy())
    static_cast<void>(machine_.release());
}

std::vector<int> ObservedMachine::coordinates(std::uint32_t place) const {
  const auto index = static_cast<int>(place);
  return {index % layout_.width, index / layout_.width};
}

void ObservedMachine::summarize(report::Report& report) const {
  report.preset = config_.name;
  report.clock_period_ps = config_.clock_period_ps;
  const observe::Counters& counters = recorders_.counters();
  const bool anything_happened = recorders_.digest().value() != 0;
  if (anything_happened) report.cycles = counters.total(observe::Counter::kLastEventCycle) + 1;
  report.digest = recorders_.digest().hex();
  report.wall.tiles = layout_.tile_count();
  report.wall.hops = counters.total(observe::Counter::kHops);
  for (const observe::CounterInfo& info : observe::counter_table()) {
    report.counters.push_back({std::string(info.name), counters.total(info.counter),
                               std::string(info.unit), std::string(info.description)});
  }
  if (options_.report_detail) add_places(report.places);
  report.diagnoses.count = diagnoses_.count();
  for (const observe::Diagnosis& d : diagnoses_.first())
    report.diagnoses.first.push_back({d.cycle, coordinates(d.place), d.id, d.text});
}

void ObservedMachine::add_places(report::Places& places) const {
  std::vector<observe::Counter> shown;
  for (const observe::CounterInfo& info : observe::counter_table()) {
    if (info.counter == observe::Counter::kLastEventCycle) continue;
    shown.push_back(info.counter);
    places.counters.emplace_back(info.name);
  }
  places.values.reserve(layout_.tile_count() * shown.size());
  for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
    for (const int coordinate : coordinates(place)) places.at.push_back(coordinate);
    for (const observe::Counter counter : shown)
      places.values.push_back(recorders_.counters().tile(place, counter));
  }
}

std::optional<double> ObservedMachine::destroy() {
  if (!machine_->is_quick_to_destroy()) return std::nullopt;
  const run::Stopwatch watch;
  machine_.reset();
  return watch.seconds();
}

}  // namespace tessera::wse
