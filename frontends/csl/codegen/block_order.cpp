#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

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

}  // namespace

void order_blocks(Function& function) {
  const std::vector<BlockId> order = BlockOrder(function).make();
  std::vector<BlockId> number(order.size());
  for (BlockId i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<Block> blocks;
  for (const BlockId b : order) {
    blocks.push_back(std::move(function.blocks[b]));
    Instruction& last = blocks.back().last();
    for (unsigned i = 0; i < last.target_count(); ++i) last.targets[i] = number[last.targets[i]];
  }
  function.blocks = std::move(blocks);
}

}  // namespace tessera::csl::codegen
