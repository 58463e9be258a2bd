// Tests of one word after which the same variables get constants become a table, and give what they gave before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/verify.h"
#include "tests/frontends/csl/ir_interpreter.h"

namespace tessera::csl::codegen::tabulate_choices_test {
namespace {

using namespace ir;
using ir::Block, ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;

enum class Shape { kElseIf, kIfs, kReturns };

/// How a chain of tests is written.
struct Choices {
  Shape shape = Shape::kElseIf;
  Type type = Type::kU16;
  std::vector<std::uint16_t> words;
  bool is_global = false;  ///< each test loads the word
  bool makes_flags = false;
  VariableId stored = 1;  ///< what the bodies store to, beside variable 2
};

std::uint32_t value_of(std::uint16_t word) {
  return word * 77777U + 5;
}

/// Variables 0 (the word), 1 (u16) and 2 (f32); f(x) stores to 1 and 2, or returns a number.
Module program(const Choices& c) {
  Module module;
  for (const Type type : {c.type, Type::kU16, Type::kSingle}) {
    Variable v;
    v.name = "v" + std::to_string(module.variables.size());
    v.type = type;
    v.init = {9};
    add_variable(module, v);
  }
  Function f;
  f.name = "f";
  f.result = Type::kU32;
  const FunctionId id = add_function(module, f);
  Builder b(module, id);
  const Value x = b.parameter(c.type);
  if (c.is_global) b.store(address_of(0), x);
  const BlockId end = b.new_block();
  for (const std::uint16_t word : c.words) {
    const BlockId body = b.new_block(), next = b.new_block();
    const Value subject = c.is_global ? b.load(c.type, address_of(0)) : x;
    if (c.makes_flags) {
      b.branch(b.compare(Condition::kEq, subject, constant(c.type, word)), body, next);
    } else {
      b.branch(Condition::kNe, subject, constant(c.type, word), next, body);
    }
    b.enter(body);
    if (c.shape == Shape::kReturns) {
      b.ret(constant(Type::kU32, value_of(word)));
    } else {
      b.store(address_of(2), constant(Type::kSingle, value_of(word)));
      b.store(address_of(c.stored), constant(Type::kU16, word % 5U));
      b.jump(c.shape == Shape::kIfs ? next : end);
    }
    b.enter(next);
  }
  b.jump(end);
  b.enter(end);
  b.ret(constant(Type::kU32, 1));
  return module;
}

unsigned branches(const Module& module) {
  unsigned count = 0;
  for (const Block& block : module.functions[0].blocks) count += block.last().op == Op::kBranch;
  return count;
}

std::vector<std::uint16_t> words(std::uint16_t from, unsigned count) {
  std::vector<std::uint16_t> made;
  for (unsigned i = 0; i < count; ++i) made.push_back(static_cast<std::uint16_t>(from + i));
  return made;
}

unsigned branches_after(const Choices& choices) {
  Module module = program(choices);
  tabulate_choices(module);
  EXPECT_TRUE(problems_of(module, module.functions[0]).empty());
  return branches(module);
}

TEST(CslTabulateChoices, ManyTestsAreOne) {
  for (const Shape shape : {Shape::kElseIf, Shape::kIfs, Shape::kReturns}) {
    for (const bool is_global : {false, true}) {
      for (const bool makes_flags : {false, true}) {
        EXPECT_EQ(branches_after({shape, Type::kU16, words(3, 20), is_global, makes_flags}), 1u);
        EXPECT_EQ(branches_after({shape, Type::kI32, words(3, 20), is_global, makes_flags}), 1u);
      }
    }
  }
}

TEST(CslTabulateChoices, WhatHasNoTableStays) {
  EXPECT_EQ(branches_after({Shape::kElseIf, Type::kU16, words(0, 7)}), 7u);  // few
  std::vector<std::uint16_t> gap = words(0, 10);
  gap.back() = 30;
  EXPECT_EQ(branches_after({Shape::kElseIf, Type::kU16, gap}), 10u);
  std::vector<std::uint16_t> twice = words(0, 10);
  twice.back() = 3;  // never reached: the others are a table
  EXPECT_EQ(branches_after({Shape::kElseIf, Type::kU16, twice}), 2u);
  // The bodies change what is tested.
  EXPECT_EQ(branches_after({Shape::kIfs, Type::kU16, words(0, 10), true, false, 0}), 10u);
}

TEST(CslTabulateChoices, ResultsStay) {
  std::mt19937 random(1);
  for (int n = 0; n < 600; ++n) {
    Choices c;
    c.shape = static_cast<Shape>(random() % 3);
    constexpr Type kTypes[] = {Type::kU16, Type::kI16, Type::kU32, Type::kI32};
    c.type = kTypes[random() % 4];
    constexpr std::uint16_t kEdges[] = {0, 0x7FFA, 0xFFF5, 0xFFFD, 100};
    c.words = words(kEdges[random() % 5], 6 + random() % 10);
    std::shuffle(c.words.begin(), c.words.end(), random);
    if (random() % 4 == 0) c.words.push_back(c.words[random() % c.words.size()]);
    c.is_global = random() % 2 == 0;
    c.makes_flags = random() % 2 == 0;
    c.stored = c.is_global && random() % 3 == 0 ? 0 : 1;
    const Module before = program(c);
    Module after = before;
    tabulate_choices(after);
    ASSERT_TRUE(problems_of(after, after.functions[0]).empty()) << n;
    for (int k = -3; k < 20; ++k) {
      const auto x = static_cast<std::uint16_t>(c.words[0] + k * (k % 3 == 0 ? 50 : 1));
      test::Interpreter plain(before), tabulated(after);
      ASSERT_EQ(tabulated.run(0, {x}), plain.run(0, {x})) << n << ' ' << x;
      for (VariableId v = 0; v < 3; ++v)
        ASSERT_EQ(tabulated.element(v, 0), plain.element(v, 0)) << n << ' ' << x << ' ' << v;
    }
  }
}

}  // namespace
}  // namespace tessera::csl::codegen::tabulate_choices_test
