// Lowers TPUSH and TPOP: rings of slots between the AIC and the AIVs of a cluster (fifo.h has the
// protocol). A slot holds a tile. On A2/A3 it may also hold an entry: a view of GM that the producer
// stores to and the consumer loads from, without a ring on chip (pto_text.md; ascend.md 3.5).
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
  /// Opens a pipe that has an id.
  void open_pipe(const Operation& op);
  /// Opens a pipe that is a value.
  void open_handle(const Operation& op);
  /// Gives a slot in GM as a tensor. The pipe of the producer waits until the slot is free, before the
  /// store that follows.
  void alloc_entry(const Operation& op);
  void push(const Operation& op);
  void pop(const Operation& op);
  void free_slot(const Operation& op);
  /// Gives the tile in a slot, which is the result of pto.tpop.
  void fifo_tile(const Operation& op);
  /// Declares a tile that gets its address from a pop.
  void declare_tile(const Operation& op);

  /// Resets the counters of all signals at the end of the program.
  void close_all(Place place);
  /// The ends of all pipes that the program opens.
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
