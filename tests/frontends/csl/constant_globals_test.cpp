// Globals that nobody changes are constants for Style::kVendor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/models/pe/bench.h"

namespace tessera::csl::codegen::constant_globals_test {
namespace {

using namespace ir;
using ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;
using testing::HasSubstr;
using testing::Not;

/// A number, a pointer to it, and a sum of what both give.
class CslConstantGlobals : public testing::Test {
 protected:
  CslConstantGlobals() {
    module.files = {"a.csl"};
    main = function("main");
    number = global("number", Type::kU32, {0x12345678U});
    module.variables[number].is_internal = true;
    pointer = global("pointer", Type::kAddress, {0});
    module.variables[pointer].is_internal = true;
    module.variables[pointer].addresses = {{0, number}};
    out = global("out", Type::kU32, {});
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

  VariableId global(const char* name, Type type, std::vector<std::uint32_t> init) {
    Variable v;
    v.name = name;
    v.type = type;
    v.init = std::move(init);
    return add_variable(module, v);
  }
  FunctionId function(const char* name) {
    Function f;
    f.name = name;
    f.exported = true;
    return add_function(module, f);
  }
  pe::Image image(Style style = Style::kVendor) const {
    Options options;
    options.style = style;
    options.verify = true;
    return generate(module, options);
  }
  std::string code(Style style = Style::kVendor) const {
    const std::string text = tasm::disassemble(image(style));
    return text.substr(text.find("\nfn ") + 1);
  }
  /// `out` after a run.
  std::uint32_t result() const {
    pe::test::Bench bench(image());
    bench.launch("main", {}, 1);
    EXPECT_EQ(rule_broken_by(bench, 100000).text, "");
    return bench.bits("out", 0);
  }

  Module module;
  FunctionId main = 0;
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
