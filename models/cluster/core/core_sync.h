// Synchronisation as one core sees it (reference ascend.md 2.1 to 2.7): flags between its pipes, locks,
// and what it asks the cluster sync unit.
//
// A set is complete when all that was started before on its pipe is: the flag is up flag_latency cycles
// later, a lock is released and a signal to other cores leaves in the next cycle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/operation_order.h"
#include "models/cluster/due_list.h"
#include "models/cluster/sync/pipe_sync.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/sync/signal.h"

namespace tessera::cluster {

/// What the sync operation `i` at `pc`, on `pipe`, asks the sync unit.
sync::Request request_of(const Instruction& i, std::uint32_t pc, Pipe pipe, std::int64_t id,
                         CoreId core);

class CoreSync {
 public:
  CoreSync(CoreContext& context, OperationOrder& order) : context_(context), order_(order) {}

  /// What can be known of a sync operation only when it leaves the scalar unit, in the order of the
  /// program: sets the id and the ticket of `entry`. Throws IllegalBehaviour.
  void dispatch(const Instruction& i, QueueEntry& entry);
  /// Does the sync operation `entry` on `pipe`, or tells what it waits for. Barriers are the pipe's own.
  /// `complete`: cycle, not before `now`, in which what was started before on the pipe is complete.
  WaitReason perform(Pipe pipe, const QueueEntry& entry, Cycle complete, Cycle now);
  /// An answer of the sync unit. Throws IllegalBehaviour.
  void take_answer(const sync::Answer& answer);

  /// What earlier cycles have set in motion for cycle `now`: flags, then releases of locks, then signals
  /// to other cores. Throws IllegalBehaviour.
  void apply_effects(Cycle now);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// No flag, release or signal is on its way.
  bool idle() const { return effects_.empty(); }
  /// The first cycle after `now` in which something takes effect, kNever if there is none.
  Cycle next_effect(Cycle now) const { return effects_.next(now); }

  /// A set or release that has been carried out, and the cycle in which it takes effect.
  struct UnderWay {
    std::uint32_t pc = 0;
    Cycle due = 0;
  };
  /// The first one with an instruction and an id that `is` takes; no value: none is under way.
  template <class Is>
  std::optional<UnderWay> under_way(const Is& is) const {
    const Due<Effect>* const found = effects_.find(
        [&](const Effect& effect) { return is(context_.code(effect.pc), &effect.id); });
    if (found == nullptr) return std::nullopt;
    return UnderWay{found->item.pc, found->due};
  }

  /// Flags that are set: at the end of a kernel, sets without a wait. "MTE2 to V, event 3".
  std::vector<std::string> flags_set() const;
  const FlagTable& flags() const { return flags_; }
  /// Latencies of flags and locks; the sync unit has those of cross-core flags.
  const Latencies& latencies() const { return latencies_; }

 private:
  /// What a sync operation sets in motion for a later cycle.
  struct Effect {
    enum Kind : std::uint8_t { kFlag, kRelease, kSignal };
    Kind kind;
    std::uint32_t pc;
    std::int64_t id;  // id of the flag, lock or signal

    template <class Archive>
    void visit(Archive& archive) {
      archive(kind, pc, id);
    }
  };
  /// A wait for another core at the head of the queue of a pipe.
  struct CrossCoreWait {
    bool asked = false, granted = false;

    template <class Archive>
    void visit(Archive& archive) {
      archive(asked, granted);
    }
  };

  void raise_flag(const Effect& effect, Cycle now);
  void signal(std::uint32_t pc, std::int64_t id, Cycle now);
  WaitReason wait_flag(Pipe pipe, const QueueEntry& entry, Cycle now);
  WaitReason take_lock(const QueueEntry& entry, Cycle now);
  WaitReason wait_cross_core(Pipe pipe, const QueueEntry& entry, Cycle now);
  const SyncConfig& config() const { return context_.config.core.sync; }
  LatencyStats& latency(Mechanism m) { return latencies_[static_cast<unsigned>(m)]; }

  CoreContext& context_;
  OperationOrder& order_;
  FlagTable flags_;
  std::array<Cycle, FlagTable::kFlags> flag_fired_{};            // by FlagTable::index()
  std::array<std::uint32_t, FlagTable::kFlags> queued_waits_{};  // waits in queues
  BufferLocks locks_;
  std::array<Cycle, BufferLocks::kMaxLocks> lock_fired_{};  // when the last release fired, by lock
  Latencies latencies_{};
  DueList<Effect> effects_;
  std::array<CrossCoreWait, sync::kPipeCount> waits_{};
  bool ffts_set_ = false;
};

}  // namespace tessera::cluster
