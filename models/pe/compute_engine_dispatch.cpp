// A DSD operation starts (reference wse.md 4, 5.5 to 5.10, 6.3): its operands, length, thread and
// rate, and what forbids it.
#include <algorithm>

#include "models/pe/banks.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

// Slots of the source DSRs in the order of wse.md 4 and 5.8: file 0, then file 1. The operand of
// dfilt stands in slot 0.
template <class Visit>
void for_each_source_dsr(const Instruction& in, Visit&& visit) {
  const unsigned first = in.op == Opcode::kDfilt ? 0 : 1;
  for (OperandKind file : {kSrc0, kSrc1}) {
    for (unsigned i = first; i < kMaxOperands; ++i) {
      if (in.operands[i].kind == file) visit(in.operands[i]);
    }
  }
}

// The destination DSR, then the source DSRs; one that stands in two places once.
template <class Visit>
void for_each_dsr(const Instruction& in, Visit&& visit) {
  if (in.op != Opcode::kDfilt && in.operands[0].is_dsr()) visit(in.operands[0]);
  for_each_source_dsr(in, [&](const Operand& source) {
    if (&*std::find(in.operands.begin(), in.operands.end(), source) == &source) visit(source);
  });
}

bool is_fabric(const Dsr& dsr) {
  return dsr.loaded() && (dsr.kind() == DsdKind::kFabin || dsr.kind() == DsdKind::kFabout);
}

/// 16-bit elements that a SIMD mode moves at least and at most in a cycle (wse.md 5.10).
struct SimdLimits {
  unsigned least, most;
};
SimdLimits limits_of(SimdMode mode) {
  switch (mode) {
  case SimdMode::kOff:
    return {1, 1};
  case SimdMode::k32:
    return {2, 2};
  case SimdMode::k64:
    return {4, 4};
  default:
    return {2, 4};
  }
}

}  // namespace

void ComputeEngineCore::dispatch(const Instruction& in, Cycle now) {
  Operation op;
  op.instruction = &in;
  op.pc = main_.pc - 1;
  merge_config(op);
  if (op.config.index) op.index = static_cast<std::uint16_t>(read_operand(*op.config.index));
  const OpcodeInfo& row = info(in.op);
  if (in.op == Opcode::kDfilt) {
    op.cursors[1] = make_cursor(op, 0);
  } else {
    for (unsigned i = 0; i < row.operand_count; ++i) op.cursors[i] = make_cursor(op, i);
  }
  op.uses_fifo = std::any_of(op.cursors.begin(), op.cursors.end(),
                             [](const Cursor& c) { return c.kind == Cursor::Kind::kFifo; });
  const Cursor& destination = op.cursors[0];
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    const Cursor& source = op.cursors[i];
    op.accumulates |= destination.is_register && source.is_register &&
                      source.reg == destination.reg && source.bytes == destination.bytes;
  }
  op.carry = flag_;
  check_sources(op);
  if (op.single_step && single_step_exhausted(op)) {
    write_flag(false, now + 1);
    return;
  }
  set_length(op);
  if (op.config.async) {
    op.thread = microthread_for(op);
    op.priority = priority_for(op);
  }
  require_free(op);
  check_queue_reuse(op, now);
  set_rate(op);
  set_zeroed(op);
  op.next_group_at = now + (op.single_step ? 1 : timing_.vector_start);
  probe_.emit(now, EventKind::kOpStart, op.event_word(), op.length);
  operations_.push_back(op);
}

// wse.md 5.7, 5.11, 4: the options of the loads of fabric DSRs count where the operation has none
// of its own; destination first, then source 0, source 1.
void ComputeEngineCore::merge_config(Operation& op) {
  const Instruction& in = *op.instruction;
  op.config = in.config;
  for_each_dsr(in, [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    op.single_step |= dsr.single_step();
    if (!is_fabric(dsr)) return;
    const OpConfig& load = *dsr.config;
    op.config.async |= load.async;
    if (!op.config.ut) op.config.ut = load.ut;
    if (!op.config.activate && !op.config.unblock) {
      op.config.activate = load.activate;
      op.config.unblock = load.unblock;
    }
    if (op.config.on_control == OnControl::kNone) {
      op.config.on_control = load.on_control;
      op.config.on_control_target = load.on_control_target;
    }
  });
}

Cursor ComputeEngineCore::make_cursor(const Operation& op, unsigned slot) {
  const Operand& operand = op.instruction->operands[slot];
  const unsigned bytes = info(op.instruction->op).bytes(slot);
  const bool destination = slot == 0 && op.instruction->op != Opcode::kDfilt;
  if (!operand.is_dsr()) return make_scalar_cursor(operand, bytes, destination);
  const Dsr& dsr = dsrs_[operand];
  if (!dsr.loaded()) fail(Illegal::kDsrEmpty, op.pc, "a DSR is used that nothing was loaded into");
  if (op.single_step && !dsr.single_step()) {
    fail(Illegal::kSingleStepMix, op.pc,
         dsr.name() + " was loaded without single_step, another operand with it");
  }
  switch (dsr.kind()) {
  case DsdKind::kFifo:
    return make_fifo_cursor(dsr, bytes);
  case DsdKind::kFabin:
  case DsdKind::kFabout:
    return make_fabric_cursor(op, dsr, destination, bytes);
  default:
    return make_memory_cursor(op, dsr, bytes);
  }
}

Cursor ComputeEngineCore::make_scalar_cursor(const Operand& operand, unsigned bytes,
                                             bool destination) const {
  Cursor cursor;
  cursor.bytes = static_cast<std::uint8_t>(bytes);
  if (destination) cursor.most = 1;
  if (destination && operand.kind == kMem) {
    cursor.kind = Cursor::Kind::kPointer;
    cursor.offset = address_of(operand);
    return cursor;
  }
  cursor.kind = Cursor::Kind::kScalar;
  cursor.is_register = operand.kind == kReg16 || operand.kind == kReg32;
  cursor.reg = operand.reg;
  cursor.value = read_operand(operand);
  return cursor;
}

Cursor ComputeEngineCore::make_fabric_cursor(const Operation& op, const Dsr& dsr, bool destination,
                                             unsigned bytes) {
  const Dsd& dsd = *dsr.dsd;
  if (destination != (dsd.kind == DsdKind::kFabout)) {
    fail(Illegal::kDsrKind, op.pc,
         "descriptor '" + dsd.name + "' cannot be " +
             (destination ? "a destination: it is a fabin" : "a source: it is a fabout"));
  }
  const bool indexed = destination && dsd.wavelet_index_offset;
  if (indexed && !op.config.index) {
    fail(Illegal::kMissingIndex, op.pc,
         "descriptor '" + dsd.name + "' has wavelet_index_offset, the operation no index=");
  }
  if (indexed && bytes != 2) {
    fail(Illegal::kIndexedElement, op.pc,
         "descriptor '" + dsd.name + "' puts the index beside 16-bit elements; these have 32 bits");
  }
  Cursor cursor;
  cursor.kind = Cursor::Kind::kFabric;
  cursor.bytes = static_cast<std::uint8_t>(bytes);
  cursor.dsd = &dsd;
  cursor.queue = dsd.queue;
  cursor.most = 1;
  const QueueBinding* queue = image_->find_queue(!destination, dsd.queue);
  if (queue != nullptr && !destination) cursor.channel = image_->channel_of(*queue);
  if (bytes != 2) return cursor;
  cursor.half = queue != nullptr && queue->dense;
  if (cursor.half && indexed) {
    fail(Illegal::kIndexedElement, op.pc,
         "descriptor '" + dsd.name + "' puts an index into half wavelets, which have 16 bits");
  }
  if (cursor.half || indexed || dsd.simd == SimdMode::kOff) return cursor;
  cursor.packed = 2;
  cursor.most = limits_of(dsd.simd).most;
  if (op.single_step) {  // the rest of a wavelet waits in the DSR for the next step
    cursor.held = dsr.held;
    cursor.wavelet = dsr.wavelet;
    return cursor;
  }
  cursor.least = static_cast<std::uint8_t>(limits_of(dsd.simd).least);
  return cursor;
}

Cursor ComputeEngineCore::make_fifo_cursor(const Dsr& dsr, unsigned bytes) const {
  Cursor cursor;
  cursor.kind = Cursor::Kind::kFifo;
  cursor.bytes = static_cast<std::uint8_t>(bytes);
  cursor.fifo = dsr.fifo_index;
  if (image_->generation == Generation::kWse2 && dsr.fifo->simd != SimdMode::kMax) {
    const SimdLimits limits = limits_of(dsr.fifo->simd);  // of 16-bit elements
    cursor.least = static_cast<std::uint8_t>(std::max(limits.least * 2 / bytes, 1U));
    cursor.most = std::max(limits.most * 2 / bytes, 1U);
  }
  return cursor;
}

Cursor ComputeEngineCore::make_memory_cursor(const Operation& op, const Dsr& dsr,
                                             unsigned bytes) const {
  const Dsd& dsd = *dsr.dsd;
  if (dsd.element_bytes != bytes) {
    fail(Illegal::kElementSize, op.pc,
         "the instruction works on elements of " + std::to_string(bytes) + " bytes, descriptor '" +
             dsd.name + "' has elements of " + std::to_string(dsd.element_bytes));
  }
  if (dsrs_.xdsr_lost(dsr)) {
    fail(Illegal::kExtendedDsrReused, op.pc,
         "the XDSR of descriptor '" + dsd.name + "' has been loaded for another one");
  }
  if (dsrs_.stride_register_lost(dsr)) {
    fail(Illegal::kStrideRegisterReused, op.pc,
         "a stride register of descriptor '" + dsd.name + "' has been loaded for another one");
  }
  Cursor cursor;
  cursor.kind = Cursor::Kind::kMemory;
  cursor.bytes = static_cast<std::uint8_t>(bytes);
  cursor.dsd = &dsd;
  cursor.load = dsr.load;
  if (dsd.wavelet_index_offset) {
    if (!op.config.index) {
      fail(Illegal::kMissingIndex, op.pc,
           "descriptor '" + dsd.name + "' has wavelet_index_offset, the operation no index=");
    }
    cursor.offset = 2U * op.index;  // words (wse.md 5.2)
  }
  cursor.walk = op.single_step ? dsr.walk : AddressWalk(dsd, dsr.base, dsr.stride);
  cursor.most = stride_limit(cursor.walk.step() / 2);
  return cursor;
}

// wse.md 5.11 single_step, 5.8 @map: ends at the first operand that has no element left.
bool ComputeEngineCore::single_step_exhausted(Operation& op) {
  if (op.config.async) {
    fail(Illegal::kSingleStepMix, op.pc, "an operation on single_step DSRs cannot be asynchronous");
  }
  bool exhausted = false;
  for_each_dsr(*op.instruction, [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    exhausted |= dsr.remaining == 0 && !dsr.endless();
  });
  if (exhausted) return true;
  for_each_dsr(*op.instruction, [&](const Operand& operand) {
    Dsr& dsr = dsrs_[operand];
    if (!dsr.endless()) --dsr.remaining;
    if (is_memory(dsr.kind())) dsr.walk.next();
  });
  return false;
}

// wse.md 5.8: the first source with a length, else the destination, else one element.
void ComputeEngineCore::set_length(Operation& op) {
  op.length = 0;
  const Instruction& in = *op.instruction;
  const auto consider = [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    if (op.length != 0) return;
    op.length = dsr.length();
    op.endless = dsr.endless();
  };
  for_each_source_dsr(in, consider);
  if (in.op != Opcode::kDfilt && in.operands[0].is_dsr()) consider(in.operands[0]);
  if (op.length == 0 || op.single_step) {
    op.length = 1;
    op.endless = false;
  }
}

// Elements a group: at most what the opcode (wse.md 6.3), the strides (6.2) and the SIMD modes
// (5.10) allow; a register takes one element (6.4).
void ComputeEngineCore::set_rate(Operation& op) {
  const VectorRate& rate = timing_.rate[static_cast<unsigned>(op.instruction->op)];
  unsigned limit = Cursor::kNoLimit;
  for (const Cursor& cursor : op.cursors) {
    op.least = std::max<unsigned>(op.least, cursor.packed);
    limit = std::min(limit, cursor.most);
  }
  op.width = std::max(std::min(rate.width, limit), op.least);
  op.width -= op.width % op.least;  // whole wavelets
  op.interval = (rate.interval * op.width + rate.width - 1) / rate.width;
  if (limit < op.width) {  // packed wavelets bring more elements than an operand takes in a cycle
    op.interval = std::max(op.interval, (op.width + limit - 1) / limit);
  }
  op.duration = op.interval;
  if (!op.accumulates) return;
  // Each element waits for the result of the one before (wse.md 6.4).
  const OpClass op_class = info(op.instruction->op).op_class;
  const unsigned latency =
      op_class == OpClass::kFloat ? timing_.float_latency : timing_.integer_latency;
  op.interval = std::max(op.interval, latency * op.width);
  op.duration = std::max(op.duration, latency * (op.width - 1) + 1);
}

// wse.md 5.5: what `zero` of the fabout names; an operation with one source calls it the second.
void ComputeEngineCore::set_zeroed(Operation& op) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind != Cursor::Kind::kFabric || destination.dsd->zero == ZeroSource::kNone)
    return;
  const bool one_source = op.cursors[2].kind == Cursor::Kind::kNone;
  const bool first = destination.dsd->zero == ZeroSource::kFirst;
  const Cursor& source = op.cursors[first || one_source ? 1 : 2];
  if (source.kind != Cursor::Kind::kMemory || (first && one_source)) {
    fail(Illegal::kZeroSource, op.pc,
         std::string("zero=") + (first ? "first" : "second") + " of descriptor '" +
             destination.dsd->name + "' names no vector in memory" +
             (first && one_source ? "; a single source is the second" : ""));
  }
  op.zeroed = source.walk;
  op.zeroed_offset = source.offset;
  op.zeroed_bytes = source.bytes;
}

// wse.md 4: an explicit id, else that of the first fabric operand's queue in the order destination,
// source 0, source 1. A FIFO has no queue to take one from.
ThreadId ComputeEngineCore::microthread_for(const Operation& op) const {
  if (op.cursors[0].kind == Cursor::Kind::kScalar) {
    fail(Illegal::kNoMicrothread, op.pc,
         "an asynchronous operation cannot have a register as its destination");
  }
  const Dsr* fabric = nullptr;
  for_each_dsr(*op.instruction, [&](const Operand& operand) {
    if (fabric == nullptr && is_fabric(dsrs_[operand])) fabric = &dsrs_[operand];
  });
  if (op.config.ut && (fabric != nullptr || op.uses_fifo)) return op.config.ut->value();
  if (fabric != nullptr) return fabric->dsd->queue.value();
  fail(Illegal::kNoMicrothread, op.pc,
       "an asynchronous operation needs a fabin or fabout operand, or a FIFO and ut=");
}

// wse.md 4: of the operation or the queue (WSE-2), of the descriptor or the FIFO (WSE-3), else the
// default of the config.
Priority ComputeEngineCore::priority_for(const Operation& op) const {
  std::optional<Priority> found = op.config.priority;
  for_each_dsr(*op.instruction, [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    if (!found) found = dsr.fifo != nullptr ? dsr.fifo->priority : dsr.dsd->priority;
  });
  for (unsigned i = 1; i < kMaxOperands && !found; ++i) {
    if (op.cursors[i].kind != Cursor::Kind::kFabric) continue;
    const QueueBinding* queue = image_->find_queue(true, op.cursors[i].queue);
    if (queue != nullptr) found = queue->priority;
  }
  return found.value_or(timing_.microthread_priority);
}

// wse.md 5.5: WSE-3 takes one fabric-in operand; two that read one queue would each get half of it.
// wse.md 5.6: at most one FIFO source, and not the first of several. wse.md 6.7: dfilt.
void ComputeEngineCore::check_sources(const Operation& op) const {
  const Cursor* fabric = nullptr;
  unsigned fifos = 0;
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    const Cursor& source = op.cursors[i];
    fifos += source.kind == Cursor::Kind::kFifo ? 1 : 0;
    if (source.kind != Cursor::Kind::kFabric) continue;
    if (fabric == nullptr) {
      fabric = &source;
      continue;
    }
    if (image_->generation == Generation::kWse3) {
      fail(Illegal::kTwoFabricInputs, op.pc,
           "two sources are fabin descriptors; an operation of WSE-3 takes one");
    }
    if (source.queue == fabric->queue) {
      fail(Illegal::kTwoFabricInputs, op.pc,
           "both fabin sources read input queue " + std::to_string(source.queue.value()));
    }
  }
  const bool several = op.cursors[2].kind != Cursor::Kind::kNone;
  if (fifos > 1 || (several && op.cursors[1].kind == Cursor::Kind::kFifo)) {
    fail(Illegal::kFifoSource, op.pc,
         fifos > 1 ? "two sources are FIFOs" : "a FIFO cannot be the first of several sources");
  }
  if (op.instruction->op != Opcode::kDfilt) return;
  if (fabric == nullptr) fail(Illegal::kDsrKind, op.pc, "dfilt needs a fabin descriptor");
  if (op.config.async && op.config.on_control == OnControl::kNone) return;
  fail(Illegal::kFilterOptions, op.pc, "dfilt must be async and cannot have on_control");
}

void ComputeEngineCore::require_free(const Operation& op) const {
  for (const Operation& other : operations_) {
    if (other.thread == op.thread) {
      fail(Illegal::kMicrothreadBusy, op.pc,
           "microthread " + std::to_string(op.thread) + " is still busy with " + describe(other));
    }
    for (unsigned q = 0; q < kMaxQueues; ++q) {
      const QueueId queue(q);
      if (op.uses_input(queue) && other.uses_input(queue)) {
        fail(Illegal::kQueueBusy, op.pc,
             "input queue " + std::to_string(q) + " is still read by " + describe(other));
      }
      if (op.uses_output(queue) && other.uses_output(queue)) {
        fail(Illegal::kQueueBusy, op.pc,
             "output queue " + std::to_string(q) + " is still written by " + describe(other));
      }
    }
    for (unsigned f = 0; f < fifos_.size(); ++f) {
      const bool both_push = op.pushes(f) && other.pushes(f);
      if (!both_push && !(op.pops(f) && other.pops(f))) continue;
      fail(Illegal::kFifoReentry, op.pc,
           "FIFO " + image_->fifos[f].name + " is still " + (both_push ? "pushed" : "popped") +
               " by " + describe(other));
    }
  }
}

// wse.md 2.3: an output queue of WSE-2 serves several colors, one after the other has left.
void ComputeEngineCore::check_queue_reuse(const Operation& op, Cycle now) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind != Cursor::Kind::kFabric) return;
  OutputUse& use = output_uses_[destination.queue.value()];
  const unsigned room = queues_.room(destination.queue, now);
  const Color color = destination.dsd->color;
  if (use.capacity == 0) use = {room, color};  // empty before its first use
  if (use.color != color && room < use.capacity) {
    fail(Illegal::kQueueReuse, op.pc,
         "output queue " + std::to_string(destination.queue.value()) +
             " still holds wavelets of color " + std::to_string(use.color.value()) +
             " and is used for color " + std::to_string(color.value()));
  }
  use.color = color;
}

}  // namespace tessera::pe
