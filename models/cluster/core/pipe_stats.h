// What a pipe of an AI core has done (reference ascend.md 4.6): its report and its profile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// Why the instruction at the head of a queue does not start, or the scalar unit does not go on.
enum class WaitReason : std::uint8_t {
  kNone,
  kFlag,       ///< a flag of another pipe
  kLock,       ///< get_buf
  kBarrier,    ///< results of the pipe, or of all pipes
  kCrossCore,  ///< a flag of another core
  kUnitFlag,   ///< a block of L0C
  kQueue,      ///< scalar unit: the queue of the pipe is full
  kMemory,     ///< scalar unit: a word of GM
};
inline constexpr unsigned kWaitReasonCount = 8;

constexpr const char* to_string(WaitReason reason) {
  constexpr std::array<const char*, kWaitReasonCount> kNames = {
      "none", "flag", "lock", "barrier", "cross_core", "unit_flag", "queue", "memory"};
  return kNames[static_cast<unsigned>(reason)];
}

/// In cycles. The rest of a run is idle: nothing stood in the queue.
struct PipeStats {
  std::uint64_t instructions = 0;  ///< tile operations; of S all
  std::uint64_t busy = 0;          ///< from the start of an operation until its result is there
  std::array<std::uint64_t, kWaitReasonCount> waits{};  ///< held back and not busy
  std::uint64_t bytes = 0;                              ///< of GM transfers

  std::uint64_t wait(WaitReason reason) const { return waits[static_cast<unsigned>(reason)]; }
};

/// What the tile operations of one kind have moved: GM to UB, L1 to L0A ..
struct PathStats {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hit_bytes = 0;  ///< of bytes: that L2 had
  std::uint64_t busy = 0;       ///< cycles of PipeStats::busy that belong to them
};

/// Ways of a signal from the one who sets to the one who waits (ascend.md 2.1).
enum class Mechanism : std::uint8_t { kFlag, kLock, kMode0, kMode1, kMode2, kIntraBlock };
inline constexpr unsigned kMechanismCount = 6;
constexpr const char* to_string(Mechanism mechanism) {
  constexpr std::array<const char*, kMechanismCount> kNames = {
      "set_flag", "rls_buf", "mode_0", "mode_1", "mode_2", "set_intra_block"};
  return kNames[static_cast<unsigned>(mechanism)];
}

/// Cycles from a set that fires to the waiter that goes on. It may have come later than the signal:
/// the least is the latency, the rest is the time for which nobody wanted it.
struct LatencyStats {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  Cycle least = kNever;
  Cycle most = 0;

  void add(Cycle cycles) {
    ++count;
    sum += cycles;
    least = std::min(least, cycles);
    most = std::max(most, cycles);
  }
  void add(const LatencyStats& other) {
    count += other.count;
    sum += other.sum;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};
using Latencies = std::array<LatencyStats, kMechanismCount>;

}  // namespace tessera::cluster
