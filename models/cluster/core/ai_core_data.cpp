// Values of AiCore: operands of tile operations and what becomes of them.
#include <stdexcept>
#include <utility>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/program/illegal.h"

namespace tessera::cluster {

const ResolvedOperation* AiCore::resolve_operands(const Instruction& i, Entry& entry) {
  if (i.operation == 0) return nullptr;
  const TileOperation& operation = program_->operations[i.operation - 1];
  if (data_ == nullptr) {
    if (!sync_inserter_ && !follows_l2(i)) return nullptr;
    resolve(operation, registers_, touched_);
    return &touched_;
  }
  if (free_resolved_.empty()) {
    free_resolved_.push_back(static_cast<std::uint32_t>(resolved_.size()));
    resolved_.emplace_back();
  }
  const std::uint32_t slot = free_resolved_.back();
  free_resolved_.pop_back();
  ResolvedOperation& resolved = resolved_[slot];
  resolve(operation, registers_, resolved);
  resolved.pc = pc_;
  for (std::size_t k = 0; k < operation.operands.size(); ++k) {
    const std::string fault = data_->find_fault(operation.operands[k], resolved.operands[k], core_);
    if (!fault.empty()) illegal(pc_, fault, kAccessId);
  }
  const std::string misfit = data_->find_misfit(operation, resolved);
  if (!misfit.empty()) illegal(pc_, misfit, kAccessId);
  entry.resolved = slot;
  return &resolved;
}

TileValues AiCore::compute(const Entry& entry, Cycle now) {
  const Instruction& i = code(entry.pc);
  const TileOperation& operation = program_->operations[i.operation - 1];
  // Under the unit flag FIX reads each block behind M, and M adds to what its MADs before are about to
  // write if a MAD is large enough for the cube to resolve that.
  const bool behind = i.unit_flag != 0 || (i.op == Opcode::kMad && resolves_sums(entry.sizes));
  if (operation.function == TileFunction::kNone) return {};
  try {
    return data_->start(operation, resolved_[entry.resolved], core_, now, behind);
  } catch (const std::out_of_range& e) {  // an index among the values
    illegal(entry.pc, e.what(), kAccessId);
  } catch (const std::length_error& e) {  // a length in a register
    illegal(entry.pc, e.what(), kSizeId);
  }
}

void AiCore::write_result(Pipe pipe, const Entry& entry, TileValues result, Cycle now, Cycle due) {
  const TileOperation& operation = program_->operations[code(entry.pc).operation - 1];
  if (operation.function != TileFunction::kNone)
    data_->finish(operation, resolved_[entry.resolved], core_, pipe, std::move(result), now, due);
  free_resolved_.push_back(entry.resolved);
}

}  // namespace tessera::cluster
