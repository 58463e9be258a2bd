// A value change dump of a machine whose states are known in any order, such as a wait that is known
// when it ends: changes are kept and written at the end of the run.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "models/observe/scope.h"
#include "models/observe/vcd_writer.h"

namespace tessera::observe {

class VcdLog {
 public:
  using Signal = VcdWriter::Signal;

  /// For declarations, until the first write().
  VcdWriter& writer() { return writer_; }
  VcdLog(std::ostream& out, VcdClock clock, const std::string& machine, const Scope& scope)
      : writer_(out, clock, machine), scope_(scope) {}

  /// The signal has the value from `cycle` on. Of several changes in one cycle the last one counts.
  void set(Signal signal, Cycle cycle, std::uint64_t value) {
    changes_.push_back({cycle, signal, value, false});
  }
  void set_text(Signal signal, Cycle cycle, const std::string& text);
  /// The signal is 1 in the cycles from `first` up to, but not including, `end`.
  void pulse(Signal signal, Cycle first, Cycle end);
  /// Writes what is in the scope, up to cycle `end`. Call it once.
  void write(Cycle end);

 private:
  struct Change {
    Cycle cycle;
    Signal signal;
    std::uint64_t value;  ///< of a text: its number
    bool is_text;
  };
  void write(const Change& change);

  VcdWriter writer_;
  const Scope scope_;
  std::vector<Change> changes_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint64_t> numbers_;  ///< of texts
};

}  // namespace tessera::observe
