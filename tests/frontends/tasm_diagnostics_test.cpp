// What the assembler says about every kind of mistake: the exact place, and the words that help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/frontends/tasm_test_text.h"

namespace tessera::tasm {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Mistake {
  const char* name;
  const char* text;
  const char* message;  ///< whole: place and problem
};

void PrintTo(const Mistake& m, std::ostream* os) {
  *os << m.name;
}
std::string name_of(const ::testing::TestParamInfo<Mistake>& info) {
  return info.param.name;
}

class TasmMessage : public ::testing::TestWithParam<Mistake> {};

TEST_P(TasmMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)), GetParam().message);
}

const Mistake kLexical[] = {
    {"UnknownCharacter", "fn f\n  add16 r1, r2, #3\n  ret\n",
     "2:17: expected a name, a number or one of , : = + - * / % ( ) [ ], found '#'"},
    {"UnprintableCharacter", "\x01",
     "1:1: expected a name, a number or one of , : = + - * / % ( ) [ ], found '\\x01'"},
    {"MalformedNumber", "const a = 12ab",
     "1:11: expected a number such as 12, 0x1F or 1.5e-3, found '12ab'"},
    {"MalformedHex", "const a = 0xG",
     "1:11: expected a number such as 12, 0x1F or 1.5e-3, found '0xG'"},
    {"NumberBeyond64Bits", "const a = 99999999999999999999",
     "1:11: expected a number of at most 64 bits, found '99999999999999999999'"},
    {"LineOfPunctuation", "= 3",
     "1:1: expected an instruction, a declaration or a label, found '='"},
};
INSTANTIATE_TEST_SUITE_P(Lexical, TasmMessage, ::testing::ValuesIn(kLexical), name_of);

const Mistake kDeclarations[] = {
    {"UnknownMnemonic", "fn f\n  fmac d0, d0, d0, d0\n  ret\n",
     "2:3: expected an instruction, a declaration or a label, found 'fmac'; the nearest is "
     "'fmacs'"},
    {"UnknownKeyword", "dataa A: f32[1]",
     "1:1: expected an instruction, a declaration or a label, found 'dataa'; the nearest is "
     "'data'"},
    {"NameIsKeyword", "const data = 1",
     "1:7: expected the name of a const, found 'data', which is a keyword"},
    {"NameIsRegister", "data d4: f32[1]",
     "1:6: expected the name of a data symbol, found 'd4', which names a register"},
    {"NameMissing", "fn", "1:3: expected the name of a function, found the end of the line"},
    {"NameTaken", "const a = 1\ndata a: i16[1]",
     "2:6: expected a new name, found 'a', which is the const of line 1"},
    {"ParamWithoutValue", "param Mp",
     "1:7: expected a value for param 'Mp', found none; give one in the layout or a default behind "
     "'='"},
    {"ConstWithoutValue", "const a",
     "1:8: expected '=' and the value of the const, found the end of the line"},
    {"ConstUsesLaterOne", "const a = b\nconst b = 1",
     "1:11: expected a number, or a param or const of a line above, found 'b'"},
    {"DataWithoutType", "data A: f16[1]",
     "1:9: expected a type i16, u16, i32, u32 or f32, found 'f16'"},
    {"DataWithoutCount", "data A: f32",
     "1:12: expected '[' and the number of elements, found the end of the line"},
    {"DataOfNoElements", "data A: f32[0]",
     "1:13: expected a number of elements 1..4294967295, found 0"},
    {"DataTooManyValues", "data A: i16[2] = 1, 2, 3",
     "1:24: expected at most 2 values for 'A', found 3"},
    {"DataValueOutOfRange", "data A: i16[1] = 32768",
     "1:18: expected an i16 -32768..32767, found 32768"},
    {"DataValueNotInteger", "data A: u16[1] = 1.5", "1:18: expected a u16 0..65535, found 1.5"},
    {"DataValueBeyondF32", "data A: f32[1] = 1e39",
     "1:18: expected a number that f32 can hold, found 1e+39"},
    {"QueueDirection", "queue q in 1 color=1", "1:9: expected 'input' or 'output', found 'in'"},
    {"QueueIdOutOfRange", "queue q input 8 color=1",
     "1:15: expected an input queue of wse3 0..7, found 8"},
    {"QueueDeclaredTwice", "queue a output 3 color=1\nqueue b output 3 color=2",
     "2:16: expected each queue once, found output queue 3 again; it is 'a' of line 1"},
    {"QueueColorOutOfRange", "queue q input 1 color=24", "1:23: expected a color 0..23, found 24"},
    {"InputQueueWithoutColor", "queue q input 1",
     "1:7: expected color= for queue 'q', found none; an input queue receives one color"},
    {"OutputQueueWithoutColor", "queue q output 1",
     "1:7: expected color= for queue 'q', found none; a wse3 output queue sends one color"},
    {"TwoInputQueuesOnOneColor", "queue a input 1 color=5\nqueue b input 2 color=5",
     "2:23: expected a color that no other input queue receives, found 5, the color of 'a' of line "
     "1"},
    {"RestOfLine", "queue q input 1 color=1 priority",
     "1:25: expected the end of the line, found 'priority'"},
    {"LabelWithRest", "fn f\nx: ret",
     "2:4: expected the end of the line behind a label, found 'ret'"},
};
INSTANTIATE_TEST_SUITE_P(Declarations, TasmMessage, ::testing::ValuesIn(kDeclarations), name_of);

const Mistake kDescriptors[] = {
    {"DsdKindUnknown", "dsd d mem4d A",
     "1:7: expected 'mem1d', 'fabin' or 'fabout', found 'mem4d'"},
    {"DsdOfUnknownSymbol", "data column: f32[2]\ndsd d mem1d colum",
     "2:13: expected the name of a data symbol, found 'colum'; the nearest is 'column'"},
    {"DsdOfQueueInsteadOfData", "queue q input 1 color=1\ndsd d mem1d q",
     "2:13: expected the name of a data symbol, found the queue 'q'"},
    {"FabinOfOutputQueue", "queue q output 1 color=1\ndsd d fabin q extent=1",
     "2:13: expected the name of an input queue, found the output queue 'q'"},
    {"FabricWithoutExtent", "queue q input 1 color=1\ndsd d fabin q",
     "2:5: expected extent= for dsd 'd', found none; a fabric descriptor has no other length"},
    {"UnknownDsdOption", "data A: f32[1]\ndsd d mem1d A step=2",
     "2:15: expected offset=, extent= or stride=, found 'step'"},
    {"DsdOptionTwice", "data A: f32[1]\ndsd d mem1d A extent=1 extent=1",
     "2:24: expected each option once, found 'extent' again"},
    {"ExtentTooLong", "data A: f32[1]\ndsd d mem1d A extent=32767",
     "2:22: expected an extent 0..32766, found 32767"},
    {"FabricExtentTooLong", "queue q input 1 color=1\ndsd d fabin q extent=32768",
     "2:22: expected an extent 0..32767, found 32768"},
    {"StrideTooLong", "data A: f32[1]\ndsd d mem1d A stride=128",
     "2:22: expected a stride -128..127, found 128"},
    {"OffsetOutsideSymbol", "data A: f32[4]\ndsd d mem1d A offset=4",
     "2:22: expected an offset 0..3 into 'A', found 4; with extent= others are possible"},
    {"DsdLeavesSram", "data A: f32[4]\ndsd d mem1d A extent=30000",
     "2:5: expected elements at byte addresses 0..49148, found one of dsd 'd' at 121020"},
    {"DsdBeforeSram", "data A: f32[4]\ndsd d mem1d A offset=-300 extent=1",
     "2:5: expected elements at byte addresses 0..49148, found one of dsd 'd' at -176"},
    {"ColorOnWse3Descriptor", "queue q output 1 color=1\ndsd d fabout q extent=1 color=2",
     "2:31: expected no color=, found one; a wse3 output queue has its own color"},
};
INSTANTIATE_TEST_SUITE_P(Descriptors, TasmMessage, ::testing::ValuesIn(kDescriptors), name_of);

const Mistake kSections[] = {
    {"TaskKind", "task t control 3", "1:8: expected 'data' or 'local', found 'control'"},
    {"TaskOption", "task t local 9 asleep",
     "1:16: expected 'active', 'blocked' or the end of the line, found 'asleep'"},
    {"DataTaskActive", "queue q input 1 color=1\ntask t data q active",
     "2:15: expected 'blocked' or the end of the line, found 'active'"},
    {"DataTaskOfUnknownQueue", "queue x_in input 1 color=1\ntask t data x_on\n end",
     "2:13: expected the name of an input queue, found 'x_on'; the nearest is 'x_in'"},
    {"DataTaskOfOutputQueue", "queue q output 1 color=1\ntask t data q\n end",
     "2:13: expected the name of an input queue, found the output queue 'q'"},
    {"LocalIdOfSystem", "task t local 29\n end",
     "1:14: expected a local task id of wse3 8..28, found 29, an id of the system"},
    {"LocalIdOfNoTask", "task t local 31\n end",
     "1:14: expected a local task id of wse3 8..28, found 31, which stands for no task"},
    {"LocalIdOfInputQueue", "task t local 7\n end",
     "1:14: expected a local task id of wse3 8..28, found 7, the id of an input queue"},
    {"TwoTasksOnOneId", "task a local 9\n end\ntask b local 9\n end",
     "3:14: expected a task id that no other task has, found 9, the id of 'a' of line 1"},
    {"TwoTasksOnOneQueue", "queue q input 1 color=3\ntask a data q\n end\ntask b data q\n end",
     "4:13: expected a task id that no other task has, found 1, the id of 'a' of line 2"},
    {"InstructionOutsideSection", "  end", "1:3: expected a task or fn above, found 'end'"},
    {"LabelOutsideSection", "more:", "1:1: expected a task or fn above, found the label 'more'"},
    {"LabelTwice", "fn f\nx:\n mov16 r1, r2\nx:\n ret",
     "4:1: expected each label once, found 'x' again in fn f"},
    {"LabelIsDeclaredName", "const x = 1\nfn f\nx:\n ret",
     "3:1: expected a new name, found 'x', which is the const of line 1"},
    {"FallsOffTheEnd", "fn f\n  mov16 r1, r2\nfn g\n  ret",
     "2:3: expected end, ret or jmp as the last instruction of fn f, found 'mov16'"},
    {"FallsOffTheFile", "task t local 9\n  eq16 r1, 0\n  jmpt x\nx:\n  call t\n",
     "5:3: expected end, ret or jmp as the last instruction of task t, found 'call'"},
    {"EmptySection", "fn f\nfn g\n ret",
     "1:4: expected end, ret or jmp as the last instruction of fn f, found no instruction"},
    {"LabelAtTheEnd", "fn f\n jmp x\nx:\n",
     "3:1: expected end, ret or jmp as the last instruction of fn f, found the label 'x'"},
};
INSTANTIATE_TEST_SUITE_P(Sections, TasmMessage, ::testing::ValuesIn(kSections), name_of);

const Mistake kOperands[] = {
    {"TooFewOperands", "fn f\n add16 r1, r2\n ret",
     "2:14: expected ',' and the rest of the 3 operands of add16, found the end of the line"},
    {"TooManyOperands", "fn f\n ublk f, f\n ret",
     "2:8: expected async, ut=, activate=, unblock=, save_address or the end of the line behind "
     "the 1 operand of "
     "ublk, found ','"},
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
    {"ImmediateNotInteger", "fn f\n movri d0, 1.5\n ret",
     "2:12: expected a 32-bit immediate -2147483648..4294967295, found 1.5"},
    {"LengthTooLong", "fn f\n setdsl dds0, 32768\n ret",
     "2:15: expected a length 0..32767, found 32768"},
    {"AddressNotInSram", "fn f\n setdsa dds0, 49152\n ret",
     "2:15: expected a byte address 0..49151, found 49152"},
    {"UnknownName", "param Np = 1\nfn f\n movri r0, Nq\n ret",
     "3:12: expected a number, param, const or data symbol, found 'Nq'; the nearest is 'Np'"},
    {"NameIsNoNumber", "fn f\n movri r0, f\n ret",
     "2:12: expected a number, param, const or data symbol, found the function 'f'"},
};
INSTANTIATE_TEST_SUITE_P(Operands, TasmMessage, ::testing::ValuesIn(kOperands), name_of);

const Mistake kReferences[] = {
    {"UnknownLabel", "fn f\nmore:\n jmp mroe\n",
     "3:6: expected a label of fn f or a function, found 'mroe'; the nearest is 'more'"},
    {"LabelOfOtherSection", "fn f\nmore:\n ret\nfn g\n jmp more\n",
     "5:6: expected a label of fn g or a function, found 'more'"},
    {"JumpToTask", "task t local 9\n jmp t\n",
     "2:6: expected a label of task t or a function, found the task 't'"},
    {"JumpToNumber", "fn f\n jmp 3\n", "2:6: expected a label or function, found '3'"},
    {"UnknownDsd", "data A: f32[1]\ndsd acc mem1d A\nfn f\n lddsr dds0, ac\n ret",
     "4:14: expected the name of a dsd, found 'ac'; the nearest is 'acc'"},
    {"UnknownTask", "task reduce local 9\n actvt reduced\n end",
     "2:8: expected the name of a local task, found 'reduced'; the nearest is 'reduce'"},
    {"ActivateDataTask", "queue q input 1 color=1\ntask t data q\n actvt t\n end",
     "3:8: expected the name of a local task, found the data task 't'; only wavelets activate it"},
    {"ActivateQueue", "queue q input 1 color=1\nfn f\n actvt q\n ret",
     "3:8: expected the name of a local task, found the queue 'q'"},
    {"BlockOutputQueue", "queue q output 1 color=1\nfn f\n blk q\n ret",
     "3:6: expected the name of an input queue, found the output queue 'q'"},
    {"FabinIntoDestination",
     "queue q input 1 color=1\ndsd d fabin q extent=1\nfn f\n lddsr dds0, d\n ret",
     "4:14: expected a mem1d or fabout dsd for a destination DSR, found the fabin dsd 'd'"},
    {"FaboutIntoSource",
     "queue q output 1 color=1\ndsd d fabout q extent=1\nfn f\n lddsr s0ds0, d\n ret",
     "4:15: expected a mem1d or fabin dsd for a source DSR, found the fabout dsd 'd'"},
};
INSTANTIATE_TEST_SUITE_P(References, TasmMessage, ::testing::ValuesIn(kReferences), name_of);

constexpr const char* kLegend =
    " (D: destination DSR, S: source DSR, v: register or immediate, p: destination register)";

const Mistake kOptions[] = {
    {"UnknownOption", "fn f\n fadds dds0, s0ds0, s1ds0 asynch\n ret",
     "2:27: expected async, ut=, activate=, unblock=, save_address or the end of the line behind "
     "the 3 operands of "
     "fadds, found 'asynch'; the nearest is 'async'"},
    {"OptionTwice", "fn f\n fadds dds0, s0ds0, s1ds0 async async\n ret",
     "2:33: expected each option once, found 'async' again"},
    {"AsyncScalar", "fn f\n fadds d0, d2, d4 async\n ret",
     "2:19: expected async behind a DSD operation only, found it behind a scalar fadds"},
    {"ActivateScalar", "task t local 9\n ld16 r0, [r1] activate=t\n end",
     "2:25: expected activate= behind a DSD operation only, found it behind ld16"},
    {"ActivateAndUnblock", "task t local 9\n mov16 dds0, 1 activate=t unblock=t\n end",
     "2:35: expected either activate= or unblock=, found both"},
    {"MicrothreadAlone", "fn f\n mov16 dds0, 1 ut=1\n ret",
     "2:19: expected async with ut=, found ut= alone; only async operations have a microthread"},
    {"MicrothreadOutOfRange", "fn f\n mov16 dds0, 1 async ut=8\n ret",
     "2:25: expected a microthread 0..7, found 8"},
    {"AsyncIntoRegister", "fn f\n mov16 r0, s1ds0 async\n ret",
     "2:18: expected async only with a destination DSR, found it with the register 'r0'"},
    {"SaveAddressBehindOther", "fn f\n mov16 dds0, 1 save_address\n ret",
     "2:16: expected save_address behind lddsr only, found it behind mov16"},
    {"SaveAddressOfFabric",
     "queue q input 1 color=1\ndsd d fabin q extent=1\nfn f\n lddsr s0ds0, d save_address\n ret",
     "4:17: expected save_address with a mem1d dsd only, found it with 'd'"},
};
INSTANTIATE_TEST_SUITE_P(Options, TasmMessage, ::testing::ValuesIn(kOptions), name_of);

const Mistake kExpressions[] = {
    {"Unclosed", "const a = (1 + 2", "1:17: expected ')', found the end of the line"},
    {"TermMissing", "const a = 1 +",
     "1:14: expected the value of the const, found the end of the line"},
    {"DivisionByZero", "const a = 4 / (2 - 2)", "1:16: expected a divisor other than 0, found 0"},
    {"ModuloByZero", "const a = 4 % 0", "1:15: expected a divisor other than 0, found 0"},
    {"Overflow", "const a = 0x7fffffffffffffff + 1",
     "1:11: expected a value of at most 64 bits, found an overflow in this expression"},
    {"OverflowOfDivision", "const a = (-0x7fffffffffffffff - 1) / -1",
     "1:12: expected a value of at most 64 bits, found an overflow in this expression"},
    {"ModuloOfReals", "const a = 1.5 % 2",
     "1:11: expected integers on both sides of '%', found a real number"},
    {"BitsInsideExpression", "const a = 1 + bits(3)",
     "1:15: expected a number, found 'bits'; bits(n) stands alone, as an f32 immediate or "
     "initialiser"},
    {"BitsTooLarge", "data A: f32[1] = bits(0x100000000)",
     "1:23: expected 32 bits 0..4294967295, found 4294967296"},
};
INSTANTIATE_TEST_SUITE_P(Expressions, TasmMessage, ::testing::ValuesIn(kExpressions), name_of);

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
    {"FabssHasNoRegisterDestination", "fn f\n fabss d0, s1ds0\n ret",
     "2:2: expected the operands D,S or D,v for the DSD operation fabss, found p,S"},
};
class TasmForm : public TasmMessage {};
TEST_P(TasmForm, OfDsdOperationsAreThoseOfSection67) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)),
            std::string(GetParam().message) + kLegend);
}
INSTANTIATE_TEST_SUITE_P(Forms, TasmForm, ::testing::ValuesIn(kForms), name_of);

TEST(TasmDiagnostics, LongExpressionsAreRefusedNotRecursedInto) {
  const std::string open(100000, '(');
  std::string sum = "const a = 1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  const AssembleOptions options = options_for(Generation::kWse3);
  EXPECT_THAT(error_of("const a = " + open, options),
              HasSubstr("expected an expression of at most 256 terms"));
  EXPECT_THAT(error_of(sum, options), HasSubstr("expected an expression of at most 256 terms"));
  EXPECT_THAT(error_of("const a = " + std::string(100000, '-') + "1", options),
              HasSubstr("at most 256 terms"));
}

TEST(TasmDiagnostics, LongWordsAreShortened) {
  const std::string message = error_of(std::string(100000, 'a'), options_for(Generation::kWse3));
  EXPECT_LT(message.size(), 200U);
  EXPECT_THAT(message, StartsWith("1:1: expected an instruction"));
}

TEST(TasmDiagnostics, FullSramSaysHowManyBytesWereNeeded) {  // wse.md 6.2
  EXPECT_EQ(
      error_of("data a: f32[2]\ndata b: i16[30000]\nfn f\n ret\n", options_for(Generation::kWse3)),
      "2:6: expected a program of at most 49152 bytes, found one that needs 61036; the "
      "task table takes "
      "1024, the code 4, the data 60008");
}

TEST(TasmDiagnostics, CodeAloneCanFillSram) {
  std::string text = "fn f\n";
  for (int i = 0; i < 12032; ++i) text += " mov16 r0, r1\n";
  EXPECT_THAT(error_of(text + " ret\n", options_for(Generation::kWse3)),
              StartsWith("12034:2: expected a program of at most 49152 bytes, found one "
                         "that needs 49156"));
}

TEST(TasmDiagnostics, HugeDataIsCountedNotWrapped) {
  EXPECT_THAT(error_of("data a: f32[4294967295]\ndata b: f32[4294967295]\n",
                       options_for(Generation::kWse3)),
              HasSubstr("found one that needs 34359739384;"));
}

TEST(TasmDiagnostics, UnknownParamNamesTheNearestDeclaredOne) {
  EXPECT_EQ(error_of("param Mp = 1\nparam Np\n", options_for(Generation::kWse3, {{"Npp", 1}})),
            "expected the name of a param of this program, found 'Npp'; the nearest is 'Np'");
  EXPECT_EQ(error_of("const Np = 1\n", options_for(Generation::kWse3, {{"Np", 1}})),
            "expected the name of a param of this program, found 'Np'; the program has no "
            "params");
}

TEST(TasmDiagnostics, UnreadableFileIsNamed) {
  try {
    assemble_file("/no/such.tasm", {});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "/no/such.tasm: expected a tile assembly file that can be read, found none");
  }
}

}  // namespace
}  // namespace tessera::tasm
