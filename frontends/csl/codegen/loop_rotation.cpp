#include <map>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Instructions of a test that are worth a second copy.
constexpr std::size_t kLongestTest = 8;

bool is_test(const Block& block) {
  if (block.last().op != Op::kBranch || block.code.size() > kLongestTest) return false;
  for (const Instruction& in : block.code) {
    if (in.op == Op::kCall || in.op == Op::kMachine) return false;
  }
  return true;
}

/// The test with registers of its own where nothing behind it reads them, so that these are still
/// assigned once.
std::vector<Instruction> copy_of(const Block& test, const RegisterSet& live_out,
                                 Function& function) {
  std::vector<Instruction> code = test.code;
  std::map<RegisterId, RegisterId> renamed;
  for (Instruction& in : code) {
    for (Value& v : in.operands) {
      const auto r = renamed.find(v.number);
      if (v.is_register() && r != renamed.end()) v.number = r->second;
    }
    for (RegisterId& r : in.results) {
      if (live_out[r]) continue;
      const Type type = function.registers[r];
      r = renamed[r] = function.new_register(type);
    }
  }
  return code;
}

/// Blocks that can be reached from `from`, including it if it is on a ring.
std::vector<bool> reachable_from(const Function& function, BlockId from) {
  std::vector<bool> seen(function.blocks.size());
  std::vector<BlockId> next = {from};
  while (!next.empty()) {
    const Instruction& last = function.blocks[next.back()].last();
    next.pop_back();
    for (unsigned i = 0; i < last.target_count(); ++i) {
      if (!seen[last.targets[i]]) next.push_back(last.targets[i]);
      seen[last.targets[i]] = true;
    }
  }
  return seen;
}

}  // namespace

void rotate_loops(Function& function) {
  const Liveness live = liveness_of(function);
  const auto predecessors = predecessors_of(function);
  for (BlockId test = 0; test < function.blocks.size(); ++test) {
    if (!is_test(function.blocks[test])) continue;
    const std::vector<bool> behind = reachable_from(function, test);
    if (!behind[test]) continue;
    for (const BlockId latch : predecessors[test]) {
      Block& block = function.blocks[latch];
      if (latch == test || !behind[latch] || block.last().op != Op::kJump) continue;
      const std::vector<Instruction> copy =
          copy_of(function.blocks[test], live.out[test], function);
      block.code.pop_back();
      block.code.insert(block.code.end(), copy.begin(), copy.end());
    }
  }
}

}  // namespace tessera::csl::codegen
