// Writes a value change dump (IEEE 1364): signals in scopes, and their values by cycle. Every file has
// the signal `cycle` in its outermost scope. Time stamps are in ps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// `cycles` cycles take `ps` picoseconds.
struct VcdClock {
  std::uint64_t ps = 1;
  std::uint64_t cycles = 1;
};

/// First the scopes and signals are declared, then start() is called, then values are set, in order of
/// cycles.
class VcdWriter {
 public:
  using Signal = std::size_t;

  /// `out` must outlive the writer. Opens the scope `machine`.
  VcdWriter(std::ostream& out, VcdClock clock, const std::string& machine);

  void open_scope(const std::string& name);
  void close_scope();
  /// `initial` is '0', 'x' or 'z' for all bits.
  Signal add_wire(const std::string& name, unsigned bits, char initial);
  /// A signal whose values are texts, as GTKWave and other viewers read it; at first "-".
  Signal add_text(const std::string& name);
  /// Ends the declarations: all signals have their first values in cycle `first`.
  void start(Cycle first);

  /// The values that follow are of `cycle` or later.
  void advance_to(Cycle cycle);
  void set(Signal signal, std::uint64_t value);
  /// No value: 'z'.
  void release(Signal signal);
  void set_text(Signal signal, const std::string& text);
  /// Time goes on to `end` without a change.
  void finish(Cycle end);

 private:
  struct Declared {
    unsigned bits;  ///< 0: texts
    char initial;
  };

  Signal declare(const char* kind, unsigned width, const std::string& name, Declared declared);
  void stamp();

  std::ostream& out_;
  VcdClock clock_;
  std::vector<Declared> signals_;
  Cycle now_ = 0;
  bool stamped_ = true;  ///< the time stamp of `now_` has been written
};

}  // namespace tessera::observe
