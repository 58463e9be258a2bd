#include <algorithm>

#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool assigns(const Instruction& in, const Value& v) {
  return v.is_register() &&
         std::find(in.results.begin(), in.results.end(), v.number) != in.results.end();
}

/// The compare of the block that made the bool `flag` which instruction `reader` tests, if its operands
/// are as they were.
const Instruction* compare_before(const Block& block, std::size_t reader, const Value& flag) {
  for (std::size_t i = reader; i-- > 0;) {
    const Instruction& in = block.code[i];
    if (!assigns(in, flag)) continue;
    if (in.op != Op::kCompare) return nullptr;
    for (std::size_t k = i; k < reader; ++k) {
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
      const Instruction* compare = compare_before(block, block.code.size() - 1, branch.operands[0]);
      if (compare == nullptr) break;
      if (branch.condition == Condition::kEq) std::swap(branch.targets[0], branch.targets[1]);
      branch.condition = compare->condition;
      branch.type = compare->type;
      branch.operands = compare->operands;
    }
  }
}

void fuse_selects(Function& function) {
  for (Block& block : function.blocks) {
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      Instruction& in = block.code[i];
      if (in.op != Op::kSelect) continue;
      const Value flag = in.operands[0];
      const Instruction* compare = compare_before(block, i, flag);
      const bool known = compare != nullptr;
      in.condition = known ? compare->condition : Condition::kNe;
      in.compared = known ? compare->type : Type::kBool;
      const Value a = known ? compare->operands[0] : flag;
      const Value b = known ? compare->operands[1] : constant(Type::kBool, 0);
      in.operands = {a, b, in.operands[1], in.operands[2]};
      in.op = Op::kChoose;
    }
  }
}

}  // namespace tessera::csl::codegen
