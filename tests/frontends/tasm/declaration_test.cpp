// What the assembler makes of declarations, and that the disassembler prints them as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/declarations.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using pe::Image;

const Image& wse3() {
  static const Image kImage = assemble_wse3(kDeclarationsOfWse3);
  return kImage;
}

const Image& wse2() {
  static const Image kImage = assemble_wse2(kDeclarationsOfWse2);
  return kImage;
}

const pe::Dsd& dsd_of(const Image& image, std::string_view name) {
  return *std::find_if(image.dsds.begin(), image.dsds.end(),
                       [&](const pe::Dsd& d) { return d.name == name; });
}

class TasmDeclarations : public ::testing::TestWithParam<Generation> {};

TEST_P(TasmDeclarations, RoundTrip) {
  const AssembleOptions options = options_for(GetParam());
  const Image image = assemble(declarations_of(GetParam()), options);
  const std::string text = disassemble(image);
  EXPECT_EQ(dump(assemble(text, options)), dump(image)) << text;
}

INSTANTIATE_TEST_SUITE_P(Both, TasmDeclarations,
                         ::testing::Values(Generation::kWse2, Generation::kWse3),
                         [](const auto& p) { return std::string(to_string(p.param)); });

// --- placement

TEST(TasmPlacement, ControlTableStandsBehindTheTaskTable) {  // wse.md 3.1
  EXPECT_EQ(wse3().task_table_bytes(), 1024U + 64 * 8 * 4);
  EXPECT_EQ(wse3().symbols[0].address, 3072U + 4 * wse3().code.size());
  EXPECT_EQ(assemble_wse3("control_table\n").data_end, 2048U);
  EXPECT_EQ(assemble_wse3("control_table instructions=2\n").data_end, 1536U);
}

TEST(TasmPlacement, FullSramCountsTheControlTable) {
  EXPECT_THAT(error_of("control_table\ndata a: i16[30000]\n", options_for(Generation::kWse3)),
              HasSubstr("the task table takes 2048, the code 0, the data 60000"));
}

TEST(TasmPlacement, DataIsAlignedAsTheProgramSays) {
  const Image image = assemble_wse3("data a: i16[1]\ndata b: i16[1] align=256\ndata c: f32[1]\n");
  EXPECT_EQ(image.find_symbol("a")->address, 1024U);
  EXPECT_EQ(image.find_symbol("b")->address, 1280U);
  EXPECT_EQ(image.find_symbol("b")->align, 256U);
  EXPECT_EQ(image.find_symbol("c")->address, 1284U);
  EXPECT_EQ(image.find_symbol("c")->align, 0U);
}

TEST(TasmPlacement, SymbolOfAFifoIsAlignedForIt) {  // wse.md 5.6
  const Image image =
      assemble_wse3("data a: i16[1]\ndata b: f32[3]\ndata c: i16[4] align=64\nfifo f b dsr=1 "
                    "xdsr=0\nfifo g c dsr=2 xdsr=1\n");
  EXPECT_EQ(image.symbols[1].address, 1040U);
  EXPECT_EQ(image.symbols[1].align, pe::kFifoAlignment);
  EXPECT_EQ(image.symbols[2].address, 1088U);
  EXPECT_EQ(image.fifos[0].base, 1040U);
  EXPECT_EQ(image.fifos[0].bytes, 12U);
  EXPECT_EQ(image.fifos[1].bytes, 8U);
}

// --- 16-bit floats

TEST(TasmHalf, ValuesHaveTheFormatOfTheProgramWhereverItIsSaid) {  // wse.md 6.1
  const std::string data = "data a: f16[3] = 6, -0.5, bits(0x1234)\n";
  EXPECT_THAT(assemble_wse3(data).symbols[0].init, ElementsAre(0x4600, 0xB800, 0x1234));
  EXPECT_THAT(assemble_wse3(data + "half bf16\n").symbols[0].init,
              ElementsAre(0x40C0, 0xBF00, 0x1234));
  EXPECT_THAT(assemble_wse3(data + "half cb16\n").symbols[0].init.front(), 0x5900U);
  EXPECT_EQ(assemble_wse3(data).half, pe::HalfFormat::kF16);
}

TEST(TasmHalf, EveryValueOfEveryFormatIsPrintedAsItself) {
  for (const char* format : {"f16", "bf16", "cb16"}) {
    std::string text = std::string("half ") + format + "\ndata a: f16[8192] = ";
    for (unsigned bits = 0; bits < 0x10000; bits += 8) {
      text += (bits == 0 ? "bits(" : ", bits(") + std::to_string(bits + bits / 8 % 8) + ")";
    }
    const Image image = assemble_wse3(text + "\n");
    EXPECT_EQ(assemble_wse3(disassemble(image)).symbols[0].init, image.symbols[0].init);
  }
}

// --- settings, queues, tasks

TEST(TasmSettings, AreInTheImage) {
  EXPECT_EQ(wse3().half, pe::HalfFormat::kBf16);
  ASSERT_TRUE(wse3().control_table.has_value());
  EXPECT_EQ(wse3().control_table->instructions, 8);
  EXPECT_EQ(wse3().control_table->stride, 3);
  EXPECT_EQ(wse3().main_priority, pe::MainPriority::kMediumHigh);
  EXPECT_EQ(wse3().blocked_microthreads, 0x24);
}

TEST(TasmSettings, HaveDefaults) {
  const Image image = assemble_wse3("control_table stride=7\n");
  EXPECT_EQ(image.control_table->instructions, 4);
  EXPECT_EQ(assemble_wse3("control_table\n").control_table->stride, 1);
  EXPECT_EQ(image.main_priority, pe::MainPriority::kMediumLow);
  EXPECT_EQ(image.blocked_microthreads, 0);
}

TEST(TasmQueues, HaveTheirOptions) {  // wse.md 2.2
  const pe::QueueBinding& in = wse3().queues[0];
  EXPECT_EQ(in.control_table, 2);
  EXPECT_FALSE(in.unblocked);
  EXPECT_FALSE(in.dense);
  EXPECT_FALSE(in.priority.has_value());
  EXPECT_TRUE(wse3().queues[1].unblocked);
  EXPECT_TRUE(wse3().queues[2].dense);
  EXPECT_TRUE(wse3().queues[4].dense);
  EXPECT_EQ(wse2().queues[0].priority, pe::Priority::kMedium);
  EXPECT_EQ(wse2().queues[1].priority, pe::Priority::kLow);
}

TEST(TasmTasks, HaveKindPriorityAndFirstState) {
  const std::vector<pe::TaskBinding>& tasks = wse3().tasks;
  EXPECT_EQ(tasks[0].priority, pe::TaskPriority::kHigh);
  EXPECT_TRUE(tasks[0].blocked);
  EXPECT_EQ(tasks[1].id, TaskId(pe::kTimerTask));
  EXPECT_TRUE(tasks[1].active);
  EXPECT_EQ(tasks[2].priority, pe::TaskPriority::kLow);
  EXPECT_EQ(tasks[3].kind, pe::TaskKind::kControl);
  EXPECT_EQ(tasks[3].id, TaskId(6));
  EXPECT_EQ(tasks[4].id, tasks[2].id);  // in the control table
}

TEST(TasmTasks, CodeMeansTheLocalTaskOfAnIdThatAControlTaskHasToo) {
  const Image image = assemble_wse3(
      "control_table\ntask c control 9\n end\ntask l local 9\n actvt l\n ublk l\n end\n");
  const std::string text = disassemble(image);
  EXPECT_THAT(text, HasSubstr("actvt l"));
  EXPECT_EQ(dump(assemble_wse3(text)), dump(image));
}

TEST(TasmTasks, SystemIdsMayBeBound) {  // wse.md 3.1
  const char* text = "task a local 29\n end\ntask b local 30\n end\n";
  EXPECT_EQ(assemble_wse3(text).tasks[0].id, TaskId(pe::kTeardownTask));
  EXPECT_EQ(assemble_wse2(text).tasks[1].id, TaskId(pe::kTimerTask));
}

TEST(TasmRotations, NameTheirTasks) {  // wse.md 3.3
  ASSERT_EQ(wse3().rotations.size(), 1U);
  const pe::Rotation& rotation = wse3().rotations[0];
  EXPECT_EQ(wse3().tasks[rotation.main].name, "on_in");
  EXPECT_EQ(wse3().tasks[rotation.alternative].name, "first");
  EXPECT_EQ(rotation.limit, 4);
  EXPECT_EQ(rotation.init, 1);
}

// --- descriptors

TEST(TasmMem4d, StepsAreLowered) {  // wse.md 5.3
  const pe::Dsd& nest = dsd_of(wse3(), "nest");
  EXPECT_EQ(nest.base, wse3().find_symbol("A")->address + 2 * 4);
  EXPECT_EQ(nest.dimensions, 4);
  EXPECT_THAT(nest.extents, ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(nest.strides, ElementsAre(1, -3, -3, -23));
  EXPECT_EQ(nest.extent, 625U);
  EXPECT_EQ(nest.stride_registers(), 2U);
}

TEST(TasmMem4d, ExtentsAreWrittenOuterToInnerAndStridesInnerToOuter) {  // wse.md 5.3
  const pe::Dsd& raw = dsd_of(wse3(), "raw");
  EXPECT_EQ(raw.dimensions, 2);
  EXPECT_THAT(raw.extents, ElementsAre(3, 2, 0, 0));
  EXPECT_THAT(raw.strides, ElementsAre(1, -1, 0, 0));
  EXPECT_EQ(raw.element_bytes, 2);
  EXPECT_TRUE(raw.wavelet_index_offset);
  const pe::Dsd& wide = dsd_of(wse3(), "wide");  // columns of A[5, 4]
  EXPECT_THAT(wide.extents, ElementsAre(5, 4, 0, 0));
  EXPECT_THAT(wide.strides, ElementsAre(4, -15, 0, 0));
}

TEST(TasmMem4d, MayReachTheLastByteOfSramButNotTheNext) {
  const std::string program = "data a: i16[24064]\n";  // up to the end of SRAM
  EXPECT_EQ(error_of(program + "dsd d mem4d a extent=94,256 step=256,1\n",
                     options_for(Generation::kWse3)),
            "no error");
  EXPECT_EQ(error_of(program + "dsd d mem4d a offset=1 extent=94,256 step=256,1\n",
                     options_for(Generation::kWse3)),
            "2:5: expected elements at byte addresses 0..49150, found one of dsd 'd' at 49152");
  // Neither the first nor the last element is the lowest.
  EXPECT_EQ(error_of(program + "dsd d mem4d a offset=2 extent=2,3 stride=-300,600\n",
                     options_for(Generation::kWse3)),
            "2:5: expected elements at byte addresses 0..49150, found one of dsd 'd' at -172");
}

TEST(TasmMem1d, IsOneLoop) {
  const pe::Dsd& whole = dsd_of(wse3(), "whole");
  EXPECT_EQ(whole.dimensions, 1);
  EXPECT_EQ(whole.extents[0], 20);
  EXPECT_FALSE(whole.wavelet_index_offset);
  const pe::Dsd& indexed = dsd_of(wse3(), "indexed");
  EXPECT_EQ(indexed.base, wse3().find_symbol("h")->address + 10);
  EXPECT_EQ(indexed.strides[0], -1);
  EXPECT_TRUE(indexed.wavelet_index_offset);
}

TEST(TasmCircbuf, WrapsAtTheEndOfTheSymbolOrBefore) {  // wse.md 5.4
  const std::uint32_t address = wse3().find_symbol("ring")->address;
  const pe::Dsd& around = dsd_of(wse3(), "around");
  EXPECT_EQ(around.base, address);
  EXPECT_EQ(around.wrap_base, address);
  EXPECT_EQ(around.extent, 40U);
  EXPECT_EQ(around.wrap_count, 40);
  const pe::Dsd& part = dsd_of(wse3(), "part");
  EXPECT_EQ(part.extent, 100U);
  EXPECT_EQ(part.extents[0], 100);
  EXPECT_EQ(part.wrap_count, 30);
}

TEST(TasmFabricDsds, HaveTheirOptions) {  // wse.md 5.5
  const pe::Dsd& west = dsd_of(wse3(), "west");
  EXPECT_EQ(west.simd, pe::SimdMode::kOff);
  EXPECT_TRUE(west.control_transform);
  EXPECT_EQ(west.priority, pe::Priority::kHigh);
  const pe::Dsd& east = dsd_of(wse3(), "east");
  EXPECT_TRUE(east.control && east.wavelet_index_offset && east.advance_switch);
  EXPECT_FALSE(east.control_transform);
  EXPECT_EQ(east.zero, pe::ZeroSource::kSecond);
  EXPECT_FALSE(east.priority.has_value());
  const pe::Dsd& far = dsd_of(wse3(), "far");
  EXPECT_FALSE(far.control || far.wavelet_index_offset || far.advance_switch);
  EXPECT_EQ(far.zero, pe::ZeroSource::kFirst);
}

TEST(TasmFabricDsds, HaveTheSimdModeOfTheGeneration) {  // wse.md 5.10
  EXPECT_EQ(dsd_of(wse3(), "any").simd, pe::SimdMode::kMax);
  EXPECT_EQ(dsd_of(wse2(), "a").simd, pe::SimdMode::k64);
  EXPECT_EQ(dsd_of(wse2(), "b").simd, pe::SimdMode::k32Or64);
  EXPECT_EQ(dsd_of(wse2(), "d").simd, pe::SimdMode::kOff);
  EXPECT_EQ(assemble_wse2("queue q input 1 color=1\ndsd d fabin q extent=1\n").dsds[0].simd,
            pe::SimdMode::k32);
}

// --- FIFOs and loads

TEST(TasmFifos, HaveTheirOptions) {  // wse.md 5.6
  const pe::Fifo& f = wse3().fifos[0];
  EXPECT_EQ(f.dsr, 3);
  EXPECT_EQ(f.xdsr, 1);
  EXPECT_EQ(f.empty_action, pe::FifoAction::kSuspend);
  EXPECT_EQ(f.full_action, pe::FifoAction::kTerminate);
  EXPECT_EQ(f.activate_push, TaskId(30));
  EXPECT_EQ(f.activate_pop, TaskId(9));
  EXPECT_EQ(f.simd, pe::SimdMode::kMax);
  const pe::Fifo& g = wse3().fifos[1];
  EXPECT_EQ(g.empty_action, pe::FifoAction::kTestOrSuspend);
  EXPECT_EQ(g.full_action, pe::FifoAction::kFault);
  EXPECT_FALSE(g.activate_push.has_value());
  EXPECT_EQ(g.priority, pe::Priority::kMedium);
  EXPECT_EQ(wse2().fifos[0].simd, pe::SimdMode::k32Or64);
}

TEST(TasmFifos, LeaveSource0DsrsFree) {
  EXPECT_EQ(error_of("data a: f32[4]\ndsd d mem1d a\nfifo f a dsr=3 xdsr=1\ndsr s0ds3 d\n",
                     options_for(Generation::kWse3)),
            "no error");
}

TEST(TasmInitialLoads, KeepTheirOrderAndOptions) {  // wse.md 5.11
  const std::vector<pe::InitialLoad>& loads = wse3().initial_loads;
  ASSERT_EQ(loads.size(), 6U);
  EXPECT_EQ(loads[0].dsr.kind, pe::kDest);
  EXPECT_EQ(loads[0].dsr.reg, 1);
  EXPECT_EQ(wse3().dsds[loads[0].dsd].name, "east");
  EXPECT_TRUE(loads[0].config.async);
  EXPECT_EQ(loads[0].config.ut, MicrothreadId(3));
  EXPECT_EQ(loads[0].config.activate, TaskId(30));
  EXPECT_EQ(loads[1].dsr.kind, pe::kSrc0);
  EXPECT_EQ(loads[1].config.xdsr, 2);
  EXPECT_EQ(loads[1].config.sr[1], 1);
  EXPECT_TRUE(loads[1].config.save_address);
  EXPECT_TRUE(loads[2].config.single_step);
}

}  // namespace
}  // namespace tessera::tasm
