// limit WIDTH HEIGHT [SECONDS]: runs the limit (slot_rows.h) with all rows full and prints its
// speed as JSON. It fills the rows, measures for about SECONDS (0.5), lets the rows run empty and
// checks that every word has come through; exit code 1: one has not, 2: wrong arguments.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "bench/limit/slot_rows.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// 0: not a number, or not one from 1 to `largest`.
std::uint32_t read_size(const char* text, long largest) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end == '\0' && value > 0 && value <= largest ? static_cast<std::uint32_t>(value) : 0;
}

int usage() {
  std::cerr << "limit WIDTH HEIGHT [SECONDS]: width and height from 1 to 4096, seconds above 0\n";
  return 2;
}

struct Measured {
  std::uint64_t cycles = 0;
  std::uint64_t hops = 0;
  double seconds = 0;
};

Measured measure(tessera::bench::SlotRows& rows, double seconds) {
  constexpr unsigned kCyclesBetweenLooks = 16;
  Measured m;
  const std::uint64_t hops_before = rows.hops();
  const Clock::time_point begin = Clock::now();
  while (m.seconds < seconds) {
    for (unsigned i = 0; i < kCyclesBetweenLooks; ++i) rows.step(true);
    m.cycles += kCyclesBetweenLooks;
    m.seconds = seconds_since(begin);
  }
  m.hops = rows.hops() - hops_before;
  return m;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 3 || argc > 4) return usage();
  constexpr long kLargest = 4096;
  const std::uint32_t width = read_size(argv[1], kLargest);
  const std::uint32_t height = read_size(argv[2], kLargest);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0.5;
  if (width == 0 || height == 0 || !(seconds > 0)) return usage();

  tessera::bench::SlotRows rows(width, height);
  for (std::uint32_t i = 0; i <= width; ++i) rows.step(true);
  const Measured m = measure(rows, seconds);
  while (rows.held() > 0) rows.step(false);
  if (!rows.all_left() || m.hops != m.cycles * width * height) {
    std::cerr << "limit: words were lost or came late\n";
    return 1;
  }
  std::cout << "{\"width\": " << width << ", \"height\": " << height << ", \"cycles\": " << m.cycles
            << ", \"hops\": " << m.hops << ", \"seconds\": " << m.seconds
            << ", \"hops_per_s\": " << static_cast<double>(m.hops) / m.seconds << "}\n";
  return 0;
}
