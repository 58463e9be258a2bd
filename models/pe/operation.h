// One DSD operation in progress: on the main thread (synchronous) or on a microthread
// (asynchronous) (reference wse.md 4, 5.7, 5.8).
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/dsr.h"
#include "models/pe/isa.h"

namespace tessera::pe {

/// Threads share the issue slot: microthreads 0..7 and the main thread.
using ThreadId = unsigned;
inline constexpr ThreadId kMainThread = kMicrothreadCount;
inline constexpr unsigned kThreadCount = kMicrothreadCount + 1;

/// Where one operand of the operation stands.
struct Cursor {
  enum class Kind : std::uint8_t { kNone, kMemory, kFabric, kScalar };
  Kind kind = Kind::kNone;
  std::uint8_t reg = 0;       ///< scalar: its register, if the operand is one
  bool is_register = false;   ///< scalar: a register, not an immediate
  QueueId queue;              ///< fabric
  Color color;                ///< fabric destination
  std::uint32_t address = 0;  ///< memory: byte address of the next element
  std::int32_t step = 0;      ///< memory: bytes from one element to the next
  std::uint32_t load = 0;     ///< memory: Dsr::load of the descriptor
  std::uint32_t value = 0;    ///< scalar: value at dispatch; destination: last result
};

struct Operation {
  const Instruction* instruction = nullptr;
  std::uint32_t pc = 0;
  ThreadId thread = kMainThread;
  std::array<Cursor, kMaxOperands> cursors;  ///< [0] destination, then the sources
  bool endless = false;
  /// The destination register is also a source: each element needs the last result.
  bool accumulates = false;
  std::uint32_t length = 0;  ///< elements
  std::uint32_t done = 0;
  unsigned width = 1;        ///< elements a group
  unsigned interval = 1;     ///< cycles from a group to the next
  unsigned duration = 1;     ///< cycles that the last group takes
  Cycle next_group_at = 0;   ///< earliest cycle for the next group
  Cycle finish_at = kNever;  ///< cycle of completion, known once the last group has executed

  bool complete() const { return !endless && done >= length; }
  bool uses_input(QueueId q) const {
    for (unsigned i = 1; i < kMaxOperands; ++i) {
      if (cursors[i].kind == Cursor::Kind::kFabric && cursors[i].queue == q) return true;
    }
    return false;
  }
  bool uses_output(QueueId q) const {
    return cursors[0].kind == Cursor::Kind::kFabric && cursors[0].queue == q;
  }
};

}  // namespace tessera::pe
