// What AiCore tells SyncInserter and the search for hazards.
#include "models/cluster/core/ai_core.h"

namespace tessera::cluster {

// Answers how many instructions of the scalar unit the inserted synchronisation takes.
unsigned AiCore::note_dispatch(const Instruction& i, Pipe pipe, Entry& entry,
                               const ResolvedOperation* operands) {
  if (hazards_ != nullptr) entry.epoch = hazards_->dispatch(core_, pipe);
  if (!is_tile_operation(i.op)) return 0;
  touches_.count = 0;
  if (operands != nullptr) accesses_of(*operands, core_, touches_);
  const bool small_mad = i.op == Opcode::kMad && !resolves_sums(entry.sizes);
  entry.number = sync_inserter_->enter(pipe, i, touches_, small_mad, program_->automatic_sync);
  return 2 * sync_inserter_->record(pipe, entry.number).pairs;
}

void AiCore::note_arrival(Pipe pipe, const Entry& head) {
  hazards_->arrive(core_, pipe, head.epoch);
  if (head.number != 0)
    hazards_->start(core_, pipe, head.number, head.pc, sync_inserter_->record(pipe, head.number));
  else
    note_sync(pipe, head);
}

void AiCore::note_sync(Pipe pipe, const Entry& head) {
  const Instruction& i = code(head.pc);
  const auto id = static_cast<unsigned>(head.id);
  const Flag flag{i.pipe, i.to, static_cast<std::uint8_t>(head.id)};
  switch (i.op) {
  case Opcode::kSetFlag:
    return hazards_->set_flag(core_, flag);
  case Opcode::kWaitFlag:
    return hazards_->wait_flag(core_, flag);
  case Opcode::kBarrier:
    if (i.pipe == Pipe::kAll) hazards_->barrier_all(core_);
    return;
  case Opcode::kGetBuf:
    return hazards_->take_lock(core_, pipe, id);
  case Opcode::kRlsBuf:
    return hazards_->release_lock(core_, pipe, id);
  case Opcode::kSetCrossCore:
    return hazards_->signal(core_, pipe, static_cast<Mode>(i.mode), id);
  case Opcode::kSetIntraBlock:
    return hazards_->signal(core_, pipe, Mode::kIntraBlock, id);
  case Opcode::kWaitFlagDev:
    return hazards_->wait(core_, pipe, Mode::kAll, id);
  case Opcode::kWaitIntraCore:
    return hazards_->wait(core_, pipe, Mode::kIntraBlock, id);
  default:
    return;
  }
}

void AiCore::note_word(const Instruction& i) {
  hazards_->read_word(core_, static_cast<std::uint64_t>(value(i.a)));
}

}  // namespace tessera::cluster
