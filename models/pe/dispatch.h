// The dispatch of one DSD operation (reference wse.md 4, 5.5 to 5.11, 6.3): what its operands,
// length, thread and rate are, and what forbids it.
#pragma once

#include <cstdint>

#include "models/pe/engine_state.h"
#include "models/pe/operations.h"
#include "models/pe/output_bindings.h"

namespace tessera::pe {

class Dispatch {
 public:
  /// Of instruction `in`, which the main thread has issued.
  Dispatch(EngineState& pe, const DecodedInstruction& in) : pe_(pe) { op_.decoded = &in; }

  /// Works the operation out; operations `running` are in progress. False: there is none to do,
  /// because a single_step operand has no element left.
  bool run(const Operations& running, OutputBindings& outputs, Cycle now);
  const Operation& operation() const { return op_; }

 private:
  template <class Visit>
  void for_each_dsr(Visit&& visit);
  template <class... Words>
  [[noreturn]] void fail(Illegal rule, const Words&... words) const {
    pe_.fail(rule, op_.pc(), words...);
  }
  const Instruction& instruction() const { return op_.instruction(); }
  const PeTiming& timing() const { return pe_.timing(); }

  // Options and operands
  void merge_config();
  void make_cursors(const OutputBindings& outputs);
  void make_cursor(unsigned slot, const OutputBindings& outputs);
  void make_scalar_cursor(const Operand& operand, bool destination, Cursor& cursor) const;
  void make_fabric_cursor(const Dsr& dsr, bool destination, Cursor& cursor) const;
  void make_fifo_cursor(const Dsr& dsr, Cursor& cursor) const;
  void make_memory_cursor(const Dsr& dsr, Cursor& cursor) const;
  void require_index(const Dsd& dsd) const;
  // What forbids it
  void check_sources() const;
  void require_free(const Operations& running) const;
  void require_free_queues(const Operation& other) const;
  // Length, thread and rate
  bool single_step_exhausted();
  void set_length();
  ThreadId microthread();
  Priority priority();
  void set_rate();
  unsigned cycles_of_strides(unsigned elements) const;
  void set_zeroed();
  void set_self_contained();
  void set_needs();

  EngineState& pe_;
  Operation op_;
};

}  // namespace tessera::pe
