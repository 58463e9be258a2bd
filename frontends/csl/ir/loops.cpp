#include "frontends/csl/ir/loops.h"

#include <algorithm>

#include "frontends/csl/ir/flow.h"

namespace tessera::csl::ir {
namespace {

/// The blocks in reverse postorder of a walk in depth.
std::vector<BlockId> reverse_postorder(const Function& function) {
  std::vector<BlockId> order;
  std::vector<bool> seen(function.blocks.size());
  std::vector<std::pair<BlockId, unsigned>> open = {{0, 0}};
  seen[0] = true;
  while (!open.empty()) {
    const BlockId b = open.back().first;
    const unsigned i = open.back().second++;
    const Instruction& last = function.blocks[b].last();
    if (i >= last.target_count()) {
      order.push_back(b);
      open.pop_back();
    } else if (!seen[last.targets[i]]) {
      seen[last.targets[i]] = true;
      open.emplace_back(last.targets[i], 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

// The iteration of Cooper, Harvey and Kennedy.
Dominators::Dominators(const Function& function)
    : parents_(function.blocks.size(), kNone), order_(function.blocks.size()) {
  const std::vector<BlockId> order = reverse_postorder(function);
  for (unsigned i = 0; i < order.size(); ++i) order_[order[i]] = i;
  const auto predecessors = predecessors_of(function);
  parents_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId b : order) {
      if (b == 0) continue;
      BlockId common = kNone;
      for (const BlockId p : predecessors[b]) {
        if (parents_[p] == kNone) continue;
        BlockId x = p;
        while (common != kNone && x != common) {
          if (order_[x] > order_[common])
            x = parents_[x];
          else
            common = parents_[common];
        }
        common = x;
      }
      changed = changed || parents_[b] != common;
      parents_[b] = common;
    }
  }
}

bool Dominators::dominates(BlockId a, BlockId b) const {
  while (order_[b] > order_[a]) b = parents_[b];
  return a == b;
}

std::vector<Loop> loops_of(const Function& function, const Dominators& dominators) {
  const auto predecessors = predecessors_of(function);
  std::vector<Loop> loops;
  for (BlockId header = 0; header < function.blocks.size(); ++header) {
    Loop loop;
    loop.header = header;
    for (const BlockId p : predecessors[header]) {
      if (dominators.dominates(header, p)) loop.latches.push_back(p);
    }
    if (loop.latches.empty()) continue;
    loop.inside.resize(function.blocks.size());
    loop.inside[header] = true;
    std::vector<BlockId> next = loop.latches;
    while (!next.empty()) {
      const BlockId b = next.back();
      next.pop_back();
      if (loop.inside[b]) continue;
      loop.inside[b] = true;
      next.insert(next.end(), predecessors[b].begin(), predecessors[b].end());
    }
    loop.blocks = static_cast<unsigned>(std::count(loop.inside.begin(), loop.inside.end(), true));
    loops.push_back(std::move(loop));
  }
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Loop& a, const Loop& b) { return a.blocks < b.blocks; });
  return loops;
}

void insert_blocks(Function& function, BlockId at, unsigned count) {
  for (Block& block : function.blocks) {
    if (block.code.empty()) continue;
    for (unsigned i = 0; i < block.last().target_count(); ++i) {
      if (block.last().targets[i] >= at) block.last().targets[i] += count;
    }
  }
  function.blocks.insert(function.blocks.begin() + at, count, Block{});
}

BlockId preheader_of(Function& function, const Loop& loop) {
  std::vector<BlockId> outside;
  const auto predecessors = predecessors_of(function);
  for (const BlockId p : predecessors[loop.header]) {
    if (!loop.inside[p]) outside.push_back(p);
  }
  if (outside.size() == 1 && function.blocks[outside[0]].last().op == Op::kJump) return outside[0];
  const BlockId made = loop.header;
  insert_blocks(function, made, 1);
  Instruction jump;
  jump.op = Op::kJump;
  jump.targets[0] = made + 1;
  jump.place = function.blocks[made + 1].code[0].place;
  function.blocks[made].code = {jump};
  for (BlockId p : outside) {
    Instruction& last = function.blocks[p >= made ? p + 1 : p].last();
    for (unsigned i = 0; i < last.target_count(); ++i) {
      if (last.targets[i] == made + 1) last.targets[i] = made;
    }
  }
  return made;
}

}  // namespace tessera::csl::ir
