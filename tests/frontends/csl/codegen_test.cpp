// Code generation: the code of small functions, calling convention, frames, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/codegen/intervals.h"
#include "frontends/csl/codegen/moves.h"
#include "frontends/csl/codegen/names.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/models/pe/bench.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;
using testing::HasSubstr;

class CslCodegen : public testing::Test {
 protected:
  CslCodegen() { module.files = {"a.csl", "b.csl"}; }

  Builder function(const char* name, std::optional<Type> result = std::nullopt,
                   bool exported = false) {
    Function f;
    f.name = name;
    f.result = result;
    f.exported = exported;
    f.never_inlined = true;
    return Builder(module, add_function(module, f));
  }
  VariableId global(const char* name, Type type, std::uint32_t count = 1,
                    std::vector<std::uint32_t> init = {}) {
    Variable v;
    v.name = name;
    v.type = type;
    v.count = count;
    v.init = std::move(init);
    return add_variable(module, v);
  }
  /// The code, without declarations.
  std::string code(Locals locals = Locals::kMemory) {
    const std::string text = tasm::disassemble(image(locals));
    return text.substr(text.find("\nfn ") + 1);
  }
  pe::Image image(Locals locals = Locals::kMemory) {
    Options options;
    options.style = Style::kPlain;
    options.locals = locals;
    const pe::Image made = generate(module, options);
    const std::string text = tasm::disassemble(made);
    EXPECT_EQ(tasm::dump(tasm::assemble(text, tasm::options_for(made.generation))),
              tasm::dump(made))
        << text;
    return made;
  }
  /// sum = a[0] + .. + a[n - 1], in a `while` over a local i.
  void add_up() {
    const VariableId a = global("a", Type::kI16, 8, {1, 2, 3, 4, 5, 6, 7, 8});
    const VariableId sum = global("sum", Type::kI16);
    Builder b = function("main", std::nullopt, true);
    const VariableId i = b.local("i", Type::kI16);
    b.store(address_of(i), constant(Type::kI16, 0));
    const BlockId test = b.new_block();
    const BlockId body = b.new_block();
    const BlockId exit = b.new_block();
    b.jump(test);
    b.enter(test);
    b.branch(b.compare(Condition::kLt, b.load(Type::kI16, address_of(i)), constant(Type::kI16, 8)),
             body, exit);
    b.enter(body);
    const Value element =
        b.load(Type::kI16, b.element(address_of(a), b.load(Type::kI16, address_of(i)), 2));
    b.store(address_of(sum), b.binary(Op::kAdd, b.load(Type::kI16, address_of(sum)), element));
    b.store(address_of(i),
            b.binary(Op::kAdd, b.load(Type::kI16, address_of(i)), constant(Type::kI16, 1)));
    b.jump(test);
    b.enter(exit);
    b.ret();
  }

  Module module;
};

TEST_F(CslCodegen, AStatementOnConstantAddressesIsFourInstructions) {
  const VariableId a = global("a", Type::kSingle, 4);
  Builder b = function("main", std::nullopt, true);
  const auto element = [&](unsigned i) {
    return b.load(Type::kSingle, b.element(address_of(a), constant(Type::kI16, i), 4));
  };
  const Value first = element(0);
  const Value sum = b.binary(Op::kAdd, first, element(1));
  b.store(b.element(address_of(a), constant(Type::kI16, 2), 4), sum);
  b.ret();
  EXPECT_EQ(code(), R"(fn main
    ld32 d12, [a]
    ld32 d10, [a + 4]
    fadds d12, d12, d10
    st32 [a + 8], d12
    ret
)");
}

TEST_F(CslCodegen, LoopsTestAtTheBottom) {
  add_up();
  EXPECT_EQ(code(Locals::kRegisters), R"(fn main
    movri r14, 0
L1:
    sll16 r13, r14, 1
    add16 r13, r13, 1068
    ld16 r13, [r13]
    ld16 r12, [sum]
    add16 r13, r12, r13
    st16 [sum], r13
    add16 r14, r14, 1
    lt16 r14, 8
    jmpt L1
    ret
)");
}

TEST_F(CslCodegen, SmallFunctionsAndThoseCalledOnceArePartOfTheirCallers) {
  const VariableId sum = global("sum", Type::kI16);
  Builder small = function("small", Type::kI16);
  const Value p = small.parameter(Type::kI16);
  small.ret(small.binary(Op::kMul, p, p));
  Builder once = function("once");
  const VariableId local = once.local("local", Type::kI16, 2);
  const Value q = once.parameter(Type::kI16);
  once.store(address_of(local), once.call(0, {q}));
  once.store(address_of(sum), once.load(Type::kI16, address_of(local)));
  once.ret();
  Builder b = function("main", std::nullopt, true);
  b.call(1, {b.call(0, {b.load(Type::kI16, address_of(sum))})});
  b.ret();
  EXPECT_THAT(code(), HasSubstr("call small"));
  for (Function& f : module.functions) f.never_inlined = false;
  EXPECT_EQ(code(), R"(fn main
    ld16 r14, [sum]
    imul16 r14, r14, r14
    imul16 r14, r14, r14
    st16 [frames], r14
    st16 [sum], r14
    ret
)");
}

TEST_F(CslCodegen, ABlockLoadsAValueOnceUnlessItMayHaveChanged) {
  const VariableId x = global("x", Type::kI16);
  const VariableId y = global("y", Type::kI32);
  for (const VariableId v : {x, y}) {  // what `p` may point to
    Descriptor d;
    d.dsd.name = v == x ? "dx" : "dy";
    d.dsd.extent = d.dsd.extents[0] = 1;
    d.array = v;
    module.descriptors.push_back(d);
  }
  Builder b = function("main", std::nullopt, true);
  const Value p = b.parameter(Type::kAddress);
  const auto add_x_to = [&](std::int32_t half) {
    const Value old = b.load(Type::kI16, address_of(y, half));
    b.store(address_of(y, half), b.binary(Op::kAdd, old, b.load(Type::kI16, address_of(x))));
  };
  add_x_to(0);
  add_x_to(0);
  b.store(address_of(y), constant(Type::kI32, 7));
  add_x_to(2);
  b.store(p, constant(Type::kI16, 1));
  add_x_to(2);
  b.ret();
  EXPECT_EQ(code(), R"(fn main
    ld16 r14, [y]
    ld16 r1, [x]
    add16 r14, r14, r1
    st16 [y], r14
    add16 r14, r14, r1
    st16 [y], r14
    movri d12, 7
    st32 [y], d12
    ld16 r14, [y + 2]
    add16 r14, r14, r1
    st16 [y + 2], r14
    movri r14, 1
    st16 [r0], r14
    ld16 r14, [y + 2]
    ld16 r13, [x]
    add16 r14, r14, r13
    st16 [y + 2], r14
    ret
)");
}

TEST_F(CslCodegen, TheBlocksOfALoopStandTogether) {
  const VariableId x = global("x", Type::kI16);
  Builder b = function("main", std::nullopt, true);
  const BlockId header = b.new_block();
  const BlockId exit = b.new_block();
  const BlockId body = b.new_block();
  b.jump(header);
  b.enter(header);
  Machine m;
  m.op = pe::Opcode::kRand16;
  m.fields = {{Machine::Slot::kResult, 0, {}}};
  const Value number = b.machine(m, {}, {Type::kI16})[0];
  b.branch(Condition::kGt, number, constant(Type::kI16, 9), body, exit);
  b.enter(body);
  b.store(address_of(x), number);
  b.jump(header);
  b.enter(exit);
  b.ret();
  EXPECT_EQ(code(), R"(fn main
L1:
    rand16 r14
    lte16 r14, 9
    jmpt L2
    st16 [x], r14
    jmp main
L2:
    ret
)");
}

TEST_F(CslCodegen, LocalsOfALoopAreInMemoryOrInRegisters) {
  add_up();
  for (const Locals locals : {Locals::kMemory, Locals::kRegisters}) {
    pe::test::Bench bench(image(locals));
    bench.launch("main", {}, 1);
    bench.run();
    EXPECT_EQ(bench.bits("sum"), 36U);
    EXPECT_EQ(bench.core.image().find_symbol("frames") != nullptr, locals == Locals::kMemory);
  }
}

TEST_F(CslCodegen, ArgumentsComeInPairsAndThenInMemory) {
  Builder callee = function("g", Type::kI32);
  std::vector<Value> p;
  for (unsigned i = 0; i < 6; ++i)
    p.push_back(callee.parameter(i % 2 == 0 ? Type::kI32 : Type::kI16));
  Value sum = p[0];
  for (unsigned i = 1; i < 6; ++i) {
    sum = callee.binary(Op::kMul, sum, constant(Type::kI32, 10));
    sum = callee.binary(Op::kAdd, sum, callee.convert(Type::kI32, p[i]));
  }
  callee.ret(sum);
  const VariableId out = global("out", Type::kI32);
  Builder b = function("main", std::nullopt, true);
  const Value x = b.parameter(Type::kI32);
  const Value y = b.parameter(Type::kI16);
  // d0 and d2 change places, so that the moves go in a ring.
  const Value low = b.convert(Type::kI16, x);
  b.store(address_of(out),
          b.call(0, {b.convert(Type::kI32, y), low, x, y, constant(Type::kI32, 5), low}));
  b.ret();
  pe::test::Bench bench(image());
  bench.launch("main", {7, 3}, 1);
  bench.run();
  EXPECT_EQ(bench.bits("out"), 377357U);
}

TEST_F(CslCodegen, TasksFindTheirWaveletInD0) {
  const VariableId out = global("out", Type::kU16, 2);
  Function f;
  f.name = "receive";
  f.is_task = true;
  Builder b(module, add_function(module, f));
  const Value data = b.parameter(Type::kU16);
  const Value index = b.parameter(Type::kU16);
  b.store(address_of(out), index);
  b.store(address_of(out, 2), data);
  b.ret();
  Task task;
  task.binding.kind = pe::TaskKind::kControl;
  task.binding.id = TaskId(40);
  module.tasks = {task};
  const std::string text = tasm::disassemble(image());
  EXPECT_THAT(
      text,
      HasSubstr("task receive control 40\n    st16 [out], r1\n    st16 [out + 2], r0\n    end"));
}

TEST_F(CslCodegen, FramesOfFunctionsThatAreNotActiveTogetherShareMemory) {
  for (const char* name : {"g", "h"}) {
    Builder b = function(name);
    b.store(address_of(b.local("buffer", Type::kU16, 10)), constant(Type::kU16, 1));
    b.ret();
  }
  Builder b = function("main", std::nullopt, true);
  b.call(0, {});
  b.call(1, {});
  b.ret();
  // The return address of main, and one buffer: 22 bytes, in whole passes over the banks.
  EXPECT_EQ(image().find_symbol("frames")->count, 16U);
}

// A program that writes beyond an array, as published ones do, finds its way back.
TEST_F(CslCodegen, WhatLeavesAnArrayMeetsNoReturnAddressOfAnActiveFunction) {
  Builder f = function("f");
  f.ret();
  const VariableId last = global("last", Type::kU16, 6);
  Builder main = function("main", std::nullopt, true);
  const VariableId local = main.local("local", Type::kU16, 3);
  main.store(address_of(local, 4), constant(Type::kU16, 1));
  main.store(address_of(last, 10), constant(Type::kU16, 1));
  main.call(0, {});
  main.ret();
  const pe::Image made = image();
  const pe::Symbol& frames = *made.find_symbol("frames");
  EXPECT_LT(frames.address, made.find_symbol("last")->address);
  EXPECT_EQ(made.data_end, made.find_symbol("last")->address + 12U);
  const std::string text = tasm::disassemble(made);
  EXPECT_THAT(text, HasSubstr("st16 [frames], r15"));
  EXPECT_THAT(text, HasSubstr("st16 [frames + 6]"));
}

TEST_F(CslCodegen, CallsInTailPositionOfACycleNeedNoFrame) {
  Builder main = function("main", std::nullopt, true);
  Builder f = function("f");
  main.call(1, {});
  main.ret();
  Builder g = function("g");
  f.call(2, {});
  f.ret();
  const BlockId again = g.new_block(), end = g.new_block();
  g.branch(Condition::kNe, g.load(Type::kI16, address_of(global("x", Type::kI16))),
           constant(Type::kI16, 0), again, end);
  g.enter(again);
  g.call(1, {});
  g.ret();
  g.enter(end);
  g.ret();
  const pe::Image made = image();
  EXPECT_EQ(made.find_symbol("stack"), nullptr);
  // The return address of main alone, in a whole pass over the banks.
  EXPECT_EQ(made.find_symbol("frames")->count, 8U);
}

TEST_F(CslCodegen, AroundOtherCallsOfACycleTheFrameIsKeptOnAStack) {
  Builder main = function("main", std::nullopt, true);
  Builder f = function("f");
  main.call(1, {});
  main.ret();
  const Value before = f.load(Type::kI16, address_of(global("x", Type::kI16)));
  f.call(1, {});
  f.store(address_of(0), before);
  f.ret();
  const pe::Image made = image();
  ASSERT_NE(made.find_symbol("stack"), nullptr);
  const auto is_overflow = [](const pe::Function& function) {
    return function.name == "too_many_calls_of_f";
  };
  EXPECT_EQ(std::count_if(made.functions.begin(), made.functions.end(), is_overflow), 1);
}

TEST_F(CslCodegen, ACycleThatPassesOnTheAddressOfALocalIsRefused) {
  Builder main = function("main", std::nullopt, true);
  Builder f = function("f");
  main.call(1, {});
  main.ret();
  const Value address = address_of(f.local("v", Type::kI16));
  f.store(address_of(global("p", Type::kAddress)), address);
  f.call(1, {});
  f.store(address, constant(Type::kI16, 1));
  f.ret();
  try {
    generate(module);
    FAIL() << "the address was taken";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("passes on the address of one of its variables"));
    EXPECT_EQ(e.file(), "a.csl");
  }
}

TEST_F(CslCodegen, AProgramThatDoesNotFitSaysWhatTakesTheMemory) {
  global("large", Type::kSingle, 12000);
  global("small", Type::kI16, 500);
  Builder b = function("main", std::nullopt, true);
  b.ret();
  try {
    generate(module);
    FAIL() << "50 KB fit";
  } catch (const UserError& e) {
    EXPECT_THAT(
        e.what(),
        HasSubstr("\n  48000 bytes: large\n  1000 bytes: small\n  4 bytes: the code of main"));
  }
}

TEST_F(CslCodegen, InstructionsKnowTheirFileAndLine) {
  Builder b = function("main", std::nullopt, true);
  b.set_place({1, 17});
  b.assert_that(Condition::kEq, b.parameter(Type::kI16), constant(Type::kI16, 3));
  b.set_place({0, 5});
  b.ret();
  const pe::Image made = image();
  EXPECT_EQ(made.place_of(0), "b.csl:17 (fn main)");
  EXPECT_EQ(made.place_of(3), "a.csl:5 (fn main)");
  pe::test::Bench bench(made);
  bench.launch("main", {4}, 1);
  EXPECT_THAT(rule_broken_by(bench).text, HasSubstr("b.csl:17"));
}

TEST_F(CslCodegen, DsdOperationsLoadTheirDescriptors) {
  const VariableId a = global("a", Type::kSingle, 3, {0x3F800000, 0x40000000, 0x40400000});
  const VariableId out = global("out", Type::kSingle, 1);
  for (const char* name : {"da", "db"}) {
    Descriptor d;
    d.dsd.name = name;
    d.dsd.extent = 3;
    d.dsd.extents[0] = 3;
    d.array = a;
    module.descriptors.push_back(d);
  }
  Builder b = function("main", std::nullopt, true);
  DsdOperand da;
  DsdOperand db;
  db.descriptor = 1;
  DsdOperand two;
  two.kind = DsdOperand::Kind::kScalar;
  two.value = constant(Type::kSingle, 0x40000000);
  dsd_operation(b, module, pe::Opcode::kFmuls, {da, db, two});
  DsdOperand accumulator;
  accumulator.kind = DsdOperand::Kind::kAccumulator;
  accumulator.value = constant(Type::kSingle, 0);
  b.store(address_of(out),
          dsd_operation(b, module, pe::Opcode::kFadds, {accumulator, accumulator, da}));
  b.ret();
  EXPECT_EQ(code(), R"(fn main
    lddsr dds1, da
    lddsr s0ds1, db
    fmuls dds1, s0ds1, 2.0
    lddsr s1ds1, da
    movri d12, 0
    fadds d12, d12, s1ds1
    st32 [out], d12
    ret
)");
  pe::test::Bench bench(image());
  bench.launch("main", {}, 1);
  bench.run();
  EXPECT_EQ(bench.f32("out"), 12.0F);
}

// The call is the first instruction of a block that stands in front of what assigns the value.
TEST_F(CslCodegen, AValueThatComesIntoABlockLivesAcrossItsFirstCall) {
  Builder callee = function("callee");
  callee.ret();
  const VariableId y = global("y", Type::kI16);
  Builder b = function("main", std::nullopt, true);
  const BlockId calls = b.new_block(), assigns = b.new_block();
  b.jump(assigns);
  b.enter(assigns);
  const Value kept = b.copy(Type::kI16, constant(Type::kI16, 7));
  b.jump(calls);
  b.enter(calls);
  b.call(0, {});
  b.store(address_of(y), kept);
  b.ret();
  const std::vector<Interval> all = intervals_of(module.functions[1]);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].reg, kept.number);
  EXPECT_TRUE(all[0].crosses_call);
}

TEST(CslCodegenNames, AreLegalInTheAssembly) {
  Names names;
  EXPECT_EQ(names.unique("memcpy.x"), "memcpy_x");
  EXPECT_EQ(names.unique("memcpy_x"), "memcpy_x__2");
  EXPECT_EQ(names.unique("r1"), "r1_");
  EXPECT_EQ(names.unique("add16"), "add16_");
  EXPECT_EQ(names.unique("rows"), "rows");
}

TEST(CslCodegenMoves, RingsGoThroughAFreePair) {
  const std::vector<Move> moves = in_sequence({{0, 2, true}, {2, 0, true}, {4, 8, false}});
  std::array<int, 16> registers{};
  for (int i = 0; i < 16; ++i) registers[static_cast<std::size_t>(i)] = i;
  for (const Move& m : moves) {
    registers[m.to] = registers[m.from];
    if (m.is_wide) registers[m.to + 1U] = registers[m.from + 1U];
  }
  EXPECT_EQ(registers[0], 2);
  EXPECT_EQ(registers[1], 3);
  EXPECT_EQ(registers[2], 0);
  EXPECT_EQ(registers[3], 1);
  EXPECT_EQ(registers[4], 8);
}

}  // namespace
}  // namespace tessera::csl::codegen
