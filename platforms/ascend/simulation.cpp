#include "platforms/ascend/simulation.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "models/cluster/hazards/cache_hazards.h"
#include "platforms/ascend/bound.h"
#include "platforms/ascend/coverage.h"
#include "platforms/ascend/device_error.h"
#include "platforms/ascend/pipe_trace.h"
#include "platforms/ascend/profile.h"
#include "platforms/ascend/wait_summary.h"
#include "platforms/run/events_state.h"

namespace tessera::ascend {

namespace {

constexpr std::size_t kMostHazards = 20;  // hazards that an error names, at most
constexpr const char* kHazardId = "/tessera/ascend/hazard";
constexpr const char* kGuessId = "/tessera/ascend/no_values";
constexpr const char* kExternalId = "/tessera/ascend/external_peer";
constexpr const char* kDivisionId = "/tessera/ascend/division";

}  // namespace

Simulation::Simulation(const Options& options, const AscendConfig& config,
                       const LaunchedKernel& kernel, Arrays& arrays)
    : ClusterView(machine_, kernel.launch), options_(options), config_(config), kernel_(kernel),
      arrays_(arrays), external_ends_(kernel.kernel.external_ends),
      events_(static_cast<unsigned>(kernel.launch.places()), 1, false),
      hazards_(options.hazards == "off"
                   ? std::nullopt
                   : std::optional<cluster::HazardWatch>(std::in_place, kernel.launch)),
      told_(kernel.launch.places()),
      machine_(options.structure, config.machine, kernel.launch,
               {&events_, arrays.data(), hazards_ ? &*hazards_ : nullptr, nullptr,
                kernel.source.get(), options.debug.empty() ? nullptr : &told_}) {
  if (const auto seed = options.step_order_seed()) machine_.shuffle_step_order(*seed);
  machine_.launch(kernel.kernel.aic, kernel.kernel.aiv, 0);
  trace_ = trace_pipes(options, events_);
  vcd_ = wave_form(options.vcd_file, options, events_);
  watch_pipes(options, events_);
  if (!options.coverage.folder.empty()) report::make_listing_folder(options.coverage.folder);
}

void Simulation::write_coverage() const {
  const cli::CoverageOptions& asked = options_.coverage;
  if (!asked.is_asked()) return;
  report::write_coverage(asked.file, asked.folder,
                         coverage_of(machine_.view(), kernel_.source != nullptr),
                         [](const std::string&) { return std::string(); });
}

// A run that ends before cycle N counts what is announced for later cycles, so the state before N has it too.
void Simulation::set_checkpoints(run::Checkpoints& checkpoints) {
  checkpoints_ = &checkpoints;
  run::Saved saved;
  saved.domain = &machine_.domain();
  saved.visit = [this](state::Archive& archive, Cycle next) {
    machine_.visit(archive, next);
    run::visit_events(archive, events_);
  };
  saved.recorded = [this] {
    return std::string("counters, digest, waits") + (hazards_ ? ", hazards" : "");
  };
  checkpoints.attach(std::move(saved));
}

run::Stop Simulation::run_launch(run::RunControl& control) {
  const bool begins = checkpoints_ != nullptr && launches_ == 1;
  if (begins) checkpoints_->begin(control);
  const run::Stop stop = begins ? checkpoints_->run(
                                      control, [] { return false; }, true)
                                : control.run_to_idle();
  const auto has_ended = [this] { return machine_.view().finished(); };
  if (stop != run::Stop::kMaxCycles) return stop;
  // A bound that only cuts off wake-ups with nothing to do is not in the way of what comes next.
  if (has_ended()) return run::Stop::kIdle;
  return machine_.view().is_ending() ? control.take_last_cycle(has_ended) : stop;
}

run::Stop Simulation::drive(run::RunControl& control) {
  run::Stop stop = run_launch(control);
  while (stop == run::Stop::kIdle && machine_.view().finished() && kernel_.next_launch) {
    const Cycle next = machine_.domain().next_free_cycle();
    if (!kernel_.next_launch(arrays_, next)) break;
    machine_.launch(kernel_.kernel.aic, kernel_.kernel.aiv, next);
    ++launches_;
    stop = run_launch(control);
  }
  if (kernel_.at_end) kernel_.at_end();
  return stop;
}

void Simulation::summarize(report::Report& report) const {
  const cluster::MachineView& machine = machine_.view();
  report.preset = config_.name;
  report.run.config_digest = config::digest(config_, ascend_schema);
  report.clock_khz = config_.machine.clock_khz;
  report.cycles = machine.finished() ? machine.finished_at() : machine_.domain().now() + 1;
  if (options_.max_cycles) report.cycles = std::min(report.cycles, *options_.max_cycles);
  report.digest = events_.digest().hex();
  report.places_key = "cores";
  report.places = counters_of_cores(machine, report.cycles, options_.report_detail);
  report.counters = totals(machine);
  report.wall.tiles = machine.cores().size();
  for (const cluster::AiCore* core : machine.cores()) {
    warn_of_flags(*core, report);
    warn_of_lines(*core, report);
  }
  if (kernel_.is_empty) warn_of_nothing(*machine.cores().front(), report);
  if (kernel_.lacks_subblocks) warn_of_subblocks(*machine.cores().front(), report);
  if (launches_ > 1)
    report.counters.push_back(
        {"launches", launches_, "launches", "of the host program, one after the other"});
  Profile profile = profile_of(machine, config_, report.cycles);
  profile.overhead_ns *= static_cast<double>(launches_);
  add_groups(profile, report);
  report.groups.push_back(compute_group(machine, config_, report.cycles));
  if (report.groups.back().entries.empty()) report.groups.pop_back();
  const std::vector<Bound> bounds = bounds_of(machine, config_, profile);
  report.groups.push_back(bound_group(bounds));
  summarize_waits(machine, config_, report.cycles, report.waits);
  report.waits.shown = options_.waits;
  if (!options_.quiet) {
    print_profile(profile, std::cout);
    print_bounds(bounds, std::cout);
  }
}

bool Simulation::is_done(run::Stop stop, const observe::Waits&) {
  const bool is_done = machine_.view().finished();
  is_deadlock_ = !is_done && stop == run::Stop::kIdle;
  return is_done;
}

// A deadlock begins with what holds the others up, if that is known.
std::string Simulation::describe_stop(const std::string& stopped,
                                      const report::Report& report) const {
  if (report.stuck.empty()) return stopped;
  observe::Waits waits;
  const std::string cause = is_deadlock_ ? machine_.view().describe_waits(waits) : "";
  const report::Wait& first = report.stuck.front();
  std::string text = cause.empty() ? stopped + "; " + first.who + " waits for " + first.what
                                   : "deadlock: " + cause;
  if (report.wait_count > 1) text += "; and " + std::to_string(report.wait_count - 1) + " more";
  return text;
}

void Simulation::finish(report::Report& report) {
  if (is_deadlock_)
    name_device_error(report, kDeadlock);
  else if (report.status != report::Status::kFinished)
    name_device_error(report, rule_of(report.message));
  if (!options_.quiet)
    for (const auto& printed : arrays_.data()->printed())
      std::cout << "cycle " << printed.at << ", " << to_string(printed.core) << ", "
                << printed.where << ": " << printed.text << '\n';
  report_hazards(report);
  report_division(report);
  if (report.status == report::Status::kFinished) arrays_.write_outputs(report);
}

void Simulation::report_division(report::Report& report) const {
  if (report.status != report::Status::kFinished || launches_ > 1) return;
  const auto warn = [&report](const char* id, const std::string& text) {
    ++report.diagnoses.count;
    report.diagnoses.first.push_back({report.cycles, {0, 0}, id, text});
  };
  if (arrays_.data()->has_guessed())
    warn(kGuessId,
         "the kernel reads elements of tiles, which have no values in this run: it went on with "
         "zeros");
  for (const std::string& text : external_ends_) warn(kExternalId, text);
  for (const std::string& text : arrays_.data()->describe_division()) warn(kDivisionId, text);
}

// Warnings, or the reason why the run counts as one that could not finish.
void Simulation::report_hazards(report::Report& report) {
  if (!hazards_) return;
  std::vector<std::string> hazards = hazards_->sentences();
  for (std::string& text : cluster::describe_cache_hazards(machine_.view(), arrays_.data()))
    hazards.push_back(std::move(text));
  const bool are_errors = options_.hazards == "error" && report.status == report::Status::kFinished;
  if (!are_errors) {
    for (const std::string& hazard : hazards) {
      ++report.diagnoses.count;
      report.diagnoses.first.push_back({report.cycles, {0, 0}, kHazardId, "hazard: " + hazard});
    }
    return;
  }
  if (hazards.empty()) return;
  report.status = report::Status::kCouldNotFinish;
  report.message = report::plural(hazards.size(), "hazard");
  const std::size_t shown = std::min(hazards.size(), kMostHazards);
  for (std::size_t i = 0; i < shown; ++i)
    report.message += "\nhazard: " + hazards[i] + " [" + kHazardId + "]";
  if (hazards.size() > shown)
    report.message += "\nand " + std::to_string(hazards.size() - shown) + " more";
}

}  // namespace tessera::ascend
