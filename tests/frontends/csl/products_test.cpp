// Products, shifts and differences with constants (frontends/csl/codegen/products.cpp), and constants that loops store.
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::products_test {
namespace {

using namespace ir;
using ir::Condition, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value, ir::Variable;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class CslProducts : public ModuleFixture {
 protected:
  CslProducts() { declare(); }
  void declare() {
    clear();
    in = global("in", Type::kU16, {300});
    out = global("out", Type::kU16, {0});
  }
  /// `out` = what `make` makes of `in`.
  template <class Make>
  void compile(Make make) {
    declare();
    Builder b(module, main);
    const Value made = make(b, b.load(Type::kU16, address_of(in)));
    b.store(address_of(out), made);
    b.ret();
  }
  std::uint32_t result() const { return ModuleFixture::result("out"); }

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

TEST_F(CslProducts, TheLowHalfOf32BitsIsMadeOfLowHalves) {
  compile([&](Builder& b, const Value& x) {
    const Value wide = b.convert(Type::kI32, x);
    const Value product = b.binary(Op::kMul, wide, constant(Type::kI32, 300));
    const Value sum =
        b.binary(Op::kSub, b.binary(Op::kShl, product, constant(Type::kI32, 2)), wide);
    return b.convert(Type::kU16, sum);
  });
  EXPECT_THAT(code(), Not(HasSubstr("32 "))) << code();
  EXPECT_EQ(result(), (300U * 300U * 4U - 300U) & 0xFFFFU);
}

TEST_F(CslProducts, TheUpperHalfOf32BitsNeedsThemAll) {
  compile([&](Builder& b, const Value& x) {
    const Value product = b.binary(Op::kMul, b.convert(Type::kU32, x), constant(Type::kU32, 300));
    return b.convert(Type::kU16, b.binary(Op::kShr, product, constant(Type::kU32, 16)));
  });
  EXPECT_THAT(code(), HasSubstr("imul32"));
  EXPECT_EQ(result(), 300U * 300U >> 16U);
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
  declare();
  const VariableId all = global("all", Type::kU16, std::vector<std::uint32_t>(200, 1));
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
