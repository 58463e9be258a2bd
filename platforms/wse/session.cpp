#include "platforms/wse/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "frontends/layout/layout_reader.h"
#include "platforms/cli/main.h"
#include "platforms/data/npy.h"
#include "platforms/wse/layout_check.h"
#include "platforms/wse/mappings.h"
#include "platforms/wse/module_machine.h"
#include "platforms/wse/output_file.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = cli::RunControl::Stop;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<int> tile_of(std::uint32_t place, const layout::Layout& layout) {
  const auto index = static_cast<int>(place);
  return {index % layout.width, index / layout.width};
}

void add_counters(const observe::Counters& counters, report::Report& report) {
  for (const observe::CounterInfo& info : observe::counter_table()) {
    report.counters.push_back({std::string(info.name), counters.total(info.counter),
                               std::string(info.unit), std::string(info.description)});
  }
}

void add_places(const observe::Counters& counters, const layout::Layout& layout,
                report::Report& report) {
  for (std::uint32_t place = 0; place < layout.tile_count(); ++place) {
    report::Place entry{tile_of(place, layout), {}};
    for (const observe::CounterInfo& info : observe::counter_table()) {
      if (info.counter == observe::Counter::kLastEventCycle) continue;
      entry.counters.emplace_back(info.name, counters.tile(place, info.counter));
    }
    report.places.push_back(std::move(entry));
  }
}

/// Arrays that the machine writes.
std::set<std::string> result_arrays(const layout::Layout& layout) {
  std::set<std::string> names;
  for (const layout::HostStep& step : layout.host) {
    if (const auto* stream = std::get_if<layout::StreamOut>(&step)) names.insert(stream->name);
    if (const auto* copy = std::get_if<layout::CopyOut>(&step)) names.insert(copy->name);
  }
  return names;
}

// What concerns layout and config alone comes before the programs are assembled: a grid that is too large or an array
// that cannot be cut would show there as something odd.
layout::Layout read_checked_layout(const cli::Options& options, const WseConfig& config) {
  layout::Layout layout = layout::read_layout(options.program, options.params);
  check_grid(layout, config);
  for (const layout::Symbol& symbol : layout.symbols) mapping_of(layout, symbol);
  if (layout.tile_count() > kMaxModuleTiles) {
    throw UserError(layout.file, "grid",
                    std::to_string(layout.tile_count()) +
                        " tiles are too many for structure 'modules', which takes "
                        "about 60 KB a tile; at most " +
                        std::to_string(kMaxModuleTiles));
  }
  return layout;
}

report::Diagnoses report_of(const DiagnosisLog& log, const layout::Layout& layout) {
  report::Diagnoses diagnoses;
  diagnoses.count = log.count();
  for (const observe::Diagnosis& d : log.first()) {
    diagnoses.first.push_back({d.cycle, tile_of(d.place, layout), d.id, d.text});
  }
  return diagnoses;
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
    if (wait.who.rfind("input queue", 0) != 0) continue;  // idle data tasks
    if (++found > kMostNamed) continue;
    const std::vector<int> at = tile_of(wait.place, layout);
    text += (found == 1 ? ": PE " : "; PE ") + to_string(TileCoord{at[0], at[1]}) + ", " + wait.who;
  }
  if (found > kMostNamed) text += "; and " + plural(found - kMostNamed, "more queue");
  return text;
}

}  // namespace

Session::Session(const cli::Options& options, WseConfig config)
    : options_(options), config_(std::move(config)), layout_(read_checked_layout(options, config_)),
      programs_(layout_, config_.generation), streams_(resolve_streams(layout_)),
      arrays_(layout_, options.inputs) {
  check_layout(layout_, config_, programs_, streams_);
  check_output_names(layout_, options.outputs);
  check_expectations();
}

// What a check compares with is known before the run, but for the arrays that the run fills:
// mistakes in it should not cost a run.
void Session::check_expectations() const {
  for (const layout::HostStep& step : layout_.host) {
    const auto* check = std::get_if<layout::Check>(&step);
    if (check == nullptr) continue;
    if (check->expect) data::read_npy(*check->expect);
    if (check->value) arrays_.evaluate(*check->value, arrays_[check->name].shape, check->place);
    if (!check->atol_value) continue;
    const double atol = arrays_.evaluate(*check->atol_value, {}, check->place).elements.at(0);
    if (std::isfinite(atol) && atol >= 0) continue;
    throw UserError(layout_.file, check->place, "the tolerance atol is not a number of 0 or more");
  }
}

Session::~Session() = default;

report::Report Session::run() {
  // A result that cannot be written should be known before the run.
  if (!options_.report_file.empty()) require_writable(options_.report_file);
  for (const auto& [name, file] : options_.outputs) require_writable(file);
  Recorders recorders(options_, layout_, programs_, config_);
  const auto begin = Clock::now();
  machine_ = std::make_unique<ModuleMachine>("wafer", layout_, config_, programs_, streams_,
                                             recorders.sink(), options_.check_links);
  Machine& machine = *machine_;
  machine.set_diagnoses(&diagnoses_);
  if (options_.shuffle_step_order) machine.domain().shuffle_step_order(options_.seed);
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
  return report;
}

// Lets the host program run the machine. A run that the kernel reports an error from is over, but
// what was recorded up to there is kept.
void Session::drive(Machine& machine, report::Report& report) {
  cli::RunControl control(machine.domain(),
                          {options_.max_cycles, options_.timeout_s, options_.progress});
  HostProgram program(layout_, programs_, streams_, arrays_, machine, control);
  try {
    const Stop stop = program.run();
    report.checks = program.checks();
    describe_outcome(stop, program, machine, report);
  } catch (const sc_core::sc_report& e) {
    const cli::Failure failure = cli::failure_of(e);
    report.status = failure.status;
    report.message = failure.message;
    report.checks = program.checks();
  }
  report.wall.run_s = control.elapsed_s();
}

void Session::summarize(const Recorders& recorders, report::Report& report) const {
  const observe::Counters& counters = recorders.counters();
  const bool anything_happened = recorders.digest().value() != 0;
  if (anything_happened) report.cycles = counters.total(observe::Counter::kLastEventCycle) + 1;
  report.digest = recorders.digest().hex();
  report.wall.tiles = layout_.tile_count();
  report.wall.hops = counters.total(observe::Counter::kHops);
  add_counters(counters, report);
  if (options_.report_detail) add_places(counters, layout_, report);
  report.diagnoses = report_of(diagnoses_, layout_);
}

void Session::describe_outcome(Stop stop, const HostProgram& program, const Machine& machine,
                               report::Report& report) const {
  observe::Waits waits;
  machine.describe_waits(waits);
  // What blocks comes first; the rest (idle data tasks, wavelets nobody reads) explains it.
  const auto first_other = std::stable_partition(waits.begin(), waits.end(),
                                                 [](const observe::Wait& w) { return w.blocks; });
  // A bound that only cuts off wake-ups with nothing to do is not in the way of a finished program.
  const bool nothing_left = program.done() && machine.wavelets_held() == 0;
  const bool done = stop == Stop::kCondition || (stop == Stop::kMaxCycles && nothing_left);
  if (done && first_other == waits.begin()) {
    describe_end(machine, waits, report);
    return;
  }
  report.status = report::Status::kCouldNotFinish;
  for (const observe::Wait& wait : waits) {
    report.waits.push_back({tile_of(wait.place, layout_), wait.who, wait.what});
  }
  if (stop == Stop::kMaxCycles) {
    report.message =
        "stopped before cycle " + std::to_string(*options_.max_cycles) + " (--max-cycles)";
  } else if (stop == Stop::kTimeout) {
    report.message = "stopped by --timeout";
  } else {
    report.message = "deadlock: nothing moves any more";
  }
  report.message += "; the host is at " + program.current_step();
  if (waits.empty()) return;
  const TileCoord at{report.waits[0].at[0], report.waits[0].at[1]};
  report.message += "; PE " + to_string(at) + ": " + waits[0].who + " waits for " + waits[0].what;
  if (waits.size() > 1) report.message += "; and " + plural(waits.size() - 1, "more wait");
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
