#include <iterator>
#include <utility>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Where a jump to `b` ends up past blocks that only jump. A ring of such blocks stays.
BlockId destination(const Function& function, BlockId b) {
  for (std::size_t hops = 0; hops < function.blocks.size(); ++hops) {
    const Instruction& first = function.blocks[b].code[0];
    if (first.op != Op::kJump) break;
    b = first.targets[0];
  }
  return b;
}

/// The test in front of a rotated loop often compares constants.
void decide_constant_branch(Instruction& in) {
  const bool is_constant = in.op == Op::kBranch && !is_float(in.type) &&
                           in.operands[0].is_constant() && in.operands[1].is_constant();
  if (!is_constant) return;
  const bool yes = holds(in.condition, in.type, in.operands[0].number, in.operands[1].number, {});
  in.targets.fill(in.targets[yes ? 0 : 1]);
}

void retarget(Function& function) {
  for (Block& block : function.blocks) {
    Instruction& last = block.last();
    decide_constant_branch(last);
    for (unsigned i = 0; i < last.target_count(); ++i)
      last.targets[i] = destination(function, last.targets[i]);
    if (last.op != Op::kBranch || last.targets[0] != last.targets[1]) continue;
    last.op = Op::kJump;
    last.operands.clear();
  }
}

/// A block moves to the end of the only block that goes to it, if that one jumps.
void merge(Function& function) {
  const auto predecessors = predecessors_of(function);
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    Block& block = function.blocks[b];
    while (block.last().op == Op::kJump) {
      const BlockId next = block.last().targets[0];
      if (next == b || next == 0 || predecessors[next].size() != 1) break;
      std::vector<Instruction>& code = function.blocks[next].code;
      // What nobody reaches any more keeps a terminator until it is removed.
      std::vector<Instruction> moved = std::exchange(code, {block.last()});
      block.code.pop_back();
      block.code.insert(block.code.end(), std::make_move_iterator(moved.begin()),
                        std::make_move_iterator(moved.end()));
      if (code[0].targets[0] == next) code[0] = Instruction{};
    }
  }
}

}  // namespace

void thread_jumps(Function& function) {
  retarget(function);
  remove_unreachable(function);
  merge(function);
  remove_unreachable(function);
}

}  // namespace tessera::csl::codegen
