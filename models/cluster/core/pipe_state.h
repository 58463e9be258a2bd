// The state of one pipe of an AI core: its queue, when it is free, what holds it back, and what it has
// counted. The scalar unit has one too; its queue stays empty.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "models/cluster/core/cost_model.h"
#include "models/cluster/core/pipe_stats.h"
#include "models/cluster/sync/buffer_locks.h"
#include "models/cluster/values/tile_values.h"
#include "models/observe/event.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::cluster {

/// An instruction in a queue, with the values that its operands had when the scalar unit put it there.
struct QueueEntry {
  std::uint32_t pc = 0;
  std::array<std::int64_t, 3> sizes{};
  std::int64_t id = 0;
  BufferLocks::Ticket ticket;
  transfer::Place place;       ///< of a copy from or to GM
  std::uint32_t resolved = 0;  ///< its operands (tile_operands.h); 0: they are not kept
  Cycle visible_at = 0;        ///< the pipe sees it from this cycle on
  std::uint32_t number = 0;    ///< of a tile operation (operation_order.h); 0: it has none
  std::uint32_t epoch = 0;     ///< for HazardTracker
};

/// A copy from or to GM that is under way.
struct CopyUnderWay {
  QueueEntry entry;
  Cost cost;
  Cycle started_at = 0;
  TileValues result;
  Cycle reads_before = 0;  ///< cycles of the port of L1 that reads had taken when it started
};

struct PipeState {
  /// `reason` holds the pipe back in cycle `now`. Does nothing if it did so already.
  void hold_back(WaitReason reason, Cycle now, const observe::Probe& probe) {
    if (blocked == reason) return;
    go_on(busy_until, now, probe);
    blocked = reason;
    blocked_since = now;
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
    probe.emit(now, observe::EventKind::kPipeWait, sync::index(pipe) | reason << 8,
               static_cast<std::uint32_t>(now - since));
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
  Cycle blocked_since = 0;
  Cycle busy_until = 0;
  PipeStats stats;
};

/// The pipes of a core, by Pipe.
struct Pipes {
  explicit Pipes(const CoreConfig& config) {
    for (const Pipe pipe : sync::kPipes) {
      const std::size_t depth = config.queue_depth[sync::index(pipe)];
      all[sync::index(pipe)].pipe = pipe;
      if (pipe != Pipe::kS) all[sync::index(pipe)].queue = Ring<QueueEntry>(2 * depth);
    }
  }
  PipeState& operator[](Pipe pipe) { return all[sync::index(pipe)]; }
  const PipeState& operator[](Pipe pipe) const { return all[sync::index(pipe)]; }

  std::array<PipeState, sync::kPipeCount> all;  ///< kAll is no pipe: its queue stays empty
};

}  // namespace tessera::cluster
