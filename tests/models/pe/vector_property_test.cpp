// Random programs of DSD operations against a straight loop (reference wse.md 4, 5, 6.7): all
// vector opcodes and forms, all kinds of operands, overlapping ones too, all rules of length, SIMD
// modes, FIFOs, control wavelets, operations side by side; with random timing, which must not
// change what they do. 100,000 operations in a run of all tests.
//
// TESSERA_PROPERTY_OPERATIONS: operations of each test instead (soak).
// TESSERA_PROPERTY_CASE: only this program of each test, with its text.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "tests/models/pe/property_coverage.h"
#include "tests/models/pe/property_print.h"
#include "tests/models/pe/property_run.h"
#include "tests/support/number_from.h"

namespace tessera::pe::test {
namespace {

constexpr unsigned kTests = 8;
constexpr unsigned kOperations = 100'000 / kTests;

constexpr const char* kDrawn[] = {
    "program wse2", "program wse3", "floats f16", "floats bf16", "floats cb16",
    // operands
    "mem1d", "mem4d of 1", "mem4d of 2", "mem4d of 3", "mem4d of 4", "circbuf", "stride 0",
    "negative stride", "length 0", "endless", "fabin simd off", "fabin simd 32", "fabin simd 64",
    "fabin simd 32_or_64", "fabin simd max", "fabout simd off", "fabout simd 32", "fabout simd 64",
    "fabout simd 32_or_64", "fabout simd max", "push", "pop", "async push", "async pop", "pointer",
    "register", "running value", "source 0 as destination", "one DSR in two places",
    // options
    "memory index", "wavelet index", "fabin control_transform", "fabout control_transform",
    "zero first", "zero second", "save_address", "single_step", "loop of single steps", "async",
    "ut", "activate", "unblock", "index", "on_control terminate", "on_control activate", "setdsa",
    "incdsa", "setdsl", "setdss", "getdsa", "getdsl", "initial load",
    // what came of it
    "control wavelet sent", "half wavelet sent", "local flip sent", "nothing done", "FIFO wrapped",
    "wavelets read", "task 24", "task 25", "task 26", "task 27", "task 28"};

Case case_number(std::uint32_t seed, unsigned long number) {
  return Generator(seed * 0x9E3779B9U + static_cast<std::uint32_t>(number)).draw();
}

class PeVectorProperty : public testing::TestWithParam<std::uint32_t> {};

TEST_P(PeVectorProperty, AgreesWithALoop) {
  const unsigned long wanted =
      tessera::test::number_from("TESSERA_PROPERTY_OPERATIONS", kOperations);
  constexpr unsigned long kAll = ~0UL;
  const unsigned long only = tessera::test::number_from("TESSERA_PROPERTY_CASE", kAll);
  if (only != kAll) {
    const Case c = case_number(GetParam(), only);
    std::cout << to_text(c);
    ASSERT_EQ(difference(c, true), "");
    return;
  }
  unsigned long operations = 0;
  for (unsigned long number = 0; operations < wanted; ++number) {
    const Case c = case_number(GetParam(), number);
    operations += c.operations;
    ASSERT_EQ(difference(c, number % 4 == 0), "") << "TESSERA_PROPERTY_CASE=" << number << "\n"
                                                  << to_text(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PeVectorProperty, testing::Range(1U, kTests + 1));

TEST(PeVectorPropertyTable, DrawsEverything) {
  Coverage drawn;
  for (unsigned long number = 0; number < 2000; ++number) drawn.add(case_number(99, number));
  for (const VectorOp& row : kVectorOps) {
    const std::string name(info(row.op).mnemonic);
    EXPECT_GT(drawn.of(name), 100U) << name;
  }
  for (const char* what : kDrawn) EXPECT_GT(drawn.of(what), 50U) << what;
}

TEST(PeVectorPropertyTable, KnowsEveryVectorOpcode) {
  // An opcode that learns to take DSRs must be added to the table of the reference.
  for (unsigned i = 0; i < kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    const VectorOp* row = find_vector_op(op);
    ASSERT_EQ(row != nullptr, info(op).vector()) << info(op).mnemonic;
    if (row == nullptr) continue;
    EXPECT_EQ(row->form, info(op).form) << info(op).mnemonic;
    for (unsigned slot = 0; slot <= row->sources(); ++slot) {
      EXPECT_EQ(row->bytes(slot), info(op).bytes(slot)) << info(op).mnemonic;
    }
  }
}

}  // namespace
}  // namespace tessera::pe::test
