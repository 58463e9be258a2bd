#include "models/cluster/core/operation_order.h"

#include <algorithm>

namespace tessera::cluster {

void OperationOrder::launch() {
  const bool numbers = context_.program->automatic_sync || hazards_ != nullptr;
  inserter_ = numbers ? std::make_unique<SyncInserter>(context_.config.core) : nullptr;
  if (hazards_ != nullptr) hazards_->launch(context_.core, context_.program);
}

bool OperationOrder::is_small_mad(const QueueEntry& entry) const {
  return context_.code(entry.pc).op == Opcode::kMad && !CostModel::resolves_sums(entry.sizes);
}

unsigned OperationOrder::dispatch(const Instruction& i, Pipe pipe, QueueEntry& entry,
                                  const ResolvedOperation* operands) {
  if (hazards_ != nullptr) entry.epoch = hazards_->dispatch(context_.core, pipe);
  if (!is_tile_operation(i.op)) return 0;
  accesses_.count = 0;
  if (operands != nullptr) accesses_of(*operands, context_.core, accesses_);
  entry.number =
      inserter_->enter(pipe, i, accesses_, is_small_mad(entry), context_.program->automatic_sync);
  return 2 * inserter_->record(pipe, entry.number).pairs;
}

void OperationOrder::leave_queue(Pipe pipe, const QueueEntry& head, Cycle now) {
  if (hazards_ == nullptr) return;
  hazards_->arrive(context_.core, pipe, head.epoch);
  if (head.number != 0)
    hazards_->start({context_.core, pipe, head.number, head.pc,
                     is_small_mad(head) && context_.code(head.pc).unit_flag == 0},
                    inserter_->record(pipe, head.number), now);
  else
    synchronise(pipe, head);
}

void OperationOrder::synchronise(Pipe pipe, const QueueEntry& entry) {
  if (hazards_ == nullptr) return;
  hazards_->synchronise(context_.core, pipe, context_.code(entry.pc), entry.id);
}

Cycle OperationOrder::scalar_start(const Instruction& i, const ResolvedOperation& operands,
                                   Cycle now) {
  if (!is_active()) return now;
  if (scalar_number_ == 0) {
    accesses_of(operands, context_.core, accesses_);
    scalar_number_ =
        inserter_->enter(Pipe::kS, i, accesses_, false, context_.program->automatic_sync);
    scalar_since_ = now;
  }
  return start_of(Pipe::kS, scalar_number_, scalar_since_);
}

Cycle OperationOrder::scalar_access(const Instruction& i, std::uint32_t pc, Cycle now,
                                    Cycle cycles) {
  if (!is_active()) return cycles;
  SyncInserter::Record record = inserter_->record(Pipe::kS, scalar_number_);
  cycles += Cycle{2} * record.pairs * std::max(1U, context_.config.core.issue_cycles);
  complete(Pipe::kS, scalar_number_, now + cycles);
  if (hazards_ != nullptr) {
    // GM does not see a store yet.
    if (i.op == Opcode::kStoreScalar && record.accesses.count > 0 &&
        is_gm(record.accesses.list[0].memory))
      record.accesses.count = 0;
    hazards_->start({context_.core, Pipe::kS, scalar_number_, pc, false}, record, now);
  }
  scalar_number_ = 0;
  return cycles;
}

void OperationOrder::send_line(const ScalarCache::Line& line, std::uint32_t pc, Cycle now,
                               Cycle due) {
  if (hazards_ == nullptr) return;
  std::int64_t first = 0, last = ScalarCache::kLineBytes - 1;
  while ((line.changed >> first & 1U) == 0) ++first;
  while ((line.changed >> last & 1U) == 0) --last;
  accesses_.count = 1;
  accesses_.list[0] = {gm_memory(line.array), false, true, {}, {}};
  accesses_.list[0].extent.first = line.first + first;
  accesses_.list[0].extent.bytes = last - first + 1;
  const std::uint32_t number =
      inserter_->enter(Pipe::kS, context_.code(pc), accesses_, false, false);
  complete(Pipe::kS, number, due);
  hazards_->start({context_.core, Pipe::kS, number, pc, false}, inserter_->record(Pipe::kS, number),
                  now);
}

}  // namespace tessera::cluster
