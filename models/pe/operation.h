// DSD operations in progress: on the main thread (synchronous) or on microthreads (asynchronous)
// (reference wse.md 4, 5.7, 5.8, 5.10).
#pragma once

#include <boost/container/vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "models/pe/address_walk.h"
#include "models/pe/decoded_image.h"
#include "models/pe/isa.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

namespace tessera::pe {

/// Threads share the issue slot: microthreads 0..7 and the main thread.
using ThreadId = unsigned;
inline constexpr ThreadId kMainThread = kMicrothreadCount;
inline constexpr unsigned kThreadCount = kMicrothreadCount + 1;

/// Where one operand of the operation stands.
struct Cursor {
  enum class Kind : std::uint8_t {
    kNone,
    kMemory,   ///< vector in memory
    kFabric,   ///< queue
    kFifo,     ///< FIFO in memory
    kScalar,   ///< register or immediate
    kPointer,  ///< destination: one element in memory, which gets the last result
  };
  static constexpr std::uint8_t kNoLimit = 0xFF;
  const Dsd* dsd = nullptr;  ///< memory, fabric: its descriptor
  AddressWalk walk;          ///< memory: its addresses; pointer: its one address
  /// Scalar source: its value at dispatch. Scalar or pointer as destination: the last result.
  /// Fabric: payload of the wavelet that is being taken apart or put together. Memory: Dsr::load of
  /// the descriptor.
  std::uint32_t value = 0;
  Kind kind = Kind::kNone;
  std::uint8_t bytes = 0;  ///< bytes of an element
  /// FIFO: its index; register: its number; fabric destination: the color that it sends on.
  std::uint8_t number = 0;
  bool is_register = false;  ///< scalar: a register, not an immediate
  // fabric
  QueueId queue;
  std::optional<TaskId> channel;  ///< source: what blocks the queue for tasks
  bool half = false;              ///< elements travel as half wavelets
  std::uint8_t packed = 1;        ///< elements in a wavelet
  std::uint8_t held = 0;          ///< elements of the wavelet in `value` still to read, or written
  // fabric, FIFO
  std::uint8_t least = 1;  ///< elements that a group takes at least, unless fewer are left
  // all
  std::uint8_t most = kNoLimit;  ///< elements that the operand takes in a cycle

  std::uint32_t wavelets_for(std::uint32_t elements) const {
    return packed == 1 ? elements : (elements + packed - 1) / packed;
  }
};

static_assert(sizeof(Cursor) == 40, "an operation has several, and a large wafer many operations");

/// What the end of an operation, or a control wavelet, does to tasks (wse.md 5.7).
struct Completion {
  std::optional<TaskId> activate;
  std::optional<TaskId> unblock;
  OnControl on_control = OnControl::kNone;
  TaskId on_control_target;
};

/// What an operation did with its cycles, as far as its source line does not have it yet (wait_account.h):
/// cycles, and low bits of cycles.
struct CountedWaits {
  std::uint32_t since;    ///< all before is in the line
  std::uint32_t wavelet;  ///< in which it lacked a wavelet on its input queue
  std::uint32_t room;     ///< in which it lacked room in its output queue
  /// `wavelet` and `room` count cycles before this one. Of an operation on memory, which lacks neither:
  /// cycles from `since` until its first group is due.
  std::uint32_t until;
};

struct EngineState;
class DecodedImage;
struct Operation;
/// Moves elements of an operation (elements.h).
using Kernel = void (*)(EngineState& pe, Operation& op, std::uint32_t elements,
                        std::uint32_t control_mask, std::uint32_t& sent, Cycle now);

/// One operation.
struct Operation {
  // Every cycle reads these members, so they stand together.
  /// Earliest cycle of the next group; after the last group, the cycle of the completion.
  Cycle due = 0;
  bool finishing = false;  ///< the last group has executed
  std::uint8_t thread = kMainThread;
  Priority priority = Priority::kLow;  ///< priority of the microthread
  /// Queues that every group needs, one bit each: inputs with a wavelet, outputs with room. Receivers
  /// (kMaxReceivers) are not among them.
  std::uint8_t needs_inputs = 0;
  std::uint8_t needs_outputs = 0;
  bool single = false;  ///< a group is one element and needs nothing but these queues
  /// Its groups wait for nobody and cannot fail: they use registers and valid addresses only.
  bool self_contained = false;
  bool may_conflict : 1;  ///< two of its reads may meet in a bank (PeTiming::bank_conflicts)
  bool asked : 1;         ///< in every step what it waits for (wait_account.h)
  bool writes_back : 1;   ///< its end may change registers, DSRs or memory (VectorUnit::write_back)
  bool stopped_by_fifo : 1;  ///< ended by an empty or full FIFO
  bool leaves_control : 1;   ///< OpConfig::leaves_control
  /// The destination register is also a source: each element needs the last result.
  bool accumulates : 1;
  bool carry : 1;  ///< addc16
  const DecodedInstruction* decoded = nullptr;
  Kernel kernel = nullptr;   ///< nullptr: its elements need move_element()
  std::uint32_t length = 0;  ///< elements
  std::uint32_t done = 0;
  std::uint32_t interval = 1;  ///< cycles from a group to the next
  std::uint32_t duration = 1;  ///< cycles that the last group takes
  std::uint16_t width = 1;     ///< elements a group, at most
  std::uint8_t least = 1;      ///< elements a group, unless fewer are left: whole wavelets
  Opcode op = Opcode::kEnd;    ///< opcode of the instruction
  bool endless = false;
  bool terminated = false;   ///< ended before its length was done
  std::uint8_t sources = 0;  ///< how many; they are cursors 1 to this
  bool uses_fifo = false;
  std::array<Cursor, kMaxOperands> cursors;  ///< [0] destination, then the sources
  // From here on not every cycle.
  std::uint64_t channels = 0;  ///< channels of its input queues, as task_bit
  union {
    AddressWalk zeroed = {};  ///< the addresses that `zero` clears, if zeroed_slot is not 0
    CountedWaits waits;       ///< if somebody reads them and it is not asked; then zeroed_slot is 0
  };
  Completion completion;  ///< asked for by the instruction or by loads of its fabric DSRs
  std::uint16_t row =
      0;  ///< elements that groups do not cross the end of (PeTiming::groups_cross_rows); 0: none
  std::uint16_t index = 0;   ///< value of OpConfig::index, read at dispatch
  std::uint16_t inputs = 0;  ///< queues that it reads, receivers too, one bit each
  std::uint8_t outputs = 0;  ///< queues that it writes
  bool single_step = false;
  std::uint8_t zeroed_slot = 0;  ///< the source that `zero` clears in the end; 0: none
  bool result = true;            ///< what a synchronous operation on a FIFO returns (wse.md 5.6)

  Operation()
      : may_conflict(false), asked(false), writes_back(false), stopped_by_fifo(false),
        leaves_control(false), accumulates(false), carry(false) {}

  const Instruction& instruction() const { return *decoded->instruction; }
  std::uint32_t pc() const { return decoded->pc; }
  bool is_filter() const { return op == Opcode::kDfilt; }
  /// Whether all its operands are in memory or registers: neither queues nor FIFOs.
  bool in_memory() const { return (inputs | outputs) == 0 && !uses_fifo; }
  /// `a` of its events (observe/event.h).
  std::uint32_t event_word() const { return static_cast<unsigned>(op) | unsigned{thread} << 8; }
  /// Whether one of the queues that every group needs is among `queues` (PeQueues::lacking).
  bool lacks(std::uint32_t queues) const {
    return ((needs_inputs | std::uint32_t{needs_outputs} << kMaxQueues) & queues) != 0;
  }
  bool complete() const { return terminated || (!endless && done >= length); }
  /// Whether a group of `elements` would be its last one.
  bool ends_with(std::uint32_t elements) const { return !endless && length - done <= elements; }
  std::uint32_t left(std::uint32_t most) const {
    return endless || length - done > most ? most : length - done;
  }
  /// Elements of the next group of an operation in memory.
  std::uint32_t next_group() const {
    const std::uint32_t most = left(width);
    return row == 0 ? most : std::min<std::uint32_t>(most, row - done % row);
  }
  /// Groups that its first `elements` take.
  std::uint32_t groups_of(std::uint32_t elements) const {
    const auto groups = [this](std::uint32_t n) { return (n + width - 1U) / width; };
    return row == 0 ? groups(elements) : elements / row * groups(row) + groups(elements % row);
  }
  /// Whether all its groups are alike: an element each, moved by a kernel, that needs no more than queues and takes as
  /// long as the others.
  bool is_plain() const { return single && kernel != nullptr && !may_conflict; }
  /// Elements that `cursor` moves together.
  unsigned chunk_of(const Cursor& cursor) const { return std::max<unsigned>(cursor.least, least); }
  /// Elements that `cursor` must have, or have room for, before a group. A FIFO counts what is left
  /// of a chunk, so that a smaller group of another operand cannot divide the chunk.
  std::uint32_t least_of(const Cursor& cursor) const {
    const unsigned chunk = chunk_of(cursor);
    return left(cursor.kind == Cursor::Kind::kFifo ? chunk - done % chunk : chunk);
  }
  /// The first cycle in which the last group of a self-contained operation can execute. Bank
  /// conflicts make it later.
  Cycle last_group_from() const {
    return due + Cycle{groups_of(length) - groups_of(done) - 1U} * interval;
  }
  bool uses_input(QueueId q) const { return (inputs >> q.value() & 1U) != 0; }
  bool uses_output(QueueId q) const { return (outputs >> q.value() & 1U) != 0; }
  bool pushes(unsigned fifo) const {
    return cursors[0].kind == Cursor::Kind::kFifo && cursors[0].number == fifo;
  }
  bool pops(unsigned fifo) const {
    for (unsigned i = 1; i <= sources; ++i) {
      if (cursors[i].kind == Cursor::Kind::kFifo && cursors[i].number == fifo) return true;
    }
    return false;
  }
};

static_assert(sizeof(Operation) == 256, "a large wafer has many");

/// An operation as any engine that runs the image dispatches it from the same descriptors with the same options, but for
/// what depends on the time, registers, queues, addresses and lengths.
struct Prototype {
  Operation op;
  std::array<const OpConfig*, kMaxOperands> configs;  ///< of the loads of its DSRs, by slot
};

/// The operations of an engine in progress: at most one a thread, in the order of their threads.
class Operations {
 public:
  /// Invalidates references.
  void add(const Operation& op) {
    // An engine has few: no more than it needs, or has needed before.
    if (operations_.size() == operations_.capacity()) {
      const std::size_t more = operations_.size() + 1;
      if (summary_.most < more) summary_.most = static_cast<std::uint8_t>(more);
      operations_.reserve(summary_.most);
    }
    operations_.insert(operations_.begin() + number_below(op.thread), op);
    count(op);
  }
  /// The last group of `op` has executed; it completes in cycle `at`.
  void finish(Operation& op, Cycle at) {
    op.finishing = true;
    op.due = at;
    summary_.first_completion = std::min(summary_.first_completion, at);
  }
  /// Whether an operation completes in cycle `now`, or should have before.
  bool has_finished(Cycle now) const { return summary_.first_completion <= now; }
  /// The first cycle in which one completes; kNever: the last group of none has executed.
  Cycle first_completion() const { return summary_.first_completion; }
  /// Takes out the operations that complete by cycle `now`, each after `complete(operation)`.
  template <class Complete>
  void remove_finished(Cycle now, Complete&& complete) {
    Operation* place = begin();
    for (Operation& op : *this) {
      if (op.finishing && op.due <= now) {
        complete(op);
      } else {
        if (place != &op) *place = op;
        ++place;
      }
    }
    operations_.resize(static_cast<std::size_t>(place - begin()), boost::container::default_init);
    Summary summary;
    summary.most = summary_.most;
    if (!operations_.empty()) summary.lacking = summary_.lacking;
    summary_ = summary;
    for (const Operation& op : operations_) count(op);
  }
  /// The engine has nothing to do: until it has, it takes little memory.
  void rest() {
    if (operations_.empty() && operations_.capacity() != 0) operations_ = Vector();
  }

  /// The operation of the main thread; nullptr: it has none.
  Operation* of_main_thread() {
    return const_cast<Operation*>(std::as_const(*this).of_main_thread());
  }
  const Operation* of_main_thread() const {
    return has_main_thread() ? &operations_.back() : nullptr;
  }
  bool has_main_thread() const { return summary_.has(1U << kMainThread); }
  /// Queues that some of them need (Operation::needs_inputs, needs_outputs), one bit each.
  std::uint32_t inputs() const { return summary_.inputs; }
  std::uint32_t outputs() const { return summary_.outputs; }
  /// Those of these queues that had no wavelet, or no room, in the last step, as PeQueues::lacking.
  /// Kept by set_lacking().
  std::uint32_t lacking() const { return summary_.lacking; }
  /// Returns the queues that no longer do.
  std::uint32_t set_lacking(std::uint32_t queues) {
    const std::uint32_t came = summary_.lacking & ~queues;
    summary_.lacking = static_cast<std::uint16_t>(queues);
    return came;
  }
  /// The highest priority of the microthreads among them.
  Priority highest() const { return summary_.highest; }
  /// Whether all are on microthreads of this priority.
  bool have_one_level() const { return !summary_.has(Summary::kLevels); }
  /// Whether that is so, and all are plain (Operation::is_plain).
  bool are_plain() const { return !summary_.has(Summary::kLevels | Summary::kNotPlain); }
  /// Whether some of them push or pop FIFOs.
  bool use_fifos() const { return summary_.has(Summary::kFifos); }
  /// Whether a FIFO or a control wavelet may end one of them.
  bool may_end_early() const { return summary_.has(Summary::kEndEarly); }
  /// Whether one of them waits for a control wavelet on input queue `q` (wse.md 2.3, 5.7).
  bool take_control_from(QueueId q) const {
    return std::any_of(begin(), end(), [q](const Operation& op) {
      const bool takes = op.is_filter() || op.completion.on_control != OnControl::kNone;
      return takes && (op.inputs >> q.value() & 1U) != 0;
    });
  }

  Operation* begin() { return operations_.data(); }
  Operation* end() { return operations_.data() + operations_.size(); }
  const Operation* begin() const { return operations_.data(); }
  const Operation* end() const { return operations_.data() + operations_.size(); }
  /// What a group needs of that which is asked first.
  [[gnu::always_inline]] void prefetch() const {
    const unsigned first = summary_.turn < operations_.size() ? summary_.turn : 0;
    prefetch(operations_.data() + first);
  }
  [[gnu::always_inline]] void prefetch_all() const {
    for (const Operation& op : *this) prefetch(&op);
  }
  bool empty() const { return operations_.empty(); }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive, const DecodedImage& program);
  /// The operation that is asked first, or the end; until operations are added or completed.
  Operation* turn() { return operations_.data() + summary_.turn; }
  void set_turn(ThreadId thread) {
    summary_.turn = static_cast<std::uint8_t>(number_below(thread));
  }
  void set_turn_behind(const Operation* op) {
    summary_.turn = static_cast<std::uint8_t>(op - operations_.data() + 1);
  }
  /// The first operation of thread `thread` or a higher one, or the end.
  Operation* behind(ThreadId thread) { return operations_.data() + number_below(thread); }

 private:
  [[gnu::always_inline]] static void prefetch(const Operation* op) {
    const char* const bytes = reinterpret_cast<const char*>(op);
    tessera::prefetch(bytes, 0, offsetof(Operation, cursors) + 3 * sizeof(Cursor));
  }

  using SmallSizes =
      boost::container::vector_options_t<boost::container::stored_size<std::uint8_t>>;
  using Vector = boost::container::vector<Operation, void, SmallSizes>;

  static constexpr unsigned kAllThreads = (1U << kThreadCount) - 1;
  /// Counts ones among nine bits; the builtin is a call on hosts whose instruction may be missing.
  static unsigned count_bits(unsigned bits) {
    bits -= bits >> 1 & 0x155U;
    bits = (bits & 0x133U) + (bits >> 2 & 0x133U);
    return (bits + (bits >> 4) + (bits >> 8)) & 0xFU;
  }
  std::ptrdiff_t number_below(ThreadId thread) const {
    return count_bits(summary_.bits & kAllThreads & ((1U << thread) - 1));
  }
  /// What a step asks of all operations together.
  struct Summary {
    // Beside the threads that have an operation, one bit each:
    static constexpr unsigned kFifos = 1U << kThreadCount;  ///< some push or pop FIFOs
    static constexpr unsigned kEndEarly = 2 * kFifos;  ///< a FIFO or a control wavelet may end one
    static constexpr unsigned kLevels = 4 * kFifos;    ///< not all are microthreads of one priority
    static constexpr unsigned kNotPlain = 8 * kFifos;  ///< some are not plain
    Cycle first_completion = kNever;
    std::uint16_t bits = 0;
    std::uint16_t lacking = 0;
    std::uint8_t inputs = 0;
    std::uint8_t outputs = 0;
    std::uint8_t turn = 0;
    Priority highest : 4;
    std::uint8_t most : 4;  // operations that it has had at a time
    Summary() : highest(Priority::kLow), most(0) {}
    bool has(unsigned bit) const { return (bits & bit) != 0; }
  };
  void count(const Operation& op) {
    unsigned bits = summary_.bits | 1U << op.thread;
    if (op.thread == kMainThread || (summary_.bits != 0 && op.priority != summary_.highest))
      bits |= Summary::kLevels;
    if (!op.is_plain()) bits |= Summary::kNotPlain;
    if (op.uses_fifo) bits |= Summary::kFifos | Summary::kEndEarly;
    if (op.completion.on_control != OnControl::kNone) bits |= Summary::kEndEarly;
    summary_.bits = static_cast<std::uint16_t>(bits);
    summary_.inputs |= op.needs_inputs;
    summary_.outputs |= op.needs_outputs;
    if (op.thread != kMainThread && summary_.highest < op.priority) summary_.highest = op.priority;
    if (op.finishing) summary_.first_completion = std::min(summary_.first_completion, op.due);
  }

  Vector operations_;
  Summary summary_;
};

}  // namespace tessera::pe
