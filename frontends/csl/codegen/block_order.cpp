#include <algorithm>
#include <utility>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// The blocks of the loops that begin at `header`.
std::vector<bool> loop_of(const Function& function, BlockId header) {
  std::vector<bool> inside(function.blocks.size());
  inside[header] = true;
  std::vector<BlockId> next = latches_of(function, header);
  if (next.empty()) return inside;
  const auto predecessors = predecessors_of(function);
  while (!next.empty()) {
    const BlockId b = next.back();
    next.pop_back();
    if (inside[b]) continue;
    inside[b] = true;
    next.insert(next.end(), predecessors[b].begin(), predecessors[b].end());
  }
  return inside;
}

class BlockOrder {
 public:
  explicit BlockOrder(const Function& function)
      : function_(function), is_placed_(function.blocks.size()) {}

  std::vector<BlockId> make() {
    for (BlockId b = 0; b < function_.blocks.size(); ++b) place(b);
    return order_;
  }

 private:
  void place(BlockId b) {
    if (is_placed_[b]) return;
    is_placed_[b] = true;
    order_.push_back(b);
    const Instruction& last = function_.blocks[b].last();
    const BlockId next = b + 1;
    if (last.op != Op::kBranch || next == is_placed_.size()) return;
    if (last.targets[0] != next && last.targets[1] != next) return;
    const BlockId other = last.targets[last.targets[0] == next ? 1 : 0];
    const std::vector<bool> inside = loop_of(function_, b);
    if (inside[next] || !inside[other]) return;
    for (BlockId n = other; n < inside.size() && inside[n]; ++n) place(n);
  }

  const Function& function_;
  std::vector<bool> is_placed_;
  std::vector<BlockId> order_;
};

/// The blocks in reverse postorder of a walk in depth that looks at the ways out of loops first, so that
/// these come after the loops. So do the ends of tasks: a task ends without going there.
std::vector<BlockId> outward_order(const Function& function) {
  std::vector<unsigned> depth(function.blocks.size());
  for (const Loop& loop : loops_of(function, Dominators(function))) {
    for (BlockId b = 0; b < depth.size(); ++b) depth[b] += loop.inside[b] ? 1 : 0;
  }
  std::vector<BlockId> order;
  std::vector<bool> seen(function.blocks.size());
  std::vector<std::pair<BlockId, std::vector<BlockId>>> open;
  const auto enter = [&](BlockId b) {
    seen[b] = true;
    const Instruction& last = function.blocks[b].last();
    std::vector<BlockId> next(last.targets.begin(), last.targets.begin() + last.target_count());
    // The last one is looked at first.
    const auto comes_later = [&](BlockId x, BlockId y) {
      if (depth[x] != depth[y]) return depth[x] < depth[y];
      return function.is_task && function.blocks[x].code.front().op == Op::kReturn &&
             function.blocks[y].code.front().op != Op::kReturn;
    };
    if (next.size() == 2 && comes_later(next[0], next[1])) std::swap(next[0], next[1]);
    open.emplace_back(b, std::move(next));
  };
  enter(0);
  while (!open.empty()) {
    std::vector<BlockId>& next = open.back().second;
    if (next.empty()) {
      order.push_back(open.back().first);
      open.pop_back();
      continue;
    }
    const BlockId b = next.back();
    next.pop_back();
    if (!seen[b]) enter(b);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void put_in_order(Function& function, const std::vector<BlockId>& order) {
  std::vector<BlockId> number(function.blocks.size());
  for (BlockId i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<Block> blocks;
  for (const BlockId b : order) {
    blocks.push_back(std::move(function.blocks[b]));
    Instruction& last = blocks.back().last();
    for (unsigned i = 0; i < last.target_count(); ++i) last.targets[i] = number[last.targets[i]];
  }
  function.blocks = std::move(blocks);
}

}  // namespace

void order_blocks(Function& function) {
  put_in_order(function, BlockOrder(function).make());
}

void lay_out_blocks(Function& function) {
  remove_unreachable(function);
  put_in_order(function, outward_order(function));
}

}  // namespace tessera::csl::codegen
