// What the assembler makes of instructions: immediates by the type of their slot, operands of every
// kind, options.
#include <gtest/gtest.h>

#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

pe::Instruction wse3_instruction(const std::string& instruction, const std::string& above = "") {
  return assemble_wse3(above + "fn f\n " + instruction + "\n ret\n").code[0];
}

std::uint32_t bits_of(const std::string& instruction, unsigned slot, const std::string& above) {
  return static_cast<std::uint32_t>(wse3_instruction(instruction, above).operands[slot].value);
}

TEST(TasmImmediate, OfA16BitFloatIsInTheFormatOfTheProgram) {  // wse.md 6.1, 8.2
  EXPECT_EQ(bits_of("faddh r0, r1, 6", 2, ""), 0x4600U);
  EXPECT_EQ(bits_of("faddh r0, r1, 6", 2, "half f16\n"), 0x4600U);
  EXPECT_EQ(bits_of("faddh r0, r1, 6", 2, "half bf16\n"), 0x40C0U);
  EXPECT_EQ(bits_of("faddh r0, r1, 6.0", 2, "half cb16\n"), 0x5900U);
  EXPECT_EQ(bits_of("faddh r0, r1, -0.1", 2, ""), 0xAE66U);
  EXPECT_EQ(bits_of("faddh r0, r1, bits(0xfc00)", 2, ""), 0xFC00U);
}

TEST(TasmImmediate, TakesTheTypeOfItsSlot) {
  EXPECT_EQ(bits_of("faddhs d0, 1, 1", 1, ""), 0x3C00U);
  EXPECT_EQ(bits_of("faddhs d0, 1, 1", 2, ""), 0x3F800000U);
  EXPECT_EQ(bits_of("fmachs d0, 1, 1, 1", 3, ""), 0x3C00U);
  EXPECT_EQ(bits_of("fscales d0, 1, -1", 1, ""), 0x3F800000U);
  EXPECT_EQ(bits_of("fscales d0, 1, -1", 2, ""), 0xFFFFFFFFU);
  EXPECT_EQ(bits_of("xp162fh r0, 1", 1, ""), 1U);
  EXPECT_EQ(bits_of("movri d0, 1", 1, "half bf16\n"), 1U);
}

TEST(TasmOperand, MemoryCanBeTheDestinationOfADsdOperation) {  // wse.md 6.7: p
  const std::string above = "data pad: i16[1]\ndata a: f32[2]\n";
  const pe::Instruction fixed = wse3_instruction("fadds [a + 4], 0, s1ds3", above);
  EXPECT_EQ(fixed.operands[0], (pe::Operand{pe::kMem, pe::kNoBase, 1024 + 8 + 4 + 4}));
  EXPECT_TRUE(fixed.is_vector());
  const pe::Instruction based = wse3_instruction("mov16 [r1 - 2], s1ds3 async", above);
  EXPECT_EQ(based.operands[0], (pe::Operand{pe::kMem, 1, -2}));
}

TEST(TasmOperand, TasksComeByNameOrInARegister) {  // wse.md 8.6
  EXPECT_EQ(wse3_instruction("actvt r7").operands[0], (pe::Operand{pe::kReg16, 7, 0}));
  const pe::Image image = assemble_wse3("task t local 30\n actvt t\n settp t, r3\n end\n");
  EXPECT_EQ(image.code[0].operands[0], (pe::Operand{pe::kTask, 0, 30}));
  EXPECT_EQ(image.code[1].operands[1], (pe::Operand{pe::kReg16, 3, 0}));
}

TEST(TasmOperand, MicrothreadsAreBlockedByNumberOnWse3) {  // wse.md 3.2
  EXPECT_EQ(wse3_instruction("blk ut3").operands[0], (pe::Operand{pe::kMicrothread, 3, 0}));
  EXPECT_EQ(wse3_instruction("ublk ut7").operands[0], (pe::Operand{pe::kMicrothread, 7, 0}));
}

TEST(TasmOptions, OfAnOperation) {  // wse.md 5.7
  const pe::OpConfig c =
      assemble_wse3("queue q input 3 color=1\ntask t local 9\n mov16 dds0, s1ds0 "
                    "async ut=5 unblock=q on_control_activate=t index=r4\n end\n")
          .code[0]
          .config;
  pe::OpConfig expected;
  expected.async = true;
  expected.ut = MicrothreadId(5);
  expected.unblock = TaskId(3);
  expected.on_control = pe::OnControl::kActivate;
  expected.on_control_target = TaskId(9);
  expected.index = pe::Operand{pe::kReg16, 4, 0};
  EXPECT_EQ(c, expected);
}

TEST(TasmOptions, OfAWse2Operation) {
  const pe::OpConfig c =
      assemble_wse2("queue q input 3 color=17\nfn f\n mov16 dds0, s1ds0 async priority=medium "
                    "on_control_unblock=q index=65535\n ret\n")
          .code[0]
          .config;
  pe::OpConfig expected;
  expected.async = true;
  expected.priority = pe::Priority::kMedium;
  expected.on_control = pe::OnControl::kUnblock;
  expected.on_control_target = TaskId(17);
  expected.index = pe::Operand{pe::kImm, 0, 65535};
  EXPECT_EQ(c, expected);
}

TEST(TasmOptions, OfALoad) {  // wse.md 5.11
  const pe::OpConfig c =
      assemble_wse3("data a: i16[64]\ndsd d mem4d a extent=2,2,2,2 step=32,16,8,2\nfn f\n "
                    "lddsr s0ds0, d sr=5,0,7 xdsr=3 single_step save_address\n ret\n")
          .code[0]
          .config;
  pe::OpConfig expected;
  expected.save_address = true;
  expected.single_step = true;
  expected.xdsr = 3;
  expected.sr = {5, 0, 7};
  EXPECT_EQ(c, expected);
}

TEST(TasmCode, AnAssertionMayEndASection) {
  EXPECT_EQ(assemble_wse3("fn f\n eq16 r0, 1\n jmpf bad\n ret\nbad:\n brk\n").code.size(), 4U);
}

TEST(TasmOneLine, ShowsEveryKindOfOption) {
  const pe::Image image = assemble_wse3(
      "data a: f16[9]\ndsd d mem4d a extent=3,3 step=1,3\nqueue q input 0 color=1\n"
      "task t local 9\n lddsr s0ds0, d sr=5 xdsr=3 single_step save_address\n"
      " faddh [a + 2], 0.1, s1ds0 index=r4 on_control_unblock=q ut=1 async\n blk ut2\n end\n");
  EXPECT_EQ(to_string(image.code[0], image), "lddsr s0ds0, d save_address single_step xdsr=3 sr=5");
  EXPECT_EQ(to_string(image.code[1], image),
            "faddh [a + 2], 0.1, s1ds0 async ut=1 on_control_unblock=q index=r4");
  EXPECT_EQ(to_string(image.code[2], image), "blk ut2");
}

}  // namespace
}  // namespace tessera::tasm
