// Whether the operands of a DSD operation are ready for its next group, and for how many elements
// (reference wse.md 2.3, 5.6, 5.7, 5.10); and in words, what it waits for.
#pragma once

#include <cstdint>
#include <string>

#include "models/observe/wait.h"
#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

/// Elements of the next group of an operation on queues or FIFOs; 0: an operand is not ready.
std::uint32_t outside_group_size(const EngineState& pe, const Operation& op, Cycle now);
/// The same of any operation. Registers and memory are always ready.
inline std::uint32_t group_size(const EngineState& pe, const Operation& op, Cycle now) {
  return op.in_memory() ? op.next_group() : outside_group_size(pe, op, now);
}
/// The same as far as queues decide: a full group, else a wavelet's worth.
std::uint32_t fabric_elements(const EngineState& pe, const Operation& op, Cycle now);
/// Elements that the FIFO of `cursor` has for `op`, or has room for.
inline std::uint32_t fifo_elements(const EngineState& pe, const Operation& op,
                                   const Cursor& cursor) {
  const FifoState& fifo = pe.dsrs.fifo(cursor.number);
  const bool push = &cursor == op.cursors.data();
  return (push ? fifo.bytes_free() : fifo.bytes_held()) / cursor.bytes;
}
/// Whether the oldest wavelet of a queue may end the operation or belong to a task.
inline bool heads_matter(const EngineState& pe, const Operation& op) {
  return op.completion.on_control != OnControl::kNone || (op.channels & ~pe.tasks.blocked()) != 0;
}
/// Whether group_size() is not 0. Where only queues decide, their masks tell.
inline bool is_ready(const EngineState& pe, const Operation& op, Cycle now) {
  if (pe.queues.lacking(op.needs_inputs, op.needs_outputs, now) != 0) return false;
  return (op.single && !heads_matter(pe, op)) || group_size(pe, op, now) > 0;
}
/// The source whose next wavelet is a control wavelet that ends the operation, whatever the other
/// operands do (wse.md 5.7 on_control); nullptr: none.
const Cursor* source_at_control(const EngineState& pe, const Operation& op, Cycle now);
/// Whether a source has a wavelet that its channel gives to a task. While a channel is not blocked,
/// its data wavelets belong to its data task and its control wavelets to control tasks; operations
/// get what is left (wse.md 2.3).
bool head_goes_to_task(const EngineState& pe, const Operation& op, Cycle now);

/// What an operation waits for that could have a group in cycle `now` but for its operands and other
/// threads. `number` is that of the queue or FIFO.
struct OperationWait {
  observe::WaitReason reason = observe::WaitReason::kTurn;
  std::uint8_t number = 0;
};
OperationWait wait_of(const EngineState& pe, const Operation& op, Cycle now);
/// "a wavelet on input queue 3 (color 4)"; also of the waits that an engine accounts.
std::string words_of(const Image& image, const OperationWait& wait);

/// "microthread 2, fadds at gemv.tasm:31 (task reduce)".
std::string describe(const Operation& op, const Image& image);
/// "fadds at gemv.tasm:31 (task reduce)".
std::string describe_instruction(const Operation& op, const Image& image);

/// What operations, the main thread and tasks wait for: ComputeEngineCore::describe_waits.
void describe_waits(const EngineState& pe, const Operations& operations, observe::Waits& waits,
                    Cycle now);

}  // namespace tessera::pe
