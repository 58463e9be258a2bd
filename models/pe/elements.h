// How the elements of DSD operations move (reference wse.md 5.2 to 5.10): from memory, queues, FIFOs
// and registers through the arithmetic to memory, a queue, a FIFO or a register.
//
// `control_mask`: mask of control transforms (wse.md 5.9). `sent` counts the wavelets that the engine
// has sent.
#pragma once

#include <cstdint>

#include "models/pe/engine_state.h"
#include "models/pe/operation.h"

namespace tessera::pe {

/// Moves the next element of `op`, whose operands are ready.
void move_element(EngineState& pe, Operation& op, std::uint32_t control_mask, std::uint32_t& sent,
                  Cycle now);
/// What moves elements of `op` as move_element() does, made for the kinds of its operands; nullptr:
/// there is nothing faster. Not while on_control or a task may take the wavelets of the operation.
Kernel kernel_of(const Operation& op);

/// Whether the operation that ends with its next element has come to the end of its destination
/// descriptor too, and not only of a single step.
bool is_last(const EngineState& pe, const Operation& op);
/// Sends the wavelet that has been put together in the destination. `last`: of the descriptor.
void send(EngineState& pe, Operation& op, bool last, std::uint32_t& sent, Cycle now);

}  // namespace tessera::pe
