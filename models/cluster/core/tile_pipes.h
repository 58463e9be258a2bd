// The pipes V, M, MTE1, MTE2, MTE3 and FIX of an AI core (reference ascend.md 1.2, 4): each takes its
// queue in order. An instruction starts when the one before it no longer occupies the pipe and nothing
// holds it back.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/core_sync.h"
#include "models/cluster/core/cost_model.h"
#include "models/cluster/core/operation_order.h"
#include "models/cluster/core/tile_operands.h"
#include "models/cluster/sync/pipe_sync.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

class TilePipes {
 public:
  /// All references outlive the object.
  TilePipes(CoreContext& context, CoreSync& sync, OperationOrder& order, TileOperands& operands);

  /// Whether the queue of `pipe` takes `i`.
  bool has_room(const Instruction& i, Pipe pipe) const;
  /// Puts an instruction into the queue of `pipe`, which has room.
  void push(Pipe pipe, const QueueEntry& entry);
  /// Every pipe, in the order of sync::Pipe, starts what can start in cycle `now`. Throws
  /// IllegalBehaviour.
  void serve(Cycle now);
  /// GM has completed the copy of a pipe.
  void take_done(const transfer::Done& done, Cycle now);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// Counts of the tile operations of one kind.
  const PathStats& path(Opcode op) const { return paths_[static_cast<unsigned>(op)]; }

 private:
  void serve(PipeState& p, Cycle now);
  WaitReason try_head(PipeState& p, const QueueEntry& head, Cycle now);
  WaitReason start_tile(PipeState& p, const QueueEntry& head, Cycle now);
  WaitReason try_unit_flag(PipeState& p, const QueueEntry& head, const Cost& cost, Cycle now);
  void start_copy(PipeState& p, const QueueEntry& head, const Cost& cost, Cycle now);
  void complete(PipeState& p, const QueueEntry& entry, const Cost& cost, Cycle start, Cycle at);
  void overlap_functions(Cost& cost, Cycle now);
  // L1 has one port: what MTE2 writes and what MTE1 reads slow each other down.
  void slow_read(const Instruction& i, Cost& cost);
  Cycle lost_write_cycles(const CopyUnderWay& copy, Cycle now) const;
  bool takes_no_room(const Instruction& i) const {
    return i.op == Opcode::kSetFlag && !context_.config.core.sets_take_room;
  }

  CoreContext& context_;
  CoreSync& sync_;
  OperationOrder& order_;
  TileOperands& operands_;
  const CostModel costs_;
  UnitFlags unit_flags_;
  std::array<PathStats, kTileOpcodeCount> paths_{};
  Cycle function_end_ = kNever;  // of the last vector function; kNever: the next one starts in full
  Cycle l1_reads_ = 0;           // cycles for which loads of MTE1 have asked for the port of L1
};

}  // namespace tessera::cluster
