#include "models/cluster/core/tile_operands.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "models/cluster/memory/gm_place.h"
#include "models/cluster/program/illegal.h"

namespace tessera::cluster {

void TileOperands::launch() {
  array_bases_.clear();
  for (const GmArray& array : context_.program->arrays)
    array_bases_.push_back(array_base(array.name));
}

const ResolvedOperation* TileOperands::resolve(std::uint32_t pc, bool wanted, QueueEntry& entry) {
  const Instruction& i = context_.code(pc);
  if (i.operation == 0) return nullptr;
  const bool uses_gm =
      i.op == Opcode::kCopyIn || i.op == Opcode::kCopyOut || i.op == Opcode::kFixOut;
  const bool follows_l2 = uses_gm && context_.config.core.cost.l2_bytes > 0;
  const TileOperation& operation = context_.operation(i);
  const ResolvedOperation* resolved = &last_;
  if (context_.data != nullptr)
    resolved = &resolve_and_keep(operation, entry);
  else if (wanted || follows_l2)
    cluster::resolve(operation, context_.registers, last_);
  else
    return nullptr;
  if (follows_l2) entry.place = place_of(*resolved);
  return resolved;
}

const ResolvedOperation& TileOperands::resolve_and_keep(const TileOperation& operation,
                                                        QueueEntry& entry) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(resolved_.size()));
    resolved_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  ResolvedOperation& resolved = resolved_[slot];
  cluster::resolve(operation, context_.registers, resolved);
  resolved.pc = entry.pc;
  for (std::size_t k = 0; k < operation.operands.size(); ++k) {
    const std::string fault =
        context_.data->find_fault(operation.operands[k], resolved.operands[k], context_.core);
    if (!fault.empty()) context_.illegal(entry.pc, fault, kAccessId);
  }
  const std::string misfit = context_.data->find_misfit(operation, resolved);
  if (!misfit.empty()) context_.illegal(entry.pc, misfit, kAccessId);
  entry.resolved = slot;
  return resolved;
}

transfer::Place TileOperands::place_of(const ResolvedOperation& operation) const {
  for (std::size_t k = 0; k < operation.count; ++k) {
    const ResolvedOperand& operand = operation.operands[k];
    if (operand.location == Location::kGm)
      return cluster::place_of(operand, array_bases_[operand.array]);
  }
  return {};
}

TileValues TileOperands::compute(const QueueEntry& entry, Cycle now) const {
  const Instruction& i = context_.code(entry.pc);
  const TileOperation& operation = context_.operation(i);
  if (operation.function == TileFunction::kNone) return {};
  // Under the unit flag FIX reads each block behind M, and M adds to what its MADs before are about to
  // write if a MAD is large enough for the cube to resolve that.
  const bool behind =
      i.unit_flag != 0 || (i.op == Opcode::kMad && CostModel::resolves_sums(entry.sizes));
  try {
    return context_.data->start(operation, resolved_[entry.resolved], context_.core, now, behind);
  } catch (const std::out_of_range& e) {  // an index among the values
    context_.illegal(entry.pc, e.what(), kAccessId);
  } catch (const std::length_error& e) {  // a length in a register
    context_.illegal(entry.pc, e.what(), kSizeId);
  }
}

void TileOperands::write(Pipe pipe, const QueueEntry& entry, TileValues result, Cycle now,
                         Cycle due) {
  const TileOperation& operation = context_.operation(context_.code(entry.pc));
  if (operation.function != TileFunction::kNone)
    context_.data->finish(operation, resolved_[entry.resolved], context_.core, pipe,
                          std::move(result), now, due);
  free_.push_back(entry.resolved);
}

}  // namespace tessera::cluster
