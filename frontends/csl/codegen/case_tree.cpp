// Many tests of one register for equality become a tree of compares, as LLVM makes it of a `switch`.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// So many words are tested one after the other; more are halved first.
constexpr std::size_t kMostInRow = 3;

/// A branch to `to` if the register holds `word`, else to `otherwise`.
struct Case {
  std::int64_t word;
  BlockId to, otherwise;
};

std::optional<Case> case_of(const Instruction& branch) {
  const bool of_word = branch.type == Type::kI16 || branch.type == Type::kU16;
  const bool equality = branch.condition == Condition::kEq || branch.condition == Condition::kNe;
  if (branch.op != Op::kBranch || branch.number != 0 || !of_word || !equality) return std::nullopt;
  if (!branch.operands[0].is_register() || !branch.operands[1].is_constant()) return std::nullopt;
  const bool inverted = branch.condition == Condition::kNe;
  return Case{integer_of(Type::kI16, branch.operands[1].number), branch.targets[inverted ? 1 : 0],
              branch.targets[inverted ? 0 : 1]};
}

class CaseTree {
 public:
  CaseTree(Function& function, const Predecessors& predecessors, BlockId first)
      : f_(function), first_(first) {
    std::set<BlockId> inside;
    for (BlockId b = first;;) {
      const std::optional<Case> found = case_of(f_.blocks[b].last());
      if (!found || !inside.insert(b).second) break;
      const bool is_next =
          b == first || (f_.blocks[b].code.size() == 1 && predecessors[b].size() == 1 &&
                         f_.blocks[b].last().operands[0] == subject());
      if (!is_next) break;
      rest_.push_back(b);
      otherwise_ = b = found->otherwise;
      // Of two tests for one word the first one counts.
      const auto is_same = [&](const Case& c) { return c.word == found->word; };
      if (std::none_of(cases_.begin(), cases_.end(), is_same)) cases_.push_back(*found);
    }
    for (const Case& c : cases_)
      goes_inside_ = goes_inside_ || (c.to != first && inside.count(c.to) != 0);
    std::sort(cases_.begin(), cases_.end(),
              [](const Case& a, const Case& b) { return a.word < b.word; });
  }

  const std::vector<BlockId>& blocks() const { return rest_; }
  bool is_worth_it() const { return cases_.size() > kMostInRow && !goes_inside_; }

  void make() {
    model_ = f_.blocks[first_].last();
    model_.type = Type::kI16;
    model_.operands[0] = read_as(Type::kI16, model_.operands[0]);
    f_.blocks[first_].code.pop_back();
    fill(first_, 0, cases_.size());
  }

 private:
  Value subject() const { return f_.blocks[first_].last().operands[0]; }

  BlockId new_block() {
    f_.blocks.emplace_back();
    return static_cast<BlockId>(f_.blocks.size() - 1);
  }

  /// Block `b` ends with the tests for the words from `begin` on.
  void fill(BlockId b, std::size_t begin, std::size_t end) {
    if (end - begin > kMostInRow) {
      const std::size_t middle = begin + (end - begin) / 2;
      const BlockId low = new_block(), high = new_block();
      test(b, Condition::kLt, cases_[middle].word, low, high);
      fill(low, begin, middle);
      fill(high, middle, end);
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const BlockId next = i + 1 == end ? otherwise_ : new_block();
      test(b, Condition::kEq, cases_[i].word, cases_[i].to, next);
      b = next;
    }
  }

  void test(BlockId b, Condition condition, std::int64_t word, BlockId yes, BlockId no) {
    Instruction branch = model_;
    branch.condition = condition;
    branch.operands[1] = constant(Type::kI16, static_cast<std::uint32_t>(word));
    branch.targets = {yes, no};
    f_.blocks[b].code.push_back(std::move(branch));
  }

  Function& f_;
  const BlockId first_;
  std::vector<BlockId> rest_;  ///< the blocks of the tests
  std::vector<Case> cases_;
  BlockId otherwise_ = 0;
  bool goes_inside_ = false;
  Instruction model_;
};

}  // namespace

void balance_cases(Function& function) {
  const auto predecessors = predecessors_of(function);
  std::vector<bool> done(predecessors.size(), false);
  for (BlockId first = 0; first < done.size(); ++first) {
    if (done[first] || !case_of(function.blocks[first].last())) continue;
    CaseTree tree(function, predecessors, first);
    for (const BlockId b : tree.blocks()) done[b] = true;
    if (tree.is_worth_it()) tree.make();
  }
  remove_unreachable(function);
}

}  // namespace tessera::csl::codegen
