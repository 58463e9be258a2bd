// Arms of a switch with several words become tests for runs of words, and choose what they chose before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/verify.h"
#include "tests/frontends/csl/ir_interpreter.h"

namespace tessera::csl::codegen::join_cases_test {
namespace {

using namespace ir;
using ir::Block, ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value;

using Arms = std::vector<std::vector<std::uint16_t>>;

/// f(x): the number of the arm that has x, or 0.
Module switch_of(Type type, const Arms& arms) {
  Module module;
  Function f;
  f.name = "f";
  f.result = Type::kU16;
  const FunctionId id = add_function(module, f);
  Builder b(module, id);
  const Value x = b.parameter(type);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    const BlockId body = b.new_block();
    for (const std::uint16_t word : arms[arm]) {
      const BlockId next = b.new_block();
      b.branch(Condition::kEq, x, constant(type, word), body, next);
      b.enter(next);
    }
    const BlockId next = b.new_block();
    b.jump(next);
    b.enter(body);
    b.ret(constant(Type::kU16, static_cast<std::uint32_t>(arm + 1)));
    b.enter(next);
  }
  b.ret(constant(Type::kU16, 0));
  thread_jumps(module.functions[id]);
  join_cases(module.functions[id]);
  thread_jumps(module.functions[id]);
  EXPECT_TRUE(problems_of(module, module.functions[id]).empty());
  return module;
}

std::uint32_t expected(const Arms& arms, std::uint16_t x) {
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    if (std::count(arms[arm].begin(), arms[arm].end(), x) != 0)
      return static_cast<std::uint32_t>(arm + 1);
  return 0;
}

unsigned branches(const Module& module) {
  unsigned count = 0;
  for (const Block& block : module.functions[0].blocks) count += block.last().op == Op::kBranch;
  return count;
}

TEST(CslJoinCases, ARunOfWordsIsOneTest) {
  EXPECT_EQ(branches(switch_of(Type::kU16, {{0, 1, 2, 3}, {9}, {123}})), 3u);
  EXPECT_EQ(branches(switch_of(Type::kI16, {{3, 1, 2, 10, 12, 11}})), 2u);
  EXPECT_EQ(branches(switch_of(Type::kI16, {{0xFFFF, 0, 1}})), 1u);
  EXPECT_EQ(branches(switch_of(Type::kU16, {{1, 3, 5}})), 3u);
}

TEST(CslJoinCases, ArmsAreChosenAsBefore) {
  std::mt19937 random(1);
  for (int n = 0; n < 400; ++n) {
    const Type type = n % 2 == 0 ? Type::kI16 : Type::kU16;
    constexpr std::uint16_t kEdges[] = {0, 0x7FFC, 0xFFFA, 100};
    const std::uint16_t base = kEdges[random() % 4];
    std::set<std::uint16_t> free;
    for (unsigned k = 0; k < 12; ++k) free.insert(static_cast<std::uint16_t>(base + k));
    Arms arms(1 + random() % 3);
    for (auto& arm : arms) {
      for (unsigned k = 1 + random() % 5; k > 0 && !free.empty(); --k) {
        const auto at =
            std::next(free.begin(), static_cast<std::ptrdiff_t>(random() % free.size()));
        arm.push_back(*at);
        free.erase(at);
      }
    }
    const Module module = switch_of(type, arms);
    for (int x = -4; x < 20; ++x) {
      const auto word = static_cast<std::uint16_t>(base + x);
      ASSERT_EQ(test::Interpreter(module).run(0, {word}), expected(arms, word)) << n << ' ' << word;
    }
  }
}

}  // namespace
}  // namespace tessera::csl::codegen::join_cases_test
