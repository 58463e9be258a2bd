// The lines that programs print, as text: "@CYCLE LINE" for each, by cycle and then by tile. A line is
// written when its program ends it with a newline, or when it has kLongestLine characters; what has no
// end when the run is over is dropped.
#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>

#include "models/observe/print.h"

namespace tessera::observe {

class PrintLog {
 public:
  /// The documents say that a full buffer is written out, not how long it is: assumed.
  static constexpr std::size_t kLongestLine = 256;

  /// `out` must outlive the log.
  explicit PrintLog(std::ostream& out) : out_(out) {}

  /// Cycles do not go backwards. In one cycle places come in any order.
  void add(const Print& print);
  /// Writes the lines of the last cycle. Call once, after the run.
  void finish();

 private:
  void append(std::uint32_t place, char c);
  void end_line(std::uint32_t place, std::string& line);

  std::ostream& out_;
  Cycle cycle_ = 0;
  std::map<std::uint32_t, std::string> open_;   // by place: lines without their end
  std::map<std::uint32_t, std::string> ended_;  // by place: those of `cycle_`, each with its cycle
};

}  // namespace tessera::observe
