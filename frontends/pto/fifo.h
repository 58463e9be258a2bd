// A pipe between cube and vector, as one core sees it; fifo_lowering.cpp says how it works.
#pragma once

#include <cstdint>
#include <memory>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

/// One direction of it.
struct FunctionLowering::FifoEnd {
  bool open = false;
  bool produces = false;               ///< this core pushes; else it pops
  std::int64_t flag = 0;               ///< ready; flag + 1: free
  std::int64_t first_byte = 0;         ///< of its ring in the buffer in GM
  Operand buffer;                      ///< of the consumer, in UB or L1
  cluster::Pipe writer{}, reader{};    ///< which signal
  unsigned count = 0, freed = 0;       ///< registers: tiles pushed or popped, slots freed
  std::shared_ptr<Value> popped = {};  ///< the tile of the last pop
};

struct FunctionLowering::Fifo {
  std::int64_t id = 0;  ///< of pto.aic_initialize_pipe; handles have none
  bool is_handle = false;
  bool has_buffer = true;    ///< the consumer has named one
  bool has_entries = false;  ///< its slots in GM are tensors of the program
  bool through_gm = false;
  bool nosplit = false;
  bool split_is_known = false;  ///< an attribute or an operation of the pipe says whether it is
  std::int64_t directions = 0;  ///< dir_mask: 1 cube to vector, 2 vector to cube, 3 both
  std::int64_t slots = 0, local_slots = 0, slot_bytes = 0, period = 0;
  std::int64_t flag = 0;
  std::int64_t split = 0;  ///< of the operation that is being lowered
  cluster::TileOperand gm;
  FifoEnd to_aiv, to_aic;
};

template <class Body>
void FunctionLowering::unless(Operand condition, Place place, Body emit_body) {
  const std::uint32_t branch = next();
  emit(Opcode::kBranch, place, cluster::Pipe::kS).a = condition;
  emit_body();
  program_.code[branch].target = next();
}

// On A5 AIV1 has nothing to do with a tile that is not divided.
template <class Body>
void FunctionLowering::take_part(const Fifo& fifo, Place place, Body emit_body) {
  const bool alone =
      options_.profile == cluster::Profile::kA5 && kind_ == cluster::CoreKind::kAiv && fifo.nosplit;
  if (!alone) return emit_body();
  unless(subblock(place), place, emit_body);
}

}  // namespace tessera::pto
