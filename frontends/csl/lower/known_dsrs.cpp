#include "frontends/csl/lower/known_dsrs.h"

#include <algorithm>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {
namespace {

const std::vector<ir::Instruction>& code_in(const FunctionCode& code, ir::BlockId block) {
  return code.tile.module().functions[code.id].blocks[block].code;
}

}  // namespace

void KnownDsrs::load(const pe::Operand& dsr, const FunctionCode& code, Held held) {
  forget(dsr);
  if (held.dsd == nullptr || held.config.single_step) return;
  held.block = code.builder.current();
  held.size = code_in(code, held.block).size();
  held_[{dsr.kind, dsr.reg}] = std::move(held);
}

// Calls may load the register anew.
const KnownDsrs::Held* KnownDsrs::find(const pe::Operand& dsr, const FunctionCode& code) const {
  const auto found = held_.find({dsr.kind, dsr.reg});
  if (found == held_.end() || found->second.block != code.builder.current()) return nullptr;
  const std::vector<ir::Instruction>& made = code_in(code, found->second.block);
  if (made.size() < found->second.size) return nullptr;
  const bool calls =
      std::any_of(made.begin() + static_cast<std::ptrdiff_t>(found->second.size), made.end(),
                  [](const ir::Instruction& in) { return in.op == ir::Op::kCall; });
  return calls ? nullptr : &found->second;
}

void KnownDsrs::use(const pe::Operand& dsr, const FunctionCode& code,
                    std::optional<std::int64_t> length, unsigned bytes) {
  const Held* const held = find(dsr, code);
  if (held == nullptr || !held->config.save_address) return;
  const Dsd& dsd = *held->dsd;
  if (!length || dsd.extents.size() != 1 || dsd.element == nullptr || size_of(*dsd.element) == 0)
    return forget(dsr);
  const std::int64_t step = dsd.strides.empty() ? 1 : dsd.strides.front();
  const std::int64_t way = *length * step * bytes;
  if (way % size_of(*dsd.element) != 0) return forget(dsr);
  auto moved = std::make_shared<Dsd>(dsd);
  moved->offset += way / size_of(*dsd.element);
  Held next = *held;
  next.dsd = std::move(moved);
  load(dsr, code, std::move(next));
}

}  // namespace tessera::csl
