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

/// Live registers before `block`, given those behind it.
RegisterSet live_before(const Block& block, RegisterSet live) {
  for (auto in = block.code.rbegin(); in != block.code.rend(); ++in) {
    for (const RegisterId r : in->results) live[r] = false;
    for (const Value& v : in->operands) {
      if (v.is_register()) live[v.number] = true;
    }
  }
  return live;
}

}  // namespace

Liveness liveness_of(const Function& function) {
  const std::size_t blocks = function.blocks.size();
  const RegisterSet none(function.registers.size());
  Liveness live{std::vector<RegisterSet>(blocks, none), std::vector<RegisterSet>(blocks, none)};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      RegisterSet out = none;
      const Instruction& last = function.blocks[b].last();
      for (unsigned i = 0; i < last.target_count(); ++i) {
        const RegisterSet& in = live.in[last.targets[i]];
        for (std::size_t r = 0; r < out.size(); ++r) out[r] = out[r] || in[r];
      }
      RegisterSet in = live_before(function.blocks[b], out);
      live.out[b] = std::move(out);
      if (in == live.in[b]) continue;
      live.in[b] = std::move(in);
      changed = true;
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
