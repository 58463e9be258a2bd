// Trace Event Format, the JSON that ui.perfetto.dev and chrome://tracing open: processes with named
// threads, slices, instants and counters. The recorders of all machines write through it.
//
// The format counts in microseconds: 1 us is 1 clock cycle of the machine.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// `text` as JSON writes it: between double quotes, with quotes, backslashes and control characters
/// escaped.
std::string json_quote(std::string_view text);

class PerfettoWriter {
 public:
  /// A thread of a process. Both count from 0.
  struct Track {
    unsigned process = 0;
    unsigned thread = 0;
  };

  /// Begins the file. `out` must outlive the writer.
  explicit PerfettoWriter(std::ostream& out);

  /// Processes and threads are shown in the order of their numbers.
  void name_process(unsigned process, const std::string& name);
  void name_thread(Track track, const std::string& name);
  /// `args`, here and below: members of a JSON object, may be empty. A slice takes one cycle at least.
  /// `color`: a color name of the format; nullptr: the viewer chooses.
  void slice(Track track, const std::string& name, Cycle start, Cycle end,
             const std::string& args = "", const char* color = nullptr);
  void instant(Track track, const std::string& name, Cycle at, const std::string& args);
  /// The values that `name` has from cycle `at` on.
  void counter(unsigned process, const std::string& name, Cycle at, const std::string& args);
  /// Ends the file.
  void finish();

 private:
  void write(const std::string& record);

  std::ostream& out_;
  bool first_ = true;
};

}  // namespace tessera::observe
