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

/// The test with registers of its own where nothing after it reads them, so that these are still
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
      r = renamed[r] = function.new_register_like(r);
    }
  }
  return code;
}

}  // namespace

void rotate_loops(Function& function) {
  for (BlockId test = 0; test < function.blocks.size(); ++test) {
    if (!is_test(function.blocks[test])) continue;
    for (const BlockId latch : latches_of(function, test)) {
      if (latch == test || function.blocks[latch].last().op != Op::kJump) continue;
      const RegisterSet live_out = liveness_of(function).out[test];
      const std::vector<Instruction> copy = copy_of(function.blocks[test], live_out, function);
      std::vector<Instruction>& code = function.blocks[latch].code;
      code.pop_back();
      code.insert(code.end(), copy.begin(), copy.end());
    }
  }
}

}  // namespace tessera::csl::codegen
