// The disassembler: what it prints assembles to the same image, for every opcode and every form of
// its operands.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "frontends/tasm/disassembler.h"
#include "frontends/tasm/print.h"
#include "models/pe/half.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

void expect_round_trip(const pe::Image& image) {
  const std::string text = disassemble(image);
  const pe::Image again = assemble(text, options_for(image.generation));
  EXPECT_EQ(dump(again), dump(image)) << text;
}

void expect_round_trip(std::string_view text) {
  expect_round_trip(assemble_wse3(text));
}

std::string program_around(const std::string& instruction) {
  return "data a: f32[4]\ndsd d mem1d a\ntask t local 9\n end\nfn f\n " + instruction + "\n ret\n";
}

/// One operand of each kind that the slot takes.
std::vector<std::string> samples(std::uint16_t kinds) {
  const std::vector<std::pair<std::uint16_t, const char*>> all = {
      {pe::kReg16, "r3"},   {pe::kReg32, "d6"},    {pe::kImm, "1"},           {pe::kDest, "dds2"},
      {pe::kSrc0, "s0ds5"}, {pe::kSrc1, "s1ds15"}, {pe::kMem, "[r1 - 4]"},    {pe::kCode, "f"},
      {pe::kTask, "t"},     {pe::kDsd, "d"},       {pe::kMicrothread, "ut7"},
  };
  std::vector<std::string> result;
  for (const auto& [kind, text] : all) {
    if ((kinds & kind) != 0) result.emplace_back(text);
  }
  return result;
}

/// All ways to write the opcode with these samples, allowed or not.
std::vector<std::string> spellings(const pe::OpcodeInfo& info) {
  std::vector<std::string> result = {std::string(info.mnemonic)};
  for (unsigned i = 0; i < info.operand_count; ++i) {
    std::vector<std::string> longer;
    for (const std::string& head : result) {
      for (const std::string& sample : samples(info.operands[i])) {
        longer.push_back(head);
        longer.back() += (i == 0 ? " " : ", ") + sample;
      }
    }
    result = longer;
  }
  return result;
}

/// How many spellings wse.md 6.7 allows. D has 2 samples (dds, s0ds), S 2 (s0ds, s1ds), v 2 (a
/// register, an immediate), p 2 (a register, memory). Without a form all are allowed.
std::size_t allowed_spellings(const pe::OpcodeInfo& info) {
  switch (info.form) {
  case pe::VectorForm::kNone:
    return spellings(info).size();
  case pe::VectorForm::kMove:
    return 2 + 2 * 2 + 2 * 2 + 2 * 2;  // scalar; D,S; D,v; p,S
  case pe::VectorForm::kUnary:
    return 2 + 2 * 2 + 2 * 2;  // scalar; D,S; D,v
  case pe::VectorForm::kBinary:
    return 4 + 3 * 2 * 4;  // scalar; D,S,S; D,v,S; D,S,v
  case pe::VectorForm::kSubtract16:
    return 4 + 2 * 2 * 4;  // scalar; D,S,S; D,S,v
  case pe::VectorForm::kFloatBinary:
    return 4 + 3 * 2 * 4 + 2 * 2 * 2;  // and p,v,S
  case pe::VectorForm::kMultiplyAdd:
    return 8 + 2 * 4 * 2;  // scalar; D,S,S,v
  case pe::VectorForm::kFilter:
    return 1;
  }
  return 0;
}

class TasmOpcode : public ::testing::TestWithParam<unsigned> {};

TEST_P(TasmOpcode, TakesItsFormsAndEachRoundTrips) {
  const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(GetParam()));
  const std::string options = info.op == pe::Opcode::kDfilt ? " async" : "";  // wse.md 6.7
  std::size_t allowed = 0;
  for (const std::string& spelling : spellings(info)) {
    const std::string text = program_around(spelling + options);
    if (error_of(text, options_for(Generation::kWse3)) != "no error") continue;
    ++allowed;
    const pe::Image image = assemble_wse3(text);
    expect_round_trip(image);
    EXPECT_EQ(image.code[1].op, info.op);
  }
  EXPECT_EQ(allowed, allowed_spellings(info));
}

std::string mnemonic_of(const ::testing::TestParamInfo<unsigned>& info) {
  return std::string(pe::info(static_cast<pe::Opcode>(info.param)).mnemonic);
}
INSTANTIATE_TEST_SUITE_P(All, TasmOpcode, ::testing::Range(0U, pe::kOpcodeCount), mnemonic_of);

TEST(TasmRoundTrip, WholeProgram) {
  expect_round_trip(kGemv);
}

TEST(TasmRoundTrip, ParamsAreSubstituted) {
  const pe::Image image = assemble(kGemv, options_for(Generation::kWse3, {{"Mp", 5}, {"Np", 3}}));
  expect_round_trip(image);
  EXPECT_EQ(disassemble(image).find("Mp"), std::string::npos);
}

TEST(TasmRoundTrip, Wse2ProgramWithColorsInDescriptors) {
  expect_round_trip(assemble_wse2(
      "queue in input 1 color=9\nqueue out output 2\nqueue own output 3 color=4\n"
      "dsd a fabout out extent=3 color=5\ndsd b fabout out extent=0x7fff color=6\n"
      "dsd c fabout own extent=0\ndsd d fabout own extent=1 color=7\n"
      "task on_in data in\n blk in\n end\ntask l local 3 active blocked\n ublk l\n end\n"));
}

TEST(TasmRoundTrip, OptionsOfOperations) {
  expect_round_trip(
      "queue q input 3 color=1\ntask t local 9\n mov16 dds0, s1ds0 async ut=7 activate=t\n"
      " fadds dds0, s0ds0, 1.5 unblock=q\n fmovs dds0, s1ds1 async unblock=t\n"
      " mov32 dds0, s1ds0 on_control=terminate index=r3\n"
      " mov32 [q_room], s1ds0 async on_control_activate=t index=65535\n"
      " mov32 dds0, s1ds0 on_control_unblock=q index=0\n dfilt s1ds1 async ut=0 activate=t\n"
      " end\ndata q_room: u32[1]\n");
}

TEST(TasmRoundTrip, PrioritiesOfWse2Operations) {
  expect_round_trip(
      assemble_wse2("fn f\n mov16 dds0, s1ds0 async priority=low\n mov16 dds0, s1ds0 async "
                    "priority=medium\n dfilt s1ds0 async priority=high\n ret\n"));
}

TEST(TasmRoundTrip, OptionsOfLoads) {
  expect_round_trip(
      "data a: f32[64]\nqueue qi input 1 color=1\nqueue qo output 1 color=2\ndsd line mem1d a\n"
      "dsd ring circbuf a\ndsd cube mem4d a extent=2,2,2,2 step=32,16,8,2\n"
      "dsd in fabin qi extent=4\ndsd out fabout qo extent=4\ntask t local 9\n"
      " lddsr s0ds1, line single_step\n lddsr s0ds2, ring save_address xdsr=7\n"
      " lddsr dds2, cube xdsr=0 sr=7,0,3\n lddsr s1ds0, in async ut=2 on_control=terminate\n"
      " lddsr dds1, out async unblock=qi on_control_activate=t\n end\n");
}

TEST(TasmRoundTrip, MemoryOperands) {
  expect_round_trip(
      "data pad: i16[3]\ndata a: f32[4]\nfn f\n ld32 d0, [a]\n ld32 d2, [a + 4 * 3]\n st16 [r3 + "
      "a], r1\n"
      " st16 [r3 - 2 + 6], r1\n st32 [r3 - 32768], d0\n ld16 r1, [0]\n ld16 r1, [pad + 2]\n ret\n");
}

TEST(TasmRoundTrip, Descriptors) {
  expect_round_trip("data a: i16[8]\ndata b: f32[8]\ndata c: u16[8]\ndsd a1 mem1d a\ndsd a2 mem1d "
                    "a offset=2 extent=3 stride=2\n"
                    "dsd a3 mem1d a offset=7 stride=-1\ndsd a4 mem1d c offset=-3 extent=2\ndsd a5 "
                    "mem1d c offset=8 extent=0\n"
                    "dsd b1 mem1d b offset=-1 extent=1\ndsd b2 mem1d b stride=0 extent=100\n");
}

TEST(TasmRoundTrip, ElementSizeOfTheOperation) {
  expect_round_trip(
      "data b: f32[8]\ndata a: i16[9]\ndsd m mem1d a offset=3 extent=9 stride=-2 "
      "element=operation\n"
      "dsd n mem4d b offset=7 extent=2,3 step=9,1 wavelet_index_offset element=operation\n"
      "dsd o mem1d a offset=-1 extent=40 element=operation\n"
      "dsd p mem1d a element=operation of=f32\ndsd q mem4d b extent=2,3 stride=1,1 "
      "element=operation of=u16\n");
}

TEST(TasmRoundTrip, RecordsOfDescriptors) {
  expect_round_trip(
      "queue qi input 1 color=1\ndata a: u16[8]\ndsd first mem1d a\ndsd second mem1d a\n"
      "data r: u16[4] = second, a + 2, 4, 1\ntask t local 9\n lddsr s1ds1, [r] xdsr=2 sr=3,1\n"
      " lddsr dds1, [r1 - 2] async activate=t\n lddsr s0ds2, [r + 2] save_address single_step\n "
      "end\n");
  const pe::Image image = assemble_wse3("data a: u16[2]\ndsd p mem1d a\ndsd q mem1d a\n"
                                        "data r: u16[2] = q + 1, p\n");
  EXPECT_EQ(image.symbols[1].init, (std::vector<std::uint32_t>{2, 0}));
}

TEST(TasmRoundTrip, Strings) {
  expect_round_trip(
      "string a \"; b = \\n\\\\ \\x22 \\xff\"\nstring b \"\"\nfn f\n stcfg 0x7f71, b\n ret\n");
  const pe::Image image = assemble_wse3("string a \"1\\n\\\\\\x41\"\n");
  EXPECT_EQ(image.strings[0].text, "1\n\\A");
  EXPECT_EQ(error_of("string a \"\\t\"\n", options_for(Generation::kWse3)),
            "1:10: expected \\n, \\\\ or \\xNN after \\ in the string, found '\\t'");
}

TEST(TasmRoundTrip, Immediates) {
  expect_round_trip(
      "data a: f32[1]\nfn f\n add16 r0, r1, -32768\n add16 r0, r1, 65535\n movri d0, -0x80000000\n"
      " movri d0, 4294967295\n setdsa dds0, a\n setdsl dds0, 0x7fff\n fmovs d0, 1\n fmovs d0, "
      "-0.0\n"
      " fmovs d0, 0.1\n fmuls d0, d0, 1.0 / 3\n ret\n");
}

TEST(TasmRoundTrip, ImmediatesOfEverySlotType) {
  for (const std::string half : {"f16", "bf16", "cb16"}) {
    expect_round_trip("half " + half +
                      "\nfn f\n faddhs d0, 0.1, 0.1\n fmachs d0, d2, 3, -0.0\n fs2h r0, 0.1\n"
                      " xp162fh r0, -7\n fscaleh r0, 1.5, -3\n fscales d0, bits(0x7f800000), 4\n"
                      " fmaxh r0, bits(0x7fff), bits(0xffff)\n fs2xp32 d0, 2.5\n xp322fs d0, -9\n"
                      " setdss dds0, -128\n incdsa s1ds0, -32768\n setmtp 3\n seedprng "
                      "0xdeadbeef\n ret\n");
  }
}

TEST(TasmRoundTrip, EveryHalfValue) {
  for (const auto format : {pe::HalfFormat::kF16, pe::HalfFormat::kBf16, pe::HalfFormat::kCb16}) {
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      const std::string text = half_literal(half, format);
      if (text.front() == 'b') {
        EXPECT_FALSE(std::isfinite(pe::half_value(half, format))) << text;
        continue;
      }
      ASSERT_EQ(pe::half_bits(std::stod(text), format), half) << text;
    }
  }
}

TEST(TasmRoundTrip, EveryExponentOfF32AndWhatIsNoNumber) {
  std::string text = "data a: f32[1024] = ";
  for (unsigned exponent = 0; exponent < 256; ++exponent) {
    for (const std::uint32_t rest : {0U, 1U, 0x7FFFFFU, 0x80345678U}) {
      text += "bits(" + std::to_string((exponent << 23) ^ rest) + ")" +
              (exponent == 255 && rest > 0x7FFFFF ? "" : ", ");
    }
  }
  const pe::Image image = assemble_wse3(text);
  EXPECT_EQ(image.symbols[0].init.size(), 1024U);
  expect_round_trip(image);
}

TEST(TasmRoundTrip, InitialValuesOfEveryType) {
  const pe::Image image =
      assemble_wse3("data a: i16[3] = -1, -32768, 32767\ndata b: u16[2] = 65535, 0\ndata c: i32[2] "
                    "= -1, 0x7fffffff\n"
                    "data d: u32[1] = 0xffffffff\ndata e: f32[4] = 1, -2.5, 0, 0\n");
  EXPECT_EQ(image.symbols[0].init, (std::vector<std::uint32_t>{0xFFFF, 0x8000, 0x7FFF}));
  EXPECT_EQ(image.symbols[2].init, (std::vector<std::uint32_t>{0xFFFFFFFF, 0x7FFFFFFF}));
  EXPECT_EQ(image.symbols[4].init, (std::vector<std::uint32_t>{0x3F800000, 0xC0200000, 0, 0}));
  expect_round_trip(image);
}

TEST(TasmRoundTrip, SectionsKeepTheirOrderAndLabels) {
  expect_round_trip(
      "fn a\nx:\ny:\n jmpt x\n jmp y\ntask b local 9\n call a\nx:\n jmpf x\n jmp a\nfn c\n ret\n");
}

TEST(TasmOneLine, IsWhatMessagesShow) {
  const pe::Image image = assemble_wse3(kGemv);
  std::vector<std::string> lines;
  for (const pe::Instruction& in : image.code) lines.push_back(to_string(in, image));
  EXPECT_EQ(lines[0], "lddsr s1ds1, column save_address");
  EXPECT_EQ(lines[1], "ublk on_x");  // the task of the channel that x_in is
  EXPECT_EQ(lines[5], "fmacs dds1, s0ds1, s1ds1, d0");
  EXPECT_EQ(lines[6], "ld16 r2, [left]");
  EXPECT_EQ(lines[10], "jmpf more");
  EXPECT_EQ(lines.back(), "end");
}

TEST(TasmOneLine, OfAnImageWithoutNamesPrintsNumbers) {
  pe::Image image;
  pe::Instruction jump;
  jump.op = pe::Opcode::kJmp;
  jump.operands[0] = {pe::kCode, 0, 12};
  EXPECT_EQ(to_string(jump, image), "jmp <12>");
  pe::Instruction activate;
  activate.op = pe::Opcode::kActvt;
  activate.operands[0] = {pe::kTask, 0, 9};
  EXPECT_EQ(to_string(activate, image), "actvt 9");
}

}  // namespace
}  // namespace tessera::tasm
