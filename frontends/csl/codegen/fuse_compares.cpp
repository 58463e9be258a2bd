#include <algorithm>

#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool assigns(const Instruction& in, const Value& v) {
  return v.is_register() &&
         std::find(in.results.begin(), in.results.end(), v.number) != in.results.end();
}

/// The compare of the block that made the bool which `branch` tests, if its operands are as they
/// were.
const Instruction* compare_behind(const Block& block, const Instruction& branch) {
  for (std::size_t i = block.code.size() - 1; i-- > 0;) {
    const Instruction& in = block.code[i];
    if (!assigns(in, branch.operands[0])) continue;
    if (in.op != Op::kCompare) return nullptr;
    for (std::size_t k = i; k + 1 < block.code.size(); ++k) {
      for (const Value& v : in.operands) {
        if (assigns(block.code[k], v)) return nullptr;
      }
    }
    return &in;
  }
  return nullptr;
}

/// Whether it branches on a bool: compares it with 0.
bool tests_bool(const Instruction& branch) {
  return branch.op == Op::kBranch && branch.type == Type::kBool &&
         branch.operands[0].is_register() && branch.operands[1].is_constant() &&
         branch.operands[1].number == 0 &&
         (branch.condition == Condition::kNe || branch.condition == Condition::kEq);
}

}  // namespace

void fuse_compares(Function& function) {
  for (Block& block : function.blocks) {
    Instruction& branch = block.last();
    while (tests_bool(branch)) {
      const Instruction* compare = compare_behind(block, branch);
      if (compare == nullptr) break;
      if (branch.condition == Condition::kEq) std::swap(branch.targets[0], branch.targets[1]);
      branch.condition = compare->condition;
      branch.type = compare->type;
      branch.operands = compare->operands;
    }
  }
}

}  // namespace tessera::csl::codegen
