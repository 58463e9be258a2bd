#include "platforms/wse/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "frontends/layout/layout_reader.h"
#include "platforms/cli/main.h"
#include "platforms/cli/output_file.h"
#include "platforms/data/npy.h"
#include "platforms/wse/layout_check.h"
#include "platforms/wse/mappings.h"
#include "platforms/wse/report_counters.h"
#include "platforms/wse/structure.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = cli::RunControl::Stop;

/// Waits of each sort that a report lists.
constexpr std::size_t kMostWaits = 10000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What concerns layout and config alone comes before the programs are assembled: a grid that is too large or an array
// that cannot be cut would show there as something odd.
layout::Layout read_checked_layout(const cli::Options& options, const WseConfig& config) {
  layout::Layout layout = layout::read_layout(options.program, options.params);
  check_grid(layout, config);
  for (const layout::Symbol& symbol : layout.symbols) mapping_of(layout, symbol);
  return layout;
}

std::string plural(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// ": PE (1, 0), input queue 2 (color 3)": the first queues in which wavelets lie.
std::string unread_queues(const observe::Waits& waits, const layout::Layout& layout) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  std::size_t found = 0;
  for (const observe::Wait& wait : waits) {
    if (wait.idle || ++found > kMostNamed) continue;
    const std::vector<int> at = tile_of(wait.place, layout);
    text += (found == 1 ? ": PE " : "; PE ") + to_string(TileCoord{at[0], at[1]}) + ", " + wait.who;
  }
  if (waits.unread() > kMostNamed)
    text += "; and " + plural(waits.unread() - kMostNamed, "more queue");
  return text;
}

// What blocks comes first; the rest (idle data tasks, wavelets nobody reads) explains it.
void list_waits(const observe::Waits& waits, const layout::Layout& layout, report::Report& report) {
  for (const bool blocks : {true, false}) {
    for (const observe::Wait& wait : waits) {
      if (wait.blocks == blocks)
        report.waits.push_back({tile_of(wait.place, layout), wait.who, wait.what});
    }
  }
  report.wait_count = waits.total();
}

}  // namespace

Session::Session(const cli::Options& options, WseConfig config)
    : options_(options), config_(std::move(config)), layout_(read_checked_layout(options, config_)),
      programs_(layout_, config_.generation), streams_(resolve_streams(layout_)),
      arrays_(layout_, options.inputs) {
  check_structure(options_, layout_, config_);
  check_layout(layout_, config_, programs_, streams_);
  check_output_names(layout_, options.outputs);
  checks_.emplace(layout_, arrays_);
}

Session::~Session() = default;

report::Report Session::run() {
  // A result that cannot be written should be known before the run.
  if (!options_.report_file.empty()) cli::require_writable(options_.report_file);
  for (const auto& [name, file] : options_.outputs) cli::require_writable(file);
  Recorders recorders(options_, layout_, programs_, config_);
  const auto begin = Clock::now();
  machine_ = build_machine(options_, layout_, config_, programs_, streams_, recorders.sink());
  Machine& machine = *machine_;
  machine.set_diagnoses(&diagnoses_);
  if (options_.shuffle_step_order) machine.shuffle_step_order(options_.seed);
  report::Report report;
  report.platform = "wse";
  report.preset = config_.name;
  report.structure = machine.structure();
  report.clock_period_ps = config_.clock_period_ps;
  report.wall.elaborate_s = seconds_since(begin);
  drive(machine, report);
  summarize(recorders, report);
  try {
    recorders.finish();
    write_outputs(report);
  } catch (const UserError& e) {  // a full disk does not take the result away
    report.status = report::Status::kUserInput;
    report.message = e.what();
  }
  destroy_machine(report);
  return report;
}

// Where the kernel would take longer for it than the run took (Machine::is_quick_to_destroy), the
// machine is left to the end of the process.
void Session::destroy_machine(report::Report& report) {
  if (!machine_->is_quick_to_destroy()) return;
  const auto begin = Clock::now();
  machine_.reset();
  report.wall.destroy_s = seconds_since(begin);
}

// Lets the host program run the machine. A run that the kernel reports an error from is over, but
// what was recorded up to there is kept.
void Session::drive(Machine& machine, report::Report& report) {
  cli::RunControl control(machine.domain(),
                          {options_.max_cycles, options_.timeout_s, options_.progress});
  HostProgram program(layout_, programs_, streams_, arrays_, *checks_, machine, control);
  try {
    const Stop stop = program.run();
    catch_up(machine);
    report.checks = program.checks();
    describe_outcome(stop, program, machine, report);
  } catch (const sc_core::sc_report& e) {
    catch_up(machine);
    const cli::Failure failure = cli::failure_of(e);
    report.status = failure.status;
    report.message = failure.message;
    report.checks = program.checks();
  }
  report.wall.run_s = control.elapsed_s();
}

// Engines execute groups late (pe::ComputeEngineCore). What was due before the end of the run is
// part of it.
void Session::catch_up(Machine& machine) const {
  const Cycle end =
      std::min(machine.domain().next_free_cycle(), options_.max_cycles.value_or(kNever));
  for (int y = 0; y < layout_.height; ++y) {
    for (int x = 0; x < layout_.width; ++x) {
      pe::ComputeEngineCore* engine = machine.engine({x, y});
      if (engine != nullptr) engine->catch_up(end);
    }
  }
}

void Session::summarize(const Recorders& recorders, report::Report& report) const {
  const observe::Counters& counters = recorders.counters();
  const bool anything_happened = recorders.digest().value() != 0;
  if (anything_happened) report.cycles = counters.total(observe::Counter::kLastEventCycle) + 1;
  report.digest = recorders.digest().hex();
  report.wall.tiles = layout_.tile_count();
  report.wall.hops = counters.total(observe::Counter::kHops);
  add_counters(counters, report);
  if (options_.report_detail) add_places(counters, layout_, report.places);
  report.diagnoses = report_of(diagnoses_, layout_);
}

void Session::describe_outcome(Stop stop, HostProgram& program, const Machine& machine,
                               report::Report& report) const {
  observe::Waits waits(kMostWaits);
  machine.describe_waits(waits);
  // A bound that only cuts off wake-ups with nothing to do is not in the way of a finished program.
  const bool nothing_left = program.done() && machine.wavelets_held() == 0;
  const bool done = stop == Stop::kCondition || (stop == Stop::kMaxCycles && nothing_left);
  if (done && waits.blocking() == 0) {
    describe_end(machine, waits, report);
    return;
  }
  report.status = report::Status::kCouldNotFinish;
  list_waits(waits, layout_, report);
  report.message =
      cli::stop_text(stop, options_.max_cycles) + "; the host is at " + program.current_step();
  if (report.waits.empty()) return;
  const report::Wait& first = report.waits.front();
  report.message += "; PE " + to_string(TileCoord{first.at[0], first.at[1]}) + ": " + first.who +
                    " waits for " + first.what;
  if (waits.total() > 1) report.message += "; and " + plural(waits.total() - 1, "more wait");
}

// All was done: the checks decide, and what nobody read is worth a word.
void Session::describe_end(const Machine& machine, const observe::Waits& waits,
                           report::Report& report) const {
  const bool passed = std::all_of(report.checks.begin(), report.checks.end(),
                                  [](const report::Check& c) { return c.passed; });
  report.status = passed ? report::Status::kFinished : report::Status::kCheckFailed;
  for (const report::Check& check : report.checks) {
    if (check.passed) continue;
    report.message = "check of '" + check.name + "' failed: " + check.detail;
    break;
  }
  const std::size_t left = machine.wavelets_held();
  if (left == 0) return;
  if (!report.message.empty()) report.message += "; ";
  report.message += plural(left, "wavelet") + " left in the fabric that no PE reads" +
                    unread_queues(waits, layout_);
}

void Session::write_outputs(report::Report& report) const {
  const std::set<std::string> results = result_arrays(layout_);
  for (const layout::Array& array : layout_.arrays) {
    const auto file = options_.outputs.find(array.name);
    const bool written = file != options_.outputs.end();
    if (!written && results.count(array.name) == 0) continue;
    const data::HostArray& values = arrays_[array.name];
    if (written) data::write_npy(file->second, values);
    report.outputs.push_back(
        {array.name, data::to_string(values.dtype), values.shape, written ? file->second : ""});
  }
}

}  // namespace tessera::wse
