// Random programs: what compiled code does on a compute engine is what the interpreter of the IR
// says, in all styles of code, optimized and not.
//
// TESSERA_IR_PROGRAMS: programs of the test instead (soak); TESSERA_IR_PROGRAM: the seed of the first one.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/ir/print.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/csl/ir_interpreter.h"
#include "tests/frontends/csl/random_program.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/models/pe/bench.h"
#include "tests/support/number_from.h"

namespace tessera::csl {
namespace {

bool is_nan(ir::Type type, std::uint32_t bits) {
  if (type == ir::Type::kSingle) return std::isnan(bit_cast<float>(bits));
  return type == ir::Type::kHalf && (bits & 0x7C00U) == 0x7C00U && (bits & 0x3FFU) != 0;
}

void expect_same(const ir::Module& module, const ir::test::Interpreter& expected,
                 const pe::test::Bench& bench) {
  for (ir::VariableId v = 0; v < module.variables.size(); ++v) {
    const ir::Variable& variable = module.variables[v];
    for (std::uint32_t i = 0; !variable.owner && i < variable.count; ++i) {
      const std::uint32_t want = expected.element(v, i);
      const std::uint32_t found = bench.bits(variable.name, i);
      if (is_nan(variable.type, want) && is_nan(variable.type, found)) continue;
      EXPECT_EQ(found, want) << variable.name << "[" << i << "]";
    }
  }
}

void expect_round_trip(const pe::Image& image) {
  const std::string text = tasm::disassemble(image);
  EXPECT_EQ(tasm::dump(tasm::assemble(text, tasm::options_for(image.generation))),
            tasm::dump(image))
      << text;
}

TEST(CslCodegenProperty, CompiledCodeDoesWhatTheInterpreterSays) {
  const auto first = test::number_from("TESSERA_IR_PROGRAM", 0),
             count = test::number_from("TESSERA_IR_PROGRAMS", 2000);
  unsigned too_long = 0;
  for (auto seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ir::test::RandomProgram program(static_cast<unsigned>(seed));
    ir::test::Interpreter interpreter(program.module);
    try {
      interpreter.run(program.main, program.arguments);
    } catch (const ir::test::TooLong&) {
      ++too_long;
      continue;
    }
    codegen::Options options;
    constexpr std::array<codegen::Style, 4> kStyles = {
        codegen::Style::kVendor, codegen::Style::kBest, codegen::Style::kVendor,
        codegen::Style::kPlain};
    options.style = kStyles[seed % 4];
    options.locals = seed % 8 < 4 ? codegen::Locals::kMemory : codegen::Locals::kRegisters;
    options.optimize = seed % 5 != 0;
    options.verify = true;
    const pe::Image image = codegen::generate(program.module, options);
    expect_round_trip(image);
    pe::test::Bench bench(image);
    bench.launch("main", program.arguments, 1);
    EXPECT_EQ(rule_broken_by(bench, 4000000).text, "");
    expect_same(program.module, interpreter, bench);
    if (testing::Test::HasFailure()) std::cout << print(program.module) << tasm::disassemble(image);
  }
  EXPECT_LT(too_long, count / 20 + 1);
}

}  // namespace
}  // namespace tessera::csl
