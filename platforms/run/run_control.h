// Runs the kernel in pieces: until a condition holds, until nothing moves, or until a bound is
// reached. sc_start() itself returns silently when everything is stuck, so a caller
// that waits for something asks here what happened.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "models/timing/clock_domain.h"
#include "platforms/run/progress.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

/// Seconds from its construction on.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin_ = Clock::now();
};

class RunControl {
 public:
  struct Limits {
    std::optional<Cycle> max_cycles;  ///< no cycle of this number or above is stepped
    std::optional<double> timeout_s;  ///< wall time from construction on
    bool progress = false;            ///< a progress line on stderr if it is a terminal
  };
  enum class Stop { kCondition, kIdle, kMaxCycles, kTimeout, kSignal };

  /// Becomes the supervisor of `domain`, which must outlive it.
  RunControl(timing::ClockDomain& domain, const Limits& limits);
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Ends SystemC's elaboration, so that ports lead somewhere, and steps nothing before `then` has ended. For who looks at
  /// the machine before its first cycle, or gives it another state.
  void elaborate(const std::function<void()>& then);
  /// Runs until `done` answers true; it is asked whenever the domain pauses. Any other result than
  /// kCondition says why the run stopped before.
  Stop run_until(const std::function<bool()>& done);
  /// The same where nobody looks at the machine before `done` answers true: models may have computed cycles after
  /// that one then (ClockDomain::set_unwatched), so the caller must not concern them with any of these.
  Stop run_unwatched_until(const std::function<bool()>& done);
  /// Runs until nothing is due.
  Stop run_to_idle();
  /// After kMaxCycles, where nothing but the end of the program may be due: a program of N cycles notes its end in cycle N. Takes
  /// that cycle; kIdle: `done` answers true.
  Stop take_last_cycle(const std::function<bool()>& done);
  const Limits& limits() const { return limits_; }
  /// Calls `look` at the end of cycle `cycle`. Where something from outside goes on with the run, it is
  /// called again; the last call counts. If the run ends before, it is called at its end.
  void at_end_of(Cycle cycle, std::function<void()> look) {
    looked_at_ = cycle;
    look_ = std::move(look);
  }
  /// Calls `visit` after each cycle.
  void set_visitor(std::function<void(Cycle)> visit) { visit_ = std::move(visit); }
  /// Calls `heard` when the host begins a command, with the first cycle that it may take, and when it ends
  /// one: without a name.
  void set_command_listener(std::function<void(const std::string& name, Cycle at)> heard) {
    command_ = std::move(heard);
  }
  void begin_command(const std::string& name) { tell_command(name); }
  void end_command() { tell_command({}); }
  double elapsed_s() const { return since_begin_.seconds(); }

  /// How far the run is, for the progress line; called a few times a second. No value: it is not known.
  void set_progress(std::function<std::optional<Progress>()> progress) {
    progress_ = std::move(progress);
  }

 private:
  bool supervise(Cycle now);
  void tell_command(const std::string& name) {
    if (command_) command_(name, started_ ? domain_.next_free_cycle() : 0);
  }
  void follow_progress(Cycle now, double elapsed);

  timing::ClockDomain& domain_;
  const Limits limits_;
  const Stopwatch since_begin_;
  bool started_ = false;
  bool show_progress_ = false;
  bool progress_shown_ = false;
  double next_progress_s_ = 0;
  std::function<std::optional<Progress>()> progress_;
  Estimate estimate_;
  Cycle looked_at_ = 0;
  std::function<void()> look_;
  std::function<void(Cycle)> visit_;
  std::function<void(const std::string&, Cycle)> command_;
  bool timed_out_ = false;
  // Clock and signals are looked at once in some cycles: a cycle takes 100 ns or, on a full wafer, 100 ms.
  unsigned cycles_per_clock_ = 1;
  unsigned cycles_to_clock_ = 1;
  double last_clock_s_ = 0;
};

using Stop = RunControl::Stop;

/// Nothing may be due when a machine starts, which is no mistake: SystemC does not warn of it.
void allow_idle_start();

/// The beginning of the message of a run that stopped before it was complete.
std::string stop_text(Stop stop, std::optional<Cycle> max_cycles);

}  // namespace tessera::run
