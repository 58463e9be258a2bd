// Products, shifts and differences with constants (frontends/csl/codegen/products.cpp), and constants that loops store.
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

namespace tessera::csl::codegen::products_test {
namespace {

using namespace ir;
using ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

unsigned count(const std::string& text, const std::string& word) {
  unsigned found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

class CslProducts : public testing::Test {
 protected:
  CslProducts() { clear(); }
  void clear() {
    module = Module();
    module.files = {"a.csl"};
    Function f;
    f.name = "main";
    f.exported = true;
    main = add_function(module, f);
    in = global("in", {300});
    out = global("out", {0});
  }
  VariableId global(const char* name, std::vector<std::uint32_t> init) {
    Variable v;
    v.name = name;
    v.type = Type::kU16;
    v.count = static_cast<std::uint32_t>(init.size());
    v.init = std::move(init);
    return add_variable(module, v);
  }
  Value number(std::uint32_t n) const { return constant(Type::kU16, n); }
  /// `out` = what `make` makes of `in`.
  template <class Make>
  void compile(Make make) {
    clear();
    Builder b(module, main);
    const Value made = make(b, b.load(Type::kU16, address_of(in)));
    b.store(address_of(out), made);
    b.ret();
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
  std::uint32_t result() const {
    pe::test::Bench bench(image());
    bench.launch("main", {}, 1);
    EXPECT_EQ(rule_broken_by(bench, 100000).text, "");
    return bench.bits("out", 0);
  }

  Module module;
  FunctionId main = 0;
  VariableId in = 0, out = 0;
};

TEST_F(CslProducts, AShiftOfAShiftIsOne) {
  compile([&](Builder& b, const Value& x) {
    return b.binary(Op::kShl, b.binary(Op::kShl, x, number(1)), number(2));
  });
  EXPECT_EQ(count(code(), "sll16"), 1U);
  EXPECT_EQ(result(), 2400U);
}

TEST_F(CslProducts, AShiftOfAShiftThatLeavesNothingIsZero) {
  compile([&](Builder& b, const Value& x) {
    return b.binary(Op::kShr, b.binary(Op::kShr, x, number(9)), number(9));
  });
  EXPECT_THAT(code(), Not(HasSubstr("slr16")));
  EXPECT_EQ(result(), 0U);
}

TEST_F(CslProducts, AShiftWithASignKeepsIt) {
  compile([&](Builder& b, const Value& x) {
    const Value negative = b.convert(Type::kI16, b.binary(Op::kSub, number(0), x));
    const Value first = b.binary(Op::kShr, negative, constant(Type::kI16, 9));
    return b.convert(Type::kU16, b.binary(Op::kShr, first, constant(Type::kI16, 9)));
  });
  EXPECT_EQ(count(code(), "sar16"), 1U);
  EXPECT_EQ(result(), 0xFFFFU);
}

TEST_F(CslProducts, ShiftsMeetBehindAProduct) {
  compile([&](Builder& b, const Value& x) {
    const Value twice = b.binary(Op::kShl, x, number(1));
    return b.binary(Op::kShl, b.binary(Op::kMul, twice, b.load(Type::kU16, address_of(in))),
                    number(2));
  });
  EXPECT_EQ(count(code(), "sll16"), 1U);
  EXPECT_EQ(result(), (300U * 300U * 8U) & 0xFFFFU);
}

TEST_F(CslProducts, ConstantsMeetBehindADifference) {
  compile([&](Builder& b, const Value& x) {
    const Value first = b.binary(Op::kAdd, x, number(7));
    const Value second = b.binary(Op::kAdd, b.binary(Op::kXor, x, number(1)), number(7));
    return b.binary(Op::kSub, first, second);
  });
  EXPECT_EQ(count(code(), "add16"), 0U);
  EXPECT_EQ(result(), 0xFFFFU);
}

TEST_F(CslProducts, AProductWithAConstantIsAShiftForEachDigit) {
  compile([&](Builder& b, const Value& x) { return b.binary(Op::kMul, x, number(14)); });
  EXPECT_THAT(code(), ContainsRegex("sll16[^\n]*4\n *sll16[^\n]*1\n *sub16"));
  EXPECT_THAT(code(), Not(HasSubstr("imul16")));
  EXPECT_THAT(code(Style::kBest), HasSubstr("imul16"));
  EXPECT_THAT(code(Style::kPlain), HasSubstr("imul16"));
}

TEST_F(CslProducts, ProductsWithAllKindsOfConstantsAreRight) {
  for (std::uint32_t c = 0; c < 0x10000; c += c < 130 || c > 0xFF80 ? 1 : 331) {
    SCOPED_TRACE(c);
    compile([&](Builder& b, const Value& x) { return b.binary(Op::kMul, x, number(c)); });
    ASSERT_EQ(result(), 300U * c & 0xFFFFU);
  }
}

TEST_F(CslProducts, AConstantThatALoopStoresIsMadeInFrontOfIt) {
  clear();
  const VariableId all = global("all", std::vector<std::uint32_t>(200, 1));
  Builder b(module, main);
  const Value k = reg(Type::kU16, b.new_register(Type::kU16));
  b.assign(k, number(0));
  const BlockId body = b.new_block(), exit = b.new_block();
  b.jump(body);
  b.enter(body);
  b.store(b.element(address_of(all), k, 2), number(77));
  b.assign(k, b.binary(Op::kAdd, k, number(1)));
  b.branch(Condition::kLt, k, number(200), body, exit);
  b.enter(exit);
  b.store(address_of(out), b.load(Type::kU16, address_of(all, 398)));
  b.ret();
  EXPECT_THAT(code(), ContainsRegex("movri[^\n]*77\n(.*\n)*L1:"));
  EXPECT_EQ(result(), 77U);
}

}  // namespace
}  // namespace tessera::csl::codegen::products_test
