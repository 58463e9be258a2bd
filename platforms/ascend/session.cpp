#include "platforms/ascend/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <utility>

#include "frontends/pto/parser.h"
#include "models/cluster/legality.h"
#include "platforms/cli/output_file.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using Clock = std::chrono::steady_clock;
using cluster::AiCoreCore;
using cluster::CoreId;
using cluster::MachineCore;
using cluster::PipeStats;
using cluster::WaitReason;

constexpr Cycle kCyclesPerLook = 100'000;  // between two looks at the wall clock
constexpr std::size_t kMostWaits = 10'000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Options of other platforms; saying nothing would be a promise.
void refuse_options(const cli::Options& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw UserError("", option, "ascend_platform does not have this");
  };
  refuse(!options.trace_perfetto_file.empty(), "--trace-perfetto");
  refuse(!options.trace_wse_file.empty(), "--trace-wse");
  refuse(!options.vcd_file.empty(), "--vcd");
  refuse(!options.heatmap_file.empty() || !options.heatmap_counter.empty(), "--heatmap");
  refuse(options.check_links, "--check-links");
  refuse(options.check_epochs, "--check-epochs");
  refuse(options.progress, "--progress");
}

pto::Module read_module(const cli::Options& options) {
  return pto::parse_file(options.program,
                         options.pto_unknown.empty() ? pto::Unknown::kRefuse : pto::Unknown::kKeep);
}

pto::Kernel read_kernel(const cli::Options& options, const AscendConfig& config) {
  refuse_options(options);
  pto::LowerOptions lowering{config.machine.profile, options.params};
  if (!options.pto_unknown.empty()) lowering.unknown = pto::parse_unknown_cost(options.pto_unknown);
  return pto::lower(read_module(options), lowering);
}

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

template <class Visit>
void for_each_core(const MachineCore& machine, const cluster::Launch& launch, Visit visit) {
  for (unsigned i = 0; i < launch.clusters * 3; ++i) {
    const CoreId id{static_cast<std::uint16_t>(i / 3), static_cast<std::uint16_t>(i % 3)};
    if (const AiCoreCore* core = machine.find(id)) visit(*core);
  }
}

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

std::vector<std::string> counter_names() {
  std::vector<std::string> names = {"finished_at"};
  for (const sync::Pipe pipe : sync::kPipes) {
    const std::string p = lower_name(pipe);
    for (const char* what : {"_instructions", "_bytes", "_busy", "_idle"})
      names.push_back(p + what);
    for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
      names.push_back(p + "_wait_" + to_string(static_cast<WaitReason>(r)));
  }
  return names;
}

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
      events_(launch_.clusters * 3, 1, false) {}

report::Report Session::run() {
  report::Report report;
  report.platform = "ascend";
  report.preset = config_.name;
  report.program = options_.program;
  report.structure = "dense";
  report.places_key = "cores";
  report.clock_period_ps =
      (1'000'000'000 + config_.machine.clock_khz / 2) / config_.machine.clock_khz;
  const Clock::time_point begin = Clock::now();
  MachineCore machine(config_.machine, launch_, &events_, arrays_.data());
  if (options_.hazards != "off") machine.watch_hazards();
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
  for (const auto& [name, file] : options_.outputs) cli::require_writable(file);
  drive(machine, report);
  summarize(machine, report);
  report_hazards(machine, report);
  if (report.status == report::Status::kFinished) arrays_.write_outputs(report);
  if (!options_.quiet) print_cores(machine, report.cycles);
  return report;
}

void Session::drive(MachineCore& machine, report::Report& report) {
  const Clock::time_point begin = Clock::now();
  try {
    const std::string stopped = step_to_idle(machine);
    if (!machine.finished()) {
      report.status = report::Status::kCouldNotFinish;
      report.message = stopped.empty() ? "deadlock: nothing moves any more" : stopped;
      describe_deadlock(machine, report);
    }
  } catch (const IllegalBehaviour& e) {
    report.status = report::Status::kCouldNotFinish;
    report.message = e.what();
  }
  report.wall.run_s = seconds_since(begin);
}

std::string Session::step_to_idle(MachineCore& machine) {
  const Clock::time_point begin = Clock::now();
  const Cycle last = options_.max_cycles.value_or(kNever);
  Cycle end = 0;
  while (true) {
    end = std::min(last, std::max(end, machine.now()) + kCyclesPerLook);
    if (machine.run(end)) return "";
    if (end == last) return "stopped before cycle " + std::to_string(last) + " (--max-cycles)";
    if (options_.timeout_s && seconds_since(begin) >= *options_.timeout_s)
      return "stopped by --timeout";
  }
}

void Session::describe_deadlock(const MachineCore& machine, report::Report& report) const {
  observe::Waits waits(kMostWaits);
  machine.describe_waits(waits);
  for (const observe::Wait& wait : waits)
    report.waits.push_back({{static_cast<int>(wait.place / 3), static_cast<int>(wait.place % 3)},
                            wait.who,
                            wait.what});
  report.wait_count = waits.total();
  if (report.waits.empty()) return;
  report.message += "; " + report.waits.front().who + " waits for " + report.waits.front().what;
  if (report.wait_count > 1)
    report.message += "; and " + std::to_string(report.wait_count - 1) + " more";
}

void Session::summarize(const MachineCore& machine, report::Report& report) const {
  report.cycles = machine.finished() ? machine.finished_at() : machine.now() + 1;
  report.digest = events_.digest().hex();
  report::Places places;
  places.counters = counter_names();
  std::uint64_t cores = 0, instructions = 0;
  for_each_core(machine, launch_, [&](const AiCoreCore& core) {
    ++cores;
    places.at.insert(places.at.end(), {core.id().cluster, core.id().unit});
    places.values.push_back(core.finished() ? core.finished_at() : 0);
    for (const sync::Pipe pipe : sync::kPipes) {
      const PipeStats& s = core.stats(pipe);
      if (pipe != sync::Pipe::kS) instructions += s.instructions;
      places.values.insert(places.values.end(),
                           {s.instructions, s.bytes, s.busy, idle(s, report.cycles)});
      places.values.insert(places.values.end(), s.waits.begin() + 1, s.waits.end());
    }
    for (const std::string& flag : core.flags_set()) {
      ++report.diagnoses.count;
      report.diagnoses.first.push_back(
          {report.cycles,
           {core.id().cluster, core.id().unit},
           "/tessera/ascend/flag_left_set",
           to_string(core.id()) + ": the flag " + flag + " is still set at the end"});
    }
  });
  report.wall.tiles = cores;
  report.counters = {{"cores", cores, "cores", "of the launch"},
                     {"tile_operations", instructions, "operations", "that pipes have executed"},
                     {"gm_bytes_read", machine.gm().bytes_read(), "bytes", "from GM and L2"},
                     {"gm_bytes_written", machine.gm().bytes_written(), "bytes", "to GM and L2"}};
  report.places = std::move(places);
}

// Warnings, or the reason why the run counts as one that could not finish.
void Session::report_hazards(const MachineCore& machine, report::Report& report) const {
  const std::vector<std::string> hazards = machine.hazards();
  for (const std::string& hazard : hazards) {
    ++report.diagnoses.count;
    report.diagnoses.first.push_back(
        {report.cycles, {0, 0}, "/tessera/ascend/hazard", "hazard: " + hazard});
  }
  if (hazards.empty() || options_.hazards != "error") return;
  if (report.status != report::Status::kFinished) return;
  report.status = report::Status::kCouldNotFinish;
  report.message = "hazard: " + hazards.front();
  if (hazards.size() > 1) report.message += "; and " + std::to_string(hazards.size() - 1) + " more";
}

void Session::print_cores(const MachineCore& machine, Cycle cycles) const {
  std::cout << "pipe of core                busy     waits      idle  why it waited, in cycles\n";
  for_each_core(machine, launch_, [&](const AiCoreCore& core) {
    for (const sync::Pipe pipe : sync::kPipes) {
      const PipeStats& s = core.stats(pipe);
      if (s.busy + waited(s) == 0) continue;
      const std::string who = std::string(to_string(pipe)) + " of " + to_string(core.id());
      char line[96];
      std::snprintf(line, sizeof line, "  %-22s %9llu %9llu %9llu ", who.c_str(),
                    static_cast<unsigned long long>(s.busy),
                    static_cast<unsigned long long>(waited(s)),
                    static_cast<unsigned long long>(idle(s, cycles)));
      std::cout << line;
      for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
        if (s.waits[r] > 0)
          std::cout << ' ' << to_string(static_cast<WaitReason>(r)) << ' ' << s.waits[r];
      std::cout << '\n';
    }
  });
  std::cout << '\n';
}

}  // namespace tessera::ascend
