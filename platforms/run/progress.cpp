#include "platforms/run/progress.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace tessera::run {

namespace {

/// "42 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  std::array<char, 64> text{};
  if (seconds < kMinute) {
    std::snprintf(text.data(), text.size(), "%.0f s", std::ceil(seconds));
  } else if (seconds < kHour) {
    std::snprintf(text.data(), text.size(), "%.0f min %.0f s", std::floor(seconds / kMinute),
                  std::floor(std::fmod(seconds, kMinute)));
  } else {
    std::snprintf(text.data(), text.size(), "%.0f h %.0f min", std::floor(seconds / kHour),
                  std::floor(std::fmod(seconds, kHour) / kMinute));
  }
  return text.data();
}

}  // namespace

std::optional<double> Estimate::seconds_left(double elapsed, const Progress& progress) {
  if (progress.done <= 0) return std::nullopt;
  if (!first_elapsed_) {
    first_elapsed_ = elapsed;
    first_done_ = progress.done;
    return std::nullopt;
  }
  const double seconds = elapsed - *first_elapsed_;
  const double done = progress.done - first_done_;
  if (done <= 0 || seconds <= 0 || progress.done >= progress.total) return std::nullopt;
  return (progress.total - progress.done) * seconds / done;
}

std::string to_string(const ProgressLine& line) {
  const double rate = line.elapsed_s > 0 ? static_cast<double>(line.now) / line.elapsed_s : 0;
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "cycle %llu, %.3g cycles/s",
                static_cast<unsigned long long>(line.now), rate);
  std::string result = text.data();
  if (line.progress) {
    std::snprintf(text.data(), text.size(), ", %.0f of %.0f ", line.progress->done,
                  line.progress->total);
    result += text.data() + line.progress->unit;
  }
  if (line.seconds_left) result += ", about " + duration_text(*line.seconds_left) + " left";
  if (line.max_cycles && *line.max_cycles > line.now && rate > 0) {
    const double left = static_cast<double>(*line.max_cycles - line.now) / rate;
    result += ", at most " + duration_text(left) + " to --max-cycles";
  }
  return result;
}

}  // namespace tessera::run
