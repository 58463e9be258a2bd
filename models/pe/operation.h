// One DSD operation in progress: on the main thread (synchronous) or on a microthread
// (asynchronous) (reference wse.md 4, 5.7, 5.8, 5.10).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "models/pe/address_walk.h"
#include "models/pe/decoded_instruction.h"
#include "models/pe/isa.h"
#include "tlm_ifaces/vocabulary/cycle.h"

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
  const Dsd* dsd = nullptr;  ///< memory, fabric
  AddressWalk walk;          ///< memory; pointer: stands at its address
  /// Scalar: at dispatch. Scalar or pointer as destination: last result. Fabric: payload of the
  /// wavelet that is being taken apart or put together. Memory: Dsr::load of the descriptor.
  std::uint32_t value = 0;
  Kind kind = Kind::kNone;
  std::uint8_t bytes = 0;  ///< of an element
  /// FIFO: which; scalar: its register, if the operand is one; fabric destination: the color that
  /// it sends on.
  std::uint8_t number = 0;
  bool is_register = false;  ///< scalar: a register, not an immediate
  // fabric
  QueueId queue;
  std::optional<TaskId> channel;  ///< source: what blocks the queue for tasks
  bool half = false;              ///< elements travel as half wavelets
  std::uint8_t packed = 1;        ///< elements in a wavelet
  std::uint8_t held = 0;          ///< elements of the wavelet in `value` still to read, or written
  // fabric, fifo
  std::uint8_t least = 1;  ///< elements that a group takes at least, unless fewer are left
  // all
  std::uint8_t most = kNoLimit;  ///< elements that it takes in a cycle

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

struct Operation {
  // What is asked in every cycle stands first.
  /// Earliest cycle of the next group; once the last group has executed, of the completion.
  Cycle due = 0;
  bool finishing = false;  ///< the last group has executed
  std::uint8_t thread = kMainThread;
  Priority priority = Priority::kLow;  ///< of the microthread
  std::uint8_t needs_inputs =
      0;  ///< queues without a wavelet from which no group can be, a bit each
  std::uint8_t needs_outputs = 0;  ///< queues without room in which no group can be
  bool single = false;             ///< a group is one element, which needs nothing but these queues
  /// Its groups need nobody and cannot fail: only registers and memory known to be inside.
  bool self_contained = false;
  const DecodedInstruction* decoded = nullptr;
  std::uint32_t length = 0;  ///< elements
  std::uint32_t done = 0;
  std::uint32_t interval = 1;  ///< cycles from a group to the next
  std::uint32_t duration = 1;  ///< cycles that the last group takes
  std::uint16_t width = 1;     ///< elements a group, at most
  std::uint8_t least = 1;      ///< elements a group, unless fewer are left: whole wavelets
  bool async = false;          ///< as the options say, which give `ut` too
  std::optional<MicrothreadId> ut;
  std::uint64_t channels = 0;    ///< of its input queues, as task_bit
  Completion completion;         ///< of the instruction, and of the loads of its fabric DSRs
  std::uint16_t index = 0;       ///< of the config, read at dispatch
  std::uint8_t inputs = 0;       ///< queues that it reads, one bit each
  std::uint8_t outputs = 0;      ///< queues that it writes
  std::uint8_t sources = 0;      ///< they stand in slots 1 to this
  std::uint8_t zeroed_slot = 0;  ///< the source that `zero` clears in the end; 0: none
  AddressWalk zeroed;            ///< .. from its start
  bool endless = false;
  bool single_step = false;
  /// The destination register is also a source: each element needs the last result.
  bool accumulates = false;
  bool carry = false;  ///< addc16
  bool uses_fifo = false;
  bool terminated = false;       ///< ended before its length was done
  bool stopped_by_fifo = false;  ///< .. by an empty or full FIFO
  bool result = true;            ///< what a synchronous operation on a FIFO returns (wse.md 5.6)
  std::array<Cursor, kMaxOperands> cursors;  ///< [0] destination, then the sources

  const Instruction& instruction() const { return *decoded->instruction; }
  std::uint32_t pc() const { return decoded->pc; }
  bool is_filter() const { return instruction().op == Opcode::kDfilt; }
  /// `a` of its events (observe/event.h).
  std::uint32_t event_word() const {
    return static_cast<unsigned>(instruction().op) | unsigned{thread} << 8;
  }
  bool complete() const { return terminated || (!endless && done >= length); }
  std::uint32_t left(std::uint32_t most) const {
    return endless || length - done > most ? most : length - done;
  }
  /// Elements that `cursor` moves together.
  unsigned chunk_of(const Cursor& cursor) const { return std::max<unsigned>(cursor.least, least); }
  /// Elements that `cursor` must have, or have room for, before a group. A FIFO is asked at the
  /// start of a chunk, so that a smaller group of another operand's cannot divide it.
  std::uint32_t least_of(const Cursor& cursor) const {
    const unsigned chunk = chunk_of(cursor);
    return left(cursor.kind == Cursor::Kind::kFifo ? chunk - done % chunk : chunk);
  }
  /// A self-contained operation: the last group executes in this cycle or, when banks collide,
  /// later.
  Cycle last_group_from() const {
    const std::uint32_t groups = (length - done + width - 1) / width;
    return due + Cycle{groups - 1} * interval;
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

}  // namespace tessera::pe
