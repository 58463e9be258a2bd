// Runs the kernel in pieces: until a condition holds, until nothing moves, or until a bound is
// reached. sc_start() itself returns silently when everything is stuck, so whoever waits for
// something asks here what happened.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "models/timing/clock_domain.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cli {

class RunControl {
 public:
  struct Limits {
    std::optional<Cycle> max_cycles;  ///< no cycle of this number or above is stepped
    std::optional<double> timeout_s;  ///< wall time from construction on
    bool progress = false;            ///< a progress line on stderr if it is a terminal
  };
  enum class Stop { kCondition, kIdle, kMaxCycles, kTimeout };

  /// Becomes the supervisor of `domain`, which must outlive it.
  RunControl(timing::ClockDomain& domain, const Limits& limits);
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Runs until `done` answers true; it is asked whenever the domain pauses. Other answers say why
  /// it never did.
  Stop run_until(const std::function<bool()>& done);
  /// Runs until nothing is due.
  Stop run_to_idle();
  double elapsed_s() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool supervise(Cycle now);
  void show_progress(Cycle now, double elapsed);

  timing::ClockDomain& domain_;
  const Limits limits_;
  const Clock::time_point begin_;
  bool started_ = false;
  bool show_progress_ = false;
  bool progress_shown_ = false;
  double next_progress_s_ = 2.0;
  bool timed_out_ = false;
  unsigned cycles_to_clock_ = 0;  // the wall clock is read once in kCyclesPerClock cycles
};

}  // namespace tessera::cli
