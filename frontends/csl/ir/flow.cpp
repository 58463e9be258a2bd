#include "frontends/csl/ir/flow.h"

#include <utility>

namespace tessera::csl::ir {

std::vector<std::vector<BlockId>> predecessors_of(const Function& function) {
  std::vector<std::vector<BlockId>> result(function.blocks.size());
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const Instruction& last = function.blocks[b].last();
    for (unsigned i = 0; i < last.target_count(); ++i) result[last.targets[i]].push_back(b);
  }
  return result;
}

std::vector<bool> reachable_blocks(const Function& function) {
  std::vector<bool> seen(function.blocks.size());
  std::vector<BlockId> next = {0};
  while (!next.empty()) {
    const BlockId b = next.back();
    next.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    const Instruction& last = function.blocks[b].last();
    for (unsigned i = 0; i < last.target_count(); ++i) next.push_back(last.targets[i]);
  }
  return seen;
}

void remove_unreachable(Function& function) {
  const std::vector<bool> seen = reachable_blocks(function);
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
