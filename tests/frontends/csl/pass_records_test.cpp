// Local descriptors that change go to operations by value (frontends/csl/codegen/pass_records.cpp).
#include "tests/frontends/csl/module_fixture.h"

namespace tessera::csl::codegen::pass_records_test {
namespace {

using namespace ir;
using ir::Condition, ir::Descriptor, ir::Function, ir::Module, ir::Op, ir::Type, ir::Value,
    ir::Variable;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A loop to a bound in memory: sum += four elements of a, from where a record says.
class CslPassedRecords : public ModuleFixture {
 protected:
  CslPassedRecords() {
    for (const char* name : {"a", "sum"}) {
      std::vector<std::uint32_t> values;
      for (std::uint32_t k = 0; k < 12; ++k) values.push_back(name[0] == 'a' ? k : 100);
      Descriptor d;
      d.array = global(name, Type::kU16, values);
      d.dsd.name = std::string(name) + "_dsd";
      d.dsd.extent = d.dsd.extents[0] = 4;
      d.dsd.element_bytes = 2;
      module.descriptors.push_back(d);
    }
    bound = global("bound", Type::kU16, {3});
  }
  /// `is_set`: else the record has what memory has.
  void build(const Value& record, bool moves, bool is_set = true) {
    Builder b(module, main);
    const auto word = [&](std::int32_t at) {
      Value v = record;
      v.offset += at;
      return v;
    };
    if (is_set) {
      b.store(word(0), number(0));
      b.store(word(2), b.copy(Type::kU16, address_of(*module.descriptors[0].array)));
      b.store(word(4), number(4));
      b.store(word(6), number(1));
    }
    const Value k = reg(Type::kU16, b.new_register(Type::kU16));
    b.assign(k, number(0));
    const BlockId body = b.new_block(), exit = b.new_block();
    b.jump(body);
    b.enter(body);
    DsdOperand sum, part;
    sum.descriptor = 1;
    part.kind = DsdOperand::Kind::kRecord;
    part.value = record;
    dsd_operation(b, module, pe::Opcode::kAdd16, {sum, sum, part});
    if (moves) b.store(word(2), b.binary(Op::kAdd, b.load(Type::kU16, word(2)), number(8)));
    b.assign(k, b.binary(Op::kAdd, k, number(1)));
    b.branch(Condition::kLt, k, b.load(Type::kU16, address_of(bound)), body, exit);
    b.enter(exit);
    b.ret();
  }
  Value local() {
    Builder b(module, main);
    return address_of(b.local("record", Type::kU16, 4));
  }
  std::uint32_t result(std::uint32_t element) const {
    return ModuleFixture::result("sum", element);
  }

  const std::string kFourStores =
      "L1:\n(.*\n)? *st16[^\n]*\n *st16[^\n]*\n *st16[^\n]*\n *st16[^\n]*\n *lddsr";

  VariableId bound = 0;
};

TEST_F(CslPassedRecords, ALocalThatMovesIsStoredInFrontOfEachOperation) {
  build(local(), true);
  EXPECT_THAT(code(), ContainsRegex(kFourStores));
  EXPECT_THAT(code(), Not(ContainsRegex("L1:\n(.*\n)*.*movri[^\n]*\n(.*\n)*.*lddsr")));
  EXPECT_THAT(code(Style::kBest), Not(ContainsRegex(kFourStores)));
  EXPECT_EQ(result(1), 100U + 1 + 5 + 9);
}

TEST_F(CslPassedRecords, ALocalThatStaysIsNotStoredAgain) {
  build(local(), false);
  EXPECT_THAT(code(), Not(ContainsRegex("L1:\n(.*\n)*.*st16")));
  EXPECT_EQ(result(1), 100U + 1 + 1 + 1);
}

TEST_F(CslPassedRecords, AGlobalIsLoadedWhereItLies) {
  const VariableId record = global("record", Type::kU16, {0, 0, 4, 1});
  module.variables[record].addresses = {{1, *module.descriptors[0].array}};
  build(address_of(record), true, false);
  EXPECT_THAT(code(), Not(ContainsRegex(kFourStores)));
  EXPECT_EQ(result(1), 100U + 1 + 5 + 9);
}

}  // namespace
}  // namespace tessera::csl::codegen::pass_records_test
