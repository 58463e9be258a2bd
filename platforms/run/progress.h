// The progress line of long runs: what it says, and how long the run may still take.
#pragma once

#include <optional>
#include <string>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

/// How far a run is, in units that come at a steady pace.
struct Progress {
  double done = 0;
  double total = 0;
  std::string unit;  ///< "awaited wavelets"
};

/// Seconds until all is done, from the pace since something was done for the first time: what comes
/// before that (filling a pipeline) says nothing about the rest.
class Estimate {
 public:
  /// `elapsed`: seconds since the start. No value: there is nothing to go by yet.
  std::optional<double> seconds_left(double elapsed, const Progress& progress);

 private:
  std::optional<double> first_elapsed_;
  double first_done_ = 0;
};

/// What a progress line says; parts that are not known are left out.
struct ProgressLine {
  Cycle now = 0;
  double elapsed_s = 0;
  std::optional<Progress> progress;
  std::optional<double> seconds_left;
  std::optional<Cycle> max_cycles;
};
std::string to_string(const ProgressLine& line);

}  // namespace tessera::run
