#include "platforms/wse/observed_machine.h"

#include <algorithm>
#include <string>

#include "frontends/tasm/assembler.h"
#include "platforms/wse/coverage.h"
#include "platforms/wse/route_faults.h"
#include "platforms/wse/wait_summary.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

std::string text_of(const observe::Diagnosis& d) {
  return d.times > 1 ? d.text + ", " + std::to_string(d.times) + " times until the end" : d.text;
}

}  // namespace

ObservedMachine::ObservedMachine(const cli::Options& options, const FabricOptions& fabric,
                                 const WseConfig& config, const Workload& workload,
                                 Replacements* replacements)
    : options_(options), coverage_(fabric.coverage), config_(config), layout_(workload.layout),
      flows_(workload), recorders_(options, fabric, workload, config),
      counters_(recorders_.counters()),
      machine_(build_machine(options.structure, fabric, config, workload, recorders_.sink(),
                             replacements)),
      checks_unread_(fabric.check_unread) {
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
  // Modules of users may route as they like.
  if (fabric.check_routes != "off" && fabric.replace.empty())
    check_routes(fabric.check_routes, workload);
  diagnoses_.begin_run();
  if (!fabric.check_memory.empty()) {
    memory_checks_ = std::make_unique<pe::MemoryChecks>(
        layout_.tile_count(), fabric.check_memory == "report" ? pe::MemoryChecks::Mode::kReport
                                                              : pe::MemoryChecks::Mode::kStop);
  }
  accounts_all_ = options.waits || options.why_at ||
                  (!options.report_file.empty() && !options.no_waits) ||
                  fabric.heatmap_of == "waits" || options.is_recorded() || !options.debug.empty() ||
                  coverage_.is_asked() || memory_checks_ != nullptr;
  if (!coverage_.folder.empty()) report::make_listing_folder(coverage_.folder);
  images_ = workload.programs.images();
  observe_engines();
  // The account of another program would have its lines.
  machine_->set_reset_listener([this](bool same_program) {
    if (same_program)
      observe_engines();
    else if (waits_ != nullptr)
      waits_ = std::make_unique<observe::WaitBook>(layout_.tile_count(), nullptr);
    if (!same_program) link_waits_.reset();
  });
  if (const auto seed = options.step_order_seed()) machine_->shuffle_step_order(*seed);
}

ObservedMachine::~ObservedMachine() {
  if (machine_ && !is_destroyed_ && !machine_->is_quick_to_destroy())
    static_cast<void>(machine_.release());
}

void ObservedMachine::observe_engines() {
  if (observe::Sink* const stalls = recorders_.stall_listener()) {
    stall_listeners_.stalls = stalls;
    for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
      const std::vector<int> at = coordinates(place);
      pe::ComputeEngineCore* const engine = machine_->engine({at[0], at[1]});
      if (engine == nullptr) continue;
      engine->set_step_every_group(true);
      engine->set_listeners(&stall_listeners_);
    }
  }
  if (accounts_all_ || recorders_.wait_listener() != nullptr) account_waits();
  observe_others();
  if (memory_checks_) check_memory();
}

// The engines of other processes as those of this one.
void ObservedMachine::observe_others() {
  if (machine_->ranks() == 1) return;
  wafer::ObservedParts what;
  what.all_waits = accounts_all_;
  what.link_waits = link_waits_ != nullptr;
  what.traced_waits = recorders_.wait_listener() != nullptr;
  what.stalls = recorders_.stall_listener() != nullptr;
  std::vector<std::uint32_t> shown;
  for (std::uint32_t place = 0; what.traced_waits && place < layout_.tile_count(); ++place) {
    if (recorders_.shows_waits(place)) shown.push_back(place);
  }
  machine_->observe_others(what, shown,
                           {nullptr, recorders_.stall_listener(), recorders_.wait_listener()});
}

void ObservedMachine::check_routes(const std::string& what, const Workload& workload) {
  const std::vector<RouteFault> faults = find_route_faults(workload, config_);
  if (faults.empty()) return;
  if (what == "error") {
    const std::string more =
        faults.size() > 1
            ? "; and " + report::plural(faults.size() - 1, "more fault") + " of routes"
            : "";
    throw IllegalBehaviour(faults.front().text + more, faults.front().id);
  }
  for (const RouteFault& fault : faults) {
    diagnoses_.on_diagnosis({0, fault.place, fault.id, fault.text});
    warnings_.push_back(fault.text + " [" + fault.id + "]");
  }
}

void ObservedMachine::check_memory() {
  memory_checks_->reset();
  for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
    const std::vector<int> at = coordinates(place);
    if (pe::ComputeEngineCore* const engine = machine_->engine({at[0], at[1]}))
      engine->set_checks(memory_checks_.get());
  }
}

std::string ObservedMachine::unread(const observe::Waits& waits) const {
  return unread_wavelets(*machine_, waits, [this](std::uint32_t place) {
    const std::vector<int> at = coordinates(place);
    return "PE " + to_string(TileCoord{at[0], at[1]});
  });
}

std::string ObservedMachine::fault_at_end(const observe::Waits& waits) const {
  return checks_unread_ ? unread(waits) : std::string();
}

void ObservedMachine::account_waits() {
  waits_ = std::make_unique<observe::WaitBook>(layout_.tile_count(), recorders_.wait_listener());
  for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
    const std::int32_t program = layout_.program_of_tile[place];
    if (program < 0 || !(accounts_all_ || recorders_.shows_waits(place))) continue;
    const auto x = static_cast<int>(place) % layout_.width;
    const auto y = static_cast<int>(place) / layout_.width;
    const std::size_t number =
        static_cast<std::size_t>(program) + machine_->thread_of({x, y}) * images_.size();
    pe::ComputeEngineCore* const engine = machine_->engine({x, y});
    if (engine == nullptr) continue;
    observe::TileWaits& tile = waits_->open(place, number);
    engine->set_waits(&tile);
    if (coverage_.is_asked())
      tile.keep_issued(images_[static_cast<std::size_t>(program)]->code.size());
  }
  if (accounts_all_ && (options_.waits || options_.report_detail)) {
    link_waits_ = std::make_unique<observe::LinkWaits>(layout_.tile_count());
    machine_->set_link_waits(*link_waits_);
  }
}

void ObservedMachine::catch_up_at(std::uint32_t place, Cycle end) {
  const std::vector<int> at = coordinates(place);
  if (pe::ComputeEngineCore* const engine = machine_->engine({at[0], at[1]})) engine->catch_up(end);
}

std::string ObservedMachine::state_of(std::uint32_t place, Cycle now) const {
  if (waits_ == nullptr) return "nobody accounts what the tile does (--waits)";
  const std::vector<int> at = coordinates(place);
  if (machine_->is_elsewhere({at[0], at[1]})) return machine_->state_elsewhere(place, now);
  const observe::TileWaits* const tile = waits_->tile(place);
  return tile == nullptr ? "the tile has no program" : observe::describe(*tile, now);
}

std::vector<int> ObservedMachine::coordinates(std::uint32_t place) const {
  const auto index = static_cast<int>(place);
  return {index % layout_.width, index / layout_.width};
}

void ObservedMachine::summarize(report::Report& report) const {
  report.preset = config_.name;
  report.run.config_digest = config::digest(config_, wse_schema);
  report.run.threads = machine_->threads();
  report.run.ranks = machine_->ranks();
  report.clock_period_ps = config_.clock_period_ps;
  machine_->collect(recorders_.events());
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
  if (waits_ && machine_->knows_waits()) {
    finish_waits(report.cycles);
    machine_->collect_waits(*waits_, link_waits_.get(), report.cycles);
    if (options_.waits || !options_.no_waits) summarize_waits(*waits_, images_, report.waits);
    report.waits.shown = options_.waits;
    if (link_waits_) add_links(counters, *link_waits_, report.waits);
  }
  if (options_.report_detail) add_places(report.places);
  report.diagnoses.count = diagnoses_.count();
  for (const observe::Diagnosis& d : diagnoses_.first())
    report.diagnoses.first.push_back({d.cycle, coordinates(d.place), d.id, text_of(d)});
  add_dropped(report.diagnoses);
  if (memory_checks_) add_memory_checks(report);
}

// Only those that let the run go on.
void ObservedMachine::add_memory_checks(report::Report& report) const {
  for (const observe::Diagnosis& d : diagnoses_.first()) {
    if (d.id == pe::MemoryChecks::kBounds || d.id == pe::MemoryChecks::kUnwritten)
      report.checks.push_back({d.id, false, d.text});
  }
}

void ObservedMachine::complete_traces(const report::Report&) {
  recorders_.finish(waits_.get());
  if (coverage_.is_asked() && waits_ != nullptr)
    report::write_coverage(coverage_.file, coverage_.folder, coverage_of(*waits_, images_, layout_),
                           library_text);
}

/// Wavelets that left a program, by tile, side and color.
void ObservedMachine::add_dropped(report::Diagnoses& diagnoses) const {
  for (const layout::HostLink& link : machine_->links()) {
    if (link.dropped_colors == 0) continue;
    const host::EdgeCore& edge = machine_->edge(link.tile, link.side).core();
    for (unsigned c = 0; c < kColorCount; ++c) {
      const host::EdgeCore::Dropped& dropped = edge.dropped(Color(c));
      if (dropped.count == 0) continue;
      ++diagnoses.count;
      diagnoses.first.push_back({dropped.first,
                                 {link.tile.x, link.tile.y},
                                 "/tessera/fabric/left_program",
                                 report::plural(dropped.count, "wavelet") + " of color " +
                                     std::to_string(c) + " left the program " +
                                     to_string(link.side) + " of tile " + to_string(link.tile) +
                                     " and vanished"});
    }
  }
}

void ObservedMachine::finish_waits(Cycle cycles) const {
  for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
    const std::vector<int> at = coordinates(place);
    if (waits_->tile(place) != nullptr) machine_->engine({at[0], at[1]})->finish_waits(cycles);
  }
  const Cycle stepped = machine_->domain().next_free_cycle();
  waits_->finish(cycles, stepped);
  if (link_waits_) machine_->add_lasting_waits(*link_waits_, std::min(cycles, stepped));
}

void ObservedMachine::add_places(report::Places& places) const {
  std::vector<observe::Counter> shown;
  for (const observe::CounterInfo& info : observe::counter_table()) {
    if (info.counter == observe::Counter::kLastEventCycle) continue;
    shown.push_back(info.counter);
    places.counters.emplace_back(info.name);
  }
  const std::vector<observe::WaitReason> reasons = add_wait_counters(places);
  places.values.reserve(layout_.tile_count() * places.counters.size());
  for (std::uint32_t place = 0; place < layout_.tile_count(); ++place) {
    for (const int coordinate : coordinates(place)) places.at.push_back(coordinate);
    for (const observe::Counter counter : shown)
      places.values.push_back(recorders_.counters().tile(place, counter));
    for (const observe::WaitReason reason : reasons) {
      const observe::TileWaits* const tile = waits_->tile(place);
      places.values.push_back(tile == nullptr ? 0 : tile->cycles(reason));
    }
  }
}

// A counter for each reason that some tile has, and for idle cycles.
std::vector<observe::WaitReason> ObservedMachine::add_wait_counters(report::Places& places) const {
  std::vector<observe::WaitReason> reasons;
  if (!waits_) return reasons;
  for (unsigned r = 1; r < observe::kWaitReasonCount; ++r) {
    const auto reason = static_cast<observe::WaitReason>(r);
    if (waits_->total(reason) == 0) continue;
    reasons.push_back(reason);
    const std::string name(observe::info(reason).name);
    places.counters.push_back(reason == observe::WaitReason::kIdle ? "idle_cycles"
                                                                   : "wait_" + name);
  }
  return reasons;
}

std::optional<double> ObservedMachine::destroy() {
  if (!machine_->is_quick_to_destroy()) return std::nullopt;
  const run::Stopwatch watch;
  machine_.reset();
  return watch.seconds();
}

}  // namespace tessera::wse
