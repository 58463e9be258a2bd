// A pipe between cube and vector, seen from one core (reference ascend.md 3.3, 3.5): its state, its
// signals, its copies, and the operations that work on it. Producer and consumer count their tiles;
// slot = count mod slots.
//
//   * The producer signals "ready" with every push. The consumer signals "free" once for every
//     `period` slots that it has freed. The producer waits for "free" before every period-th push:
//     on A5 always, because the consumer signals at first that all slots are free; on A2/A3 only
//     when it reuses a slot. At the end of the kernel the producer waits for the signals that are
//     left, so that all counters are 0.
//   * A pipe through GM: FIX or MTE3 writes the slot, MTE2 of the consumer copies it into a ring
//     that the consumer has on chip.
//   * A pipe without a buffer in GM (A5): FIX writes into UB, MTE3 into L1; a pop moves nothing.
//   * split 1 divides the rows and split 2 the columns among both AIVs. With split 0 only AIV0
//     carries data: on A5 AIV1 does nothing, on A2/A3 it signals, waits, and reads the same tile.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "frontends/pto/lowering_part.h"

namespace tessera::pto {

/// kToAiv: cube to vector; kToAic: vector to cube.
enum FifoDirection : std::uint8_t { kToAiv, kToAic };

/// A push or a pop.
struct FifoTile {
  Place place;
  Type type;
  std::int64_t split = 0;
};

/// One direction of a pipe.
struct FifoEnd {
  bool open = false;
  bool produces = false;               ///< this core pushes; otherwise it pops
  bool external = false;               ///< the other end is not in the program, and always ready
  std::int64_t flag = 0;               ///< the signal "ready"; flag + 1 is "free"
  std::int64_t first_byte = 0;         ///< where its ring begins in the buffer in GM
  Operand buffer;                      ///< the address of the consumer's ring in UB or L1
  Pipe writer{}, reader{};             ///< the pipes of the producer and the consumer that signal
  Operand count, freed;                ///< registers: tiles pushed or popped, slots freed
  std::vector<FifoTile> tiles;         ///< all that this core pushes or pops
  std::shared_ptr<Value> popped = {};  ///< the tile of the last pop
};

struct Fifo {
  Place place;
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
  std::int64_t split = 0;        ///< the split of the operation that is being lowered
  std::string converts_to = {};  ///< the type that FIX gives to the tiles of a push; "": theirs
  std::string converts_from = {};
  bool relu = false;    ///< FIX makes negative values 0
  bool scales = false;  ///< FIX scales by numbers that pto.set_quant_scalar or _vector set
  TileOperand gm;
  std::array<FifoEnd, 2> ends;  ///< indexed by FifoDirection

  /// The size of its buffer in GM, which has a ring for each direction.
  std::int64_t gm_bytes() const { return (directions == 3 ? 2 : 1) * slots * slot_bytes; }
};

/// Compares the pipes of a kernel that has programs for both kinds of core: both cores of a cluster
/// have to open a pipe with the same attributes, and to pop the tiles that the other core pushes
/// (ascend.md 3.5). Throws UserError for the first difference; the message names both lines. A pipe
/// may have one end only if `options` let it.
void check_fifo_ends(const std::vector<Fifo>& aic, const std::vector<Fifo>& aiv,
                     const LowerOptions& options, const Diagnostics& diagnostics);

/// The ways of the pipes `here` that are used and that no end of `there` uses; a sentence about each
/// is added to `texts`.
ExternalEnds external_ends(const std::vector<Fifo>& here, const std::vector<Fifo>& there,
                           std::vector<std::string>& texts);

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
    signal(fifo, end, true, end.writer, end.flag, place);
  }
  void wait_ready(const Fifo& fifo, const FifoEnd& end, Place place) {
    signal(fifo, end, false, end.reader, end.flag, place);
  }
  /// Counts a tile that is pushed or popped.
  void count(const FifoEnd& end, Place place) {
    emitter_.update(end.count, Opcode::kAdd, 1, place);
  }
  /// Counts a slot that is freed, and signals "free" when `period` of them are.
  void count_free(const Fifo& fifo, const FifoEnd& end, Place place);
  /// The slot of the next tile in a ring of `slots`.
  Operand slot(const FifoEnd& end, std::int64_t slots, Place place) {
    return emitter_.compute(Opcode::kRem, end.count, slots, place);
  }
  /// Waits for the signals "free" that the producer has not used: one comes for every `period`
  /// pushes, and on A5 those of open().
  void close(const Fifo& fifo, const FifoEnd& end, Place place);

  /// The index of this AIV.
  Operand subblock(Place place) { return emitter_.get(SpecialValue::kSubblockIndex, place); }
  /// Emits what a core does with a tile. On A5 AIV1 skips it if the pipe is not divided.
  template <class Body>
  void take_part(const Fifo& fifo, Place place, Body emit_body) {
    if (!is_a5() || is_cube() || !fifo.nosplit) return emit_body();
    emitter_.unless(subblock(place), place, emit_body);
  }

 private:
  void signal(const Fifo& fifo, const FifoEnd& end, bool sets, Pipe pipe, std::int64_t id,
              Place place);
};

/// The copies of a push and a pop.
class FifoCopies : LoweringPart {
 public:
  explicit FifoCopies(LoweringContext& context) : LoweringPart(context), signals_(context) {}

  void to_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
               Operand slot);
  /// Copies a tile from its slot in GM into the ring of the consumer.
  void from_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& tile);
  /// Occupies a pipe for one cycle with an access to the tile. This orders the operations that read
  /// a slot: they run after the wait for the slot, and before the signal that frees it.
  void touch(Pipe pipe, const Operation& op, const Value& tile);

 private:
  void through_gm(const Fifo& fifo, const FifoEnd& end, const Operation& op, const Value& source,
                  Operand slot);
  /// The part of a slot in GM that this core writes or reads: a whole tile, or its half of one.
  TileOperand slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile, Operand slot,
                         Place place);

  /// The type of the tile with the elements that its slot has: FIX may convert.
  Type type_in_slot(const Fifo& fifo, const Value& tile) const;
  /// What the last instruction, a push, moves.
  void attach_push(const Fifo& fifo, const Operation& op, TileOperand from, TileOperand to);

  FifoSignals signals_;
};

/// The pipes between cube and vector that a function opens, and a record of what it pushes and
/// pops. The table refuses mistakes that one end of a pipe shows.
class FifoTable : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Adds a pipe with the attributes of `op`; its ends are not open yet. Throws UserError for an
  /// attribute out of range. The reference is valid until the next add().
  Fifo& add(const Operation& op, std::int64_t id, bool through_gm);
  /// Opens the ends of a pipe. `gm` is its buffer in GM or nullptr; `to_aiv` and `to_aic` are the
  /// addresses of the rings of the consumers.
  void open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& to_aiv,
                 const Value& to_aic);

  /// Returns nullptr if no pipe has this id.
  Fifo* find(std::int64_t id);
  Fifo& at(unsigned index) { return fifos_[index]; }
  unsigned index_of(const Fifo& fifo) const { return static_cast<unsigned>(&fifo - fifos_.data()); }
  const std::vector<Fifo>& all() const { return fifos_; }
  /// The pipe that an operation names by a handle or an id. Throws UserError if there is none.
  Fifo& of(const Operation& op);
  /// The end that a push or a pop works on. Sets the split of the pipe from the operation.
  FifoEnd& end_of(Fifo& fifo, const Operation& op, bool produces);

  /// Records a push or a pop of a tile. Throws UserError if the tile does not fit a slot.
  void note_tile(const Fifo& fifo, FifoEnd& end, const Operation& op, const Type& type) const;
  std::vector<Fifo> take() { return std::move(fifos_); }

 private:
  /// The number of bytes from the first to the last valid element of a tile, whose rows lie one
  /// after the other. A size that is not known counts in full.
  static std::int64_t extent_of(const Type& tile);
  /// The value of an attribute, which must be 1..`most`.
  std::int64_t positive(const Operation& op, const char* key, std::int64_t otherwise,
                        std::int64_t most) const;
  void note_split(Fifo& fifo, const Operation& op) const;
  /// What acc_push_epilogue says about the elements of a slot.
  void note_conversion(Fifo& fifo, const Operation& op) const;
  void fit_ring(Fifo& fifo, const Value& buffer) const;
  /// Throws UserError if the ring of the consumer does not fit its memory or its reserved buffer.
  void check_ring(const Fifo& fifo, const Operation& op, const Value& buffer, bool to_aiv) const;

  std::vector<Fifo> fifos_;
  std::int64_t next_flag_ = 0;  // for a pipe without flag_base
};

/// Lowers TPUSH and TPOP: rings of slots between the AIC and the AIVs of a cluster. A slot holds a
/// tile. On A2/A3 it may also hold an entry: a view of GM that the producer stores to and the
/// consumer loads from, without a ring on chip (docs/ascend-platform.md; ascend.md 3.5).
class FifoLowering : LoweringPart {
 public:
  explicit FifoLowering(LoweringContext& context)
      : LoweringPart(context), table_(context), signals_(context), copies_(context) {}

  /// Reserves a buffer, or imports one.
  void define_buffer(const Operation& op, const OperationInfo& info);
  /// Opens a pipe that has an id.
  void open_pipe(const Operation& op);
  /// Opens a pipe that is a value.
  void open_handle(const Operation& op);
  /// Gives a slot in GM as a tensor. The pipe of the producer waits until the slot is free, before
  /// the store that follows.
  void alloc_entry(const Operation& op);
  void push(const Operation& op);
  void pop(const Operation& op);
  void free_slot(const Operation& op);
  /// Gives the tile in a slot, which is the result of pto.tpop.
  void fifo_tile(const Operation& op);
  /// Declares a tile that gets its address from a pop.
  void declare_tile(const Operation& op) { scope_.define(op, declared_tile(op, tile_type(op))); }

  /// Resets the counters of all signals at the end of the program.
  void close_all(Place place);
  /// All pipes that the program opens.
  std::vector<Fifo> take_fifos() { return table_.take(); }

 private:
  const Type& tile_type(const Operation& op) const;
  void refuse_subblock(const Operation& op) const;
  Value declared_tile(const Operation& op, const Type& type) const;
  void set_ffts(Place place);
  Value pop_tile(const Operation& op, Fifo& fifo, const Type& type, Operand slot);
  Value entry_of(const Operation& op, const Fifo& fifo, const FifoEnd& end, const Type& type);
  void pop_entry(const Operation& op, const Fifo& fifo, FifoEnd& end);

  FifoTable table_;
  FifoSignals signals_;
  FifoCopies copies_;
};

}  // namespace tessera::pto
