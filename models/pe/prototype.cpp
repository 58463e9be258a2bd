#include "models/pe/prototype.h"

#include <algorithm>

#include "models/pe/banks.h"

namespace tessera::pe {

namespace {

// Whether addresses decide about the rate (set_rate()).
bool may_rewrite(const EngineState& pe, const Operation& op) {
  const Cursor& to = op.cursors[0];
  if (!pe.timing().bank_conflicts || to.kind != Cursor::Kind::kMemory) return false;
  const std::int32_t step = to.walk.step(to.bytes);
  return step != 0 && step % kBankRow == 0;
}

// Whether what it was made of may be found again in DSRs, but for registers, addresses and lengths.
bool can_be_found(const EngineState& pe, const Operation& op) {
  if (op.single_step || op.uses_fifo || op.is_filter() || op.instruction().config.index ||
      may_rewrite(pe, op))
    return false;
  const auto& slots = op.decoded->dsrs;
  return std::all_of(slots.begin(), slots.end(), [&](unsigned slot) {
    return pe.dsrs[op.instruction().operands[slot]].extension == nullptr;
  });
}

}  // namespace

bool fits(const Prototype& prototype, const EngineState& pe, const DecodedInstruction& in,
          const OutputBindings& outputs) {
  for (const unsigned slot : in.dsrs) {
    const Dsr& dsr = pe.dsrs[in.instruction->operands[slot]];
    const Cursor& cursor = prototype.op.cursors[slot];
    if (dsr.dsd != cursor.dsd || dsr.config != prototype.configs[slot]) return false;
    if (cursor.kind == Cursor::Kind::kMemory) {
      if (dsr.stride != cursor.walk.stride()) return false;
    } else if (slot != 0 && outputs.receiver(dsr.dsd->queue) != cursor.queue) {
      return false;
    }
  }
  return true;
}

void keep_prototype(const EngineState& pe, const Operation& op) {
  if (!can_be_found(pe, op) || !pe.program->wants_prototype(*op.decoded)) return;
  Prototype prototype{op, {}};
  for (const unsigned slot : op.decoded->dsrs)
    prototype.configs[slot] = pe.dsrs[op.instruction().operands[slot]].config;
  pe.program->keep_prototype(*op.decoded, prototype);
}

}  // namespace tessera::pe
