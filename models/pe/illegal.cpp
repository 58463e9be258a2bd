#include "models/pe/illegal.h"

#include <array>

namespace tessera::pe {
namespace {

constexpr std::string_view kBoth = "wse2, wse3";

// clang-format off
constexpr std::array<IllegalInfo, kIllegalCount> kTable = {{
    {Illegal::kControlUnbound, "/tessera/pe/control_unbound", "2.3, 3.1", kBoth,
     "A control wavelet on an unblocked channel names a number that no task has."},
    {Illegal::kTaskId, "/tessera/pe/task_id", "3.1", kBoth,
     "A task id from a register is not that of a local task."},
    {Illegal::kReturnAddress, "/tessera/pe/return_address", "6.1", kBoth,
     "`ret` goes to an instruction that does not exist, or the program runs past its last instruction."},
    {Illegal::kBreak, "/tessera/pe/break", "6.1", kBoth,
     "The program executes `brk`: one of its assertions failed."},
    {Illegal::kMicrothreadBusy, "/tessera/pe/microthread_busy", "4", kBoth,
     "An asynchronous operation starts on a microthread that still runs another one."},
    {Illegal::kQueueBusy, "/tessera/pe/queue_busy", "2.3", kBoth,
     "Two operations in progress read one input queue or write one output queue."},
    {Illegal::kQueueReuse, "/tessera/pe/queue_reuse", "2.3", kBoth,
     "An output queue is used for another color, or bound to one, while it holds wavelets or is written; an input "
     "queue is bound to another color while it holds wavelets or is read."},
    {Illegal::kNoMicrothread, "/tessera/pe/no_microthread", "4, 5.7", kBoth,
     "An asynchronous operation has no fabric operand to take its microthread from, or writes a register."},
    {Illegal::kTwoFabricInputs, "/tessera/pe/two_fabric_inputs", "5.5", kBoth,
     "Two sources are fabin descriptors (WSE-3), or both read one queue."},
    {Illegal::kHalfWavelet, "/tessera/pe/half_wavelet", "2.4", "wse3",
     "A dense queue receives a full wavelet for a 16-bit element, or a queue that is not dense a half wavelet."},
    {Illegal::kDsrEmpty, "/tessera/pe/dsr_empty", "5.11", kBoth,
     "A DSR is used that nothing has been loaded into."},
    {Illegal::kDsrKind, "/tessera/pe/dsr_kind", "5.11", kBoth,
     "A DSR holds a descriptor of a kind that the instruction cannot take in this place."},
    {Illegal::kDsrLength, "/tessera/pe/dsr_length", "5.2, 5.8", kBoth,
     "A length or stride is set that the descriptor cannot have."},
    {Illegal::kElementSize, "/tessera/pe/element_size", "5.2", kBoth,
     "A descriptor of elements of one size is used by an instruction on elements of the other, also of floats that the program states with `of=`, or `incdsa` counts elements of no size."},
    {Illegal::kExtendedDsrReused, "/tessera/pe/xdsr_reused", "5.11", kBoth,
     "A DSR is used after its XDSR was loaded with other loops."},
    {Illegal::kStrideRegisterReused, "/tessera/pe/sr_reused", "5.11", kBoth,
     "A DSR is used after one of its stride registers was loaded with another stride."},
    {Illegal::kMissingIndex, "/tessera/pe/missing_index", "5.2, 5.5, 5.7", kBoth,
     "An operand has `wavelet_index_offset`, the operation no `index=`."},
    {Illegal::kIndexedElement, "/tessera/pe/indexed_element", "1.1, 5.5", kBoth,
     "A fabout with `wavelet_index_offset` sends 32-bit elements or half wavelets, which leave no room for the index."},
    {Illegal::kSingleStepMix, "/tessera/pe/single_step", "5.11", kBoth,
     "An operation mixes `single_step` DSRs with others, or runs one asynchronously."},
    {Illegal::kZeroSource, "/tessera/pe/zero_source", "5.5", kBoth,
     "The source that `zero=` names is not a vector in memory."},
    {Illegal::kFilterOptions, "/tessera/pe/filter_options", "6.7", kBoth,
     "`dfilt` is not asynchronous, or has `on_control` through its DSR."},
    {Illegal::kDsrRecord, "/tessera/pe/dsr_record", "5.11", kBoth,
     "A record that `lddsr` loads names no descriptor of the program, or one that does not fit the DSR or the registers of the load."},
    {Illegal::kFifoReentry, "/tessera/pe/fifo_reentry", "5.6", kBoth,
     "A FIFO is pushed, or popped, by an operation while another one in progress does the same."},
    {Illegal::kFifoSource, "/tessera/pe/fifo_source", "5.6", kBoth,
     "A FIFO is the first of several sources, or there are two FIFO sources."},
    {Illegal::kFifoFault, "/tessera/pe/fifo_fault", "5.6", "wse3",
     "An operation meets an empty or full FIFO whose action is `fault`."},
    {Illegal::kMemoryAccess, "/tessera/pe/memory_access", "6.2", kBoth,
     "An access lies outside SRAM or off a word boundary. `pe.memory_errors` decides whether the run goes on."},
    {Illegal::kCodeStore, "/tessera/pe/code_store", "6.2", kBoth,
     "A store would change the task table or the code."},
    {Illegal::kDivideByZero, "/tessera/pe/divide_by_zero", "6.1", kBoth,
     "An integer is divided by zero."},
    {Illegal::kPriorityLevel, "/tessera/pe/priority_level", "3.3, 4", kBoth,
     "A priority is set to a level that does not exist."},
    {Illegal::kConfigAddress, "/tessera/pe/config_address", "1.10", kBoth,
     "`ldcfg` or `stcfg` names a word address where no register is, or the tile has no router."},
    {Illegal::kConfigValue, "/tessera/pe/config_value", "1.2, 1.4, 1.6, 1.7", kBoth,
     "`stcfg` writes a route or filter that the tile cannot have, or a value that its register does not take."},
}};
// clang-format on

constexpr bool rows_stand_in_order() {
  for (unsigned i = 0; i < kIllegalCount; ++i) {
    if (kTable[i].what != static_cast<Illegal>(i)) return false;
  }
  return true;
}
static_assert(rows_stand_in_order());

}  // namespace

const IllegalInfo& info(Illegal what) {
  return kTable[static_cast<unsigned>(what)];
}

}  // namespace tessera::pe
