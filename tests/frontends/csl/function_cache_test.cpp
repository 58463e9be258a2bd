// What one program has made of a function, another takes only where it would make the same of it.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/ir/print.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/csl/random_program.h"
#include "tests/support/number_from.h"

namespace tessera::csl {
namespace {

using Random = std::mt19937;

ir::Variable& any_array(ir::Module& module, Random& random) {
  std::vector<ir::Variable*> arrays;
  for (ir::Variable& v : module.variables) {
    if (!v.owner && v.count > 1) arrays.push_back(&v);
  }
  return *arrays.at(random() % arrays.size());
}

/// The kinds of what optimization knows of the rest of a program, each changed a little.
using Change = void (*)(ir::Module&, Random&);
constexpr std::array<Change, 6> kChanges = {
    [](ir::Module& module, Random& random) {  // other numbers
      ir::Variable& v = any_array(module, random);
      v.init.at(random() % v.init.size()) ^= 1U;
    },
    [](ir::Module& module, Random& random) {  // a larger array
      ir::Variable& v = any_array(module, random);
      v.count *= 2;
      v.init.resize(v.count);
    },
    [](ir::Module& module, Random& random) {  // an array that DSD operations may write
      ir::Variable& v = any_array(module, random);
      ir::Descriptor d;
      d.array = static_cast<ir::VariableId>(&v - module.variables.data());
      d.dsd.name = "d" + std::to_string(module.descriptors.size());
      d.dsd.extent = d.dsd.extents[0] = 2;
      d.dsd.element_bytes = 2;
      module.descriptors.push_back(d);
    },
    [](ir::Module& module, Random& random) {  // a pointer to an array
      ir::Variable& v = any_array(module, random);
      if (v.type != ir::Type::kU16) return;
      v.init[0] = 0;
      v.addresses.push_back({0, static_cast<ir::VariableId>(random() % module.variables.size())});
      if (module.variables[v.addresses.back().variable].owner) v.addresses.pop_back();
    },
    [](ir::Module& module, Random& random) {  // other code in a function
      for (ir::Function& f : module.functions) {
        for (ir::Block& block : f.blocks) {
          for (ir::Instruction& in : block.code) {
            if (in.op == ir::Op::kAdd && random() % 2 == 0) in.op = ir::Op::kSub;
          }
        }
      }
    },
    [](ir::Module& module, Random&) {  // another format of floats of 16 bits
      module.settings.half = module.settings.half == pe::HalfFormat::kF16 ? pe::HalfFormat::kBf16
                                                                          : pe::HalfFormat::kF16;
    }};

/// sum += a[0..3], then the next four, with a record in a local.
ir::Module program_with_record() {
  using ir::address_of, ir::constant, ir::Type;
  ir::Module module;
  module.files = {"a.csl"};
  for (const char* name : {"a", "sum"}) {
    ir::Variable v;
    v.name = name;
    v.type = Type::kI16;
    v.count = 12;
    v.init.assign(v.count, 1);
    ir::Descriptor d;
    d.array = ir::add_variable(module, v);
    d.dsd.name = v.name + "_dsd";
    d.dsd.extent = d.dsd.extents[0] = 4;
    d.dsd.element_bytes = 2;
    module.descriptors.push_back(d);
  }
  ir::Function f;
  f.name = "main";
  f.exported = true;
  ir::Builder b(module, ir::add_function(module, f));
  const ir::VariableId record = b.local("record", Type::kU16, 4);
  const ir::Value first = b.copy(Type::kU16, address_of(*module.descriptors[0].array));
  b.store(address_of(record), constant(Type::kU16, 0));
  b.store(address_of(record, 2), first);
  b.store(address_of(record, 4), constant(Type::kU16, 4));
  b.store(address_of(record, 6), constant(Type::kU16, 1));
  ir::DsdOperand sum, part;
  sum.descriptor = 1;
  part.kind = ir::DsdOperand::Kind::kRecord;
  part.value = address_of(record);
  for (unsigned times = 0; times < 2; ++times) {
    ir::dsd_operation(b, module, pe::Opcode::kAdd16, {sum, sum, part});
    const ir::Value now = b.load(Type::kU16, address_of(record, 2));
    const ir::Value next = b.binary(ir::Op::kAdd, now, constant(Type::kU16, 8));
    b.store(address_of(record, 2), next);
  }
  b.ret();
  return module;
}

std::string code_of(const ir::Module& module, std::shared_ptr<codegen::FunctionCache> cache) {
  codegen::Options options;
  options.cache = std::move(cache);
  const std::string text = tasm::disassemble(codegen::generate(module, options));
  return text.substr(text.find("\nfn "));
}

/// The code of `other` with and without what was made of `module`, which was another one.
void expect_made_anew(const ir::Module& module, const ir::Module& other) {
  const auto cache = std::make_shared<codegen::FunctionCache>();
  const std::string before = code_of(module, cache);
  EXPECT_EQ(code_of(module, cache), before);
  EXPECT_EQ(code_of(other, cache), code_of(other, nullptr));
  EXPECT_NE(code_of(other, cache), before);
}

TEST(CslFunctionCache, AFunctionIsMadeAnewIfADescriptorIsAnotherOne) {
  const ir::Module module = program_with_record();
  ir::Module other = module;
  other.descriptors[0].dsd.extent = other.descriptors[0].dsd.extents[0] = 5;
  expect_made_anew(module, other);
}

TEST(CslFunctionCache, AFunctionIsMadeAnewIfTheProgramReadsItsDsr) {
  const ir::Module module = program_with_record();
  ir::Module other = module;
  for (const ir::Instruction& in : module.functions[0].blocks[0].code) {
    if (in.op != ir::Op::kMachine || in.machine->op != pe::Opcode::kLddsr) continue;
    pe::InitialLoad load;
    load.dsr = in.machine->fields[0].fixed;
    other.settings.initial_loads.push_back(load);
  }
  expect_made_anew(module, other);
}

TEST(CslFunctionCache, TheCodeIsTheSameWithFunctionsOfSimilarPrograms) {
  const auto count = test::number_from("TESSERA_IR_PROGRAMS", 400);
  for (unsigned seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ir::Module module = ir::test::RandomProgram(seed).module;
    Random random(seed);
    codegen::Options alone, together;
    alone.style = together.style = seed % 3 == 0 ? codegen::Style::kBest : codegen::Style::kVendor;
    together.cache = std::make_shared<codegen::FunctionCache>();
    for (unsigned step = 0; step < 5; ++step) {
      const std::string expected = tasm::disassemble(codegen::generate(module, alone));
      ASSERT_EQ(tasm::disassemble(codegen::generate(module, together)), expected) << print(module);
      kChanges.at(random() % kChanges.size())(module, random);
    }
    together.verify = true;
    EXPECT_NO_THROW(codegen::generate(module, together));
  }
}

}  // namespace
}  // namespace tessera::csl
