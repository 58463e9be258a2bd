// The state of one pipe of an AI core: its queue, when it is free, what holds it back, and what it has
// counted. The scalar unit has one too; its queue stays empty.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/core/cost_model.h"
#include "models/cluster/sync/pipe_sync.h"
#include "models/cluster/values/tile_values.h"
#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::cluster {

// --- what a pipe has done (reference ascend.md 4.6): its report and its profile ---

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
  std::uint64_t instructions = 0;  ///< tile operations; for S all instructions
  std::uint64_t busy = 0;          ///< from the start of an operation until its result is there
  std::array<std::uint64_t, kWaitReasonCount> waits{};  ///< held back and not busy
  std::uint64_t bytes = 0;                              ///< bytes of copies from and to GM
  std::uint64_t assumed = 0;  ///< part of busy: native code, at CoreConfig::block_cycles

  template <class Archive>
  void visit(Archive& archive) {
    archive(instructions, busy, waits, bytes, assumed);
  }

  std::uint64_t wait(WaitReason reason) const { return waits[static_cast<unsigned>(reason)]; }
};

/// What an instruction has cost, over all times that it ran. In cycles of its pipe; kQueue counts cycles
/// of the scalar unit, which could not put it into the queue.
struct LineStats {
  std::uint64_t executions =
      0;  ///< how often it was issued, or ran in the body of a vector function
  std::uint64_t busy = 0;
  std::array<std::uint64_t, kWaitReasonCount> waits{};
  std::uint64_t multiply_adds = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(executions, busy, waits, multiply_adds);
  }
};

/// What the tile operations of one kind have moved: GM to UB, L1 to L0A ..
struct PathStats {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hit_bytes = 0;  ///< the part of bytes that L2 had
  std::uint64_t busy = 0;       ///< cycles of PipeStats::busy that belong to them

  template <class Archive>
  void visit(Archive& archive) {
    archive(operations, bytes, hit_bytes, busy);
  }
};

/// Ways of a signal from the one who sets to the one who waits (ascend.md 2.1).
enum class Mechanism : std::uint8_t { kFlag, kLock, kMode0, kMode1, kMode2, kIntraBlock };
inline constexpr unsigned kMechanismCount = 6;
constexpr const char* to_string(Mechanism mechanism) {
  constexpr std::array<const char*, kMechanismCount> kNames = {
      "set_flag", "rls_buf", "mode_0", "mode_1", "mode_2", "set_intra_block"};
  return kNames[static_cast<unsigned>(mechanism)];
}

/// Cycles from a set that fires until its waiter goes on. The waiter may come later than the signal, so
/// only the smallest value is the latency of the mechanism.
struct LatencyStats {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  Cycle least = kNever;
  Cycle most = 0;

  void add(Cycle cycles) { add({1, cycles, cycles, cycles}); }
  void add(const LatencyStats& other) {
    count += other.count;
    sum += other.sum;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  template <class Archive>
  void visit(Archive& archive) {
    archive(count, sum, least, most);
  }
};
using Latencies = std::array<LatencyStats, kMechanismCount>;

// --- its state ---

/// An instruction in a queue, with the values that its operands had when the scalar unit put it there.
struct QueueEntry {
  std::uint32_t pc = 0;
  Sizes sizes{};
  std::int64_t id = 0;
  BufferLocks::Ticket ticket;
  transfer::Place place;       ///< where in GM a copy reads or writes
  std::uint32_t resolved = 0;  ///< its operands (tile_operands.h); 0: they are not kept
  Cycle visible_at = 0;        ///< the pipe sees it from this cycle on
  std::uint32_t number = 0;    ///< number of a tile operation (operation_order.h); 0: it has none
  std::uint32_t epoch = 0;     ///< for HazardTracker

  template <class Archive>
  void visit(Archive& archive) {
    archive(pc, sizes, id, ticket, place, resolved, visible_at, number, epoch);
  }
};

/// A copy from or to GM that is under way.
struct CopyUnderWay {
  QueueEntry entry;
  Cost cost;
  Cycle started_at = 0;
  TileValues result;
  Cycle reads_before = 0;  ///< cycles of the port of L1 that reads had taken when it started

  template <class Archive>
  void visit(Archive& archive) {
    archive(entry, cost, started_at, result, reads_before);
  }
};

struct PipeState {
  /// `reason` holds the pipe back at instruction `pc` in cycle `now`. Does nothing if it did so
  /// already.
  void hold_back(WaitReason reason, std::uint32_t pc, Cycle now, const observe::Probe& probe) {
    if (blocked == reason) return;
    go_on(busy_until, now, probe);
    blocked = reason;
    blocked_since = now;
    blocked_pc = pc;
  }
  /// Nothing holds the pipe back any more. `busy_before`: the cycle in which the operations before are
  /// complete; up to then the pipe was busy and did not wait.
  void go_on(Cycle busy_before, Cycle now, const observe::Probe& probe) {
    if (blocked == WaitReason::kNone) return;
    const Cycle since = std::max(blocked_since, busy_before);
    const auto reason = static_cast<unsigned>(blocked);
    blocked = WaitReason::kNone;
    if (now <= since) return;
    stats.waits[reason] += now - since;
    (*lines)[blocked_pc].waits[reason] += now - since;
    probe.emit(now, observe::EventKind::kPipeWait, sync::index(pipe) | reason << 8,
               static_cast<std::uint32_t>(now - since), blocked_pc);
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(queue, sets, free_at, complete_at, moving, wake, blocked, blocked_pc, blocked_since,
            busy_until, stats);
    if (moving) archive(copy);
  }

  Pipe pipe = Pipe::kS;
  Ring<QueueEntry> queue;
  std::size_t sets = 0;   ///< set_flags in the queue that take no room of it
  Cycle free_at = 0;      ///< the next instruction may start
  Cycle complete_at = 0;  ///< the results of all that has started are there
  bool moving = false;    ///< `copy` is under way
  CopyUnderWay copy;
  Cycle wake = kNever;  ///< when it is worth trying the head again
  WaitReason blocked = WaitReason::kNone;
  std::uint32_t blocked_pc = 0;
  Cycle blocked_since = 0;
  Cycle busy_until = 0;
  PipeStats stats;
  std::vector<LineStats>* lines = nullptr;  ///< statistics of the core by pc, in Pipes
};

/// The pipes of a core, by Pipe.
struct Pipes {
  explicit Pipes(const CoreConfig& config) {
    for (const Pipe pipe : sync::kPipes) {
      const std::size_t depth = config.queue_depth[sync::index(pipe)];
      all[sync::index(pipe)].pipe = pipe;
      all[sync::index(pipe)].lines = &lines;
      if (pipe != Pipe::kS) all[sync::index(pipe)].queue = Ring<QueueEntry>(2 * depth);
    }
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;
  PipeState& operator[](Pipe pipe) { return all[sync::index(pipe)]; }
  const PipeState& operator[](Pipe pipe) const { return all[sync::index(pipe)]; }

  template <class Archive>
  void visit(Archive& archive) {
    archive(all, queued, lines);
  }

  std::array<PipeState, sync::kPipeCount> all;  ///< kAll is no pipe: its queue stays empty
  /// Pipes with something in their queue, a bit each by number. The others have no wake.
  unsigned queued = 0;
  std::vector<LineStats> lines;  ///< statistics of the program, by pc
};

}  // namespace tessera::cluster
