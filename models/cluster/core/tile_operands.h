// The operands of the tile operations of a core and, in a machine with ClusterData, their values:
// resolved with the registers of the moment in which the scalar unit issues the instruction, computed
// when the operation starts, written when it is complete.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/core/core_context.h"

namespace tessera::cluster {

class TileOperands {
 public:
  explicit TileOperands(const CoreContext& context) : context_(context) {}

  /// The kernel of the context starts.
  void launch();
  /// Resolves and checks the operands of the instruction at `pc`, which becomes `entry`. They hold until
  /// the next call; with values they are kept for `entry`. nullptr: it has none, or nobody asks, neither
  /// values nor L2 nor, with `wanted`, the caller. Throws IllegalBehaviour.
  const ResolvedOperation* resolve(std::uint32_t pc, bool wanted, QueueEntry& entry);
  /// The result of an operation with values that starts in cycle `now`. Throws IllegalBehaviour.
  TileValues compute(const QueueEntry& entry, Cycle now) const;
  /// It is there in cycle `due`. Operands of `entry` are kept no longer.
  void write(Pipe pipe, const QueueEntry& entry, TileValues result, Cycle now, Cycle due);

 private:
  const ResolvedOperation& resolve_and_keep(const TileOperation& operation, QueueEntry& entry);
  transfer::Place place_of(const ResolvedOperation& operation) const;

  const CoreContext& context_;
  std::vector<std::uint64_t> array_bases_;      // of Program::arrays
  ResolvedOperation last_;                      // that is not kept
  std::vector<ResolvedOperation> resolved_{1};  // of instructions in queues and under way
  std::vector<std::uint32_t> free_;             // places in resolved_
};

}  // namespace tessera::cluster
