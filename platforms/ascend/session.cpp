#include "platforms/ascend/session.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/pto/parser.h"
#include "models/cluster/hazards/cache_hazards.h"
#include "platforms/ascend/device_error.h"
#include "platforms/ascend/pipe_trace.h"
#include "platforms/ascend/profile.h"
#include "platforms/cli/main.h"
#include "platforms/cli/output_file.h"
#include "platforms/cli/run_control.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = cli::RunControl::Stop;
using cluster::AiCore;
using cluster::CoreId;
using cluster::PipeStats;
using cluster::WaitReason;

constexpr std::size_t kMostWaits = 10'000;
constexpr std::size_t kMostHazards = 20;  // that an error names
constexpr const char* kHazardId = "/tessera/ascend/hazard";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Options of other platforms; saying nothing would be a promise.
void refuse_options(const cli::Options& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw UserError("", option, "ascend_platform does not have this");
  };
  refuse(!options.trace_wse_file.empty(), "--trace-wse");
  refuse(!options.vcd_file.empty(), "--vcd");
  refuse(!options.heatmap_file.empty() || !options.heatmap_counter.empty(), "--heatmap");
  refuse(options.check_links, "--check-links");
  refuse(options.check_epochs, "--check-epochs");
}

pto::Module read_module(const cli::Options& options) {
  return pto::parse_file(options.program,
                         options.pto_unknown.empty() ? pto::Unknown::kRefuse : pto::Unknown::kKeep);
}

}  // namespace

pto::Kernel read_kernel(const cli::Options& options, const AscendConfig& config) {
  refuse_options(options);
  pto::LowerOptions lowering{config.machine.profile, options.params};
  lowering.reals = options.reals;
  if (!options.pto_unknown.empty()) lowering.unknown = pto::parse_unknown_cost(options.pto_unknown);
  return pto::lower(read_module(options), lowering);
}

namespace {

cluster::LaunchRatio ratio_of(Ratio ratio, const pto::Kernel& kernel) {
  switch (ratio) {
  case Ratio::k1To0:
    return cluster::LaunchRatio::k1To0;
  case Ratio::k0To1:
    return cluster::LaunchRatio::k0To1;
  case Ratio::k1To1:
    return cluster::LaunchRatio::k1To1;
  case Ratio::k1To2:
    return cluster::LaunchRatio::k1To2;
  case Ratio::kAuto:
    break;
  }
  if (!kernel.aiv) return cluster::LaunchRatio::k1To0;
  return kernel.aic ? cluster::LaunchRatio::k1To2 : cluster::LaunchRatio::k0To1;
}

}  // namespace

cluster::Launch launch_of(const AscendConfig& config, const pto::Kernel& kernel) {
  cluster::Launch launch;
  launch.clusters = config.clusters;
  launch.blocks = config.blocks;
  launch.ratio = ratio_of(config.ratio, kernel);
  launch.mix = config.mix == Mix::kYes || (config.mix == Mix::kAuto && kernel.aic && kernel.aiv);
  const auto require = [&launch](bool has, bool needs, const char* kind) {
    if (has || !needs) return;
    throw UserError("", "launch.ratio",
                    std::string(to_string(launch.ratio)) + " needs a function for " + kind +
                        ", and the program has none");
  };
  require(kernel.aic != nullptr, aics_of(launch.ratio) > 0, "the AIC");
  require(kernel.aiv != nullptr, aivs_of(launch.ratio) > 0, "the AIVs");
  return launch;
}

namespace {

std::uint64_t waited(const PipeStats& stats) {
  std::uint64_t sum = 0;
  for (const std::uint64_t cycles : stats.waits) sum += cycles;
  return sum;
}

std::uint64_t idle(const PipeStats& stats, Cycle cycles) {
  const std::uint64_t used = stats.busy + waited(stats);
  return cycles > used ? cycles - used : 0;
}

/// "mte2": pipes in the names of counters.
std::string lower_name(sync::Pipe pipe) {
  std::string text = to_string(pipe);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// Of a core; with `detail` also its tile operations by kind and its flags.
std::vector<std::string> counter_names(bool detail) {
  std::vector<std::string> names = {"finished_at"};
  for (const sync::Pipe pipe : sync::kPipes) {
    const std::string p = lower_name(pipe);
    for (const char* what : {"_instructions", "_bytes", "_busy", "_idle"})
      names.push_back(p + what);
    for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
      names.push_back(p + "_wait_" + to_string(static_cast<WaitReason>(r)));
  }
  if (!detail) return names;
  for (unsigned o = 0; o < cluster::kTileOpcodeCount; ++o)
    for (const char* what : {"_operations", "_bytes", "_l2_hit_bytes", "_busy"})
      names.push_back(to_string(static_cast<cluster::Opcode>(o)) + std::string(what));
  for (const char* what : {"set_flag_count", "set_flag_cycles", "set_flag_most"})
    names.emplace_back(what);
  return names;
}

void add_details(const AiCore& core, std::vector<std::uint64_t>& values) {
  for (unsigned o = 0; o < cluster::kTileOpcodeCount; ++o) {
    const cluster::PathStats& s = core.path(static_cast<cluster::Opcode>(o));
    values.insert(values.end(), {s.operations, s.bytes, s.hit_bytes, s.busy});
  }
  const cluster::LatencyStats& flags =
      core.sync().latencies()[static_cast<unsigned>(cluster::Mechanism::kFlag)];
  values.insert(values.end(), {flags.count, flags.sum, flags.most});
}

/// --trace-perfetto, if it is asked for.
class TraceFile {
 public:
  TraceFile(const std::string& path, unsigned clusters, const pto::Kernel& kernel,
            observe::EventStream& events)
      : path_(path) {
    if (path.empty()) return;
    stream_ = std::make_unique<std::ofstream>(cli::open_output(path));
    trace_ = std::make_unique<PipeTrace>(*stream_, clusters, kernel.aic, kernel.aiv);
    events.add(*trace_);
  }
  /// A full disk does not take the result away.
  void finish(report::Report& report) const {
    if (!trace_) return;
    trace_->finish();
    try {
      cli::require_complete(path_, *stream_);
    } catch (const UserError& e) {
      report.status = report::Status::kUserInput;
      report.message = e.what();
    }
  }

 private:
  const std::string path_;
  std::unique_ptr<std::ofstream> stream_;
  std::unique_ptr<PipeTrace> trace_;
};

}  // namespace

AscendConfig config_of(const cli::Options& options) {
  std::string preset = options.preset;
  if (preset.empty() && options.config_file.empty()) {
    preset = "a5";
    if (!options.program.empty()) {
      const pto::Module module = read_module(options);
      if (pto::profile_of(module) == cluster::Profile::kA2A3) preset = "a2a3";
    }
  }
  return load_ascend_config(preset, options.config_file, options.sets);
}

Session::Session(const cli::Options& options, AscendConfig config)
    : options_(options), config_(std::move(config)), kernel_(read_kernel(options, config_)),
      launch_(launch_of(config_, kernel_)),
      arrays_(options, config_.machine.profile, launch_, kernel_),
      events_(static_cast<unsigned>(launch_.places()), 1, false) {}

report::Report Session::run() {
  report::Report report;
  report.platform = "ascend";
  report.preset = config_.name;
  report.program = options_.program;
  report.places_key = "cores";
  report.clock_khz = config_.machine.clock_khz;
  for (const std::string& file : {options_.report_file, options_.trace_perfetto_file})
    if (!file.empty()) cli::require_writable(file);
  const Clock::time_point begin = Clock::now();
  std::optional<cluster::HazardWatch> hazards;
  if (options_.hazards != "off") hazards.emplace(launch_);
  Machine machine(options_.structure, config_.machine, launch_,
                  {&events_, arrays_.data(), hazards ? &*hazards : nullptr});
  report.structure = machine.structure();
  if (options_.shuffle_step_order) machine.shuffle_step_order(options_.seed);
  try {
    machine.launch(kernel_.aic, kernel_.aiv, 0);
  } catch (const UserError& e) {  // an instruction that may not stand where it does
    report.status = report::Status::kCouldNotFinish;
    report.message = e.what();
    return report;
  }
  report.wall.elaborate_s = seconds_since(begin);
  if (options_.validate) return report;
  const TraceFile trace(options_.trace_perfetto_file, launch_.clusters, kernel_, events_);
  for (const auto& [name, file] : options_.outputs) cli::require_writable(file);
  drive(machine, report);
  trace.finish(report);
  summarize(machine, report);
  if (hazards) report_hazards(*hazards, machine.view(), report);
  if (report.status == report::Status::kFinished) arrays_.write_outputs(report);
  return report;
}

void Session::drive(Machine& machine, report::Report& report) {
  cli::RunControl control(machine.domain(),
                          {options_.max_cycles, options_.timeout_s, options_.progress});
  try {
    const Stop stop = control.run_to_idle();
    if (!machine.view().finished()) {
      report.status = report::Status::kCouldNotFinish;
      report.message = cli::stop_text(stop, options_.max_cycles);
      describe_deadlock(machine.view(), stop == Stop::kIdle, report);
      if (stop == Stop::kIdle) name_device_error(report, kDeadlock);
    }
  } catch (const sc_core::sc_report& e) {
    const cli::Failure failure = cli::failure_of(e);
    report.status = failure.status;
    report.message = failure.message;
    name_device_error(report, rule_of(report.message));
  }
  report.wall.run_s = control.elapsed_s();
}

void Session::describe_deadlock(const cluster::MachineView& machine, bool is_deadlock,
                                report::Report& report) const {
  observe::Waits waits(kMostWaits);
  const std::string cause = machine.describe_waits(waits);
  for (const observe::Wait& wait : waits)
    report.waits.push_back({{static_cast<int>(wait.place / 3), static_cast<int>(wait.place % 3)},
                            wait.who,
                            wait.what});
  report.wait_count = waits.total();
  if (report.waits.empty()) return;
  if (is_deadlock && !cause.empty())
    report.message = "deadlock: " + cause;
  else
    report.message += "; " + report.waits.front().who + " waits for " + report.waits.front().what;
  if (report.wait_count > 1)
    report.message += "; and " + std::to_string(report.wait_count - 1) + " more";
}

void Session::summarize(const Machine& machine, report::Report& report) const {
  const cluster::MachineView& view = machine.view();
  report.cycles = view.finished() ? view.finished_at() : machine.domain().now() + 1;
  report.digest = events_.digest().hex();
  add_places(view, report);
  const Profile profile = profile_of(view, config_, report.cycles);
  add_groups(profile, report);
  if (!options_.quiet) print_profile(profile, std::cout);
}

void Session::add_places(const cluster::MachineView& machine, report::Report& report) const {
  report::Places places;
  places.counters = counter_names(options_.report_detail);
  std::uint64_t instructions = 0;
  for (const AiCore* core : machine.cores()) {
    places.at.insert(places.at.end(), {core->id().cluster, core->id().unit});
    places.values.push_back(core->finished() ? core->finished_at() : 0);
    for (const sync::Pipe pipe : sync::kPipes) {
      const PipeStats& s = core->stats(pipe);
      if (pipe != sync::Pipe::kS) instructions += s.instructions;
      places.values.insert(places.values.end(),
                           {s.instructions, s.bytes, s.busy, idle(s, report.cycles)});
      places.values.insert(places.values.end(), s.waits.begin() + 1, s.waits.end());
    }
    if (options_.report_detail) add_details(*core, places.values);
    for (const std::string& flag : core->sync().flags_set()) {
      ++report.diagnoses.count;
      report.diagnoses.first.push_back(
          {report.cycles,
           {core->id().cluster, core->id().unit},
           "/tessera/ascend/flag_left_set",
           to_string(core->id()) + ": the flag " + flag + " is still set at the end"});
    }
    const std::string left = cluster::describe_lines_left(*core);
    if (left.empty()) continue;
    ++report.diagnoses.count;
    report.diagnoses.first.push_back(
        {report.cycles, {core->id().cluster, core->id().unit}, "/tessera/ascend/lines_left", left});
  }
  const std::uint64_t cores = machine.cores().size();
  report.wall.tiles = cores;
  report.counters = {{"cores", cores, "cores", "of the launch"},
                     {"tile_operations", instructions, "operations", "that pipes have executed"},
                     {"gm_bytes_read", machine.gm().bytes_read(), "bytes", "from GM and L2"},
                     {"gm_bytes_written", machine.gm().bytes_written(), "bytes", "to GM and L2"}};
  report.places = std::move(places);
}

// Warnings, or the reason why the run counts as one that could not finish.
void Session::report_hazards(const cluster::HazardWatch& watch, const cluster::MachineView& machine,
                             report::Report& report) {
  std::vector<std::string> hazards = watch.sentences();
  for (std::string& text : cluster::describe_cache_hazards(machine, arrays_.data()))
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
  report.message = std::to_string(hazards.size()) + (hazards.size() > 1 ? " hazards" : " hazard");
  const std::size_t shown = std::min(hazards.size(), kMostHazards);
  for (std::size_t i = 0; i < shown; ++i)
    report.message += "\nhazard: " + hazards[i] + " [" + kHazardId + "]";
  if (hazards.size() > shown)
    report.message += "\nand " + std::to_string(hazards.size() - shown) + " more";
}

}  // namespace tessera::ascend
