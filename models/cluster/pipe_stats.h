// What a pipe of an AI core has done (reference ascend.md 4.6): its report and its profile.
#pragma once

#include <array>
#include <cstdint>

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

}  // namespace tessera::cluster
