// What TPUSH and TPOP move (fifo.h has the protocol).
#pragma once

#include "frontends/pto/fifo.h"

namespace tessera::pto {

class FifoCopies : LoweringPart {
 public:
  explicit FifoCopies(LoweringContext& context) : LoweringPart(context), signals_(context) {}

  void to_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
               Operand slot);
  /// The tile of a pipe through GM, into the ring of the consumer.
  void from_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& tile);
  /// A cycle of the pipe that hands a slot over: whoever reads the slot comes behind the wait, and
  /// the slot is free behind whoever has read it.
  void touch(Pipe pipe, const Operation& op, const Value& tile);

 private:
  void through_gm(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
                  Operand slot);
  /// What a core writes to or reads of a slot in GM: its tile, or its half of what the slot holds.
  TileOperand slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile, Operand slot,
                         Place place);

  FifoSignals signals_;
};

}  // namespace tessera::pto
