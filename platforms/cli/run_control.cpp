#include "platforms/cli/run_control.h"

#include <unistd.h>

#include <cstdio>

namespace tessera::cli {

namespace {
constexpr unsigned kCyclesPerClock = 64;
constexpr double kProgressPeriodSeconds = 0.5;
}  // namespace

RunControl::RunControl(timing::ClockDomain& domain, const Limits& limits)
    : domain_(domain), limits_(limits), begin_(Clock::now()),
      show_progress_(limits.progress && ::isatty(STDERR_FILENO) != 0) {
  if (limits.max_cycles) domain_.set_bound(*limits.max_cycles);
  domain_.set_supervisor([this](Cycle now) { return supervise(now); });
}

RunControl::~RunControl() {
  domain_.set_supervisor(nullptr);
  if (progress_shown_) std::fputs("\r\033[K", stderr);
}

double RunControl::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

RunControl::Stop RunControl::run_until(const std::function<bool()>& done) {
  while (true) {
    if (started_ && done()) return Stop::kCondition;
    if (started_ && limits_.max_cycles && domain_.next_due() != kNever &&
        domain_.next_due() >= *limits_.max_cycles) {
      return Stop::kMaxCycles;
    }
    if (timed_out_) return Stop::kTimeout;
    if (started_ && domain_.idle()) return Stop::kIdle;
    started_ = true;
    sc_core::sc_start();
  }
}

RunControl::Stop RunControl::run_to_idle() {
  return run_until([] { return false; });
}

bool RunControl::supervise(Cycle now) {
  if (++cycles_to_clock_ < kCyclesPerClock) return false;
  cycles_to_clock_ = 0;
  if (!limits_.timeout_s && !show_progress_) return false;
  const double elapsed = elapsed_s();
  if (show_progress_ && elapsed >= next_progress_s_) show_progress(now, elapsed);
  if (!limits_.timeout_s || elapsed < *limits_.timeout_s) return false;
  timed_out_ = true;
  return true;
}

void RunControl::show_progress(Cycle now, double elapsed) {
  const double rate = static_cast<double>(now) / elapsed;
  std::fprintf(stderr, "\r\033[Kcycle %llu, %.3g cycles/s", static_cast<unsigned long long>(now),
               rate);
  if (limits_.max_cycles) {
    std::fprintf(stderr, ", at most %.0f s to the bound",
                 static_cast<double>(*limits_.max_cycles - now) / rate);
  }
  std::fflush(stderr);
  progress_shown_ = true;
  next_progress_s_ = elapsed + kProgressPeriodSeconds;
}

}  // namespace tessera::cli
