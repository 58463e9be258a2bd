// A DSD operation starts (reference wse.md 4, 5.5 to 5.10, 6.3): its operands, length, thread and
// rate, and what forbids it.
#include <algorithm>

#include "models/pe/banks.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

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

std::uint8_t queue_bit(QueueId q) {
  return static_cast<std::uint8_t>(1U << q.value());
}

}  // namespace

// Each DSR once: the destination, then the sources in the order of wse.md 4 and 5.8.
template <class Visit>
void ComputeEngineCore::for_each_dsr(const Operation& op, Visit&& visit) const {
  for (const unsigned slot : op.decoded->dsrs) visit(op.instruction().operands[slot]);
}

void ComputeEngineCore::dispatch(const DecodedInstruction& in, Cycle now) {
  auto started = std::make_unique<Operation>();
  Operation& op = *started;
  op.decoded = &in;
  merge_config(op);
  make_cursors(op);
  op.carry = flag_;
  check_sources(op);
  if (op.single_step && single_step_exhausted(op)) {
    write_flag(false, now + 1);
    return;
  }
  set_length(op);
  if (op.async) {
    op.thread = static_cast<std::uint8_t>(microthread_for(op));
    op.priority = priority_for(op);
  }
  require_free(op);
  check_queue_reuse(op, now);
  set_rate(op);
  set_zeroed(op);
  set_self_contained(op);
  op.next_group_at = now + (op.single_step ? 1 : timing().vector_start);
  probe_.emit(now, EventKind::kOpStart, op.event_word(), op.length);
  std::unique_ptr<Operation>* last = &operations_;
  while (*last != nullptr) last = &(*last)->next;
  *last = std::move(started);
}

// wse.md 5.7, 5.11, 4: the options of the loads of fabric DSRs count where the operation has none
// of its own; destination first, then source 0, source 1.
void ComputeEngineCore::merge_config(Operation& op) {
  const OpConfig& own = op.instruction().config;
  op.async = own.async;
  op.ut = own.ut;
  op.completion = {own.activate, own.unblock, own.on_control, own.on_control_target};
  for_each_dsr(op, [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    op.single_step |= dsr.single_step();
    if (!dsr.is_fabric()) return;
    const OpConfig& load = *dsr.config;
    op.async |= load.async;
    if (!op.ut) op.ut = load.ut;
    if (!op.completion.activate && !op.completion.unblock) {
      op.completion.activate = load.activate;
      op.completion.unblock = load.unblock;
    }
    if (op.completion.on_control == OnControl::kNone) {
      op.completion.on_control = load.on_control;
      op.completion.on_control_target = load.on_control_target;
    }
  });
}

void ComputeEngineCore::make_cursors(Operation& op) {
  const Instruction& in = op.instruction();
  if (in.config.index) op.index = static_cast<std::uint16_t>(read_operand(*in.config.index));
  if (op.is_filter()) {
    op.sources = 1;
    make_cursor(op, 0, op.cursors[1]);
  } else {
    op.sources = static_cast<std::uint8_t>(op.decoded->operand_count - 1);
    for (unsigned i = 0; i <= op.sources; ++i) make_cursor(op, i, op.cursors[i]);
  }
  const Cursor& destination = op.cursors[0];
  op.uses_fifo = destination.kind == Cursor::Kind::kFifo;
  if (destination.kind == Cursor::Kind::kFabric) op.outputs = queue_bit(destination.queue);
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    op.uses_fifo |= source.kind == Cursor::Kind::kFifo;
    if (source.kind == Cursor::Kind::kFabric) op.inputs |= queue_bit(source.queue);
    if (source.channel) op.channels |= task_bit(*source.channel);
    op.accumulates |= destination.is_register && source.is_register &&
                      source.reg == destination.reg && source.bytes == destination.bytes;
  }
}

void ComputeEngineCore::make_cursor(const Operation& op, unsigned slot, Cursor& cursor) const {
  const Operand& operand = op.instruction().operands[slot];
  const bool destination = slot == 0 && !op.is_filter();
  cursor.bytes = op.decoded->bytes[slot];
  if (!operand.is_dsr()) return make_scalar_cursor(operand, destination, cursor);
  const Dsr& dsr = dsrs_[operand];
  if (!dsr.loaded())
    fail(Illegal::kDsrEmpty, op.pc(), "a DSR is used that nothing was loaded into");
  if (op.single_step && !dsr.single_step()) {
    fail(Illegal::kSingleStepMix, op.pc(),
         dsr.name() + " was loaded without single_step, another operand with it");
  }
  switch (dsr.kind()) {
  case DsdKind::kFifo:
    return make_fifo_cursor(dsr, cursor);
  case DsdKind::kFabin:
  case DsdKind::kFabout:
    return make_fabric_cursor(op, dsr, destination, cursor);
  default:
    return make_memory_cursor(op, dsr, cursor);
  }
}

void ComputeEngineCore::make_scalar_cursor(const Operand& operand, bool destination,
                                           Cursor& cursor) const {
  if (destination) cursor.most = 1;
  if (destination && operand.kind == kMem) {
    cursor.kind = Cursor::Kind::kPointer;
    cursor.walk = AddressWalk(address_of(operand), 0);
    return;
  }
  cursor.kind = Cursor::Kind::kScalar;
  cursor.is_register = operand.kind == kReg16 || operand.kind == kReg32;
  cursor.reg = operand.reg;
  cursor.value = read_operand(operand);
}

void ComputeEngineCore::make_fabric_cursor(const Operation& op, const Dsr& dsr, bool destination,
                                           Cursor& cursor) const {
  const Dsd& dsd = *dsr.dsd;
  if (destination != (dsd.kind == DsdKind::kFabout)) {
    fail(Illegal::kDsrKind, op.pc(),
         "descriptor '" + dsd.name + "' cannot be " +
             (destination ? "a destination: it is a fabin" : "a source: it is a fabout"));
  }
  const bool indexed = destination && dsd.wavelet_index_offset;
  if (indexed && !op.instruction().config.index) {
    fail(Illegal::kMissingIndex, op.pc(),
         "descriptor '" + dsd.name + "' has wavelet_index_offset, the operation no index=");
  }
  if (indexed && cursor.bytes != 2) {
    fail(Illegal::kIndexedElement, op.pc(),
         "descriptor '" + dsd.name + "' puts the index beside 16-bit elements; these have 32 bits");
  }
  cursor.kind = Cursor::Kind::kFabric;
  cursor.dsd = &dsd;
  cursor.queue = dsd.queue;
  cursor.most = 1;
  const QueueBinding* queue = program_->queue(!destination, dsd.queue);
  if (queue != nullptr && !destination) cursor.channel = image().channel_of(*queue);
  if (cursor.bytes != 2) return;
  cursor.half = queue != nullptr && queue->dense;
  if (cursor.half && indexed) {
    fail(Illegal::kIndexedElement, op.pc(),
         "descriptor '" + dsd.name + "' puts an index into half wavelets, which have 16 bits");
  }
  if (cursor.half || indexed || dsd.simd == SimdMode::kOff) return;
  cursor.packed = 2;
  cursor.most = static_cast<std::uint8_t>(limits_of(dsd.simd).most);
  if (op.single_step) {  // the rest of a wavelet waits in the DSR for the next step
    cursor.held = dsr.extension->held;
    cursor.value = dsr.extension->wavelet;
    return;
  }
  cursor.least = static_cast<std::uint8_t>(limits_of(dsd.simd).least);
}

void ComputeEngineCore::make_fifo_cursor(const Dsr& dsr, Cursor& cursor) const {
  cursor.kind = Cursor::Kind::kFifo;
  cursor.fifo = program_->dsrs().fifo_index(*dsr.dsd);
  if (image().generation != Generation::kWse2 || dsr.dsd->simd == SimdMode::kMax) return;
  const SimdLimits limits = limits_of(dsr.dsd->simd);  // of 16-bit elements
  const unsigned words = cursor.bytes / 2U;
  cursor.least = static_cast<std::uint8_t>(std::max(limits.least / words, 1U));
  cursor.most = static_cast<std::uint8_t>(std::max(limits.most / words, 1U));
}

void ComputeEngineCore::make_memory_cursor(const Operation& op, const Dsr& dsr,
                                           Cursor& cursor) const {
  const Dsd& dsd = *dsr.dsd;
  if (dsd.element_bytes != cursor.bytes) {
    fail(Illegal::kElementSize, op.pc(),
         "the instruction works on elements of " + std::to_string(cursor.bytes) +
             " bytes, descriptor '" + dsd.name + "' has elements of " +
             std::to_string(dsd.element_bytes));
  }
  if (dsrs_.xdsr_lost(dsr)) {
    fail(Illegal::kExtendedDsrReused, op.pc(),
         "the XDSR of descriptor '" + dsd.name + "' has been loaded for another one");
  }
  if (dsrs_.stride_register_lost(dsr)) {
    fail(Illegal::kStrideRegisterReused, op.pc(),
         "a stride register of descriptor '" + dsd.name + "' has been loaded for another one");
  }
  cursor.kind = Cursor::Kind::kMemory;
  cursor.dsd = &dsd;
  cursor.load = dsr.load;
  cursor.walk = op.single_step ? dsr.extension->walk : AddressWalk(dsr.base, dsr.stride);
  if (timing().stride_rule == StrideRule::kTable) {
    const unsigned limit = stride_limit(cursor.walk.step(dsd) / 2);
    if (limit < Cursor::kNoLimit) cursor.most = static_cast<std::uint8_t>(limit);
  }
  if (!dsd.wavelet_index_offset) return;
  if (!op.instruction().config.index) {
    fail(Illegal::kMissingIndex, op.pc(),
         "descriptor '" + dsd.name + "' has wavelet_index_offset, the operation no index=");
  }
  cursor.walk.shift(2U * op.index);  // words (wse.md 5.2)
}

// wse.md 5.11 single_step, 5.8 @map: ends at the first operand that has no element left.
bool ComputeEngineCore::single_step_exhausted(Operation& op) {
  if (op.async) {
    fail(Illegal::kSingleStepMix, op.pc(),
         "an operation on single_step DSRs cannot be asynchronous");
  }
  bool exhausted = false;
  for_each_dsr(op, [&](const Operand& operand) {
    const Dsr& dsr = dsrs_[operand];
    exhausted |= dsr.extension->remaining == 0 && !dsr.endless();
  });
  if (exhausted) return true;
  for_each_dsr(op, [&](const Operand& operand) {
    Dsr& dsr = dsrs_[operand];
    if (!dsr.endless()) --dsr.extension->remaining;
    if (is_memory(dsr.kind())) dsr.extension->walk.next(*dsr.dsd);
  });
  return false;
}

// wse.md 5.8: the first source with a length, else the destination, else one element.
void ComputeEngineCore::set_length(Operation& op) {
  for (const unsigned slot : op.decoded->lengths) {
    const Dsr& dsr = dsrs_[op.instruction().operands[slot]];
    op.length = dsr.length();
    op.endless = dsr.endless();
    if (op.length != 0) break;
  }
  if (op.length == 0 || op.single_step) {
    op.length = 1;
    op.endless = false;
  }
}

// Elements a group: at most what the opcode (wse.md 6.3), the strides (6.2) and the SIMD modes
// (5.10) allow; a register takes one element (6.4).
void ComputeEngineCore::set_rate(Operation& op) {
  const VectorRate& rate = timing().rate[static_cast<unsigned>(op.instruction().op)];
  unsigned least = 1;
  unsigned limit = Cursor::kNoLimit;
  for (unsigned i = 0; i <= op.sources; ++i) {
    least = std::max<unsigned>(least, op.cursors[i].packed);
    limit = std::min<unsigned>(limit, op.cursors[i].most);
  }
  unsigned width = std::max(std::min(rate.width, limit), least);
  width -= width % least;  // whole wavelets
  unsigned interval = (rate.interval * width + rate.width - 1) / rate.width;
  if (limit < width) {  // packed wavelets bring more elements than an operand takes in a cycle
    interval = std::max(interval, (width + limit - 1) / limit);
  }
  if (timing().stride_rule == StrideRule::kSpan)
    interval = std::max(interval, cycles_of_strides(op, width));
  op.least = static_cast<std::uint8_t>(least);
  op.width = static_cast<std::uint16_t>(width);
  op.interval = op.duration = interval;
  if (!op.accumulates) return;
  // Each element waits for the result of the one before (wse.md 6.4).
  const OpClass op_class = info(op.instruction().op).op_class;
  const unsigned latency =
      op_class == OpClass::kFloat ? timing().float_latency : timing().integer_latency;
  op.interval = std::max(interval, latency * width);
  op.duration = std::max(interval, latency * (width - 1) + 1);
}

// Cycles that the operands in memory need for a group of `elements` (wse_timing.md A3).
unsigned ComputeEngineCore::cycles_of_strides(const Operation& op, unsigned elements) {
  unsigned cycles = 0;
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kMemory) continue;
    cycles = std::max(cycles, stride_cycles(cursor.walk.step(*cursor.dsd) / 2, elements));
  }
  return cycles;
}

// wse.md 5.5: what `zero` of the fabout names; an operation with one source calls it the second.
void ComputeEngineCore::set_zeroed(Operation& op) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind != Cursor::Kind::kFabric || destination.dsd->zero == ZeroSource::kNone)
    return;
  const bool one_source = op.cursors[2].kind == Cursor::Kind::kNone;
  const bool first = destination.dsd->zero == ZeroSource::kFirst;
  const unsigned slot = first || one_source ? 1 : 2;
  const Cursor& source = op.cursors[slot];
  if (source.kind != Cursor::Kind::kMemory || (first && one_source)) {
    fail(Illegal::kZeroSource, op.pc(),
         std::string("zero=") + (first ? "first" : "second") + " of descriptor '" +
             destination.dsd->name + "' names no vector in memory" +
             (first && one_source ? "; a single source is the second" : ""));
  }
  op.zeroed = source.walk;
  op.zeroed_slot = static_cast<std::uint8_t>(slot);
}

// Several groups on registers and memory. Each address is known to be good: no group can fail.
void ComputeEngineCore::set_self_contained(Operation& op) {
  if ((op.inputs | op.outputs) != 0 || op.uses_fifo || op.single_step) return;
  if (op.length <= op.width) return;
  for (const Cursor& cursor : op.cursors) {
    if (cursor.kind != Cursor::Kind::kMemory) continue;
    const std::uint32_t begin = &cursor == op.cursors.data() ? program_->data_begin() : 0;
    if (!cursor.walk.stays_inside(*cursor.dsd, op.length, begin, kSramBytes)) return;
  }
  op.self_contained = true;
}

// wse.md 4: an explicit id, else that of the first fabric operand's queue in the order destination,
// source 0, source 1. A FIFO has no queue to take one from.
ThreadId ComputeEngineCore::microthread_for(const Operation& op) const {
  if (op.cursors[0].kind == Cursor::Kind::kScalar) {
    fail(Illegal::kNoMicrothread, op.pc(),
         "an asynchronous operation cannot have a register as its destination");
  }
  const Dsr* fabric = nullptr;
  for_each_dsr(op, [&](const Operand& operand) {
    if (fabric == nullptr && dsrs_[operand].is_fabric()) fabric = &dsrs_[operand];
  });
  if (op.ut && (fabric != nullptr || op.uses_fifo)) return op.ut->value();
  if (fabric != nullptr) return fabric->dsd->queue.value();
  fail(Illegal::kNoMicrothread, op.pc(),
       "an asynchronous operation needs a fabin or fabout operand, or a FIFO and ut=");
}

// wse.md 4: of the operation or the queue (WSE-2), of the descriptor or the FIFO (WSE-3), else the
// default of the config.
Priority ComputeEngineCore::priority_for(const Operation& op) const {
  std::optional<Priority> found = op.instruction().config.priority;
  for_each_dsr(op, [&](const Operand& operand) {
    if (!found) found = dsrs_[operand].dsd->priority;
  });
  for (unsigned i = 1; i <= op.sources && !found; ++i) {
    if (op.cursors[i].kind != Cursor::Kind::kFabric) continue;
    const QueueBinding* queue = program_->queue(true, op.cursors[i].queue);
    if (queue != nullptr) found = queue->priority;
  }
  return found.value_or(timing().microthread_priority);
}

// wse.md 5.5: WSE-3 takes one fabric-in operand; two that read one queue would each get half of it.
// wse.md 5.6: at most one FIFO source, and not the first of several. wse.md 6.7: dfilt.
void ComputeEngineCore::check_sources(const Operation& op) const {
  const Cursor* fabric = nullptr;
  unsigned fifos = 0;
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    fifos += source.kind == Cursor::Kind::kFifo ? 1 : 0;
    if (source.kind != Cursor::Kind::kFabric) continue;
    if (fabric == nullptr) {
      fabric = &source;
      continue;
    }
    if (image().generation == Generation::kWse3) {
      fail(Illegal::kTwoFabricInputs, op.pc(),
           "two sources are fabin descriptors; an operation of WSE-3 takes one");
    }
    if (source.queue == fabric->queue) {
      fail(Illegal::kTwoFabricInputs, op.pc(),
           "both fabin sources read input queue " + std::to_string(source.queue.value()));
    }
  }
  const bool several = op.cursors[2].kind != Cursor::Kind::kNone;
  if (fifos > 1 || (several && op.cursors[1].kind == Cursor::Kind::kFifo)) {
    fail(Illegal::kFifoSource, op.pc(),
         fifos > 1 ? "two sources are FIFOs" : "a FIFO cannot be the first of several sources");
  }
  if (!op.is_filter()) return;
  if (fabric == nullptr) fail(Illegal::kDsrKind, op.pc(), "dfilt needs a fabin descriptor");
  if (op.async && op.completion.on_control == OnControl::kNone) return;
  fail(Illegal::kFilterOptions, op.pc(), "dfilt must be async and cannot have on_control");
}

void ComputeEngineCore::require_free(const Operation& op) const {
  for (const Operation* other = operations_.get(); other != nullptr; other = other->next.get()) {
    if (other->thread == op.thread) {
      fail(Illegal::kMicrothreadBusy, op.pc(),
           "microthread " + std::to_string(op.thread) + " is still busy with " + describe(*other));
    }
    require_free_queues(op, *other);
    for (unsigned f = 0; op.uses_fifo && f < extras_->fifos.size(); ++f) {
      const bool both_push = op.pushes(f) && other->pushes(f);
      if (!both_push && !(op.pops(f) && other->pops(f))) continue;
      fail(Illegal::kFifoReentry, op.pc(),
           "FIFO " + image().fifos[f].name + " is still " + (both_push ? "pushed" : "popped") +
               " by " + describe(*other));
    }
  }
}

void ComputeEngineCore::require_free_queues(const Operation& op, const Operation& other) const {
  const unsigned read = op.inputs & other.inputs;
  const unsigned written = op.outputs & other.outputs;
  if ((read | written) == 0) return;
  const auto q = static_cast<unsigned>(__builtin_ctz(read | written));
  const bool input = (read >> q & 1U) != 0;
  fail(Illegal::kQueueBusy, op.pc(),
       (input ? "input queue " : "output queue ") + std::to_string(q) + " is still " +
           (input ? "read" : "written") + " by " + describe(other));
}

// wse.md 2.3: an output queue of WSE-2 serves several colors, one after the other has left.
void ComputeEngineCore::check_queue_reuse(const Operation& op, Cycle now) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind != Cursor::Kind::kFabric) return;
  OutputUse& use = output_uses_[destination.queue.value()];
  const unsigned room = queues_.room(destination.queue, now);
  const Color color = destination.dsd->color;
  if (use.capacity == 0)
    use = {static_cast<std::uint16_t>(room), color};  // empty before its first use
  if (use.color != color && room < use.capacity) {
    fail(Illegal::kQueueReuse, op.pc(),
         "output queue " + std::to_string(destination.queue.value()) +
             " still holds wavelets of color " + std::to_string(use.color.value()) +
             " and is used for color " + std::to_string(color.value()));
  }
  use.color = color;
}

}  // namespace tessera::pe
