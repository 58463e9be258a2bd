// The operands of the tile operations of a core and, in a machine with ClusterData, their values:
// resolved with the registers of the moment in which the scalar unit issues the instruction, computed
// when the operation starts, written when it is complete.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/vector_function.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/transfer/transfer.h"

namespace tessera::cluster {

// --- where the part of a tensor that a copy moves lies in GM, for the contents of L2 ---

/// Arrays of one name are one array, in whatever program. They lie far apart.
std::uint64_t array_base(const std::string& name);

/// `operand` is in GM. Runs of neighbouring elements that do not lie at one distance from each other
/// have no place (`rows` 0).
transfer::Place place_of(const ResolvedOperand& operand, std::uint64_t array_base);

/// Rows start at blocks of 32 bytes, the unit of MTE2; others cost more (4.4, unaligned). What has no
/// place counts as aligned.
bool is_aligned(const transfer::Place& place);

class TileOperands {
 public:
  explicit TileOperands(const CoreContext& context) : context_(context) {}

  /// The kernel of the context starts.
  void launch();
  /// Resolves and checks the operands of the instruction at `pc`, which becomes `entry`. They hold until
  /// the next call; if tiles have values they are kept for `entry`. nullptr: the instruction has none, or they are
  /// not needed by the values, by L2 or, as `wanted` says, by the caller. Throws IllegalBehaviour.
  const ResolvedOperation* resolve(std::uint32_t pc, bool wanted, QueueEntry& entry);
  /// What a vector function does, as long as its operands are kept.
  void keep_trace(const QueueEntry& entry, RegisterTrace trace) {
    traces_[entry.resolved] = std::move(trace);
  }
  /// The result of an operation with values that starts in cycle `now`. Throws IllegalBehaviour.
  TileValues compute(const QueueEntry& entry, Cycle now) const;
  /// It is there in cycle `due`. Operands of `entry` are kept no longer.
  void write(Pipe pipe, const QueueEntry& entry, TileValues result, Cycle now, Cycle due);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  /// A place for operands that are kept as long as `entry`.
  ResolvedOperation& keep(QueueEntry& entry);
  /// Throws IllegalBehaviour if an operand cannot be accessed.
  void check(const TileOperation& operation, const ResolvedOperation& resolved) const;
  /// Executes the body of a vector function, whose results are there in cycle `due`.
  void run_function(const QueueEntry& entry, Cycle now, Cycle due);

  const CoreContext& context_;
  std::vector<std::uint64_t> array_bases_;      // addresses of Program::arrays in GM
  ResolvedOperation last_;                      // operands of an instruction that are not kept
  std::vector<ResolvedOperation> resolved_{1};  // operands of instructions in queues and under way
  std::vector<std::uint32_t> free_;             // places in resolved_
  std::map<std::uint32_t, RegisterTrace> traces_;  // by place in resolved_
  std::vector<TileValues> vector_registers_;
};

}  // namespace tessera::cluster
