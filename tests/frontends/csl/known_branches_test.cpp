// Tests that the way has decided, loads that ways know differently, and trees of cases: fewer branches, the same results.
#include <algorithm>
#include <random>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/verify.h"
#include "tests/frontends/csl/ir_interpreter.h"
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::known_branches_test {
namespace {

using namespace ir;
using ir::Block, ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value;
using testing::HasSubstr;
using testing::Not;

class CslKnownBranches : public ModuleFixture {
 protected:
  unsigned branches() const {
    unsigned count = 0;
    for (const Block& block : module.functions[main].blocks)
      count += block.last().op == Op::kBranch;
    return count;
  }
  void expect_sound() const { EXPECT_TRUE(problems_of(module, module.functions[main]).empty()); }

  /// out = n where x & 3 is n and bit n of y is set, tested one after the other; else 9.
  void chain_of_directions() {
    const VariableId out = global("out", Type::kU16, {9});
    Builder b(module, main);
    const Value y = b.parameter(Type::kU16);
    const Value x = b.binary(Op::kAnd, b.parameter(Type::kU16), number(3));
    const BlockId end = b.new_block();
    for (std::uint32_t n = 0; n < 4; ++n) {
      const BlockId is_n = b.new_block(), has_bit = b.new_block(), next = b.new_block();
      b.branch(Condition::kEq, x, number(n), is_n, next);
      b.enter(is_n);
      b.branch(Condition::kNe, b.binary(Op::kAnd, y, number(1U << n)), number(0), has_bit, next);
      b.enter(has_bit);
      b.store(address_of(out), number(n));
      b.jump(end);
      b.enter(next);
    }
    b.jump(end);
    b.enter(end);
    b.ret();
  }
};

TEST_F(CslKnownBranches, ATestIsLeftOutWhereTheOneBeforeHasDecidedIt) {
  chain_of_directions();
  const Module before = module;
  EXPECT_EQ(branches(), 8U);
  decide_known_branches(module.functions[main]);
  expect_sound();
  EXPECT_EQ(branches(), 7U);  // x is 3 where it is neither 0 nor 1 nor 2
  for (std::uint32_t x = 0; x < 5; ++x) {
    for (std::uint32_t y = 0; y < 16; ++y) {
      test::Interpreter was(before), is(module);
      was.run(main, {y, x});
      is.run(main, {y, x});
      EXPECT_EQ(is.element(0, 0), was.element(0, 0)) << x << ' ' << y;
    }
  }
}

TEST_F(CslKnownBranches, PhasesThatFollowEachOtherAreReadOnce) {
  const VariableId phase = global("phase", Type::kU16, {1});
  const VariableId out = global("out", Type::kU16, {0, 0, 0, 0});
  Builder b(module, main);
  for (std::uint32_t n = 0; n < 4; ++n) {
    const BlockId yes = b.new_block(), has_more = b.new_block(), is_over = b.new_block();
    const BlockId next = b.new_block();
    b.branch(Condition::kEq, b.load(Type::kU16, address_of(phase)), number(n), yes, next);
    b.enter(yes);
    const Value count = b.load(Type::kU16, address_of(out, static_cast<std::int32_t>(2 * n)));
    b.branch(Condition::kGt, count, number(5), has_more, is_over);
    b.enter(has_more);
    b.ret();
    b.enter(is_over);
    b.store(address_of(out, static_cast<std::int32_t>(2 * n)), number(n + 10));
    b.store(address_of(phase), number(n + 1));
    b.jump(next);
    b.enter(next);
  }
  b.ret();
  EXPECT_EQ(count(code(), ", [phase]"), 1U) << code();
  EXPECT_EQ(result("phase"), 4U);
  EXPECT_EQ(result("out", 0), 0U);
  EXPECT_EQ(result("out", 3), 13U);
}

TEST_F(CslKnownBranches, ManyCasesAreHalvedFirst) {
  const VariableId out = global("out", Type::kU16, {0});
  const VariableId in = global("in", Type::kI16, {});
  Builder b(module, main);
  const Value x = b.load(Type::kI16, address_of(in));
  for (const int word : {-5, 9, 3, 40, 9, 12}) {
    const BlockId yes = b.new_block(), next = b.new_block();
    const Value bits = constant(Type::kI16, static_cast<std::uint32_t>(word));
    b.branch(Condition::kEq, x, bits, yes, next);
    b.enter(yes);
    b.store(address_of(out), number(static_cast<std::uint32_t>(word + 100)));
    b.ret();
    b.enter(next);
  }
  b.ret();
  balance_cases(module.functions[main]);
  expect_sound();
  EXPECT_EQ(branches(), 6U);  // five words, one compare that halves them
  const Block& first = module.functions[main].blocks[0];
  EXPECT_EQ(first.last().condition, Condition::kLt);
  EXPECT_EQ(first.last().operands[1].number, 9U);
}

/// A function of blocks that only go on, with words that are stored, loaded, masked and tested.
Module random_words(std::mt19937& random) {
  Module module;
  Function f;
  f.name = "f";
  f.result = Type::kU16;
  add_function(module, f);
  for (const char* name : {"a", "b"}) {
    ir::Variable v;
    v.name = name;
    v.type = Type::kU16;
    v.init = {1};
    add_variable(module, v);
  }
  const auto below = [&random](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  Builder b(module, 0);
  std::vector<Value> words = {b.parameter(Type::kU16), b.parameter(Type::kU16)};
  for (int k = 0; k < 3; ++k) words.push_back(reg(Type::kU16, b.new_register(Type::kU16)));
  for (int k = 2; k < 5; ++k)
    b.assign(words[static_cast<unsigned>(k)], constant(Type::kU16, below(4)));
  std::vector<BlockId> blocks = {b.current()};
  const unsigned count = 4 + below(14);
  while (blocks.size() < count) blocks.push_back(b.new_block());
  for (unsigned k = 0; k < count; ++k) {
    b.enter(blocks[k]);
    for (unsigned n = below(4); n > 0; --n) {
      const Value to = words[below(5)], from = words[below(5)];
      const Value at = address_of(below(2));
      switch (below(5)) {
      case 0:
        b.assign(to, constant(Type::kU16, below(4)));
        break;
      case 1:
        b.assign(to, b.binary(Op::kAnd, from, constant(Type::kU16, below(8))));
        break;
      case 2:
        b.assign(to, b.load(Type::kU16, at));
        break;
      case 3:
        b.store(at, below(2) == 0 ? from : constant(Type::kU16, below(4)));
        break;
      default:
        b.assign(to, from);
        break;
      }
    }
    const auto ahead = [&] { return blocks[k + 1 + below(std::min(4U, count - k - 1))]; };
    if (k + 1 == count) {
      b.ret(b.binary(Op::kAdd, words[2], b.load(Type::kU16, address_of(below(2)))));
    } else if (below(4) == 0) {
      b.jump(ahead());
    } else {
      b.branch(static_cast<Condition>(below(6)), words[below(5)], constant(Type::kU16, below(5)),
               ahead(), ahead());
    }
  }
  return module;
}

TEST_F(CslKnownBranches, RandomWordsComputeWhatTheyDid) {
  std::mt19937 random(7);
  for (int n = 0; n < 3000; ++n) {
    Module before = random_words(random);
    remove_unreachable(before.functions[0]);
    module = before;
    const OpenVariables open(module);
    Function& f = module.functions[0];
    for (int round = 0; round < 2; ++round) {
      merge_loads(module, open, 0, f);
      propagate_copies(f);
      decide_known_branches(f);
      thread_jumps(f);
      remove_dead_code(f);
    }
    balance_cases(f);
    ASSERT_TRUE(problems_of(module, f).empty()) << n;
    for (std::uint32_t x = 0; x < 6; ++x) {
      for (std::uint32_t y = 0; y < 3; ++y) {
        test::Interpreter was(before), is(module);
        ASSERT_EQ(is.run(0, {x, y}), was.run(0, {x, y})) << n << ' ' << x << ' ' << y;
        ASSERT_EQ(is.element(0, 0), was.element(0, 0));
        ASSERT_EQ(is.element(1, 0), was.element(1, 0));
      }
    }
  }
}

}  // namespace
}  // namespace tessera::csl::codegen::known_branches_test
