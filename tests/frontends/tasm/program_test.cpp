// What the assembler makes of a program: addresses, params, descriptors, entries, and the
// differences between the generations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"
#include "tests/support/temporary_folder.h"

namespace tessera::tasm {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TasmAddresses, TaskTableThenCodeThenDataAlignedToElements) {  // wse.md 3.1, 6.1
  const pe::Image image =
      assemble_wse3("data a: i16[3]\ndata b: f32[2]\ndata c: u16[1]\nfn f\n movri r0, b\n ret\n");
  ASSERT_EQ(image.code.size(), 2U);
  EXPECT_EQ(image.find_symbol("a")->address, 1024U + 2 * 4);
  EXPECT_EQ(image.find_symbol("b")->address, 1040U);  // 1032 + 6 = 1038, aligned to 4
  EXPECT_EQ(image.find_symbol("c")->address, 1048U);
  EXPECT_EQ(image.data_end, 1050U);
  EXPECT_EQ(image.code[0].operands[1].value, 1040);
}

TEST(TasmAddresses, ProgramMayFillSramToTheLastByte) {  // wse.md 6.2
  EXPECT_EQ(assemble_wse3("data a: i16[24062]\nfn f\n ret\n").data_end, 49152U);
  EXPECT_THAT(error_of("data a: i16[24063]\nfn f\n ret\n", options_for(Generation::kWse3)),
              HasSubstr("needs 49154"));
}

TEST(TasmAddresses, EmptyProgramIsAProgram) {
  const pe::Image image = assemble_wse3("; nothing\r\n\n");
  EXPECT_TRUE(image.code.empty());
  EXPECT_EQ(image.data_end, pe::kTaskTableBytes);
}

TEST(TasmParams, LayoutValueReplacesDefaultAlsoInWhatDependsOnIt) {
  const char* text = "param N = 4\nconst twice = 2 * N\ndata a: f32[twice]\n";
  EXPECT_EQ(assemble_wse3(text).symbols[0].count, 8U);
  EXPECT_EQ(assemble(text, options_for(Generation::kWse3, {{"N", 5}})).symbols[0].count, 10U);
}

TEST(TasmParams, DefaultMayBeAnExpressionOfParamsAbove) {
  const char* text = "param N = 4\nparam M = N + 1\ndata a: f32[M]\n";
  EXPECT_EQ(assemble(text, options_for(Generation::kWse3, {{"N", 7}})).symbols[0].count, 8U);
}

struct Value {
  const char* text;
  std::int32_t value;
};
class TasmExpression : public ::testing::TestWithParam<Value> {};
TEST_P(TasmExpression, HasTheValueOfCOperators) {
  const std::string text =
      std::string("const seven = 7\nfn f\n movri d0, ") + GetParam().text + "\n ret\n";
  EXPECT_EQ(assemble_wse3(text).code[0].operands[1].value, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(All, TasmExpression,
                         ::testing::Values(Value{"2 + 3 * 4", 14}, Value{"(2 + 3) * 4", 20},
                                           Value{"10 - 3 - 2", 5}, Value{"-7 / 2", -3},
                                           Value{"-7 % 4", -3}, Value{"seven % 4", 3},
                                           Value{"2 - -3", 5}, Value{"seven == 7", 1},
                                           Value{"1 + 1 == 3", 0}, Value{"100 / 10 / 2", 5},
                                           Value{"0xFF", 255}, Value{"--2", 2}));

TEST(TasmExpression, IsRealWithARealLiteralAndRoundedOnce) {
  const pe::Image image =
      assemble_wse3("param N = 3\ndata a: f32[4] = 1 / 2, 1.0 / 2, N, -N * 0.5\n");
  EXPECT_EQ(image.symbols[0].init,
            (std::vector<std::uint32_t>{0, 0x3F000000, 0x40400000, 0xBFC00000}));
}

TEST(TasmImmediates, OfF32InstructionsAreF32Bits) {
  const pe::Image image =
      assemble_wse3("fn f\n fmovs d0, 1\n fadds d0, d0, -2.0\n movri d0, 1\n ret\n");
  EXPECT_EQ(static_cast<std::uint32_t>(image.code[0].operands[1].value), 0x3F800000U);
  EXPECT_EQ(static_cast<std::uint32_t>(image.code[1].operands[2].value), 0xC0000000U);
  EXPECT_EQ(image.code[2].operands[1].value, 1);
}

TEST(TasmMemory, SignOfTheOffsetBelongsToItsFirstTerm) {
  const pe::Image image =
      assemble_wse3("fn f\n ld16 r0, [r1 - 4 + 2]\n ld16 r0, [r1 + 4 - 2]\n ld16 r0, [r1]\n ret\n");
  EXPECT_EQ(image.code[0].operands[1].value, -2);
  EXPECT_EQ(image.code[1].operands[1].value, 2);
  EXPECT_EQ(image.code[2].operands[1].value, 0);
  EXPECT_EQ(image.code[2].operands[1].reg, 1U);
}

TEST(TasmDescriptors, ExtentDefaultsToTheElementsLeftInTheSymbol) {  // wse.md 5.2
  const pe::Image image = assemble_wse3(
      "data a: i16[7]\ndsd whole mem1d a\ndsd tail mem1d a offset=2\ndsd even mem1d a stride=2\n"
      "dsd odd mem1d a offset=1 stride=2\ndsd back mem1d a offset=6 stride=-2\ndsd one mem1d a "
      "offset=3 stride=0\n");
  const std::vector<unsigned> extents = {7, 5, 4, 3, 4, 4};
  for (std::size_t i = 0; i < extents.size(); ++i)
    EXPECT_EQ(image.dsds[i].extent, extents[i]) << image.dsds[i].name;
  EXPECT_EQ(image.dsds[1].base, image.symbols[0].address + 4);
  EXPECT_EQ(image.dsds[1].element_bytes, 2);
}

TEST(TasmDescriptors, FabricOnesKnowQueueAndColor) {
  const pe::Image image = assemble_wse3("queue in input 3 color=8\nqueue out output 5 color=9\ndsd "
                                        "i fabin in extent=2\ndsd o fabout out extent=0x7fff\n");
  EXPECT_EQ(image.dsds[0].queue, QueueId(3));
  EXPECT_EQ(image.dsds[1].queue, QueueId(5));
  EXPECT_EQ(image.dsds[1].color, Color(9));
  EXPECT_EQ(image.dsds[1].extent, pe::kEndless);
}

TEST(TasmCode, NamesMayStandAboveTheirDeclaration) {
  const pe::Image image = assemble_wse3("fn f\n actvt later\n lddsr s0ds0, west\n jmp g\nfn g\n "
                                        "ret\ntask later local 9\n end\ndsd west fabin q extent=N\n"
                                        "queue q input 1 color=2\nparam N = 3\n");
  EXPECT_EQ(image.code[0].operands[0].value, 9);
  EXPECT_EQ(image.code[2].operands[0].value, 3);
  EXPECT_EQ(image.dsds[0].extent, 3U);
}

TEST(TasmCode, LabelsAreLocalToTheirSection) {
  const pe::Image image =
      assemble_wse3("fn f\nx:\n jmp x\nfn g\n ret\nfn h\n mov16 r0, r1\nx:\n jmp x\n");
  EXPECT_EQ(image.code[0].operands[0].value, 0);
  EXPECT_EQ(image.code[3].operands[0].value, 3);
}

TEST(TasmCode, ExampleProgram) {
  const pe::Image image = assemble_wse3(kGemv);
  EXPECT_EQ(image.code.size(), 18U);
  EXPECT_EQ(image.find_function("main")->entry, 0U);
  ASSERT_EQ(image.tasks.size(), 2U);
  EXPECT_EQ(image.tasks[0].entry, 3U);
  EXPECT_TRUE(image.tasks[0].blocked);
  EXPECT_FALSE(image.tasks[0].active);
  EXPECT_EQ(image.tasks[1].entry, 13U);
  EXPECT_TRUE(image.code[0].config.save_address);
  EXPECT_TRUE(image.code[16].config.async);
  EXPECT_TRUE(image.code[16].is_vector());
  EXPECT_EQ(image.find_queue(true, QueueId(3))->name, "sum_in");
}

TEST(TasmCode, PlaceOfAnInstructionNamesFileLineAndSection) {
  const pe::Image image = assemble_wse3(kGemv);
  EXPECT_EQ(image.place_of(0), "t.tasm:18 (fn main)");
  EXPECT_EQ(image.place_of(12), "t.tasm:33 (task on_x)");
  EXPECT_EQ(image.place_of(16), "t.tasm:39 (task reduce)");
  EXPECT_EQ(image.place_of(18), "t.tasm (instruction 18, after the last one)");
}

TEST(TasmFile, IsReadAndNamedByItsPath) {
  const tessera::test::TemporaryFolder folder;
  const std::string path = folder.file("a.tasm");
  tessera::test::write_file(path, "fn f\r\n  ret ; windows line ends\r\n");
  const pe::Image image = assemble_file(path, {});
  EXPECT_EQ(image.file, path);
  EXPECT_EQ(image.code.size(), 1U);
}

// --- generations
// ------------------------------------------------------------------------------------------------

TEST(TasmGenerations, OutputQueues) {  // wse.md 2.1
  const char* text = "queue q output 6 color=1\n";
  EXPECT_EQ(assemble_wse3(text).queues[0].id, QueueId(6));
  EXPECT_EQ(error_of(text, options_for(Generation::kWse2)),
            "1:16: expected an output queue of wse2 0..5, found 6");
}

TEST(TasmGenerations, LocalTaskIds) {  // wse.md 3.1
  const char* text = "task t local 0\n end\n";
  EXPECT_EQ(assemble_wse2(text).tasks[0].id, TaskId(0));
  EXPECT_THAT(error_of(text, options_for(Generation::kWse3)),
              HasSubstr("1:14: expected a local task id of wse3 8..30"));
  EXPECT_EQ(error_of("task t local 31\n end\n", options_for(Generation::kWse2)),
            "1:14: expected a local task id of wse2 0..30, found 31, which stands for no task");
}

TEST(TasmGenerations, ControlTask31IsAllowedUnlessItStandsForNoTask) {  // wse.md 10.1
  const char* text = "task t control 31\n end\n";
  for (AssembleOptions options : {options_for(Generation::kWse2), options_for(Generation::kWse3)}) {
    EXPECT_EQ(assemble(text, options).tasks[0].id, TaskId(31));
    options.control_task_31 = false;
    EXPECT_EQ(error_of(text, options),
              "1:16: expected a control task id other than 31, found 31, which stands for no task "
              "with pe.control_task_31=none");
  }
}

TEST(TasmGenerations, FabinOfAColor) {  // wse.md 5.5, 10.15
  const pe::Image image = assemble_wse2(
      "dsd b fabin color=9 extent=2\ndsd a fabin color=7 extent=1\ndsd c fabin color=7 extent=1\n"
      "queue q input 0 color=9\nqueue r input 2 color=3\ntask t data a_queue\n blk a_queue\n "
      "end\n");
  ASSERT_EQ(image.queues.size(), 3U);
  EXPECT_EQ(image.dsds[0].queue, QueueId(0));
  EXPECT_EQ(image.dsds[1].queue, QueueId(1));
  EXPECT_EQ(image.dsds[2].queue, QueueId(1));
  EXPECT_EQ(image.queues[2].name, "a_queue");
  EXPECT_EQ(image.queues[2].color, Color(7));
  EXPECT_EQ(image.tasks[0].id, TaskId(7));
}

TEST(TasmGenerations, IdOfADataTaskIsItsColorOrItsQueue) {  // wse.md 3.1
  const char* text = "queue q input 3 color=17\ntask t data q\n blk q\n end\n";
  EXPECT_EQ(assemble_wse2(text).tasks[0].id, TaskId(17));
  EXPECT_EQ(assemble_wse2(text).code[0].operands[0].value, 17);
  EXPECT_EQ(assemble_wse3(text).tasks[0].id, TaskId(3));
  EXPECT_EQ(assemble_wse3(text).code[0].operands[0].value, 3);
  EXPECT_EQ(assemble_wse3(text).tasks[0].queue, QueueId(3));
}

TEST(TasmGenerations, ColorAndLocalTaskShareIdsOnWse2) {  // wse.md 3.1: one table
  const char* text = "queue q input 3 color=10\ntask a data q\n end\ntask b local 10\n end\n";
  EXPECT_EQ(error_of(text, options_for(Generation::kWse3)), "no error");
  EXPECT_EQ(
      error_of(text, options_for(Generation::kWse2)),
      "4:14: expected a task id for 'b' that no other task has, found 10, the id of 'a' of line 2");
}

TEST(TasmGenerations, MicrothreadIsChosenOnWse3Only) {  // wse.md 5.7
  const char* text = "fn f\n mov16 dds0, s1ds0 async ut=5\n ret\n";
  EXPECT_EQ(assemble_wse3(text).code[0].config.ut, MicrothreadId(5));
  EXPECT_EQ(error_of(text, options_for(Generation::kWse2)),
            "2:29: expected no ut=, found one; a wse2 microthread belongs to its queue");
}

TEST(TasmGenerations, Wse2DescriptorBringsTheColor) {  // wse.md 2.2, 5.5
  const pe::Image image = assemble_wse2("queue q output 1\ndsd d fabout q extent=1 color=6\n");
  EXPECT_FALSE(image.queues[0].color.has_value());
  EXPECT_EQ(image.dsds[0].color, Color(6));
}

TEST(TasmGenerations, Wse2DescriptorNeedsAColorIfItsQueueHasNone) {
  EXPECT_EQ(error_of("queue q output 1\ndsd d fabout q extent=1\n", options_for(Generation::kWse2)),
            "2:5: expected color= for dsd 'd', found none; its queue 'q' has no color");
  EXPECT_EQ(assemble_wse2("queue q output 1 color=3\ndsd d fabout q extent=1\n").dsds[0].color,
            Color(3));
}

// --- table
// ------------------------------------------------------------------------------------------------------

TEST(PeIsa, EveryOpcodeIsFoundByItsMnemonic) {
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(i));
    EXPECT_EQ(pe::find_opcode(info.mnemonic), &info);
    EXPECT_FALSE(info.effect.empty());
  }
  EXPECT_EQ(pe::find_opcode("fmac"), nullptr);
}

TEST(PeProgram, ElementTypesHaveNamesAndSizes) {
  for (const auto type : {pe::ElementType::kI16, pe::ElementType::kU16, pe::ElementType::kI32,
                          pe::ElementType::kU32, pe::ElementType::kF32}) {
    EXPECT_THAT(std::string(pe::to_string(type)), EndsWith(std::to_string(8 * pe::bytes_of(type))));
  }
}

}  // namespace
}  // namespace tessera::tasm
