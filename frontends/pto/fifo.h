// A pipe between cube and vector, as one core sees it (reference ascend.md 3.3, 3.5), and the signals
// that its operations are made of. Producer and consumer count their tiles; slot = count mod slots.
//
//   * Ready is signalled with every push. Free slots are signalled in batches of `period` pops, and the
//     producer asks for a batch before every period-th push: on A2/A3 from the first reuse of a slot on,
//     on A5 always, the consumer having signalled all slots free at first. At the end of the kernel the
//     producer takes the signals that are left, so that all counters are 0.
//   * Through GM: FIX or MTE3 writes the slot, MTE2 of the consumer copies it into a ring of its own.
//   * On A5 without a buffer in GM: FIX writes into UB, MTE3 into L1, and a pop moves nothing.
//   * split 1 and 2 divide the rows or the columns among both AIVs. With split 0 AIV0 carries the data:
//     AIV1 takes no part on A5, and on A2/A3 it signals, waits, and reads the same tile.
#pragma once

#include <memory>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// One direction of a pipe.
struct FifoEnd {
  bool open = false;
  bool produces = false;               ///< this core pushes; else it pops
  std::int64_t flag = 0;               ///< ready; flag + 1: free
  std::int64_t first_byte = 0;         ///< of its ring in the buffer in GM
  cluster::Operand buffer;             ///< of the consumer, in UB or L1
  cluster::Pipe writer{}, reader{};    ///< which signal
  unsigned count = 0, freed = 0;       ///< registers: tiles pushed or popped, slots freed
  std::shared_ptr<Value> popped = {};  ///< the tile of the last pop
};

struct Fifo {
  std::int64_t id = 0;  ///< of pto.aic_initialize_pipe; handles have none
  bool is_handle = false;
  bool has_buffer = true;    ///< the consumer has named one
  bool has_entries = false;  ///< its slots in GM are tensors of the program
  bool through_gm = false;
  bool nosplit = false;
  bool split_is_known = false;  ///< an attribute or an operation of the pipe says whether it is
  std::int64_t directions = 0;  ///< dir_mask: 1 cube to vector, 2 vector to cube, 3 both
  std::int64_t slots = 0, local_slots = 0, slot_bytes = 0, period = 0;
  std::int64_t flag = 0;
  std::int64_t split = 0;  ///< of the operation that is being lowered
  cluster::TileOperand gm;
  FifoEnd to_aiv, to_aic;

  /// Bytes of its buffer in GM: a ring for each direction.
  std::int64_t gm_bytes() const { return (directions == 3 ? 2 : 1) * slots * slot_bytes; }
};

/// The ids of AIV1 on the AIC lie behind those of AIV0 (ascend.md 2.7).
inline constexpr std::int64_t kAiv1Flag = 16;

class FifoSignals : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Counters from 0; on A5 the consumer says that all slots are free.
  void open(Fifo& fifo, Place place);
  /// The wait for free slots, if the next tile needs one.
  void ask_for_slot(const Fifo& fifo, const FifoEnd& end, Place place);
  void signal_ready(const Fifo& fifo, const FifoEnd& end, Place place) {
    signal(fifo, true, end.writer, end.flag, place);
  }
  void wait_ready(const Fifo& fifo, const FifoEnd& end, Place place) {
    signal(fifo, false, end.reader, end.flag, place);
  }
  /// A tile more is pushed or popped.
  void count(const FifoEnd& end, Place place) {
    emitter_.update(end.count, Opcode::kAdd, 1, place);
  }
  /// A slot more is free, which is said of a whole batch.
  void count_free(const Fifo& fifo, const FifoEnd& end, Place place);
  /// The slot of the next tile in a ring of so many.
  Operand slot(const FifoEnd& end, std::int64_t slots, Place place) {
    return emitter_.compute(Opcode::kRem, cluster::reg(end.count), slots, place);
  }
  /// The producer takes what is left: pushes / period signals come in all, and on A5 those at first.
  void close(const Fifo& fifo, const FifoEnd& end, Place place);

  /// The index of this AIV.
  Operand subblock(Place place) {
    return emitter_.get(cluster::SpecialValue::kSubblockIndex, place);
  }
  /// On A5 AIV1 has nothing to do with a tile that is not divided.
  template <class Body>
  void take_part(const Fifo& fifo, Place place, Body emit_body) {
    if (!is_a5() || is_cube() || !fifo.nosplit) return emit_body();
    emitter_.unless(subblock(place), place, emit_body);
  }

 private:
  void signal(const Fifo& fifo, bool sets, Pipe pipe, std::int64_t id, Place place);
};

/// What TPUSH and TPOP move.
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
