// A pipe between cube and vector, seen from one core (reference ascend.md 3.3, 3.5): its state, its
// signals and its copies. Producer and consumer count their tiles; slot = count mod slots.
//
//   * The producer signals "ready" with every push. The consumer signals "free" once for every `period`
//     slots that it has freed. The producer waits for "free" before every period-th push: on A5 always,
//     because the consumer signals at first that all slots are free; on A2/A3 only when it reuses a
//     slot. At the end of the kernel the producer waits for the signals that are left, so that all
//     counters are 0.
//   * A pipe through GM: FIX or MTE3 writes the slot, MTE2 of the consumer copies it into a ring that
//     the consumer has on chip.
//   * A pipe without a buffer in GM (A5): FIX writes into UB, MTE3 into L1, and a pop moves nothing.
//   * split 1 divides the rows and split 2 the columns among both AIVs. With split 0 only AIV0 carries
//     data: on A5 AIV1 does nothing, on A2/A3 it signals, waits, and reads the same tile.
#pragma once

#include <memory>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// One direction of a pipe.
struct FifoEnd {
  bool open = false;
  bool produces = false;               ///< this core pushes; otherwise it pops
  std::int64_t flag = 0;               ///< the signal "ready"; flag + 1 is "free"
  std::int64_t first_byte = 0;         ///< where its ring begins in the buffer in GM
  cluster::Operand buffer;             ///< the address of the consumer's ring in UB or L1
  cluster::Pipe writer{}, reader{};    ///< the pipes of the producer and the consumer that signal
  unsigned count = 0, freed = 0;       ///< registers: tiles pushed or popped, slots freed
  std::shared_ptr<Value> popped = {};  ///< the tile of the last pop
};

struct Fifo {
  std::int64_t id = 0;  ///< the id of pto.aic_initialize_pipe; a handle has none
  bool is_handle = false;
  bool has_buffer = true;    ///< the text names a ring on chip for the consumer
  bool has_entries = false;  ///< the program uses its slots in GM as tensors
  bool through_gm = false;
  bool nosplit = false;
  bool split_is_known = false;  ///< `nosplit` comes from an attribute or an operation
  std::int64_t directions = 0;  ///< dir_mask: 1 cube to vector, 2 vector to cube, 3 both
  std::int64_t slots = 0, local_slots = 0, slot_bytes = 0, period = 0;
  std::int64_t flag = 0;
  std::int64_t split = 0;  ///< the split of the operation that is being lowered
  cluster::TileOperand gm;
  FifoEnd to_aiv, to_aic;

  /// The size of its buffer in GM, which has a ring for each direction.
  std::int64_t gm_bytes() const { return (directions == 3 ? 2 : 1) * slots * slot_bytes; }
};

/// On the AIC the signals of AIV1 have the ids of AIV0 plus this number (ascend.md 2.7).
inline constexpr std::int64_t kAiv1Flag = 16;

/// The signals and counters of a pipe.
class FifoSignals : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Sets the counters to 0. On A5 the consumer signals that all slots are free.
  void open(Fifo& fifo, Place place);
  /// Waits for free slots if the next push needs it.
  void ask_for_slot(const Fifo& fifo, const FifoEnd& end, Place place);
  void signal_ready(const Fifo& fifo, const FifoEnd& end, Place place) {
    signal(fifo, true, end.writer, end.flag, place);
  }
  void wait_ready(const Fifo& fifo, const FifoEnd& end, Place place) {
    signal(fifo, false, end.reader, end.flag, place);
  }
  /// Counts a tile that is pushed or popped.
  void count(const FifoEnd& end, Place place) {
    emitter_.update(end.count, Opcode::kAdd, 1, place);
  }
  /// Counts a slot that is freed, and signals "free" when `period` of them are.
  void count_free(const Fifo& fifo, const FifoEnd& end, Place place);
  /// The slot of the next tile in a ring of `slots`.
  Operand slot(const FifoEnd& end, std::int64_t slots, Place place) {
    return emitter_.compute(Opcode::kRem, cluster::reg(end.count), slots, place);
  }
  /// Waits for the signals "free" that the producer has not used: one comes for every `period` pushes,
  /// and on A5 those of open().
  void close(const Fifo& fifo, const FifoEnd& end, Place place);

  /// The index of this AIV.
  Operand subblock(Place place) {
    return emitter_.get(cluster::SpecialValue::kSubblockIndex, place);
  }
  /// Emits what a core does with a tile. On A5 AIV1 skips it if the pipe is not divided.
  template <class Body>
  void take_part(const Fifo& fifo, Place place, Body emit_body) {
    if (!is_a5() || is_cube() || !fifo.nosplit) return emit_body();
    emitter_.unless(subblock(place), place, emit_body);
  }

 private:
  void signal(const Fifo& fifo, bool sets, Pipe pipe, std::int64_t id, Place place);
};

/// The copies of a push and a pop.
class FifoCopies : LoweringPart {
 public:
  explicit FifoCopies(LoweringContext& context) : LoweringPart(context), signals_(context) {}

  void to_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
               Operand slot);
  /// Copies a tile from its slot in GM into the ring of the consumer.
  void from_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& tile);
  /// Occupies a pipe for one cycle with an access to the tile. This orders the operations that read a
  /// slot: they run after the wait for the slot, and before the signal that frees it.
  void touch(Pipe pipe, const Operation& op, const Value& tile);

 private:
  void through_gm(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
                  Operand slot);
  /// The part of a slot in GM that this core writes or reads: a whole tile, or its half of one.
  TileOperand slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile, Operand slot,
                         Place place);

  FifoSignals signals_;
};

}  // namespace tessera::pto
