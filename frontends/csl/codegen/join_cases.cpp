#include <algorithm>
#include <optional>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// A branch that goes to `yes` if a register has the value `bits`, else to `no`.
struct Test {
  Value subject;
  std::uint16_t bits;
  BlockId yes, no;
};

std::optional<Test> test_of(const Instruction& branch) {
  const bool equality = branch.op == Op::kBranch &&
                        (branch.condition == Condition::kEq || branch.condition == Condition::kNe);
  const bool of_word = branch.type == Type::kI16 || branch.type == Type::kU16;
  if (!equality || !of_word || !branch.operands[0].is_register() ||
      !branch.operands[1].is_constant())
    return std::nullopt;
  const bool inverted = branch.condition == Condition::kNe;
  return Test{branch.operands[0], static_cast<std::uint16_t>(branch.operands[1].number),
              branch.targets[inverted ? 1 : 0], branch.targets[inverted ? 0 : 1]};
}

/// Tests of one register, one after the other, that all go to one block.
struct Chain {
  std::vector<BlockId> blocks;
  std::vector<std::uint16_t> values;
  BlockId otherwise = 0;
};

Chain chain_from(const Function& function, const Predecessors& predecessors, BlockId first) {
  Chain chain;
  const std::optional<Test> begin = test_of(function.blocks[first].last());
  if (!begin) return chain;
  std::optional<Test> test = begin;
  for (BlockId b = first; test && test->subject == begin->subject && test->yes == begin->yes;) {
    chain.blocks.push_back(b);
    chain.values.push_back(test->bits);
    chain.otherwise = b = test->no;
    const bool alone = function.blocks[b].code.size() == 1 && predecessors[b].size() == 1 &&
                       b != first && b != begin->yes;
    test = alone ? test_of(function.blocks[b].last()) : std::nullopt;
  }
  return chain;
}

/// Words without a gap, from `low` on.
struct Run {
  std::uint16_t low;
  unsigned count;
};

std::vector<Run> runs_of(const Chain& chain, Type type) {
  std::vector<std::uint16_t> values = chain.values;
  const auto order = [type](std::uint16_t v) {
    return is_signed(type) ? static_cast<std::int16_t>(v) : std::int32_t{v};
  };
  std::sort(values.begin(), values.end(),
            [&](std::uint16_t a, std::uint16_t b) { return order(a) < order(b); });
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<Run> runs;
  for (const std::uint16_t v : values) {
    if (!runs.empty() && order(runs.back().low) + static_cast<int>(runs.back().count) == order(v)) {
      ++runs.back().count;
    } else {
      runs.push_back({v, 1});
    }
  }
  return runs;
}

/// The block ends with one test for a whole run.
void test_run(Function& function, BlockId b, const Run& run, BlockId yes, BlockId no) {
  std::vector<Instruction>& code = function.blocks[b].code;
  Instruction branch = code.back();
  code.pop_back();
  Value subject = branch.operands[0];
  branch.targets = {yes, no};
  branch.condition = Condition::kEq;
  branch.operands[1] = constant(branch.type, run.low);
  if (run.count > 1) {
    subject = read_as(Type::kU16, subject);
    if (run.low != 0) {
      Instruction distance;
      distance.op = Op::kSub;
      distance.type = Type::kU16;
      distance.place = branch.place;
      distance.results = {function.new_register(Type::kU16)};
      distance.operands = {subject, constant(Type::kU16, run.low)};
      subject = reg(Type::kU16, distance.results[0]);
      code.push_back(std::move(distance));
    }
    branch.type = Type::kU16;
    branch.condition = Condition::kLt;
    branch.operands = {subject, constant(Type::kU16, run.count)};
  }
  code.push_back(std::move(branch));
}

}  // namespace

void join_cases(Function& function) {
  const auto predecessors = predecessors_of(function);
  std::vector<bool> done(function.blocks.size(), false);
  for (BlockId first = 0; first < done.size(); ++first) {
    if (done[first]) continue;
    const Chain chain = chain_from(function, predecessors, first);
    if (chain.blocks.size() < 2) continue;
    const Test test = *test_of(function.blocks[first].last());
    const std::vector<Run> runs = runs_of(chain, function.blocks[first].last().type);
    for (const BlockId b : chain.blocks) done[b] = true;
    if (runs.size() == chain.blocks.size()) continue;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const BlockId next = i + 1 < runs.size() ? chain.blocks[i + 1] : chain.otherwise;
      test_run(function, chain.blocks[i], runs[i], test.yes, next);
    }
  }
}

}  // namespace tessera::csl::codegen
