// Passes of Style::kVendor: what each makes of a small function, and that it does the same.
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::vendor_passes_test {
namespace {

using namespace ir;
using ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CslVendorPasses : public ModuleFixture {};

TEST_F(CslVendorPasses, AFloatThatWouldWaitLetsAnotherGoFirst) {
  const VariableId a = global("a", Type::kSingle, {0x3F800000U, 0x40000000U});
  const VariableId out = global("out", Type::kSingle, {}, 2);
  Builder b(module, main);
  for (int k = 0; k < 2; ++k) {
    const Value x = b.load(Type::kSingle, address_of(a, 4 * k));
    b.store(address_of(out, 4 * k), b.binary(Op::kAdd, x, constant(Type::kSingle, 0x3F000000U)));
  }
  b.ret();
  EXPECT_THAT(code(), ContainsRegex("fadds[^\n]*\n *ld32[^\n]*\n *st32"));
  EXPECT_EQ(result("out"), 0x3FC00000U);
  EXPECT_EQ(result("out", 1), 0x40200000U);
}

TEST_F(CslVendorPasses, AFloatDoesNotLetAStoreToItsOwnInputGoFirst) {
  const VariableId a = global("a", Type::kSingle, {0x3F800000U, 0x40000000U});
  Builder b(module, main);
  const Value x = b.load(Type::kSingle, address_of(a));
  b.store(address_of(a, 4), b.binary(Op::kAdd, x, x));
  const Value y = b.load(Type::kSingle, address_of(a, 4));
  b.store(address_of(a), b.binary(Op::kAdd, y, y));
  b.ret();
  EXPECT_EQ(result("a", 1), 0x40000000U);
  EXPECT_EQ(result("a"), 0x40800000U);
}

TEST_F(CslVendorPasses, NothingPassesACallThatWaitsForAFloat) {
  const VariableId out = global("out", Type::kU16, {}, 1);
  Function callee;
  callee.name = "sets";
  callee.never_inlined = true;
  const FunctionId sets = add_function(module, callee);
  Builder c(module, sets);
  c.store(address_of(out), c.convert(Type::kU16, c.parameter(Type::kHalf)));
  c.ret();
  const VariableId x = global("x", Type::kSingle, {0x40A00000U});
  Builder b(module, main);
  b.call(sets, {b.convert(Type::kHalf, b.load(Type::kSingle, address_of(x)))});
  b.store(address_of(out), constant(Type::kU16, 9));
  b.ret();
  EXPECT_EQ(result("out"), 9U);
}

TEST_F(CslVendorPasses, TheLowHalfOfAShiftOf32BitsTakesThreeInstructions) {
  for (unsigned by = 1; by < 16; ++by) {
    for (const std::uint32_t mask : {0xFU, 0xFFFFU}) {
      SCOPED_TRACE(by);
      clear();
      const VariableId v = global("v", Type::kU32, {0x9ABCDEF5U});
      const VariableId out = global("out", Type::kU16, {}, 1);
      Builder b(module, main);
      const Value shifted =
          b.binary(Op::kShr, b.load(Type::kU32, address_of(v)), constant(Type::kU32, by));
      b.store(address_of(out),
              b.convert(Type::kU16, b.binary(Op::kAnd, shifted, constant(Type::kU32, mask))));
      b.ret();
      EXPECT_THAT(code(), Not(HasSubstr("slr32")));
      EXPECT_EQ(count(code(), "or16"), 1U);
      EXPECT_EQ(result("out"), 0x9ABCDEF5U >> by & mask);
    }
  }
}

TEST_F(CslVendorPasses, AnElementAtAKnownDistanceIsFormedFromTheAddressOfTheOther) {
  const VariableId a = global("a", Type::kI16, {1, 2, 3, 4, 5, 6, 7, 8});
  const VariableId i = global("i", Type::kU16, {2}), out = global("out", Type::kI16, {}, 1);
  Builder b(module, main);
  const Value index = b.load(Type::kU16, address_of(i));
  const Value next = b.binary(Op::kAdd, index, constant(Type::kU16, 3));
  b.store(address_of(out), b.binary(Op::kSub, b.load(Type::kI16, b.element(address_of(a), next, 2)),
                                    b.load(Type::kI16, b.element(address_of(a), index, 2))));
  b.ret();
  EXPECT_EQ(count(code(), "movri"), 1U);
  EXPECT_EQ(result("out"), 3U);
}

TEST_F(CslVendorPasses, WhatHoldsBeforeALoopIsNotComputedAfterItAgain) {
  const VariableId n = global("n", Type::kU16, {5}), out = global("out", Type::kU16, {}, 2);
  Builder b(module, main);
  const VariableId k = b.local("k", Type::kU16), m = b.local("m", Type::kU16);
  const auto eight = [&] {
    return b.binary(Op::kXor,
                    b.binary(Op::kMul, b.load(Type::kU16, address_of(m)), constant(Type::kU16, 25)),
                    constant(Type::kU16, 1));
  };
  b.store(address_of(m), b.load(Type::kU16, address_of(n)));
  b.store(address_of(k), constant(Type::kU16, 0));
  const BlockId outer = b.new_block(), loop = b.new_block(), next = b.new_block(),
                end = b.new_block();
  b.jump(outer);
  b.enter(outer);
  b.store(address_of(out), eight());
  b.jump(loop);
  b.enter(loop);
  b.store(address_of(k),
          b.binary(Op::kAdd, b.load(Type::kU16, address_of(k)), constant(Type::kU16, 1)));
  b.branch(Condition::kLt, b.load(Type::kU16, address_of(k)), b.load(Type::kU16, address_of(n)),
           loop, next);
  b.enter(next);
  b.store(address_of(out, 2), eight());
  b.store(address_of(m),
          b.binary(Op::kSub, b.load(Type::kU16, address_of(m)), constant(Type::kU16, 1)));
  b.branch(Condition::kNe, b.load(Type::kU16, address_of(m)), constant(Type::kU16, 0), outer, end);
  b.enter(end);
  b.ret();
  EXPECT_EQ(count(code(), "xor16"), 1U) << code();
  EXPECT_EQ(result("out"), 24U);
  EXPECT_EQ(result("out", 1), 24U);
}

TEST_F(CslVendorPasses, ADivisionHasTheSignOfItsOwnType) {
  // What is divided is a register of the other type, as after a cast between i16 and u16.
  const VariableId in = global("in", Type::kI16, {33008});
  const VariableId out = global("out", Type::kU16, {}, 4);
  Builder b(module, main);
  const Value cast = b.convert(Type::kU16, b.load(Type::kI16, address_of(in)));
  const Value back = b.convert(Type::kI16, cast);
  b.store(address_of(out), b.binary(Op::kDiv, cast, constant(Type::kU16, 3)));
  b.store(address_of(out, 2), b.binary(Op::kRem, cast, constant(Type::kU16, 7)));
  b.store(address_of(out, 4), b.binary(Op::kDiv, back, constant(Type::kI16, 3)));
  b.store(address_of(out, 6), b.binary(Op::kRem, back, constant(Type::kI16, 7)));
  b.ret();
  EXPECT_EQ(result("out"), 33008U / 3);
  EXPECT_EQ(result("out", 1), 33008U % 7);
  EXPECT_EQ(static_cast<std::int16_t>(result("out", 2)), (33008 - 65536) / 3);
  EXPECT_EQ(static_cast<std::int16_t>(result("out", 3)), (33008 - 65536) % 7);
}

TEST_F(CslVendorPasses, ACopyThatIsWrittenAnewDoesNotTakeTheFirstValueAlong) {
  const VariableId in = global("in", Type::kI32, {7}), out = global("out", Type::kI32, {}, 2);
  Builder b(module, main);
  const VariableId v = b.local("v", Type::kI32), w = b.local("w", Type::kI32);
  const auto load = [&b](VariableId x) { return b.load(Type::kI32, address_of(x)); };
  b.store(address_of(v), b.binary(Op::kSub, constant(Type::kI32, 10), load(in)));
  b.store(address_of(w), load(v));
  b.store(address_of(w), constant(Type::kI32, 5));
  b.store(address_of(out), b.binary(Op::kMul, load(v), load(v)));
  b.store(address_of(out, 4), load(w));
  b.ret();
  EXPECT_EQ(result("out"), 9U);
  EXPECT_EQ(result("out", 1), 5U);
}

/// do { out += 10; do { j += 1; out += j; k += inner; } while (j < n); k += outer; } while (k < 4);
class CslLoopsInLoops : public CslVendorPasses {
 protected:
  void build(std::uint32_t inner, std::uint32_t outer) {
    const VariableId n = global("n", Type::kU16, {3}), out = global("out", Type::kU16, {}, 1);
    Builder b(module, main);
    const VariableId j = b.local("j", Type::kU16), k = b.local("k", Type::kU16);
    const auto load = [&b](VariableId v) { return b.load(Type::kU16, address_of(v)); };
    const auto add = [&](VariableId v, const Value& x) {
      b.store(address_of(v), b.binary(Op::kAdd, load(v), x));
    };
    const auto number = [](std::uint32_t x) { return constant(Type::kU16, x); };
    b.store(address_of(k), number(0));
    b.store(address_of(j), number(0));
    const BlockId again = b.new_block(), body = b.new_block(), next = b.new_block(),
                  end = b.new_block();
    b.jump(again);
    b.enter(again);
    add(out, number(10));
    b.jump(body);
    b.enter(body);
    add(j, number(1));
    add(out, load(j));
    if (inner != 0) add(k, number(inner));
    b.branch(Condition::kLt, load(j), load(n), body, next);
    b.enter(next);
    if (outer != 0) add(k, number(outer));
    b.branch(Condition::kLt, load(k), number(4), again, end);
    b.enter(end);
    b.ret();
  }
};

TEST_F(CslLoopsInLoops, ABackEdgeThatIsNeverTakenGoes) {
  build(0, 4);
  EXPECT_EQ(count(code(), "jmp"), 1U) << code();
  EXPECT_EQ(result("out"), 10U + 1 + 2 + 3);
}

TEST_F(CslLoopsInLoops, ABackEdgeThatIsTakenStays) {
  build(0, 2);
  EXPECT_EQ(count(code(), "jmp"), 2U) << code();
  EXPECT_EQ(result("out"), 10U + 1 + 2 + 3 + 10 + 4);
}

TEST_F(CslLoopsInLoops, ACounterThatTheInnerLoopStepsIsNone) {
  build(1, 0);
  EXPECT_EQ(count(code(), "jmp"), 2U) << code();
  EXPECT_EQ(result("out"), 10U + 1 + 2 + 3 + 10 + 4);
}

/// out[k / 4] += k % 4 for k = first; k < bound; k += by
class CslCounters : public CslVendorPasses {
 protected:
  void build(int first, const Value* bound, int by) {
    const VariableId out = global("out", Type::kI16, {}, 64);
    Builder b(module, main);
    const VariableId k = b.local("k", Type::kI16);
    b.store(address_of(k), constant(Type::kI16, static_cast<std::uint32_t>(first)));
    const BlockId test = b.new_block(), body = b.new_block(), behind = b.new_block();
    b.jump(test);
    b.enter(test);
    const Value limit = bound != nullptr ? *bound : b.load(Type::kI16, address_of(limit_));
    b.branch(Condition::kLt, b.load(Type::kI16, address_of(k)), limit, body, behind);
    b.enter(body);
    const Value n = b.load(Type::kI16, address_of(k));
    const Value at = b.element(address_of(out), b.binary(Op::kDiv, n, constant(Type::kI16, 4)), 2);
    const Value more = b.binary(Op::kRem, n, constant(Type::kI16, 4));
    b.store(at, b.binary(Op::kAdd, b.load(Type::kI16, at), more));
    b.store(address_of(k),
            b.binary(Op::kAdd, n, constant(Type::kI16, static_cast<std::uint32_t>(by))));
    b.jump(test);
    b.enter(behind);
    b.ret();
  }
  const VariableId limit_ = global("limit", Type::kI16, {200});
  const Value known_ = constant(Type::kI16, 200);
};

TEST_F(CslCounters, AreDividedWithoutABiasIfTheirBoundIsKnown) {
  build(0, &known_, 1);
  EXPECT_THAT(code(), Not(HasSubstr("sar16")));
  EXPECT_EQ(result("out", 3), 0U + 1 + 2 + 3);
  EXPECT_EQ(result("out", 49), 6U);
}

TEST_F(CslCounters, KeepTheBiasIfTheyMayBecomeNegative) {
  build(0, nullptr, 1);
  EXPECT_THAT(code(), HasSubstr("sar16"));
  EXPECT_EQ(result("out", 49), 6U);
}

TEST_F(CslCounters, KeepTheBiasIfTheyMayOverflow) {
  const Value most = constant(Type::kI16, 32760);
  build(0, &most, 16);
  EXPECT_THAT(code(), HasSubstr("sar16"));
}

TEST_F(CslCounters, KeepTheBiasIfTheyBeginBelowZero) {
  build(-1, &known_, 1);
  EXPECT_THAT(code(), HasSubstr("sar16"));
  EXPECT_EQ(result("out"), 5U);
}

TEST_F(CslVendorPasses, ACounterThatIsComparedBehindItsStepMayOverflow) {
  // Every trip of the outer loop takes a step of k, which nothing sets back, before the inner loop compares it.
  const VariableId out = global("out", Type::kI16, {}, 2);
  const VariableId limit = global("limit", Type::kI16, {32});
  Builder b(module, main);
  const VariableId k = b.local("k", Type::kI16), n = b.local("n", Type::kI16);
  const auto number = [](int x) { return constant(Type::kI16, static_cast<std::uint32_t>(x)); };
  const auto load = [&b](VariableId v) { return b.load(Type::kI16, address_of(v)); };
  b.store(address_of(k), number(0));
  b.store(address_of(n), number(0));
  const BlockId outer = b.new_block(), inner = b.new_block(), again = b.new_block(),
                behind = b.new_block();
  b.jump(outer);
  b.enter(outer);
  b.branch(Condition::kLt, load(n), load(limit), inner, behind);
  b.enter(inner);
  b.store(address_of(k), b.binary(Op::kAdd, load(k), number(1024)));
  b.branch(Condition::kLt, load(k), number(10), inner, again);
  b.enter(again);
  b.store(address_of(out), b.binary(Op::kDiv, load(k), number(4)));
  b.store(address_of(n), b.binary(Op::kAdd, load(n), number(1)));
  b.jump(outer);
  b.enter(behind);
  b.ret();
  EXPECT_THAT(code(), HasSubstr("sar16"));
  EXPECT_EQ(result("out"), 1024U / 4);
}

TEST_F(CslVendorPasses, WhatIsCutTo16BitsMayBecomeNegative) {
  const VariableId in = global("in", Type::kU16, {40000});
  const VariableId out = global("out", Type::kI16, {}, 1);
  Builder b(module, main);
  const Value wide = b.convert(Type::kI32, b.load(Type::kU16, address_of(in)));
  const Value cut = b.convert(Type::kI16, wide);
  b.store(address_of(out), b.binary(Op::kDiv, cut, constant(Type::kI16, 4)));
  b.ret();
  EXPECT_EQ(static_cast<std::int16_t>(result("out")), (40000 - 65536) / 4);
}

TEST_F(CslVendorPasses, ACarriedValueIsNotCopiedForTheCompareThatEndsTheLoop) {
  const VariableId out = global("out", Type::kU16, {21, 15});
  Builder b(module, main);
  const VariableId p = b.local("p", Type::kU16), q = b.local("q", Type::kU16);
  b.store(address_of(p), b.load(Type::kU16, address_of(out)));
  b.store(address_of(q), b.load(Type::kU16, address_of(out, 2)));
  const BlockId test = b.new_block(), body = b.new_block(), more = b.new_block(),
                less = b.new_block(), behind = b.new_block();
  const auto load = [&b](VariableId v) { return b.load(Type::kU16, address_of(v)); };
  b.jump(test);
  b.enter(test);
  b.branch(Condition::kNe, load(p), load(q), body, behind);
  b.enter(body);
  b.branch(Condition::kGt, load(p), load(q), more, less);
  b.enter(more);
  b.store(address_of(p), b.binary(Op::kSub, load(p), load(q)));
  b.jump(test);
  b.enter(less);
  b.store(address_of(q), b.binary(Op::kSub, load(q), load(p)));
  b.jump(test);
  b.enter(behind);
  b.store(address_of(out), load(p));
  b.ret();
  EXPECT_EQ(count(code(), "mov16"), 0U);
  EXPECT_EQ(result("out"), 3U);
}

TEST_F(CslVendorPasses, AConversionBetween16And32BitsTakesTheHalfOfAPair) {
  const VariableId a = global("a", Type::kU16, {40000, 3});
  const VariableId out = global("out", Type::kU16, {}, 1);
  Builder b(module, main);
  const Value x = b.convert(Type::kU32, b.load(Type::kU16, address_of(a)));
  const Value y = b.convert(Type::kU32, b.load(Type::kU16, address_of(a, 2)));
  b.store(address_of(out), b.convert(Type::kU16, b.binary(Op::kAdd, x, y)));
  b.ret();
  EXPECT_THAT(code(), Not(HasSubstr("mov16")));
  EXPECT_EQ(result("out"), 40003U);
}

// `count += 1; if (count < 3) return; ..`: the frequent way has no jump, and nothing is left of the block that
// it would go to.
TEST_F(CslVendorPasses, ATaskEndsUnderAConditionWithoutAJump) {
  const VariableId n = global("n", Type::kI16, {0});
  const VariableId out = global("out", Type::kI16, {0});
  for (const bool is_first : {true, false}) {
    Function f;
    f.name = is_first ? "counts" : "does";
    f.is_task = true;
    const FunctionId id = add_function(module, f);
    Task task;
    task.function = id;
    task.binding.name = f.name;
    task.binding.kind = pe::TaskKind::kLocal;
    task.binding.id = TaskId(is_first ? 8U : 9U);
    task.binding.active = true;
    module.tasks.push_back(task);
    Builder b(module, id);
    const BlockId work = b.new_block(), end = b.new_block();
    const Value now =
        b.binary(Op::kAdd, b.load(Type::kI16, address_of(n)), constant(Type::kI16, 1));
    b.store(address_of(n), now);
    if (is_first)
      b.branch(Condition::kLt, now, constant(Type::kI16, 3), end, work);
    else
      b.branch(Condition::kLt, now, constant(Type::kI16, 2), work, end);
    b.enter(work);
    const Value sum = b.load(Type::kI16, address_of(out));
    b.store(address_of(out), b.binary(Op::kAdd, sum, constant(Type::kI16, 5)));
    b.ret();
    b.enter(end);
    b.ret();
  }
  Builder b(module, main);
  b.ret();
  const std::string text = tasm::disassemble(image());
  EXPECT_EQ(count(text, "endt"), 1U) << text;
  EXPECT_EQ(count(text, "endf"), 1U);
  EXPECT_EQ(count(text, "    end\n"), 2U);
  EXPECT_EQ(count(text, "jmp"), 0U);
}

/// Descriptors of two arrays, and a record of the first in a local.
class CslRecords : public CslVendorPasses {
 protected:
  CslRecords() {
    for (const char* name : {"a", "sum"}) {
      std::vector<std::uint32_t> values;
      for (std::uint32_t k = 0; k < 12; ++k) values.push_back(name[0] == 'a' ? k : 100);
      Descriptor d;
      d.array = global(name, Type::kI16, values);
      d.dsd.name = std::string(name) + "_dsd";
      d.dsd.extent = d.dsd.extents[0] = 4;
      d.dsd.element_bytes = 2;
      module.descriptors.push_back(d);
    }
  }
  /// sum += a[0..3], moves on by `words`, and so on `times` times.
  void add_parts(unsigned times, int words) {
    Builder b(module, main);
    const VariableId record = b.local("record", Type::kU16, 4);
    b.store(address_of(record), constant(Type::kU16, 0));
    b.store(address_of(record, 2), b.copy(Type::kU16, address_of(*module.descriptors[0].array)));
    b.store(address_of(record, 4), constant(Type::kU16, 4));
    b.store(address_of(record, 6), constant(Type::kU16, 1));
    DsdOperand sum, part;
    sum.descriptor = 1;
    part.kind = DsdOperand::Kind::kRecord;
    part.value = address_of(record);
    for (unsigned t = 0; t < times; ++t) {
      dsd_operation(b, module, pe::Opcode::kAdd16, {sum, sum, part});
      const Value now = b.load(Type::kU16, address_of(record, 2));
      const auto by = static_cast<std::uint32_t>(2 * words);
      b.store(address_of(record, 2), b.binary(Op::kAdd, now, constant(Type::kU16, by)));
    }
    b.ret();
  }
};

TEST_F(CslRecords, ARecordThatMovesOnByWhatWasUsedIsLoadedOnce) {
  add_parts(3, 4);
  EXPECT_EQ(count(code(), "lddsr"), 2U) << code();
  EXPECT_EQ(count(code(), "save_address"), 1U);
  EXPECT_EQ(count(code(Style::kPlain), "lddsr"), 6U);
  EXPECT_EQ(result("sum", 1), 100U + 1 + 5 + 9);
}

TEST_F(CslRecords, ARecordThatIsADescriptorOfTheProgramIsNotStored) {
  add_parts(1, 4);
  EXPECT_THAT(code(), Not(HasSubstr("st16"))) << code();
  EXPECT_THAT(code(), HasSubstr("a_dsd"));
  EXPECT_EQ(result("sum", 1), 100U + 1);
}

TEST_F(CslRecords, ARecordWithAnotherLengthStays) {
  module.descriptors[0].dsd.extent = module.descriptors[0].dsd.extents[0] = 5;
  add_parts(1, 4);
  EXPECT_THAT(code(), HasSubstr("lddsr s1ds1, [frames]"));
  EXPECT_EQ(result("sum", 1), 100U + 1);
}

TEST_F(CslRecords, ARecordThatMovesOnOtherwiseIsLoadedAgain) {
  add_parts(3, 2);
  EXPECT_THAT(code(), Not(HasSubstr("save_address")));
  EXPECT_EQ(count(code(), "lddsr"), 6U);
  EXPECT_EQ(result("sum", 1), 100U + 1 + 3 + 5);
}

TEST_F(CslVendorPasses, AnIdThatNothingHasIsNotBlocked) {
  // The arms of `@block` for a color of the running program: the loader knows ids of tasks and colors that come in.
  pe::QueueBinding queue;
  queue.name = "in";
  queue.input = true;
  queue.id = QueueId(2);
  queue.color = Color(9);
  module.settings.queues.push_back(queue);
  Builder b(module, main);
  for (const int id : {9, 14}) b.control(pe::Opcode::kBlk, {pe::kTask, 0, id});
  b.ret();
  EXPECT_EQ(count(code(), "blk "), 1U) << code();
  EXPECT_THAT(code(), HasSubstr("blk 9"));
}

}  // namespace
}  // namespace tessera::csl::codegen::vendor_passes_test
