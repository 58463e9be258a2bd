// What the assembler says about mistakes in declarations: the exact place, and the words that help.
#include <gtest/gtest.h>

#include "tests/frontends/tasm/mistake.h"

namespace tessera::tasm {
namespace {

class TasmDeclarationMessage : public ::testing::TestWithParam<Mistake> {};

TEST_P(TasmDeclarationMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse3)), GetParam().message);
}

const Mistake kDeclarations[] = {
    {"UnknownMnemonic", "fn f\n  fmac d0, d0, d0, d0\n  ret\n",
     "2:3: expected an instruction, a declaration or a label, found 'fmac'; did you mean 'fmach'?"},
    {"UnknownKeyword", "dataa A: f32[1]",
     "1:1: expected an instruction, a declaration or a label, found 'dataa'; did you mean 'data'?"},
    {"NameIsKeyword", "const data = 1",
     "1:7: expected the name of a const, found 'data', which is a keyword"},
    {"NameIsRegister", "data d4: f32[1]",
     "1:6: expected the name of a data symbol, found 'd4', which reads as a register; r, d, "
     "dds, s0ds, s1ds and ut with a number are no free names"},
    {"NameIsNoRegisterThereIs", "data d1: f32[1]",
     "1:6: expected the name of a data symbol, found 'd1', which reads as a register; r, d, dds, "
     "s0ds, s1ds and ut with a number are no free names"},
    {"TargetReadsAsRegister", "dsd x mem1d d1",
     "1:13: expected the name of a data symbol, found 'd1', which reads as a register; r, d, dds, "
     "s0ds, s1ds and ut with a number are no free names"},
    {"NameMissing", "fn", "1:3: expected the name of a function, found the end of the line"},
    {"NameTaken", "const a = 1\ndata a: i16[1]",
     "2:6: expected a new name, found 'a', which is the const of line 1"},
    {"ParamWithoutValue", "param Mp",
     "1:7: expected a value for param 'Mp', found none; give one in the layout or a default after "
     "'='"},
    {"ConstWithoutValue", "const a",
     "1:8: expected '=' and the value of the const, found the end of the line"},
    {"ConstUsesLaterOne", "const a = b\nconst b = 1",
     "1:11: expected a number, or a param or const of a line above, found 'b'"},
    {"UnknownType", "data A: f61[1]",
     "1:9: expected i16, u16, i32, u32, f16 or f32, found 'f61'; did you mean 'f16'?"},
    {"DataWithoutType",
     "data A:", "1:8: expected i16, u16, i32, u32, f16 or f32, found the end of the line"},
    {"UnknownDataOption", "data A: f32[1] algin=16 = 3",
     "1:16: expected align=, packed=, elements=, '=' or the end of the line, found 'algin'; did "
     "you mean 'align'?"},
    {"AlignmentTwice", "data A: f32[1] align=16 align=32",
     "1:25: expected each option once, found 'align' again"},
    {"AlignmentWithoutValue", "data A: f32[1] align 16",
     "1:22: expected '=' after align, found '16'"},
    {"AlignmentBelowElement", "data A: f32[1] align=2",
     "1:22: expected an alignment in bytes 4..49152, found 2"},
    {"AlignmentIsNoPowerOfTwo", "data A: f32[1] align=24",
     "1:22: expected a power of two as alignment, found 24"},
    {"DataValueBeyondF16", "data A: f16[2] = 65504, 65520",
     "1:25: expected a number that f16 can hold, found 65520"},
    {"BitsBeyondF16", "data A: f16[1] = bits(0x10000)",
     "1:23: expected 16 bits 0..65535, found 65536"},
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
    {"QueueDirectionMistyped", "queue q inptu 1 color=1",
     "1:9: expected input or output, found 'inptu'; did you mean 'input'?"},
    {"QueueDirection", "queue q in 1 color=1", "1:9: expected input or output, found 'in'"},
    {"QueueIdOutOfRange", "queue q input 8 color=1",
     "1:15: expected an input queue of wse3 0..7, found 8"},
    {"QueueDeclaredTwice", "queue a output 3 color=1\nqueue b output 3 color=2",
     "2:16: expected each queue once, found output queue 3 again; it is 'a' of line 1"},
    {"QueueColorOutOfRange", "queue q input 1 color=24", "1:23: expected a color 0..23, found 24"},
    {"OutputQueueWithoutColor", "queue q output 1",
     "1:7: expected color= for queue 'q', found none; a wse3 output queue sends one color"},
    {"TwoInputQueuesOnOneColor", "queue a input 1 color=5\nqueue b input 2 color=5",
     "2:23: expected a color that no other input queue receives, found 5, the color of 'a' of line "
     "1"},
    {"UnknownInputQueueOption", "queue q input 1 color=1 unblock",
     "1:25: expected color=, unblocked, priority=, control_table=, shares=, dense or the end of "
     "the "
     "line, found 'unblock'; did you mean 'unblocked'?"},
    {"UnknownOutputQueueOption", "queue q output 1 color=1 unblocked",
     "1:26: expected color=, dense or the end of the line, found 'unblocked'"},
    {"QueueOptionTwice", "queue q input 1 dense color=1 dense",
     "1:31: expected each option once, found 'dense' again"},
    {"QueuePriorityOnWse3", "queue q input 1 color=1 priority=low",
     "1:34: expected no priority=, found one; on wse3 the dsd or fifo has the priority"},
    {"PriorityMistyped", "queue q input 1 color=1 priority=hihg",
     "1:34: expected high, medium or low after priority=, found 'hihg'; did you mean 'high'?"},
    {"SubTableOutOfRange", "control_table\nqueue q input 1 color=1 control_table=8",
     "2:39: expected a sub-table 0..7, found 8"},
    {"SubTableWithoutTable", "queue q input 1 color=1 control_table=2",
     "1:39: expected a control_table line for control_table=2, found none; without it there are no "
     "sub-tables"},
    {"RestOfLine", "fn f g", "1:6: expected the end of the line, found 'g'"},
    {"LabelWithRest", "fn f\nx: ret",
     "2:4: expected the end of the line after a label, found 'ret'"},
};
INSTANTIATE_TEST_SUITE_P(Declarations, TasmDeclarationMessage, ::testing::ValuesIn(kDeclarations),
                         name_of);

const Mistake kDescriptors[] = {
    {"DsdKindUnknown", "dsd d men4d A",
     "1:7: expected mem1d, mem4d, circbuf, fabin or fabout, found 'men4d'; did you mean 'mem4d'?"},
    {"DsdOfUnknownSymbol", "data column: f32[2]\ndsd d mem1d colum",
     "2:13: expected the name of a data symbol, found 'colum'; did you mean 'column'?"},
    {"DsdOfQueueInsteadOfData", "queue q input 1 color=1\ndsd d mem1d q",
     "2:13: expected the name of a data symbol, found the queue 'q'"},
    {"FabinOfOutputQueue", "queue q output 1 color=1\ndsd d fabin q extent=1",
     "2:13: expected the name of an input queue, found the output queue 'q'"},
    {"FabricWithoutExtent", "queue q input 1 color=1\ndsd d fabin q",
     "2:5: expected extent= for dsd 'd', found none; a fabric descriptor has no other length"},
    {"UnknownDsdOption", "data A: f32[1]\ndsd d mem1d A step=2",
     "2:15: expected offset=, extent=, stride=, wavelet_index_offset, element=, of= or the end of "
     "the "
     "line, found "
     "'step'"},
    {"DsdOptionTwice", "data A: f32[1]\ndsd d mem1d A extent=1 extent=1",
     "2:24: expected each option once, found 'extent' again"},
    {"ExtentTooLong", "data A: f32[1]\ndsd d mem1d A extent=65536 stride=0",
     "2:22: expected an extent 0..65535, found 65536"},
    {"FabricExtentTooLong", "queue q input 1 color=1\ndsd d fabin q extent=65536",
     "2:22: expected an extent 0..65535, found 65536"},
    {"StrideTooLong", "data A: f32[1]\ndsd d mem1d A stride=128",
     "2:22: expected a stride -128..127, found 128; a mem4d has strides of 16 bits: dsd d mem4d A "
     "extent=1 stride=128"},
    {"StrideTooLongWithOptions",
     "data A: f32[4000]\ndsd d mem1d A offset=3 stride=-129 extent=2 wavelet_index_offset",
     "2:31: expected a stride -128..127, found -129; a mem4d has strides of 16 bits: dsd d mem4d A "
     "offset=3 extent=2 stride=-129 wavelet_index_offset"},
    {"StrideTooLongForAll", "data A: f32[1]\ndsd d mem1d A stride=32768",
     "2:22: expected a stride -128..127, found 32768"},
    {"OffsetOutsideSymbol", "data A: f32[4]\ndsd d mem1d A offset=4",
     "2:22: expected an offset 0..3 into 'A', found 4; with extent= others are possible"},
    {"DsdLeavesSram", "data A: f32[4]\ndsd d mem1d A extent=30000",
     "2:5: expected elements at byte addresses 0..49148, found one of dsd 'd' at 121020"},
    {"DsdBeforeSram", "data A: f32[4]\ndsd d mem1d A offset=-300 extent=1",
     "2:5: expected elements at byte addresses 0..49148, found one of dsd 'd' at -176"},
    {"ColorOnWse3Descriptor", "queue q output 1 color=1\ndsd d fabout q extent=1 color=2",
     "2:31: expected no color=, found one; a wse3 queue has its own color"},
};
INSTANTIATE_TEST_SUITE_P(Descriptors, TasmDeclarationMessage, ::testing::ValuesIn(kDescriptors),
                         name_of);

const Mistake kSections[] = {
    {"TaskKind", "task t locla 3",
     "1:8: expected data, local or control, found 'locla'; did you mean 'local'?"},
    {"TaskOption", "task t local 9 asleep",
     "1:16: expected active, blocked, priority= or the end of the line, found 'asleep'"},
    {"DataTaskActive", "queue q input 1 color=1\ntask t data q active",
     "2:15: expected blocked, priority= or the end of the line, found 'active'"},
    {"DataTaskOfUnknownQueue", "queue x_in input 1 color=1\ntask t data x_on\n end",
     "2:13: expected the name of an input queue, found 'x_on'; did you mean 'x_in'?"},
    {"DataTaskOfOutputQueue", "queue q output 1 color=1\ntask t data q\n end",
     "2:13: expected the name of an input queue, found the output queue 'q'"},
    {"ControlTaskBlocked", "task t control 40 blocked",
     "1:19: expected priority= or the end of the line, found 'blocked'"},
    {"TaskPriority", "task t local 9 priority=medium",
     "1:25: expected high or low after priority=, found 'medium'"},
    {"ControlIdOutOfRange", "task t control 64\n end",
     "1:16: expected a control task id 0..63, found 64"},
    {"ControlIdOfLocalTask", "task a local 9\n end\ntask b control 9\n end",
     "3:16: expected a task id for 'b' that no other task has, found 9, the id of 'a' of line 1; "
     "with a control_table line control tasks have ids of their own"},
    {"TwoControlTasksInTheirTable", "control_table\ntask a control 9\n end\ntask b control 9\n end",
     "4:16: expected a task id for 'b' that no other task has, found 9, the id of 'a' of line 2"},
    {"DataTaskOfUnblockedQueue", "queue q input 1 color=3 unblocked\ntask t data q\n end",
     "2:13: expected a queue without unblocked for a data task, found 'q' of line 1; a channel "
     "with "
     "a data task is unblocked unless the task is blocked"},
    {"LocalIdOfNoTask", "task t local 31\n end",
     "1:14: expected a local task id of wse3 8..30, found 31, which stands for no task"},
    {"LocalIdOfInputQueue", "task t local 7\n end",
     "1:14: expected a local task id of wse3 8..30, found 7, the id of an input queue"},
    {"TwoTasksOnOneId", "task a local 9\n end\ntask b local 9\n end",
     "3:14: expected a task id for 'b' that no other task has, found 9, the id of 'a' of line 1"},
    {"TwoTasksOnOneQueue", "queue q input 1 color=3\ntask a data q\n end\ntask b data q\n end",
     "4:13: expected a task id for 'b' that no other task has, found 1, the id of 'a' of line 2"},
    {"InstructionOutsideSection", "  end", "1:3: expected a task or fn above, found 'end'"},
    {"LabelOutsideSection", "more:", "1:1: expected a task or fn above, found the label 'more'"},
    {"LabelTwice", "fn f\nx:\n mov16 r1, r2\nx:\n ret",
     "4:1: expected each label once, found 'x' again in fn f"},
    {"LabelIsDeclaredName", "const x = 1\nfn f\nx:\n ret",
     "3:1: expected a new name, found 'x', which is the const of line 1"},
    {"FallsOffTheEnd", "fn f\n  mov16 r1, r2\nfn g\n  ret",
     "2:3: expected end, ret, jmp or brk as the last instruction of fn f, found 'mov16'"},
    {"FallsOffTheFile", "task t local 9\n  eq16 r1, 0\n  jmpt x\nx:\n  call t\n",
     "5:3: expected end, ret, jmp or brk as the last instruction of task t, found 'call'"},
    {"EmptySection", "fn f\nfn g\n ret",
     "1:4: expected end, ret, jmp or brk as the last instruction of fn f, found no instruction"},
    {"LabelAtTheEnd", "fn f\n jmp x\nx:\n",
     "3:1: expected end, ret, jmp or brk as the last instruction of fn f, found the label 'x'"},
};
INSTANTIATE_TEST_SUITE_P(Sections, TasmDeclarationMessage, ::testing::ValuesIn(kSections), name_of);

// wse.md 5.2 to 5.5, 5.10.
const Mistake kMemoryAndFabric[] = {
    {"Mem4dWithoutExtent", "data A: f32[4]\ndsd d mem4d A stride=1",
     "2:5: expected extent= for dsd 'd', found none; a mem4d descriptor says the extent of every "
     "loop"},
    {"Mem4dWithStrideAndStep", "data A: f32[4]\ndsd d mem4d A extent=2 stride=1 step=1",
     "2:5: expected one of stride= and step= for dsd 'd', found both"},
    {"FewerStridesThanExtents", "data A: f32[4]\ndsd d mem4d A extent=2,2 stride=1",
     "2:33: expected as many values of stride= as of extent=, 2, found 1"},
    {"MoreStepsThanExtents", "data A: f32[4]\ndsd d mem4d A extent=2,2 step=1,2,3",
     "2:31: expected as many values of step= as of extent=, 2, found 3"},
    {"FiveLoops", "data A: f32[4]\ndsd d mem4d A extent=1,1,1,1,2",
     "2:30: expected at most 4 values of extent, found '2', one more"},
    {"LoopTooLong", "data A: f32[4]\ndsd d mem4d A extent=65536 stride=1",
     "2:22: expected an extent 0..65535, found 65536"},
    {"LoopsTooLong", "data A: f32[4]\ndsd d mem4d A extent=512,512 stride=0,0",
     "2:22: expected at most 262143 elements in all loops, found 262144"},
    {"LoopsFarTooLong", "data A: f32[4]\ndsd d mem4d A extent=65535,65535,65535,65535 step=0,0,0,0",
     "2:22: expected at most 262143 elements in all loops, found 18445618199572250625"},
    {"StrideBeyond16Bits", "data A: f32[4]\ndsd d mem4d A extent=2 stride=32768",
     "2:31: expected a stride -32768..32767, found 32768"},
    {"StepBeyond16Bits", "data A: f32[4]\ndsd d mem4d A extent=2 step=-32769",
     "2:29: expected a step -32768..32767, found -32769"},
    {"LoweredStrideBeyond16Bits", "data A: f32[4]\ndsd d mem4d A extent=2,3 step=-30000,2000",
     "2:31: expected steps that make strides -32768..32767, found -30000, which makes the stride "
     "-34000"},
    {"LoopsLeaveSramBelow", "data A: f32[4]\ndsd d mem4d A extent=3,2 step=-200,10",
     "2:5: expected elements at byte addresses 0..49148, found one of dsd 'd' at -576"},
    {"LoopsLeaveSramAbove", "data A: i16[4]\ndsd d mem4d A extent=3,2 step=-1,30000",
     "2:5: expected elements at byte addresses 0..49150, found one of dsd 'd' at 61024"},
    {"CircbufHasNoOffset", "data A: f32[4]\ndsd d circbuf A offset=1",
     "2:17: expected extent=, wraparound= or the end of the line, found 'offset'"},
    {"WraparoundOfTheWholeSymbol", "data A: f32[4]\ndsd d circbuf A wraparound=4",
     "2:28: expected a wrap-around after fewer elements than 'A' has, 1..3, found 4"},
    {"WraparoundOfOneElement", "data A: f32[1]\ndsd d circbuf A wraparound=1",
     "2:28: expected no wraparound=, found one; 'A' has one element, and only a smaller number "
     "could be given"},
    {"FabinHasNoColor", "queue q input 1 color=1\ndsd d fabin q extent=1 color=1",
     "2:30: expected no color=, found one; a wse3 queue has its own color"},
    {"FabinHasNoColorInPlaceOfAQueue", "dsd d fabin color=1 extent=1",
     "1:19: expected no color=, found one; a wse3 queue has its own color"},
    {"FaboutOptionMistyped", "queue q output 1 color=1\ndsd d fabout q extent=1 advance_swich",
     "2:25: expected extent=, color=, control, wavelet_index_offset, advance_switch, zero=, simd=, "
     "control_transform, priority= or the end of the line, found 'advance_swich'; did you mean "
     "'advance_switch'?"},
    {"ZeroOfThirdSource", "queue q output 1 color=1\ndsd d fabout q extent=1 zero=third",
     "2:30: expected first or second after zero=, found 'third'"},
    {"SimdUnknown", "queue q input 1 color=1\ndsd d fabin q extent=1 simd=128",
     "2:29: expected off, 32, 64, 32_or_64 or max after simd=, found '128'"},
    {"SimdOfWse2OnWse3", "queue q input 1 color=1\ndsd d fabin q extent=1 simd=32_or_64",
     "2:29: expected simd=off or simd=max, the modes of wse3, found '32_or_64'"},
};
INSTANTIATE_TEST_SUITE_P(MemoryAndFabric, TasmDeclarationMessage,
                         ::testing::ValuesIn(kMemoryAndFabric), name_of);

// wse.md 5.6.
const Mistake kFifos[] = {
    {"OfUnknownSymbol", "data buf: f32[4]\nfifo f bfu dsr=1 xdsr=1",
     "2:8: expected the name of a data symbol, found 'bfu'; did you mean 'buf'?"},
    {"UnknownOption", "data buf: f32[4]\nfifo f buf dsr=1 xdsr=1 on_empty=fault",
     "2:25: expected dsr=, xdsr=, empty=, full=, activate_push=, activate_pop=, priority=, simd= "
     "or "
     "the end of the line, found 'on_empty'; did you mean 'empty'?"},
    {"ActionMistyped", "data buf: f32[4]\nfifo f buf dsr=1 xdsr=1 empty=terminat",
     "2:31: expected test_or_suspend, terminate, suspend or fault after empty=, found 'terminat'; "
     "did you mean 'terminate'?"},
    {"WithoutDsr", "data buf: f32[4]\nfifo f buf xdsr=1",
     "2:6: expected dsr= for fifo 'f', found none; a fifo keeps a DSR for the whole program"},
    {"WithoutXdsr", "data buf: f32[4]\nfifo f buf dsr=1",
     "2:6: expected xdsr= for fifo 'f', found none; a fifo keeps an XDSR for the whole program"},
    {"DsrOutOfRange", "data buf: f32[4]\nfifo f buf dsr=16 xdsr=1",
     "2:16: expected a DSR 0..15, found 16"},
    {"XdsrOutOfRange", "data buf: f32[4]\nfifo f buf dsr=1 xdsr=8",
     "2:23: expected an XDSR 0..7, found 8"},
    {"TwoOnOneSymbol", "data b: f32[4]\nfifo f b dsr=1 xdsr=1\nfifo g b dsr=2 xdsr=2",
     "3:8: expected a data symbol that no other fifo has, found 'b', the symbol of 'f' of line 2"},
    {"TwoOnOneDsr", "data b: f32[4]\ndata c: f32[4]\nfifo f b dsr=1 xdsr=1\nfifo g c dsr=1 xdsr=2",
     "4:14: expected a DSR that no other fifo has, found 1, which is that of 'f' of line 3"},
    {"TwoOnOneXdsr", "data b: f32[4]\ndata c: f32[4]\nfifo f b dsr=1 xdsr=1\nfifo g c dsr=2 xdsr=1",
     "4:21: expected an XDSR that no other fifo has, found 1, which is that of 'f' of line 3"},
    {"SymbolAlignedToLess", "data b: f32[4] align=8\nfifo f b dsr=1 xdsr=1",
     "2:8: expected a data symbol aligned to 16 bytes for a fifo, found 'b' with align=8"},
    {"SimdOnWse3", "data b: f32[4]\nfifo f b dsr=1 xdsr=1 simd=64",
     "2:28: expected no simd=, found one; only fifos of wse2 have SIMD modes"},
    {"ActivatesDataTask",
     "data b: f32[4]\nqueue q input 1 color=1\nfifo f b dsr=1 xdsr=1 activate_pop=t\ntask t data "
     "q\n end",
     "3:36: expected the name of a local task, found the data task 't'; only wavelets activate it"},
    {"ActivatesControlTask",
     "data b: f32[4]\nfifo f b dsr=1 xdsr=1 activate_push=t\ntask t control 40\n end",
     "2:37: expected the name of a local task, found the control task 't'; only wavelets activate "
     "it"},
    {"IsNoDsd", "data b: f32[4]\nfifo f b dsr=1 xdsr=1\nfn g\n lddsr dds2, f\n ret",
     "4:14: expected the name of a dsd, found the fifo 'f'"},
};
INSTANTIATE_TEST_SUITE_P(Fifos, TasmDeclarationMessage, ::testing::ValuesIn(kFifos), name_of);

// wse.md 5.11.
const Mistake kInitialLoads[] = {
    {"IntoNothing", "data a: f32[4]\ndsd d mem1d a\ndsr d d",
     "3:5: expected a DSR dds0..dds15, s0ds0..s0ds15 or s1ds0..s1ds15 that is loaded before the "
     "start, found 'd'"},
    {"IntoRegister", "data a: f32[4]\ndsd d mem1d a\ndsr r3 d",
     "3:5: expected a DSR dds0..dds15, s0ds0..s0ds15 or s1ds0..s1ds15 that is loaded before the "
     "start, found 'r3'"},
    {"IntoDsrBeyondTheLast", "dsr dds16 d", "1:5: expected a register dds0..dds15, found 'dds16'"},
    {"OfNothing", "dsr dds1", "1:9: expected the name of a dsd, found the end of the line"},
    {"OfUnknownDsd", "data a: f32[4]\ndsd acc mem1d a\ndsr dds1 ac",
     "3:10: expected the name of a dsd, found 'ac'; did you mean 'acc'?"},
    {"Twice", "data a: f32[4]\ndsd d mem1d a\ndsr dds1 d\ndsr s0ds1 d\ndsr dds1 d",
     "5:5: expected each DSR once, found 'dds1' again; line 3 loads it"},
    {"FabinIntoDestination", "queue q input 1 color=1\ndsd d fabin q extent=1\ndsr dds1 d",
     "3:10: expected a memory or fabout dsd for a destination DSR, found the fabin dsd 'd'"},
    {"DsrOfFifo", "data a: f32[4]\ndsd d mem1d a\nfifo f a dsr=1 xdsr=1\ndsr s1ds1 d",
     "4:11: expected a DSR that no fifo has, found s1ds1 of the fifo 'f' of line 3"},
    {"XdsrOfFifo", "data a: f32[4]\ndsd d circbuf a\nfifo f a dsr=1 xdsr=1\ndsr s1ds2 d xdsr=1",
     "4:18: expected an XDSR that no fifo has, found 1 of the fifo 'f' of line 3"},
    {"OptionMistyped", "data a: f32[4]\ndsd d mem1d a\ndsr s1ds2 d save_adress",
     "3:13: expected an option or the end of the line after the dsd of s1ds2, found "
     "'save_adress'; did you mean 'save_address'?"},
};
INSTANTIATE_TEST_SUITE_P(InitialLoads, TasmDeclarationMessage, ::testing::ValuesIn(kInitialLoads),
                         name_of);

const Mistake kSettings[] = {
    {"HalfFormatMistyped", "half bf61",
     "1:6: expected f16, bf16 or cb16, found 'bf61'; did you mean 'bf16'?"},
    {"HalfTwice", "half bf16\nhalf bf16",
     "2:1: expected one half line, found another; the first is line 1"},
    {"ControlTableTwice", "control_table\ncontrol_table stride=2",
     "2:1: expected one control_table line, found another; the first is line 1"},
    {"ControlTableOption", "control_table strid=2",
     "1:15: expected instructions=, stride= or the end of the line, found 'strid'; did you mean "
     "'stride'?"},
    {"ControlTableInstructions", "control_table instructions=6",
     "1:28: expected 2, 4 or 8 instructions an entry, found 6"},
    {"ControlTableStride", "control_table stride=8",
     "1:22: expected a number of entries 1..7, found 8"},
    {"MainThreadWithoutPriority", "main_thread",
     "1:12: expected priority= of the main thread, found the end of the line"},
    {"MainThreadPriority", "main_thread priority=low",
     "1:22: expected medium_low, medium, medium_high or high after priority=, found 'low'"},
    {"ControlTransformWithoutMask", "control_transform",
     "1:18: expected mask= of the control transforms, found the end of the line"},
    {"ControlTransformMask", "control_transform mask=64",
     "1:24: expected a control transform mask 0..63, found 64"},
    {"ControlTransformTwice", "control_transform mask=1\ncontrol_transform mask=1",
     "2:1: expected one control_transform line, found another; the first is line 1"},
    {"RoutingRegistersUsed", "routing_registers used", "1:19: expected 'unused', found 'used'"},
    {"RoutingRegistersTwice", "routing_registers unused\nrouting_registers unused",
     "2:1: expected one routing_registers line, found another; the first is line 1"},
    {"RoutingRegistersAccessed",
     "routing_registers unused\nfn main\n  stcfg 0x7f70, 1\n  stcfg r1, 1\n  ret",
     "4:3: expected no access to a register that decides where wavelets go, found stcfg; the "
     "program has the line 'routing_registers unused'"},
    {"MainThreadTwice", "main_thread priority=high\nmain_thread priority=high",
     "2:1: expected one main_thread line, found another; the first is line 1"},
    {"MicrothreadOutOfRange", "microthread 8 blocked",
     "1:13: expected a microthread 0..7, found 8"},
    {"MicrothreadNotBlocked", "microthread 7",
     "1:14: expected 'blocked', found the end of the line"},
    {"MicrothreadTwice", "microthread 3 blocked\nmicrothread 3 blocked",
     "2:13: expected each microthread once, found 3 again"},
    {"KeywordMistyped", "control_tabel",
     "1:1: expected an instruction, a declaration or a label, "
     "found 'control_tabel'; did you mean 'control_table'?"},
};
INSTANTIATE_TEST_SUITE_P(Settings, TasmDeclarationMessage, ::testing::ValuesIn(kSettings), name_of);

// wse.md 3.3.
const Mistake kRotations[] = {
    {"OfLocalTask", "rotate t c limit=2\ntask t local 9\n end\ntask c control 40\n end",
     "1:8: expected the name of a data task, found the local task 't'"},
    {"ToLocalTask",
     "queue q input 1 color=1\nrotate t c limit=2\ntask t data q\n end\ntask c local 9\n end",
     "2:10: expected the name of a control task, found the local task 'c'"},
    {"ToTaskThatIsNotTheFirst",
     "control_table stride=3\nqueue q input 1 color=1 control_table=2\nrotate t c limit=2\ntask t "
     "data q\n end\ntask c control 7\n end",
     "3:10: expected the control task 6, the first one of queue 'q', found 'c', control task 7"},
    {"WithoutLimit",
     "queue q input 1 color=1\nrotate t c\ntask t data q\n end\ntask c control 0\n end",
     "2:8: expected limit= for the rotation of 't', found none"},
    {"InitAboveLimit",
     "queue q input 1 color=1\nrotate t c limit=2 init=3\ntask t data q\n end\ntask c control 0\n "
     "end",
     "2:25: expected a start up to limit=, 0..2, found 3"},
    {"Twice",
     "queue q input 1 color=1\nrotate t c limit=2\nrotate t c limit=3\ntask t data q\n end\ntask c "
     "control 0\n end",
     "3:8: expected each data task once, found 't' again; line 2 rotates it"},
    {"ThreeOfThem",
     "queue q input 1 color=1\nqueue p input 2 color=2\nqueue o input 3 color=3\nrotate t x "
     "limit=2\nrotate u x limit=2\nrotate v x limit=2\ntask t data q\n end\ntask u data p\n "
     "end\ntask v data o\n end\ntask x control 0\n end",
     "6:8: expected at most 2 rotate lines, found another"},
    {"UnknownOption", "rotate t c limit=2 start=1",
     "1:20: expected limit=, init= or the end of the line, found 'start'"},
    {"UnblocksControlTask", "task t control 40\n ublk t\n end",
     "2:7: expected the name of a data task, local task or input queue, found the control task "
     "'t'; it is blocked with the channel that carries its wavelets"},
};
INSTANTIATE_TEST_SUITE_P(Rotations, TasmDeclarationMessage, ::testing::ValuesIn(kRotations),
                         name_of);

class TasmDeclarationMessageOnWse2 : public TasmDeclarationMessage {};

TEST_P(TasmDeclarationMessageOnWse2, SaysWhatThisGenerationDoesNotHave) {
  EXPECT_EQ(error_of(GetParam().text, options_for(Generation::kWse2)), GetParam().message);
}

const Mistake kWse2[] = {
    {"SubTables", "queue q input 1 color=1 control_table=1",
     "1:39: expected no control_table=, found one; all tasks of wse2 are in one table"},
    {"ControlTable", "control_table",
     "1:1: expected no control_table line, found one; all tasks of wse2 are in one table"},
    {"DenseQueue", "queue q output 1 dense",
     "1:18: expected no dense, found one; wse2 has no half wavelets"},
    {"DescriptorPriority", "queue q input 1 color=1\ndsd d fabin q extent=1 priority=low",
     "2:33: expected no priority=, found one; on wse2 the operation or input queue has the "
     "priority"},
    {"FabinOfAnotherColor", "queue q input 1 color=1\ndsd d fabin q color=2 extent=1",
     "2:21: expected 1, the color of queue 'q' of line 1, found 2"},
    {"FabinOfAColorThatDoesNotExist", "dsd d fabin color=24 extent=1",
     "1:19: expected a color 0..23, found 24"},
    {"QueueOfAColorHasATakenName", "data d_queue: f32[1]\ndsd d fabin color=2 extent=1",
     "2:5: expected a new name, found 'd_queue', which is the data symbol of line 1"},
    {"SimdOfWse3", "queue q input 1 color=1\ndsd d fabin q extent=1 simd=max",
     "2:29: expected simd=32, simd=64, simd=32_or_64 or simd=off, the modes of wse2, found 'max'"},
    {"FifoFullAction", "data b: f32[4]\nfifo f b dsr=1 xdsr=1 full=terminate",
     "2:28: expected no full=, found one; a full fifo of wse2 is always test_or_suspend"},
    {"FifoEmptyAction", "data b: f32[4]\nfifo f b dsr=1 xdsr=1 empty=suspend",
     "2:29: expected empty=test_or_suspend or empty=terminate, found 'suspend'; wse2 has no other "
     "actions"},
    {"FifoPriority", "data b: f32[4]\nfifo f b dsr=1 xdsr=1 priority=low",
     "2:32: expected no priority=, found one; on wse2 the operation or input queue has the "
     "priority"},
    {"FifoSimd", "data b: f32[4]\nfifo f b dsr=1 xdsr=1 simd=off",
     "2:28: expected simd=32, simd=64 or simd=32_or_64 for a fifo, found 'off'"},
    {"Rotation",
     "queue q input 1 color=1\nrotate t c limit=2\ntask t data q\n end\ntask c control "
     "0\n end",
     "2:8: expected no rotate line, found one; only wse3 rotates tasks"},
    {"Microthread", "microthread 1 blocked",
     "1:1: expected no microthread line, found one; a wse2 microthread is blocked with its queue"},
    {"ControlIdOfLocalTask", "task a local 9\n end\ntask b control 9\n end",
     "3:16: expected a task id for 'b' that no other task has, found 9, the id of 'a' of line 1"},
};
INSTANTIATE_TEST_SUITE_P(Wse2, TasmDeclarationMessageOnWse2, ::testing::ValuesIn(kWse2), name_of);

}  // namespace
}  // namespace tessera::tasm
