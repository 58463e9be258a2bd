// The code of Style::kVendor for small functions (wse_timing_3.md C3), and divisions by constants.
#include <string>

#include "frontends/csl/codegen/division.h"
#include "frontends/csl/ir/builder.h"
#include "tests/frontends/csl/ir_interpreter.h"
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::vendor_code_test {
namespace {

using namespace ir;
using ir::Block, ir::Condition, ir::Function, ir::Instruction, ir::Module, ir::Op, ir::Type,
    ir::Value;
using testing::HasSubstr;
using testing::Not;

class CslVendorCode : public ModuleFixture {
 protected:
  VariableId global(const char* name, Type type, std::uint32_t count = 1) {
    return ModuleFixture::global(name, type, {}, count);
  }
};

TEST_F(CslVendorCode, LoopsStayLoopsWhereUnrolledOnesDoNotFitBesideHostTransfers) {
  const VariableId out = global("out", Type::kI16, 16);
  Builder b(module, main);
  const VariableId i = b.local("i", Type::kI16);
  b.store(address_of(i), constant(Type::kI16, 0));
  const BlockId test = b.new_block(), body = b.new_block(), exit = b.new_block();
  b.jump(test);
  b.enter(test);
  b.branch(Condition::kLt, b.load(Type::kI16, address_of(i)), constant(Type::kI16, 16), body, exit);
  b.enter(body);
  const Value index = b.load(Type::kI16, address_of(i));
  b.store(b.element(address_of(out), index, 2), index);
  b.store(address_of(i), b.binary(Op::kAdd, index, constant(Type::kI16, 1)));
  b.jump(test);
  b.enter(exit);
  b.ret();
  Options options;
  const pe::Image unrolled = generate(module, options);
  options.room = unrolled.data_end;
  EXPECT_EQ(generate(module, options).code.size(), unrolled.code.size());
  options.room = unrolled.data_end - 1;
  EXPECT_LT(generate(module, options).code.size(), unrolled.code.size());
}

TEST_F(CslVendorCode, AddressesCountOnceAndFloatsTwiceInTheLimitOfUnrolling) {
  // `trips` steps of out[k] = out[k] + in[a[k]] * in[b[k]]: 8 fit, 16 do not.
  const auto jumps = [&](std::uint32_t trips, Type counter) {
    clear();
    const VariableId a = global("a", Type::kU16, 16), in = global("in", Type::kSingle, 16);
    const VariableId out = global("out", Type::kSingle, 16);
    Builder b(module, main);
    const VariableId k = b.local("k", counter);
    b.store(address_of(k), constant(counter, 0));
    const BlockId body = b.new_block(), exit = b.new_block();
    b.jump(body);
    b.enter(body);
    const Value now = b.load(counter, address_of(k));
    const Value index = is_wide(counter) ? b.convert(Type::kU16, now) : now;
    const Value to = b.element(address_of(out), index, 4);
    const Value which = b.load(Type::kU16, b.element(address_of(a), index, 2));
    const Value x = b.load(Type::kSingle, b.element(address_of(in), which, 4));
    b.store(to, b.binary(Op::kAdd, b.load(Type::kSingle, to), b.binary(Op::kMul, x, x)));
    const Value next = b.binary(Op::kAdd, now, constant(counter, 1));
    b.store(address_of(k), next);
    b.branch(Condition::kLt, next, constant(counter, trips), body, exit);
    b.enter(exit);
    b.ret();
    return code().find("jmpt") != std::string::npos;
  };
  EXPECT_FALSE(jumps(8, Type::kU16));
  EXPECT_TRUE(jumps(16, Type::kU16));
  EXPECT_FALSE(jumps(8, Type::kI32));
}

TEST_F(CslVendorCode, AShortIfIsACompareAndAPredicatedMove) {
  const VariableId a = global("a", Type::kI16, 2), out = global("out", Type::kI16);
  Builder b(module, main);
  const VariableId x = b.local("x", Type::kI16);
  b.store(address_of(x), constant(Type::kI16, 11));
  const BlockId yes = b.new_block(), join = b.new_block();
  b.branch(Condition::kLt, b.load(Type::kI16, address_of(a)), b.load(Type::kI16, address_of(a, 2)),
           yes, join);
  b.enter(yes);
  b.store(address_of(x), constant(Type::kI16, 22));
  b.jump(join);
  b.enter(join);
  b.store(address_of(out), b.load(Type::kI16, address_of(x)));
  b.ret();
  EXPECT_THAT(code(), HasSubstr(", 22, 11\n"));
  EXPECT_THAT(code(), Not(HasSubstr("jmp")));
  EXPECT_THAT(code(Style::kPlain), HasSubstr("jmp"));
}

TEST_F(CslVendorCode, AnArrayElementHasABaseAndABareRegister) {
  const VariableId a = global("a", Type::kSingle, 8), out = global("out", Type::kSingle);
  Builder b(module, main);
  const Value i = b.parameter(Type::kU16);
  b.store(address_of(out), b.load(Type::kSingle, b.element(address_of(a), i, 4)));
  b.ret();
  const std::string text = code();
  EXPECT_THAT(text, HasSubstr("movri "));
  EXPECT_THAT(text, testing::ContainsRegex("ld32 d[0-9]+, \\[r[0-9]+\\]"));
}

/// `if (a < 3) { out = VALUE; }` where VALUE is 1, or one more than what is there. `stores_before`: out = 0 in front of it.
class CslStoreOfOneArm : public CslVendorCode {
 protected:
  void build(bool stores_before, bool counts) {
    const VariableId a = global("a", Type::kI16, 2);
    out = global("out", Type::kI16, 2);
    Builder b(module, main);
    const BlockId yes = b.new_block(), join = b.new_block();
    const Value x = b.load(Type::kI16, address_of(a));
    if (stores_before) b.store(address_of(out), constant(Type::kI16, 0));
    b.branch(Condition::kLt, x, constant(Type::kI16, 3), yes, join);
    b.enter(yes);
    const Value one = constant(Type::kI16, 1);
    b.store(address_of(out),
            counts ? b.binary(Op::kAdd, b.load(Type::kI16, address_of(out)), one) : one);
    b.jump(join);
    b.enter(join);
    b.ret();
  }
  VariableId out = 0;
};

TEST_F(CslStoreOfOneArm, StaysThereAsInLlvm) {
  build(false, false);
  EXPECT_THAT(code(), HasSubstr("jmp"));
}

TEST_F(CslStoreOfOneArm, IsMadeAlwaysBehindAnotherOne) {
  build(true, false);
  EXPECT_THAT(code(), Not(HasSubstr("jmp")));
}

TEST_F(CslStoreOfOneArm, IsMadeAlwaysWhereItCounts) {
  build(false, true);
  EXPECT_THAT(code(), Not(HasSubstr("jmp")));
}

TEST_F(CslStoreOfOneArm, StaysThereIfOthersMayWrite) {
  build(true, true);
  Descriptor d;
  d.dsd.name = "d";
  d.dsd.extent = d.dsd.extents[0] = 2;
  d.array = out;
  module.descriptors.push_back(d);
  EXPECT_THAT(code(), HasSubstr("jmp"));
}

TEST_F(CslVendorCode, AMaskThatAShiftMakesIdleGoes) {
  const VariableId a = global("a", Type::kU16, 4), out = global("out", Type::kU16, 4);
  Builder b(module, main);
  const auto made = [&](int place, Op first, unsigned x, Op second, unsigned y) {
    const Value word = b.load(Type::kU16, address_of(a, 2 * place));
    const Value part = b.binary(first, word, constant(Type::kU16, x));
    b.store(address_of(out, 2 * place), b.binary(second, part, constant(Type::kU16, y)));
  };
  made(0, Op::kAnd, 0x00FF, Op::kShl, 8);
  made(1, Op::kShr, 8, Op::kAnd, 0x00FF);
  made(2, Op::kAnd, 0xFFF0, Op::kShr, 4);
  made(3, Op::kShl, 4, Op::kAnd, 0xFFF8);
  b.ret();
  EXPECT_THAT(code(), Not(HasSubstr("and16")));
}

TEST_F(CslVendorCode, AMaskThatTakesMoreThanAShiftStays) {
  const VariableId a = global("a", Type::kI16, 2), out = global("out", Type::kI16, 2);
  Builder b(module, main);
  const Value x = b.load(Type::kI16, address_of(a)), y = b.load(Type::kI16, address_of(a, 2));
  // The shift of a signed number brings its sign, and 7 bits are fewer than 8.
  b.store(address_of(out), b.binary(Op::kAnd, b.binary(Op::kShr, x, constant(Type::kI16, 8)),
                                    constant(Type::kI16, 0xFF)));
  b.store(address_of(out, 2), b.binary(Op::kShl, b.binary(Op::kAnd, y, constant(Type::kI16, 0x7F)),
                                       constant(Type::kI16, 8)));
  b.ret();
  const std::string text = code();
  EXPECT_NE(text.find("and16"), text.rfind("and16"));
}

/// x `op` by, by the code that divide_by_constant() gives.
std::uint32_t divided(Op op, Type type, std::uint32_t x, std::uint32_t by) {
  Module module;
  Function f;
  f.name = "f";
  f.result = type;
  const FunctionId id = add_function(module, f);
  Builder b(module, id);
  const Value p = b.parameter(type);
  Instruction division;
  division.op = op;
  division.type = type;
  division.results = {module.functions[id].new_register(type)};
  division.operands = {p, constant(type, by)};
  std::vector<Instruction> code;
  if (!divide_by_constant(division, module.functions[id], code)) code = {division};
  module.functions[id].blocks[0].code = code;
  b.ret(reg(type, division.results[0]));
  // High words are those of shifts, which the interpreter knows.
  return test::Interpreter(module).run(id, {x});
}

TEST(CslDivision, ByAnyConstantIsThatOfTheMachine) {
  for (const int by :
       {1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 25, 100, 127, 128, 641, 1000, 4096, 16384, 32767}) {
    for (int x = -32768; x < 65536; x += 97) {
      const auto bits = static_cast<std::uint32_t>(x) & 0xFFFFU;
      const auto u = static_cast<std::uint16_t>(x);
      EXPECT_EQ(divided(Op::kDiv, Type::kU16, bits, static_cast<std::uint32_t>(by)), u / by);
      EXPECT_EQ(divided(Op::kRem, Type::kU16, bits, static_cast<std::uint32_t>(by)), u % by);
      const auto s = static_cast<std::int16_t>(x);
      for (const int sign : {by, -by}) {
        const auto divisor = static_cast<std::uint32_t>(sign) & 0xFFFFU;
        EXPECT_EQ(static_cast<std::int16_t>(divided(Op::kDiv, Type::kI16, bits, divisor)),
                  static_cast<std::int16_t>(s / sign));
        EXPECT_EQ(static_cast<std::int16_t>(divided(Op::kRem, Type::kI16, bits, divisor)),
                  static_cast<std::int16_t>(s % sign));
      }
    }
  }
}

}  // namespace
}  // namespace tessera::csl::codegen::vendor_code_test
