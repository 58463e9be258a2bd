// Globals that nobody changes are constants for Style::kVendor.
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::constant_globals_test {
namespace {

using namespace ir;
using ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;
using testing::HasSubstr;
using testing::Not;

/// A number, a pointer to it, and a sum of what both give.
class CslConstantGlobals : public ModuleFixture {
 protected:
  CslConstantGlobals() {
    number = global("number", Type::kU32, {0x12345678U});
    module.variables[number].is_internal = true;
    pointer = global("pointer", Type::kAddress, {0});
    module.variables[pointer].is_internal = true;
    module.variables[pointer].addresses = {{0, number}};
    out = global("out", Type::kU32, {}, 1);
  }
  /// out = number + (what pointer points to)
  std::string sum() {
    Builder b(module, main);
    const Value direct = b.load(Type::kU32, address_of(number));
    const Value behind = b.load(Type::kU32, b.load(Type::kAddress, address_of(pointer)));
    b.store(address_of(out), b.binary(Op::kAdd, direct, behind));
    b.ret();
    return code();
  }

  /// `out` after a run.
  std::uint32_t result() const { return ModuleFixture::result("out"); }

  VariableId number = 0, pointer = 0, out = 0;
};

TEST_F(CslConstantGlobals, ANumberThatNobodyChangesIsNotLoaded) {
  EXPECT_THAT(sum(), Not(HasSubstr("ld")));
  EXPECT_EQ(result(), 0x2468ACF0U);
}

TEST_F(CslConstantGlobals, ANumberThatTheHostMayWriteIsLoaded) {
  module.variables[number].is_internal = false;
  EXPECT_THAT(sum(), HasSubstr("ld32"));
}

TEST_F(CslConstantGlobals, ANumberBehindAPointerThatTheHostKnowsIsLoaded) {
  module.variables[pointer].is_internal = false;
  EXPECT_THAT(sum(), HasSubstr("ld32"));
}

TEST_F(CslConstantGlobals, ANumberWithoutAValueIsLoaded) {
  module.variables[number].init.clear();
  EXPECT_THAT(sum(), HasSubstr("ld32"));
}

TEST_F(CslConstantGlobals, ANumberThatAFunctionStoresIsLoaded) {
  Builder b(module, function("other"));
  b.store(address_of(number), constant(Type::kU32, 1));
  b.ret();
  EXPECT_THAT(sum(), HasSubstr("ld32"));
  EXPECT_EQ(result(), 0x2468ACF0U);
}

TEST_F(CslConstantGlobals, ANumberWhoseAddressGoesToACallIsLoaded) {
  const FunctionId sets = function("sets");
  module.functions[sets].never_inlined = true;
  Builder c(module, sets);
  c.store(c.parameter(Type::kAddress), constant(Type::kU32, 1));
  c.ret();
  Builder b(module, main);
  b.call(sets, {address_of(number)});
  b.store(address_of(out), b.load(Type::kU32, address_of(number)));
  b.ret();
  EXPECT_EQ(result(), 1U);
}

TEST_F(CslConstantGlobals, PlainCodeLoadsWhatTheProgramSays) {
  sum();
  EXPECT_THAT(code(Style::kPlain), HasSubstr("ld32"));
}

}  // namespace
}  // namespace tessera::csl::codegen::constant_globals_test
