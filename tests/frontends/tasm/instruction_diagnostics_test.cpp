// What the assembler says about mistakes in instructions: operands, forms, options, on both
// generations.
#include <gtest/gtest.h>

#include "tests/frontends/tasm/mistake.h"

namespace tessera::tasm {
namespace {

class TasmInstructionMessage : public ::testing::TestWithParam<Mistake> {};
TEST_P(TasmInstructionMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)), GetParam().message);
}

class TasmWse2Message : public ::testing::TestWithParam<Mistake> {};
TEST_P(TasmWse2Message, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse2)), GetParam().message);
}

const Mistake kOperands[] = {
    {"TooFewOperands", "fn f\n add16 r1, r2\n ret",
     "2:14: expected ',' and the rest of the 3 operands of add16, found the end of the line"},
    {"TooManyOperands", "fn f\n ublk f, f\n ret",
     "2:8: expected an option or the end of the line after the 1 operand of ublk, found ','"},
    {"OperandMissing", "fn f\n add16 r1, ,\n ret",
     "2:12: expected operand 2 of the 3 operands of add16, found ','"},
    {"OddPair", "fn f\n add32 d3, d2, 1\n ret",
     "2:8: expected a register pair d0, d2 .. d14, found 'd3'; a pair starts at an even register"},
    {"PairBeyondTheLast", "fn f\n add32 d16, d2, 1\n ret",
     "2:8: expected a register pair d0, d2 .. d14, found 'd16'"},
    {"RegisterBeyondTheLast", "fn f\n add16 r16, r2, 1\n ret",
     "2:8: expected a register r0..r15, found 'r16'"},
    {"DsrBeyondTheLast", "fn f\n lddsr s1ds16, x\n ret",
     "2:8: expected a register s1ds0..s1ds15, found 's1ds16'"},
    {"WrongRegister", "fn f\n add32 d0, r2, 1\n ret",
     "2:12: expected d0, d2 .. d14 or an immediate, found 'r2'"},
    {"ScalarOnlyTakesNoDsr", "fn f\n imul16 r0, s0ds1, 1\n ret",
     "2:13: expected r0..r15 or an immediate, found 's0ds1'"},
    {"LastOfFmacsTakesNoDsr", "fn f\n fmacs dds0, s0ds0, s1ds0, s1ds1\n ret",
     "2:28: expected d0, d2 .. d14 or an immediate, found 's1ds1'"},
    {"ImmediateAsDestination", "fn f\n movri 3, 4\n ret",
     "2:8: expected r0..r15 or d0, d2 .. d14, found '3'"},
    {"MemoryAsSource", "fn f\n add16 r0, [r1 + 2], 3\n ret",
     "2:12: expected r0..r15; an immediate; s0ds0..s0ds15 or s1ds0..s1ds15, found '[r1 + 2]'"},
    {"RegisterAsAddress", "fn f\n ld16 r0, r1\n ret", "2:11: expected [address], found 'r1'"},
    {"PairAsBase", "fn f\n ld16 r0, [d2]\n ret",
     "2:12: expected a register r0..r15 or an address, found 'd2'"},
    {"MemoryUnclosed", "fn f\n ld16 r0, [r1 2]\n ret", "2:15: expected '+', '-' or ']', found '2'"},
    {"OddAddress", "data a: i16[2]\nfn f\n ld16 r0, [a + 1]\n ret",
     "3:12: expected an even byte address, found 1033"},
    {"AddressOutsideSram", "fn f\n ld32 d0, [49150]\n ret",
     "2:12: expected a byte address 0..49148, found 49150"},
    {"Immediate16TooLarge", "fn f\n add16 r0, r0, 65536\n ret",
     "2:16: expected a 16-bit immediate -32768..65535, found 65536"},
    {"Immediate16IntoRegister", "fn f\n movri r0, 70000\n ret",
     "2:12: expected a 16-bit immediate -32768..65535, found 70000"},
    {"Immediate32TooLarge", "fn f\n add32 d0, d0, 0x100000000\n ret",
     "2:16: expected a 32-bit immediate -2147483648..4294967295, found 4294967296"},
    {"ImmediateNotInteger", "fn f\n add32 d0, d0, 1.5\n ret",
     "2:16: expected a 32-bit immediate -2147483648..4294967295, found 1.5"},
    {"LengthTooLong", "fn f\n setdsl dds0, 65536\n ret",
     "2:15: expected a length 0..65535, found 65536"},
    {"AddressNotInSram", "fn f\n setdsa dds0, 49152\n ret",
     "2:15: expected a byte address 0..49151, found 49152"},
    {"MemoryAsScalarDestination", "data a: f32[1]\nfn f\n fadds [a], d0, d2\n ret",
     "3:8: expected a register as the destination of a scalar fadds, found '[a]'; st32 writes a "
     "register to memory"},
    {"MemoryAsScalarDestination16", "fn f\n mov16 [r1 + 2], r3\n ret",
     "2:8: expected a register as the destination of a scalar mov16, found '[r1 + 2]'; st16 writes "
     "a register to memory"},
    {"MemoryIsNoDestinationOfIntegers", "fn f\n add16 [r1], s0ds0, s1ds0\n ret",
     "2:8: expected r0..r15; dds0..dds15 or s0ds0..s0ds15, found '[r1]'"},
    {"ScalarOfFmachIsNoDsr", "fn f\n fmach dds0, s0ds0, s1ds0, s1ds1\n ret",
     "2:28: expected r0..r15 or an immediate, found 's1ds1'"},
    {"WidthOfConversions", "fn f\n fh2s r0, r1\n ret",
     "2:7: expected d0, d2 .. d14; dds0..dds15 or s0ds0..s0ds15, found 'r0'"},
    {"HalfTooLarge", "fn f\n faddh r0, r0, 65520\n ret",
     "2:16: expected a number that f16 can hold, found 65520"},
    {"HalfBitsTooLarge", "fn f\n faddh r0, r0, bits(0x10000)\n ret",
     "2:21: expected 16 bits 0..65535, found 65536"},
    {"MovedHalfTooLarge", "fn f\n movri r0, 1e6\n ret",
     "2:12: expected a number that f16 can hold, found 1e+06"},
    {"SingleTooLarge", "fn f\n fadds d0, d0, 1e39\n ret",
     "2:16: expected a number that f32 can hold, found 1e+39"},
    {"StepTooLong", "fn f\n incdsa dds0, 32768\n ret",
     "2:15: expected a number of elements -32768..32767, found 32768"},
    {"StrideTooLong", "fn f\n setdss dds0, 128\n ret",
     "2:15: expected a stride -128..127, found 128"},
    {"TaskPriority", "task t local 9\n settp t, 2\n end",
     "2:11: expected a task priority 0..1, found 2"},
    {"TaskPriorityOfRegister", "fn f\n settp r1, 1\n ret", "2:8: expected a task, found 'r1'"},
    {"MainThreadPriority", "fn f\n setmtp 4\n ret",
     "2:9: expected a main thread priority 0..3, found 4"},
    {"ControlTransformMask", "fn f\n setctm 64\n ret",
     "2:9: expected a control transform mask 0..63, found 64"},
    {"TscTakesAPairFirst", "fn f\n tsc r0, r2\n ret", "2:6: expected d0, d2 .. d14, found 'r0'"},
    {"FilterTakesSource1", "fn f\n dfilt s0ds0 async\n ret",
     "2:8: expected s1ds0..s1ds15, found 's0ds0'"},
    {"MicrothreadBeyondTheLast", "fn f\n blk ut8\n ret",
     "2:6: expected a microthread ut0..ut7, found 'ut8'"},
    {"MicrothreadIsNotActivated", "fn f\n actvt ut1\n ret",
     "2:8: expected r0..r15 or a task, found 'ut1'"},
    {"NumberIsNoTask", "fn f\n blk 3\n ret", "2:6: expected a task or ut0..ut7, found '3'"},
    {"UnknownName", "param Np = 1\nfn f\n movri r0, Nq\n ret",
     "3:12: expected a number, param, const, data symbol, dsd or string, found 'Nq'; did you mean "
     "'Np'?"},
    {"NameIsNoNumber", "fn f\n movri r0, f\n ret",
     "2:12: expected a number, param, const, data symbol, dsd or string, found the function 'f'"},
};
INSTANTIATE_TEST_SUITE_P(Operands, TasmInstructionMessage, ::testing::ValuesIn(kOperands), name_of);

// wse.md 4: microthreads of WSE-2 belong to queues.
const Mistake kWse2Operands[] = {
    {"MicrothreadByNumber", "fn f\n ublk ut1\n ret",
     "2:7: expected a task or an input queue, found 'ut1'; a wse2 microthread is blocked with its "
     "queue"},
    {"NumberIsNoTask", "fn f\n blk 3\n ret", "2:6: expected a task, found '3'"},
};
INSTANTIATE_TEST_SUITE_P(Operands, TasmWse2Message, ::testing::ValuesIn(kWse2Operands), name_of);

const Mistake kReferences[] = {
    {"UnknownLabel", "fn f\nmore:\n jmp mroe\n",
     "3:6: expected a label of fn f or a function, found 'mroe'; did you mean 'more'?"},
    {"LabelOfOtherSection", "fn f\nmore:\n ret\nfn g\n jmp more\n",
     "5:6: expected a label of fn g or a function, found 'more'"},
    {"JumpToTask", "task t local 9\n jmp t\n",
     "2:6: expected a label of task t or a function, found the task 't'"},
    {"JumpToNumber", "fn f\n jmp 3\n", "2:6: expected a label or function, found '3'"},
    {"UnknownDsd", "data A: f32[1]\ndsd acc mem1d A\nfn f\n lddsr dds0, ac\n ret",
     "4:14: expected the name of a dsd, found 'ac'; did you mean 'acc'?"},
    {"UnknownTask", "task reduce local 9\n actvt reduced\n end",
     "2:8: expected the name of a local task, found 'reduced'; did you mean 'reduce'?"},
    {"ActivateDataTask", "queue q input 1 color=1\ntask t data q\n actvt t\n end",
     "3:8: expected the name of a local task, found the data task 't'; only wavelets activate it"},
    {"ActivateQueue", "queue q input 1 color=1\nfn f\n actvt q\n ret",
     "3:8: expected the name of a local task, found the queue 'q'"},
    {"BlockOutputQueue", "queue q output 1 color=1\nfn f\n blk q\n ret",
     "3:6: expected the name of an input queue, found the output queue 'q'"},
    {"FabinIntoDestination",
     "queue q input 1 color=1\ndsd d fabin q extent=1\nfn f\n lddsr dds0, d\n ret",
     "4:14: expected a memory or fabout dsd for a destination DSR, found the fabin dsd 'd'"},
    {"FaboutIntoSource",
     "queue q output 1 color=1\ndsd d fabout q extent=1\nfn f\n lddsr s0ds0, d\n ret",
     "4:15: expected a memory or fabin dsd for a source DSR, found the fabout dsd 'd'"},
};
INSTANTIATE_TEST_SUITE_P(References, TasmInstructionMessage, ::testing::ValuesIn(kReferences),
                         name_of);

const Mistake kOptions[] = {
    {"UnknownOption", "fn f\n fadds dds0, s0ds0, s1ds0 asynch\n ret",
     "2:27: expected an option or the end of the line after the 3 operands of fadds, found "
     "'asynch'; did you mean 'async'?"},
    {"OptionTwice", "fn f\n fadds dds0, s0ds0, s1ds0 async async\n ret",
     "2:33: expected each option once, found 'async' again"},
    {"ValueMissing", "fn f\n fadds dds0, s0ds0, s1ds0 async ut\n ret",
     "2:35: expected '=' after ut, found the end of the line"},
    {"AsyncScalar", "fn f\n fadds d0, d2, d4 async\n ret",
     "2:19: expected async after a DSD operation only, found it after a scalar fadds"},
    {"ActivateScalar", "task t local 9\n ld16 r0, [r1] activate=t\n end",
     "2:25: expected activate= after a DSD operation only, found it after ld16"},
    {"IndexScalar", "fn f\n mov16 r0, r1 index=3\n ret",
     "2:21: expected index= after a DSD operation only, found it after a scalar mov16"},
    {"OnControlScalar", "fn f\n end on_control=terminate\n ret",
     "2:17: expected on_control= after a DSD operation only, found it after end"},
    {"ActivateAndUnblock", "task t local 9\n mov16 dds0, 1 activate=t unblock=t\n end",
     "2:35: expected either activate= or unblock=, found both"},
    {"OnControlWord", "fn f\n mov16 dds0, s1ds0 on_control=activate\n ret",
     "2:31: expected terminate after on_control=, found 'activate'"},
    {"OnControlTwice",
     "task t local 9\n mov16 dds0, s1ds0 on_control=terminate on_control_activate=t\n end",
     "2:61: expected one of on_control=, on_control_activate= and on_control_unblock=, found "
     "on_control= and on_control_activate="},
    {"OnControlOfNoTask", "task t local 9\n mov16 dds0, s1ds0 on_control_activate=tt\n end",
     "2:40: expected the name of a local task, found 'tt'; did you mean 't'?"},
    {"OnControlOfOutputQueue",
     "queue q output 1 color=1\nfn f\n mov16 dds0, s1ds0 on_control_unblock=q\n ret",
     "3:39: expected the name of an input queue, found the output queue 'q'"},
    {"MicrothreadAlone", "fn f\n mov16 dds0, 1 ut=1\n ret",
     "2:19: expected async with ut=, found ut= alone; only async operations have a microthread"},
    {"MicrothreadOutOfRange", "fn f\n mov16 dds0, 1 async ut=8\n ret",
     "2:25: expected a microthread 0..7, found 8"},
    {"AsyncIntoRegister", "fn f\n mov16 r0, s1ds0 async\n ret",
     "2:18: expected async only with a destination in a DSR or in memory, found it with the "
     "register 'r0'"},
    {"IndexOutOfRange", "fn f\n mov16 dds0, 1 index=65536\n ret",
     "2:22: expected an index 0..65535, found 65536"},
    {"IndexInPair", "fn f\n mov16 dds0, 1 index=d2\n ret",
     "2:22: expected a register r0..r15 or an index, found 'd2'"},
    {"PriorityOnWse3", "fn f\n mov16 dds0, s1ds0 async priority=high\n ret",
     "2:35: expected no priority=, found one; on wse3 it stands with the fabin, fabout or fifo"},
    {"FilterIsAsync", "fn f\n dfilt s1ds0\n ret",
     "2:2: expected async after dfilt, found none; it runs on a microthread"},
    {"FilterHasNoIndex", "fn f\n dfilt s1ds0 async index=1\n ret",
     "2:26: expected no index= after dfilt, found one"},
    {"FilterHasNoOnControl", "fn f\n dfilt s1ds0 async on_control=terminate\n ret",
     "2:31: expected no on_control= after dfilt, found one; dfilt counts the control wavelets"},
    {"SaveAddressBehindOther", "fn f\n mov16 dds0, 1 save_address\n ret",
     "2:16: expected save_address after lddsr only, found it after mov16"},
    {"SingleStepBehindOther", "fn f\n mov16 dds0, 1 single_step\n ret",
     "2:16: expected single_step after lddsr only, found it after mov16"},
    {"ExtendedDsrBehindOther", "fn f\n mov16 dds0, 1 xdsr=1\n ret",
     "2:21: expected xdsr= after lddsr only, found it after mov16"},
    {"StrideRegistersBehindOther", "fn f\n mov16 dds0, 1 sr=1\n ret",
     "2:19: expected sr= after lddsr only, found it after mov16"},
};
INSTANTIATE_TEST_SUITE_P(Options, TasmInstructionMessage, ::testing::ValuesIn(kOptions), name_of);

const Mistake kWse2Options[] = {
    {"MicrothreadByNumber", "fn f\n mov16 dds0, s1ds0 async ut=5\n ret",
     "2:29: expected no ut=, found one; a wse2 microthread belongs to its queue"},
    {"PriorityWord", "fn f\n mov16 dds0, s1ds0 async priority=top\n ret",
     "2:35: expected high, medium or low after priority=, found 'top'"},
    {"PriorityAlone", "fn f\n mov16 dds0, s1ds0 priority=low\n ret",
     "2:29: expected async with priority=, found priority= alone; only async operations have a "
     "microthread"},
};
INSTANTIATE_TEST_SUITE_P(Options, TasmWse2Message, ::testing::ValuesIn(kWse2Options), name_of);

// wse.md 5.11: what a load takes depends on the descriptor.
std::string program_with_load(const std::string& load) {
  return "data a: f32[64]\ndata b: f32[8]\n"
         "queue qi input 1 color=1\nqueue qo output 1 color=2\n"
         "dsd line mem1d a\ndsd ring circbuf a\n"
         "dsd plain mem4d a extent=2,8 step=8,1\n"
         "dsd cube mem4d a extent=2,2,2 step=32,8,2\n"
         "dsd in fabin qi extent=4\ndsd out fabout qo extent=4\n"
         "fifo pipe b dsr=3 xdsr=2\n"
         "task t local 9\n " +
         load + "\n end\n";
}

class TasmLoadMessage : public ::testing::TestWithParam<Mistake> {};
TEST_P(TasmLoadMessage, NamesPlaceAndWhatWasExpected) {
  const std::string text = program_with_load(GetParam().text);
  EXPECT_EQ(error_of(text, options_for(Generation::kWse3)),
            std::string("13:") + GetParam().message);
}

const Mistake kLoads[] = {
    {"SaveAddressOfFabric", "lddsr s0ds0, in save_address",
     "18: expected save_address with a memory dsd only, found it with the fabin dsd 'in'"},
    {"AsyncOfMemory", "lddsr s0ds0, line async",
     "20: expected async with a fabin or fabout dsd only, found it with the mem1d dsd 'line'"},
    {"ActivateOfMemory", "lddsr s0ds0, line activate=t",
     "29: expected activate= with a fabin or fabout dsd only, found it with the mem1d dsd 'line'"},
    {"OnControlOfMemory", "lddsr dds0, line on_control=terminate",
     "30: expected on_control= with a fabin or fabout dsd only, found it with the mem1d dsd "
     "'line'"},
    {"MicrothreadAlone", "lddsr s0ds0, in ut=1",
     "21: expected async with ut=, found ut= alone; only async operations have a microthread"},
    {"IndexOfLoad", "lddsr dds0, out index=1",
     "24: expected index= after a DSD operation only, found it after the load of a DSR"},
    {"PriorityOfLoad", "lddsr dds0, out async priority=low",
     "33: expected priority= after a DSD operation only, found it after the load of a DSR"},
    {"SingleStepAsync", "lddsr dds0, out async single_step",
     "24: expected either async or single_step, found both"},
    {"ExtendedDsrOfMem1d", "lddsr s0ds0, line xdsr=1",
     "25: expected xdsr= with a mem4d or circbuf dsd only, found it with the mem1d dsd 'line'"},
    {"ExtendedDsrOutOfRange", "lddsr s0ds0, ring xdsr=8", "25: expected an XDSR 0..7, found 8"},
    {"ExtendedDsrOfFifo", "lddsr s0ds0, ring xdsr=2",
     "25: expected an XDSR that no fifo has, found 2 of the fifo 'pipe' of line 11"},
    {"TooFewStrideRegisters", "lddsr s0ds0, cube xdsr=1 sr=3",
     "30: expected sr= with 2 numbers for the mem4d dsd 'cube', found 1"},
    {"TooManyStrideRegisters", "lddsr s0ds0, cube xdsr=1 sr=3,4,5",
     "30: expected sr= with 2 numbers for the mem4d dsd 'cube', found 3"},
    {"InnerLoopsNeedNone", "lddsr s0ds0, plain xdsr=1 sr=3",
     "31: expected no sr= for the mem4d dsd 'plain', found 1"},
    {"StrideRegistersOfFabric", "lddsr s0ds0, in sr=3",
     "21: expected no sr= for the fabin dsd 'in', found 1"},
    {"StrideRegisterTwice", "lddsr s0ds0, cube xdsr=1 sr=3,3",
     "32: expected each stride register once, found 3 again"},
    {"StrideRegisterOutOfRange", "lddsr s0ds0, cube xdsr=1 sr=3,8",
     "32: expected a stride register 0..7, found 8"},
    {"DestinationOfFifo", "lddsr dds3, line",
     "14: expected a DSR that no fifo has, found dds3 of the fifo 'pipe' of line 11"},
    {"SourceOfFifo", "lddsr s1ds3, in",
     "15: expected a DSR that no fifo has, found s1ds3 of the fifo 'pipe' of line 11"},
    {"FifoIsNotLoaded", "lddsr dds4, pipe",
     "14: expected the name of a dsd, found the fifo 'pipe'"},
};
INSTANTIATE_TEST_SUITE_P(Loads, TasmLoadMessage, ::testing::ValuesIn(kLoads), name_of);

TEST(TasmLoad, TakesTheOptionsOfItsDescriptor) {
  for (const char* load :
       {"lddsr s0ds3, line save_address single_step", "lddsr s0ds0, ring xdsr=1 save_address",
        "lddsr s0ds0, plain xdsr=1", "lddsr s0ds0, cube xdsr=0 sr=7,0 single_step",
        "lddsr s1ds0, in async ut=3 activate=t on_control_unblock=qi",
        "lddsr dds0, out async unblock=t"}) {
    EXPECT_EQ(error_of(program_with_load(load), options_for(Generation::kWse3)), "no error")
        << load;
  }
}

std::string registers_of(const pe::OpConfig& config) {
  std::string text = std::to_string(config.xdsr.value());
  for (const auto& sr : config.sr) text += sr ? " " + std::to_string(*sr) : "";
  return text;
}

TEST(TasmLoad, WithoutRegistersGetsSomeThatNoOtherDsrHas) {
  const pe::Image image = assemble_wse3(
      program_with_load("lddsr s0ds0, cube xdsr=1 sr=0,2\n lddsr s1ds0, cube\n lddsr dds0, ring\n"
                        " lddsr s1ds0, plain\n lddsr s1ds0, cube sr=6,7"));
  EXPECT_EQ(registers_of(image.code[0].config), "1 0 2");
  EXPECT_EQ(registers_of(image.code[1].config), "0 1 3");  // XDSR 2 is that of the fifo
  EXPECT_EQ(registers_of(image.code[2].config), "3");
  EXPECT_EQ(registers_of(image.code[3].config), "0");
  EXPECT_EQ(registers_of(image.code[4].config), "0 6 7");
}

TEST(TasmLoad, BeforeTheStartGetsRegistersToo) {
  const pe::Image image = assemble_wse3(program_with_load("lddsr s0ds1, cube") +
                                        "dsr s0ds1 cube\ndsr s1ds1 ring xdsr=0\n");
  EXPECT_EQ(registers_of(image.initial_loads[0].config), "1 0 1");
  EXPECT_EQ(registers_of(image.code[0].config), "1 0 1");
}

TEST(TasmLoad, WithoutRegistersIsRefusedWhenAllAreTaken) {
  std::string loads = "lddsr dds0, ring xdsr=0";
  for (int i = 1; i < 8; ++i) loads += "\n lddsr s0ds" + std::to_string(i) + ", ring";
  EXPECT_EQ(error_of(program_with_load(loads), options_for(Generation::kWse3)),
            "20:15: expected xdsr= for the circbuf dsd 'ring', found none, and all 8 are taken; "
            "DSRs that are not in use together can share one");
  loads.clear();
  for (int i = 0; i < 5; ++i) loads += "lddsr s0ds" + std::to_string(i) + ", cube xdsr=0\n ";
  EXPECT_EQ(error_of(program_with_load(loads), options_for(Generation::kWse3)),
            "17:15: expected sr= for the mem4d dsd 'cube', found none, and all 8 are taken; DSRs "
            "that are not in use together can share one");
}

constexpr const char* kLegend =
    " (D: destination DSR, S: source DSR, v: register or immediate, p: destination register or "
    "memory)";

// wse.md 6.7: the forms of DSD operations.
const Mistake kForms[] = {
    {"Sub16HasNoScalarFirst", "fn f\n sub16 dds0, 1, s1ds0\n ret",
     "2:2: expected the operands D,S,S or D,S,v for the DSD operation sub16, found D,v,S"},
    {"Add16HasNoRegisterDestination", "fn f\n add16 r0, r1, s1ds0\n ret",
     "2:2: expected the operands D,S,S; D,v,S or D,S,v for the DSD operation add16, found p,v,S"},
    {"TwoScalars", "fn f\n fadds dds0, d0, 1.0\n ret",
     "2:2: expected the operands D,S,S; D,v,S; D,S,v or p,v,S for the DSD operation fadds, found "
     "D,v,v"},
    {"FmacsNeedsTwoSources", "fn f\n fmacs dds0, d0, s1ds0, d2\n ret",
     "2:2: expected the operands D,S,S,v for the DSD operation fmacs, found D,v,S,v"},
    {"FmachNeedsTwoSources", "fn f\n fmach dds0, s0ds0, 1.0, 2.0\n ret",
     "2:2: expected the operands D,S,S,v for the DSD operation fmach, found D,S,v,v"},
    {"FaddhMemoryDestinationNeedsAScalar", "fn f\n faddh [r1], s0ds0, s1ds0\n ret",
     "2:2: expected the operands D,S,S; D,v,S; D,S,v or p,v,S for the DSD operation faddh, found "
     "p,S,S"},
    {"ConversionIntoRegister", "fn f\n fs2h r0, s1ds0\n ret",
     "2:2: expected the operands D,S or D,v for the DSD operation fs2h, found p,S"},
    {"FabssHasNoRegisterDestination", "fn f\n fabss d0, s1ds0\n ret",
     "2:2: expected the operands D,S or D,v for the DSD operation fabss, found p,S"},
};
class TasmForm : public TasmInstructionMessage {};
TEST_P(TasmForm, OfDsdOperationsAreThoseOfSection67) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)),
            std::string(GetParam().message) + kLegend);
}
INSTANTIATE_TEST_SUITE_P(Forms, TasmForm, ::testing::ValuesIn(kForms), name_of);

}  // namespace
}  // namespace tessera::tasm
