// TPUSH and TPOP: rings of slots between the AIC and the AIVs of a cluster (fifo.h says how they
// work). Slots hold tiles, or on A2/A3 entries: views of GM that a producer stores to and a consumer
// loads, without a ring on chip (pto_text.md; ascend.md 3.5).
#pragma once

#include <vector>

#include "frontends/pto/fifo_table.h"

namespace tessera::pto {

class FifoLowering : LoweringPart {
 public:
  explicit FifoLowering(LoweringContext& context)
      : LoweringPart(context), table_(context), signals_(context), copies_(context) {}

  void reserve_buffer(const Operation& op);
  void import_buffer(const Operation& op);
  /// Pipes of one core kind, numbered by id.
  void open_pipe(const Operation& op);
  /// Pipes as a value.
  void open_handle(const Operation& op);
  /// A slot in GM as a tensor. Waits for room in the pipe's own order: what the producer stores next
  /// is behind the wait.
  void alloc_entry(const Operation& op);
  void push(const Operation& op);
  void pop(const Operation& op);
  void free_slot(const Operation& op);
  /// The tile of a slot that pto.tpop gave.
  void fifo_tile(const Operation& op);
  /// A tile that a pop gives its place.
  void declare_tile(const Operation& op);

  /// Leaves all counters of signals at 0, at the end of the program.
  void close_all(Place place);
  /// The pipes to the other kind of core that the program opens.
  std::vector<PipeEnd> take_pipe_ends() { return table_.take_pipe_ends(); }

 private:
  void define_buffer(const Operation& op, const std::string& function);
  const Type& tile_type(const Operation& op) const;
  Value declared_tile(const Operation& op, const Type& type) const;
  Value pop_tile(const Operation& op, Fifo& fifo, const Type& type, Operand slot);
  Value entry_of(const Operation& op, const Fifo& fifo, const FifoEnd& end, const Type& type);
  void pop_entry(const Operation& op, const Fifo& fifo, const FifoEnd& end);

  FifoTable table_;
  FifoSignals signals_;
  FifoCopies copies_;
};

}  // namespace tessera::pto
