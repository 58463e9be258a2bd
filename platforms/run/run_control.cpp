#include "platforms/run/run_control.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "platforms/run/signals.h"

namespace tessera::run {

namespace {
constexpr unsigned kMostCyclesPerClock = 1024;
constexpr double kClockPeriodSeconds = 0.005;
constexpr double kProgressPeriodSeconds = 0.5;
constexpr double kFirstProgressSeconds = 2;
}  // namespace

RunControl::RunControl(timing::ClockDomain& domain, const Limits& limits)
    : domain_(domain), limits_(limits),
      show_progress_(limits.progress && ::isatty(STDERR_FILENO) != 0) {
  if (limits.max_cycles) domain_.set_bound(*limits.max_cycles);
  domain_.set_supervisor([this](Cycle now) { return supervise(now); });
  allow_idle_start();
}

RunControl::~RunControl() {
  domain_.set_supervisor(nullptr);
  if (progress_shown_) std::fputs("\r\033[K", stderr);
}

void RunControl::elaborate(const std::function<void()>& then) {
  domain_.set_bound(0);
  sc_core::sc_start();
  then();
  domain_.set_bound(limits_.max_cycles.value_or(kNever));
}

RunControl::Stop RunControl::run_until(const std::function<bool()>& done) {
  while (true) {
    if (started_ && done()) return Stop::kCondition;
    if (started_ && limits_.max_cycles && domain_.next_due() != kNever &&
        domain_.next_due() >= *limits_.max_cycles) {
      return Stop::kMaxCycles;
    }
    if (timed_out_) return Stop::kTimeout;
    if (must_stop()) return Stop::kSignal;
    if (started_ && domain_.idle()) return Stop::kIdle;
    started_ = true;
    sc_core::sc_start();
  }
}

RunControl::Stop RunControl::run_unwatched_until(const std::function<bool()>& done) {
  domain_.set_unwatched(!look_ && !visit_);
  const Stop stop = run_until(done);
  domain_.set_unwatched(false);
  return stop;
}

RunControl::Stop RunControl::run_to_idle() {
  return run_unwatched_until([] { return false; });
}

RunControl::Stop RunControl::take_last_cycle(const std::function<bool()>& done) {
  domain_.set_bound(*limits_.max_cycles + 1);
  sc_core::sc_start();
  domain_.set_bound(*limits_.max_cycles);
  return done() ? Stop::kIdle : Stop::kMaxCycles;
}

bool RunControl::supervise(Cycle now) {
  if (look_ && now <= looked_at_ && domain_.next_due() > looked_at_) look_();
  if (visit_) {
    visit_(now);
    if (must_stop()) return true;
  }
  if (--cycles_to_clock_ > 0) return false;
  if (must_stop()) return true;
  const double elapsed = elapsed_s();
  if (elapsed - last_clock_s_ < kClockPeriodSeconds) {
    cycles_per_clock_ = std::min(2 * cycles_per_clock_, kMostCyclesPerClock);
  } else {
    cycles_per_clock_ = std::max(cycles_per_clock_ / 2, 1U);
  }
  cycles_to_clock_ = cycles_per_clock_;
  last_clock_s_ = elapsed;
  if (show_progress_ && elapsed >= next_progress_s_) follow_progress(now, elapsed);
  if (!limits_.timeout_s || elapsed < *limits_.timeout_s) return false;
  timed_out_ = true;
  return true;
}

void RunControl::follow_progress(Cycle now, double elapsed) {
  next_progress_s_ = (std::floor(elapsed / kProgressPeriodSeconds) + 1) * kProgressPeriodSeconds;
  ProgressLine line{now, elapsed, {}, {}, limits_.max_cycles};
  if (progress_) line.progress = progress_();
  if (line.progress) line.seconds_left = estimate_.seconds_left(elapsed, *line.progress);
  if (elapsed < kFirstProgressSeconds) return;
  std::fprintf(stderr, "\r\033[K%s", to_string(line).c_str());
  std::fflush(stderr);
  progress_shown_ = true;
}

void allow_idle_start() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                          sc_core::SC_DO_NOTHING);
}

std::string stop_text(Stop stop, std::optional<Cycle> max_cycles) {
  if (stop == Stop::kMaxCycles)
    return "stopped before cycle " + std::to_string(max_cycles.value_or(0)) + " (--max-cycles)";
  if (stop == Stop::kTimeout) return "stopped by --timeout";
  if (stop == Stop::kSignal) return stop_reason();
  return "deadlock: nothing moves any more";
}

}  // namespace tessera::run
