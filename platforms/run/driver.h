// One way to run a machine, whatever it models: a program drives it, and the driver writes the report.
// A platform brings a View of its machine and a Program; the rest is the same for all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/wait_causes.h"
#include "models/timing/clock_domain.h"
#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/run/live_machine.h"
#include "platforms/run/run_control.h"

namespace tessera::run {

class LiveView;
class Recording;
class SliceLog;

/// What the driver needs to know about a machine.
class View {
 public:
  virtual ~View() = default;
  /// Carries out what the machine has put off (pe::ComputeEngineCore) and was due before cycle
  /// `end`. Called after the last cycle, and before somebody looks at the machine in between.
  virtual void catch_up(Cycle /*end*/) {}
  /// The same at one place, where that is known to be enough.
  virtual void catch_up_at(std::uint32_t /*place*/, Cycle end) { catch_up(end); }
  /// Who waits for what now.
  virtual void describe_waits(observe::Waits& waits) const = 0;
  /// How wavelets come to places, for the causes of a deadlock; nullptr: not known.
  virtual const observe::Flows* flows() const { return nullptr; }
  /// Coordinates of a place of waits and events: [x, y] of a tile, [cluster, unit] of a core.
  virtual std::vector<int> coordinates(std::uint32_t place) const = 0;
  /// How many places it has; 0: --why is not for this machine.
  virtual std::size_t place_count() const { return 0; }
  /// What a place as a whole does at the end of cycle `now`: "has waited since cycle 481 for ...";
  /// empty: nothing is to be said. Called with --why only, during the run.
  virtual std::string state_of(std::uint32_t /*place*/, Cycle /*now*/) const { return {}; }
  /// What is wrong at the end of a run that was done, as the options ask for it: the run ends with exit code 4 and this
  /// message. Empty: nothing.
  virtual std::string fault_at_end(const observe::Waits& /*waits*/) const { return {}; }
  // What a live view asks, between two cycles and after the run.
  virtual LiveGrid live_grid() const { return {}; }
  /// What a cell has counted up to the end of cycle `now`: one number for each layer of live_grid(), into
  /// `counts`. They wrap at 2^32.
  virtual void live_read(std::size_t /*cell*/, Cycle /*now*/, std::uint32_t* /*counts*/) const {}
  /// The place behind a cell, and what it is called.
  virtual std::uint32_t live_place(std::size_t cell) const {
    return static_cast<std::uint32_t>(cell);
  }
  virtual std::string live_name(std::size_t /*cell*/) const { return {}; }
  /// Process and thread of the slices of a cell; only where a cell is one thread.
  virtual std::pair<unsigned, unsigned> live_track(std::size_t cell) const {
    return {static_cast<unsigned>(cell), 0};
  }
  /// What was recorded up to the end of cycle `now`, of which the last cycle may be missing during the run; nullptr: nothing.
  virtual const SliceLog* live_slices(Cycle /*now*/) { return nullptr; }
  /// What lies in the memory of a cell now.
  virtual std::vector<LiveSymbol> live_memory(std::size_t /*cell*/) const { return {}; }
  /// What lies in its input queues at the end of cycle `now`; always the same queues.
  virtual std::vector<LiveQueue> live_queues(std::size_t /*cell*/, Cycle /*now*/) const {
    return {};
  }

  /// Adds the name of the configuration, cycles, digest, counters and diagnoses.
  virtual void summarize(report::Report& report) const = 0;
  /// Writes the rest of traces. Throws UserError.
  virtual void complete_traces(const report::Report& /*report*/) {}
};

/// What a machine is to do in a run.
class Program {
 public:
  virtual ~Program() = default;
  /// Lets the machine run until the program is done or cannot go on.
  virtual Stop drive(RunControl& control) { return control.run_to_idle(); }
  /// Whether all is done that the program asks for. `waits` are those of the machine now.
  virtual bool is_done(Stop stop, const observe::Waits& waits) = 0;
  /// The checks that have been carried out, also in a run that failed.
  virtual std::vector<report::Check> checks() const { return {}; }

  /// The message of a run that stopped before it was done. `report` has the waits; `stopped`, which
  /// says why it stopped, begins the message.
  virtual std::string describe_stop(const std::string& stopped, const report::Report& report) const;
  /// The message of a run with a check that failed.
  virtual std::string describe_failure(const report::Check& check) const;
  /// What else the message of a run that was done says; may be empty.
  virtual std::string remark(const observe::Waits& /*waits*/) const { return {}; }

  /// After the run: writes results, and adds to the report what only the program knows. Throws
  /// UserError.
  virtual void finish(report::Report& report) = 0;
};

/// What `place` does in cycle `now` and what it waits for, a sentence each: as --why and the live view say it. Catches the
/// view up.
std::vector<std::string> sentences_about(View& view, std::uint32_t place, Cycle now);

/// "; WHO waits for WHAT: WHY; and 3 more waits": the first wait of a report, which is a cause if one is known, or "".
std::string first_wait(const report::Report& report, const std::string& place = {});

/// Who stands beside a run and may hold it between two cycles: a debugger (platforms/debug). All is called on the thread
/// of the kernel.
class Attendant {
 public:
  virtual ~Attendant() = default;
  /// The program begins next.
  virtual void before_run() = 0;
  virtual void after_cycle(Cycle now) = 0;
  /// The run is over; cycle `now` was the last one. `report` says how it ended and has its waits. The machine is as it
  /// was left.
  virtual void after_run(Cycle now, const report::Report& report) = 0;
};

class Driver {
 public:
  /// A result that cannot be written should be known before the run: throws UserError when one of
  /// the files that the options name cannot be written (--validate writes none). The time from here
  /// to run() is reported as that of building the machine. From here on SIGINT and SIGTERM end the run
  /// with a report (signals.h). `options` and `report` must outlive the driver.
  Driver(const cli::Options& options, report::Report& report);
  ~Driver();

  /// `attendant` must outlive the run.
  void set_attendant(Attendant& attendant) { attendant_ = &attendant; }
  /// Runs, and fills the report. Call once: SystemC elaborates once a process.
  void run(timing::ClockDomain& domain, const char* structure, View& view, Program& program);

 private:
  void drive(timing::ClockDomain& domain, View& view, Program& program);
  void write(const std::function<void()>& files);
  void look_at_place(const timing::ClockDomain& domain, RunControl& control, View& view);
  void describe_end(Stop stop, const View& view, Program& program);
  void list(const observe::Waits& waits, const View& view);
  void judge_checks(const Program& program);
  void record(View& view, RunControl& control);
  void write_live_page(View& view) const;

  const cli::Options& options_;
  report::Report& report_;
  const Stopwatch since_build_;
  Attendant* attendant_ = nullptr;
  std::unique_ptr<Recording> recording_;  ///< nullptr: no live view was asked for
  std::unique_ptr<LiveView> live_;        ///< nullptr: no --serve
};

}  // namespace tessera::run
