// One DSD operation in progress: on the main thread (synchronous) or on a microthread
// (asynchronous) (reference wse.md 4, 5.7, 5.8, 5.10).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "models/pe/address_walk.h"
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
  static constexpr unsigned kNoLimit = std::numeric_limits<unsigned>::max();
  Kind kind = Kind::kNone;
  std::uint8_t bytes = 0;    ///< of an element
  const Dsd* dsd = nullptr;  ///< memory, fabric
  // scalar, pointer
  std::uint8_t reg = 0;      ///< its register, if the operand is one
  bool is_register = false;  ///< a register, not an immediate
  std::uint32_t value = 0;   ///< at dispatch; destination: last result
  // memory, pointer
  AddressWalk walk;
  std::uint32_t offset = 0;  ///< bytes that `index` adds; pointer: its address
  std::uint32_t load = 0;    ///< Dsr::load of the descriptor
  // fifo
  std::uint8_t fifo = 0;
  // fabric
  QueueId queue;
  std::optional<TaskId> channel;  ///< source: what blocks the queue for tasks
  bool half = false;              ///< elements travel as half wavelets
  std::uint8_t packed = 1;        ///< elements in a wavelet
  std::uint8_t held = 0;      ///< elements of the wavelet in `wavelet` still to read, or written
  std::uint32_t wavelet = 0;  ///< payload that is being taken apart or put together
  // fabric, fifo
  std::uint8_t least = 1;  ///< elements that a group takes at least, unless fewer are left
  // all
  unsigned most = kNoLimit;  ///< elements that it takes in a cycle

  std::uint32_t wavelets_for(std::uint32_t elements) const {
    return (elements + packed - 1) / packed;
  }
};

struct Operation {
  const Instruction* instruction = nullptr;
  OpConfig config;  ///< of the instruction, and of the loads of its fabric DSRs
  std::uint32_t pc = 0;
  ThreadId thread = kMainThread;
  Priority priority = Priority::kLow;        ///< of the microthread
  std::array<Cursor, kMaxOperands> cursors;  ///< [0] destination, then the sources
  AddressWalk zeroed;                        ///< the source that `zero` clears in the end
  std::uint32_t zeroed_offset = 0;           ///< its Cursor::offset
  std::uint8_t zeroed_bytes = 0;             ///< of its elements; 0: none
  std::uint16_t index = 0;                   ///< of the config, read at dispatch
  bool endless = false;
  bool single_step = false;
  /// The destination register is also a source: each element needs the last result.
  bool accumulates = false;
  bool carry = false;  ///< addc16
  bool uses_fifo = false;
  bool terminated = false;       ///< ended before its length was done
  bool stopped_by_fifo = false;  ///< .. by an empty or full FIFO
  bool result = true;            ///< what a synchronous operation on a FIFO returns (wse.md 5.6)
  std::uint32_t length = 0;      ///< elements
  std::uint32_t done = 0;
  unsigned least = 1;        ///< elements a group, unless fewer are left: whole wavelets
  unsigned width = 1;        ///< elements a group, at most
  unsigned interval = 1;     ///< cycles from a group to the next
  unsigned duration = 1;     ///< cycles that the last group takes
  Cycle next_group_at = 0;   ///< earliest cycle for the next group
  Cycle finish_at = kNever;  ///< cycle of completion, known once the last group has executed

  /// `a` of its events (observe/event.h).
  std::uint32_t event_word() const { return static_cast<unsigned>(instruction->op) | thread << 8; }
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
  bool uses_input(QueueId q) const {
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (cursors[i].kind == Cursor::Kind::kFabric && cursors[i].queue == q) return true;
    }
    return false;
  }
  bool uses_output(QueueId q) const {
    return cursors[0].kind == Cursor::Kind::kFabric && cursors[0].queue == q;
  }
  bool pushes(unsigned fifo) const {
    return cursors[0].kind == Cursor::Kind::kFifo && cursors[0].fifo == fifo;
  }
  bool pops(unsigned fifo) const {
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (cursors[i].kind == Cursor::Kind::kFifo && cursors[i].fifo == fifo) return true;
    }
    return false;
  }
};

}  // namespace tessera::pe
