#include "frontends/csl/ir/flow.h"

#include <algorithm>
#include <utility>

namespace tessera::csl::ir {

Predecessors predecessors_of(const Function& function) {
  Predecessors result(function.blocks.size());
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const Instruction& last = function.blocks[b].last();
    for (unsigned i = 0; i < last.target_count(); ++i) result[last.targets[i]].push_back(b);
  }
  return result;
}

std::vector<bool> blocks_behind(const Function& function, BlockId from,
                                std::optional<BlockId> without) {
  std::vector<bool> seen(function.blocks.size());
  std::vector<BlockId> next = {from};
  while (!next.empty()) {
    const Instruction& last = function.blocks[next.back()].last();
    next.pop_back();
    for (unsigned i = 0; i < last.target_count(); ++i) {
      const BlockId b = last.targets[i];
      if (!seen[b] && b != without) next.push_back(b);
      seen[b] = true;
    }
  }
  return seen;
}

std::vector<BlockId> latches_of(const Function& function, BlockId header) {
  std::vector<BlockId> latches;
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const Instruction& last = function.blocks[b].last();
    const auto* end = last.targets.begin() + last.target_count();
    if (std::find(last.targets.begin(), end, header) != end) latches.push_back(b);
  }
  if (header == 0 || latches.empty()) return latches;
  std::vector<bool> outside = blocks_behind(function, 0, header);
  outside[0] = true;
  latches.erase(
      std::remove_if(latches.begin(), latches.end(), [&](BlockId b) { return outside[b]; }),
      latches.end());
  return latches;
}

void remove_unreachable(Function& function) {
  std::vector<bool> seen = blocks_behind(function, 0);
  seen[0] = true;
  if (std::find(seen.begin(), seen.end(), false) == seen.end()) return;
  std::vector<BlockId> number(function.blocks.size());
  std::vector<Block> kept;
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    if (!seen[b]) continue;
    number[b] = static_cast<BlockId>(kept.size());
    kept.push_back(std::move(function.blocks[b]));
  }
  for (Block& block : kept) {
    for (unsigned i = 0; i < block.last().target_count(); ++i)
      block.last().targets[i] = number[block.last().targets[i]];
  }
  function.blocks = std::move(kept);
}

namespace {

/// What a block reads before it assigns it, and what it assigns.
struct Effect {
  explicit Effect(std::size_t registers) : read(registers), written(registers) {}
  RegisterSet read;
  RegisterSet written;
};

Effect effect_of(const Block& block, std::size_t registers) {
  Effect effect(registers);
  for (auto in = block.code.rbegin(); in != block.code.rend(); ++in) {
    for (const RegisterId r : in->results) {
      effect.written.insert(r);
      effect.read.erase(r);
    }
    for (const Value& v : in->operands) {
      if (v.is_register()) effect.read.insert(v.number);
    }
  }
  return effect;
}

}  // namespace

Liveness liveness_of(const Function& function) {
  const std::size_t blocks = function.blocks.size(), registers = function.registers.size();
  std::vector<Effect> effects;
  effects.reserve(blocks);
  for (const Block& block : function.blocks) effects.push_back(effect_of(block, registers));
  const RegisterSet none(registers);
  Liveness live{std::vector<RegisterSet>(blocks, none), std::vector<RegisterSet>(blocks, none)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      const Instruction& last = function.blocks[b].last();
      for (unsigned i = 0; i < last.target_count(); ++i)
        live.out[b].insert(live.in[last.targets[i]]);
      changed = live.in[b].assign(effects[b].read, live.out[b], effects[b].written) || changed;
    }
  }
  return live;
}

namespace {

/// Whether a block reads the register before it assigns it; nothing: it does neither.
std::optional<bool> reads_first(const Block& block, RegisterId r) {
  for (const Instruction& in : block.code) {
    const auto is_r = [r](const Value& v) { return v.is_register() && v.number == r; };
    if (std::any_of(in.operands.begin(), in.operands.end(), is_r)) return true;
    if (std::find(in.results.begin(), in.results.end(), r) != in.results.end()) return false;
  }
  return std::nullopt;
}

}  // namespace

bool is_live_in(const Function& function, BlockId block, RegisterId r) {
  std::vector<bool> seen(function.blocks.size());
  std::vector<BlockId> next = {block};
  seen[block] = true;
  while (!next.empty()) {
    const Block& here = function.blocks[next.back()];
    next.pop_back();
    const std::optional<bool> reads = reads_first(here, r);
    if (reads.value_or(false)) return true;
    if (reads) continue;
    const Instruction& last = here.last();
    for (unsigned i = 0; i < last.target_count(); ++i) {
      if (!seen[last.targets[i]]) next.push_back(last.targets[i]);
      seen[last.targets[i]] = true;
    }
  }
  return false;
}

std::vector<unsigned> definition_counts(const Function& function) {
  std::vector<unsigned> counts(function.registers.size());
  for (const RegisterId r : function.parameters) ++counts[r];
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (const RegisterId r : in.results) ++counts[r];
    }
  }
  return counts;
}

}  // namespace tessera::csl::ir
