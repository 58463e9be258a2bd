// The IR: what the builder makes, how it prints, and what the verifier refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/print.h"
#include "frontends/csl/ir/verify.h"

namespace tessera::csl::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CslIr : public testing::Test {
 protected:
  Builder function(const char* name, std::optional<Type> result = std::nullopt) {
    Function f;
    f.name = name;
    f.result = result;
    return Builder(module, add_function(module, f));
  }
  Instruction& first() { return module.functions[0].blocks[0].code[0]; }
  Module module;
};

TEST_F(CslIr, PrintsFunctions) {
  Variable a;
  a.name = "a";
  a.count = 4;
  const VariableId array = add_variable(module, a);
  Builder b = function("sum", Type::kI16);
  const Value n = b.parameter(Type::kI16);
  const BlockId yes = b.new_block();
  const BlockId no = b.new_block();
  b.branch(Condition::kLt, n, constant(Type::kI16, 0xFFFF), yes, no);
  b.enter(yes);
  b.ret(b.load(Type::kI16, b.element(address_of(array, 2), n, 2)));
  b.enter(no);
  b.ret(constant(Type::kI16, 7));
  EXPECT_EQ(print(module), R"(global a: i16[4]
fn sum(%0:i16) i16
b0:
  branch.i16 < %0, -1 ? b1 : b2
b1:
  %1:address = element &a+2, %0 * 2
  %2:i16 = load.i16 %1
  return %2
b2:
  return 7
)");
  EXPECT_THAT(problems_of(module), IsEmpty());
}

TEST_F(CslIr, ShiftAmountsGetTheWidthOfTheValue) {
  Builder b = function("f");
  const Value x = b.parameter(Type::kU32);
  const Value by = b.parameter(Type::kU16);
  b.binary(Op::kShl, x, by);
  b.binary(Op::kShl, x, constant(Type::kU16, 3));
  b.ret();
  EXPECT_EQ(print(module), R"(fn f(%0:u32, %1:u16)
b0:
  %2:u32 = convert.u16 %1
  %3:u32 = shl %0, %2
  %4:u32 = shl %0, 3
  return
)");
  EXPECT_THAT(problems_of(module), IsEmpty());
}

// What an operand means must not depend on the register that a pass left there.
TEST_F(CslIr, AnOperandIsReadAsTheTypeThatItsInstructionTakes) {
  Builder b = function("f");
  const Value x = b.parameter(Type::kU16);
  const Value y = b.parameter(Type::kI16);
  b.binary(Op::kDiv, x, y);
  b.ret();
  EXPECT_EQ(first().operands[1].type, Type::kU16);
  EXPECT_THAT(problems_of(module), IsEmpty());
  first().operands[1].type = Type::kI16;
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("expects u16 as operand 1, found i16")));
  read_as_taken(first());
  EXPECT_THAT(problems_of(module), IsEmpty());
  first().operands[1].type = Type::kHalf;
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("reads %1 as f16")));
}

TEST_F(CslIr, ABlockEndsWithItsOnlyTerminator) {
  Builder b = function("f");
  b.copy(Type::kI16, constant(Type::kI16, 1));
  EXPECT_THAT(problems_of(module), ElementsAre("f: b0 has no terminator"));
  b.ret();
  b.ret();
  EXPECT_THAT(problems_of(module), ElementsAre("f: b0 goes on after its terminator"));
}

TEST_F(CslIr, TypesAgree) {
  Builder b = function("f");
  b.binary(Op::kAdd, constant(Type::kI16, 1), constant(Type::kI32, 1));
  b.ret();
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("expects i16 as operand 1, found i32")));
  first().operands[1] = constant(Type::kI16, 1);
  EXPECT_THAT(problems_of(module), IsEmpty());
  first().op = Op::kScale;
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("does not exist for i16")));
}

TEST_F(CslIr, ACopyKeepsTheWidth) {
  Builder b = function("f");
  b.copy(Type::kSingle, constant(Type::kU16, 1));
  b.ret();
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("copies to another width")));
}

TEST_F(CslIr, RegistersHaveAValueOnEveryPath) {
  Builder b = function("f");
  const Value n = b.parameter(Type::kI16);
  const BlockId yes = b.new_block();
  const BlockId join = b.new_block();
  b.branch(Condition::kEq, n, constant(Type::kI16, 0), yes, join);
  b.enter(yes);
  const Value x = b.copy(Type::kI16, n);
  b.jump(join);
  b.enter(join);
  b.unary(Op::kNeg, x);
  b.ret();
  EXPECT_THAT(problems_of(module), ElementsAre("f: %1 may be read before it has a value"));
}

TEST_F(CslIr, CallsFitTheirCallees) {
  Builder callee = function("g", Type::kI16);
  callee.ret(callee.parameter(Type::kI16));
  Builder b = function("f");
  b.call(0, {});
  b.ret();
  EXPECT_THAT(
      problems_of(module),
      ElementsAre("f: b0: '%0:i16 = call g' does not fit the parameters or the result of g"));
  EXPECT_THROW(require_valid(module), std::logic_error);
}

TEST_F(CslIr, ReturnsFitTheResult) {
  Builder b = function("f", Type::kI16);
  b.ret();
  EXPECT_THAT(problems_of(module),
              ElementsAre("f: b0: 'return' does not fit the result of the function"));
}

TEST_F(CslIr, RegistersAndBlocksExist) {
  Builder b = function("f");
  b.jump(3);
  EXPECT_THAT(problems_of(module), ElementsAre(HasSubstr("goes to a block that does not exist")));
  first().targets[0] = 0;
  EXPECT_THAT(problems_of(module), IsEmpty());
  first().results = {5};
  EXPECT_THAT(problems_of(module),
              ElementsAre(HasSubstr("assigns a register that does not exist")));
}

}  // namespace
}  // namespace tessera::csl::ir
