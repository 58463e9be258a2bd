// What orders the tile operations of a core: it numbers them, inserts the synchronisation of programs
// that have none (sync_inserter.h), and tells the search for hazards who has waited for whom
// (hazards.h). Without either it does nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "models/cluster/core/core_context.h"
#include "models/cluster/memory/scalar_cache.h"
#include "models/cluster/sync/pipe_sync.h"
#include "models/cluster/sync/sync_inserter.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

class OperationOrder {
 public:
  /// `hazards` may be nullptr: nobody looks for hazards.
  OperationOrder(const CoreContext& context, HazardTracker* hazards)
      : context_(context), hazards_(hazards) {}

  /// The kernel of the context starts.
  void launch();
  /// Whether operations are numbered, for which their operands are needed.
  bool is_active() const { return inserter_ != nullptr; }

  // --- pipes; while is_active() ---

  /// The scalar unit puts `entry` into the queue of `pipe`. `operands` may be nullptr. Answers how many
  /// instructions of the scalar unit the inserted synchronisation takes.
  unsigned dispatch(const Instruction& i, Pipe pipe, QueueEntry& entry,
                    const ResolvedOperation* operands);
  /// The cycle from `earliest` on in which the operation may start; kNever: not known yet.
  Cycle start_of(Pipe pipe, std::uint32_t number, Cycle earliest) const {
    return inserter_->start_of(pipe, number, earliest);
  }
  /// Its result is there in cycle `at`.
  void complete(Pipe pipe, std::uint32_t number, Cycle at) {
    inserter_->complete(pipe, number, at);
  }
  /// `head` leaves the queue: an operation starts, or a synchronisation is done.
  void leave_queue(Pipe pipe, const QueueEntry& head, Cycle now);

  // --- synchronisation, for the search for hazards ---

  /// `pipe` has done a synchronisation. On the scalar unit this is all; on pipes leave_queue() calls it.
  void synchronise(Pipe pipe, const QueueEntry& entry);
  /// See HazardTracker::raise_flag.
  void raise_flag(Flag flag, bool taken) {
    if (hazards_ != nullptr) hazards_->raise_flag(context_.core, flag, taken);
  }
  void write_word(std::uint64_t address, Cycle now) {
    if (hazards_ != nullptr) hazards_->write_word(context_.core, address, now);
  }
  void read_word(std::uint64_t address, Cycle now) {
    if (hazards_ != nullptr) hazards_->read_word(context_.core, address, now);
  }

  // --- the scalar unit's accesses to arrays ---

  /// When the access of the scalar unit that is being issued may start. Asked again while it waits.
  Cycle scalar_start(const Instruction& i, const ResolvedOperation& operands, Cycle now);
  /// It has started and takes `cycles`. Answers that with the cycles of the inserted synchronisation.
  Cycle scalar_access(const Instruction& i, std::uint32_t pc, Cycle now, Cycle cycles);
  /// Instruction `pc` sends a line with changes to GM, where it is in cycle `due`.
  void send_line(const ScalarCache::Line& line, std::uint32_t pc, Cycle now, Cycle due);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  /// A MAD that M does not order after the MADs before it (ascend_2.md 2.1).
  bool is_small_mad(const QueueEntry& entry) const;

  const CoreContext& context_;
  HazardTracker* const hazards_;
  std::unique_ptr<SyncInserter> inserter_;
  Accesses accesses_;  // accesses of the instruction that is being issued
  // The scalar unit's access that waits (number 0: none does), and since when.
  std::uint32_t scalar_number_ = 0;
  Cycle scalar_since_ = 0;
};

}  // namespace tessera::cluster
