#include "models/pe/dispatch.h"

#include <algorithm>

#include "models/pe/banks.h"
#include "models/pe/elements.h"
#include "models/pe/operation_rate.h"
#include "models/pe/prototype.h"
#include "models/pe/readiness.h"

namespace tessera::pe {

namespace {

/// 16-bit elements that a SIMD mode moves at least and at most in a cycle (wse.md 5.10).
struct SimdLimits {
  unsigned least, most;
};
SimdLimits limits_of(SimdMode mode) {
  if (mode == SimdMode::kOff) return {1, 1};
  if (mode == SimdMode::k32) return {2, 2};
  return mode == SimdMode::k64 ? SimdLimits{4, 4} : SimdLimits{2, 4};
}

std::uint16_t queue_bit(QueueId q) {
  return static_cast<std::uint16_t>(1U << q.value());
}

/// Works out one operation, step by step.
class Dispatch {
 public:
  Dispatch(EngineState& pe, const DecodedInstruction& in, Operation& op)
      : pe_(pe), op_(op), known_(op.decoded != nullptr) {
    op_.decoded = &in;
    op_.op = in.instruction->op;
  }
  bool run(const Operations& running, OutputBindings& outputs, Cycle now) {
    if (known_)
      finish_prototype(outputs);
    else if (!make_operation(outputs))
      return false;
    op_.carry = pe_.main.flag();
    require_free(running);
    const Cursor& destination = op_.cursors[0];
    if (destination.kind == Cursor::Kind::kFabric)
      outputs.claim(pe_, op_.pc(), *destination.dsd, now);
    if (!known_) complete_operation();
    op_.due = now + start();
    return true;
  }

 private:
  // What an operation is. False: there is nothing to do.
  bool make_operation(const OutputBindings& outputs) {
    merge_config();
    make_cursors(outputs);
    check_sources();
    if (op_.single_step && single_step_exhausted()) return false;
    set_length();
    if (async_) {
      op_.thread = static_cast<std::uint8_t>(microthread());
      op_.priority = priority();
    }
    return true;
  }
  // How it is executed.
  void complete_operation() {
    const bool has_room = set_rate(op_, timing());
    set_zeroed();
    set_self_contained();
    set_needs();
    op_.may_conflict = timing().bank_conflicts && timing().read_conflict_factor > 1 && !has_room &&
                       op_.cursors[1].kind == Cursor::Kind::kMemory &&
                       op_.cursors[2].kind == Cursor::Kind::kMemory;
    set_writes_back();
    op_.kernel = kernel_of(op_);
    keep_prototype(pe_, op_);
  }
  // A prototype gets the registers, DSRs and queues of this engine, instead of make_operation() and
  // complete_operation().
  void finish_prototype(const OutputBindings& outputs) {
    for (unsigned i = 0; i <= op_.sources; ++i) {
      Cursor& cursor = op_.cursors[i];
      const Operand& operand = instruction().operands[i];
      if (cursor.kind == Cursor::Kind::kScalar || cursor.kind == Cursor::Kind::kPointer) {
        make_scalar_cursor(operand, i == 0, cursor);
      } else if (cursor.kind == Cursor::Kind::kMemory) {
        const Dsr& dsr = pe_.dsrs[operand];
        cursor.walk = AddressWalk(dsr.base, dsr.stride);
        cursor.value = dsr.load;
      }
    }
    Cursor& destination = op_.cursors[0];
    if (destination.kind == Cursor::Kind::kFabric)
      destination.number = static_cast<std::uint8_t>(outputs.color_of(*destination.dsd).value());
    set_length();
    if (op_.zeroed_slot != 0) op_.zeroed = op_.cursors[op_.zeroed_slot].walk;
    op_.self_contained = false;
    set_self_contained();
  }
  // Visits each DSR once: the destination, then the sources in the order of wse.md 4 and 5.8.
  template <class Visit>
  void for_each_dsr(Visit&& visit) {
    for (const unsigned slot : op_.decoded->dsrs) visit(pe_.dsrs[instruction().operands[slot]]);
  }
  template <class... Words>
  [[noreturn]] void fail(Illegal rule, const Words&... words) const {
    pe_.fail(rule, op_.pc(), words...);
  }
  const Instruction& instruction() const { return op_.instruction(); }
  const PeTiming& timing() const { return pe_.timing(); }

  // wse.md 5.7, 5.11, 4: the options of the loads of fabric DSRs count where the operation has none
  // of its own; destination first, then source 0, source 1.
  void merge_config() {
    const OpConfig& own = instruction().config;
    async_ = own.async;
    ut_ = own.ut;
    op_.completion = {own.activate, own.unblock, own.on_control, own.on_control_target};
    op_.leaves_control = own.leaves_control;
    for_each_dsr([&](const Dsr& dsr) {
      op_.single_step |= dsr.single_step();
      if (!dsr.is_fabric()) return;
      const OpConfig& load = *dsr.config;
      async_ |= load.async;
      if (!ut_) ut_ = load.ut;
      if (!op_.completion.activate && !op_.completion.unblock) {
        op_.completion.activate = load.activate;
        op_.completion.unblock = load.unblock;
      }
      if (op_.completion.on_control == OnControl::kNone) {
        op_.completion.on_control = load.on_control;
        op_.completion.on_control_target = load.on_control_target;
        op_.leaves_control = load.leaves_control;
      }
    });
  }

  void make_cursors(const OutputBindings& outputs) {
    const Instruction& in = instruction();
    if (in.config.index) op_.index = static_cast<std::uint16_t>(pe_.main.read(*in.config.index));
    // The only operand of dfilt is a source.
    const unsigned first = op_.is_filter() ? 1 : 0;
    op_.sources = static_cast<std::uint8_t>(op_.decoded->operand_count - 1 + first);
    for (unsigned i = first; i <= op_.sources; ++i) make_cursor(i - first, outputs);
    const Cursor& destination = op_.cursors[0];
    op_.uses_fifo = destination.kind == Cursor::Kind::kFifo;
    if (destination.kind == Cursor::Kind::kFabric) op_.outputs |= queue_bit(destination.queue);
    for (unsigned i = 1; i <= op_.sources; ++i) {
      const Cursor& source = op_.cursors[i];
      op_.uses_fifo |= source.kind == Cursor::Kind::kFifo;
      if (source.kind == Cursor::Kind::kFabric) op_.inputs |= queue_bit(source.queue);
      if (source.channel) op_.channels |= task_bit(*source.channel);
      op_.accumulates |= destination.is_register && source.is_register &&
                         source.number == destination.number && source.bytes == destination.bytes;
    }
  }

  void make_cursor(unsigned slot, const OutputBindings& outputs) {
    const Operand& operand = instruction().operands[slot];
    const bool destination = slot == 0 && !op_.is_filter();
    Cursor& cursor = op_.cursors[destination ? 0 : std::max(slot, 1U)];
    cursor.bytes = op_.decoded->bytes[slot];
    if (!operand.is_dsr()) return make_scalar_cursor(operand, destination, cursor);
    const Dsr& dsr = pe_.dsrs[operand];
    if (!dsr.loaded()) fail(Illegal::kDsrEmpty, "a DSR is used that nothing was loaded into");
    if (op_.single_step && !dsr.single_step()) {
      fail(Illegal::kSingleStepMix, dsr.name(),
           " was loaded without single_step, another operand with it");
    }
    switch (dsr.kind()) {
    case DsdKind::kFifo:
      return make_fifo_cursor(dsr, cursor);
    case DsdKind::kFabin:
    case DsdKind::kFabout:
      make_fabric_cursor(dsr, destination, outputs, cursor);
      if (destination)
        cursor.number = static_cast<std::uint8_t>(outputs.color_of(*dsr.dsd).value());
      return;
    default:
      return make_memory_cursor(dsr, cursor);
    }
  }

  void make_scalar_cursor(const Operand& operand, bool destination, Cursor& cursor) const {
    if (destination) cursor.most = 1;
    if (destination && operand.kind == kMem) {
      cursor.kind = Cursor::Kind::kPointer;
      cursor.walk = AddressWalk(pe_.main.address_of(operand), 0);
      return;
    }
    cursor.kind = Cursor::Kind::kScalar;
    cursor.is_register = operand.kind == kReg16 || operand.kind == kReg32;
    cursor.number = operand.reg;
    cursor.value = pe_.main.read(operand);
  }

  void make_fabric_cursor(const Dsr& dsr, bool destination, const OutputBindings& bindings,
                          Cursor& cursor) const {
    const Dsd& dsd = *dsr.dsd;
    if (destination != (dsd.kind == DsdKind::kFabout)) {
      fail(Illegal::kDsrKind, "descriptor '", dsd.name, "' cannot be ",
           destination ? "a destination: it is a fabin" : "a source: it is a fabout");
    }
    const bool indexed = destination && dsd.wavelet_index_offset;
    if (indexed) require_index(dsd);
    if (indexed && cursor.bytes != 2) {
      fail(Illegal::kIndexedElement, "descriptor '", dsd.name,
           "' puts the index beside 16-bit elements; these have 32 bits");
    }
    cursor.kind = Cursor::Kind::kFabric;
    cursor.dsd = &dsd;
    cursor.queue = destination ? dsd.queue : bindings.receiver(dsd.queue);
    cursor.most = 1;
    const QueueBinding* queue = pe_.program->queue(!destination, cursor.queue);
    if (queue != nullptr && !destination && pe_.image().has_channel(*queue))
      cursor.channel = pe_.image().channel_of(*queue);
    if (cursor.bytes != 2) return;
    cursor.half = queue != nullptr && queue->dense;
    if (cursor.half && indexed) {
      fail(Illegal::kIndexedElement, "descriptor '", dsd.name,
           "' puts an index into half wavelets, which have 16 bits");
    }
    if (cursor.half || indexed || dsd.simd == SimdMode::kOff) return;
    cursor.packed = 2;
    cursor.most = static_cast<std::uint8_t>(limits_of(dsd.simd).most);
    if (op_.single_step) {  // the rest of a wavelet waits in the DSR for the next step
      cursor.held = dsr.extension->held;
      cursor.value = dsr.extension->wavelet;
      return;
    }
    cursor.least = static_cast<std::uint8_t>(limits_of(dsd.simd).least);
  }

  void make_fifo_cursor(const Dsr& dsr, Cursor& cursor) const {
    cursor.kind = Cursor::Kind::kFifo;
    cursor.number = pe_.program->dsrs().fifo_index(*dsr.dsd);
    if (pe_.image().generation != Generation::kWse2 || dsr.dsd->simd == SimdMode::kMax) return;
    const SimdLimits limits = limits_of(dsr.dsd->simd);  // limits for 16-bit elements
    const unsigned words = cursor.bytes / 2U;
    cursor.least = static_cast<std::uint8_t>(std::max(limits.least / words, 1U));
    cursor.most = static_cast<std::uint8_t>(std::max(limits.most / words, 1U));
  }

  void make_memory_cursor(const Dsr& dsr, Cursor& cursor) const {
    const Dsd& dsd = *dsr.dsd;
    if (dsd.element_bytes != 0 && dsd.element_bytes != cursor.bytes) {
      fail(Illegal::kElementSize, "the instruction works on elements of ", unsigned{cursor.bytes},
           " bytes, descriptor '", dsd.name, "' has elements of ", unsigned{dsd.element_bytes});
    }
    if (dsd.stated && bytes_of(*dsd.stated) != cursor.bytes) check_stated(dsd, cursor);
    if (pe_.dsrs.xdsr_lost(dsr)) {
      fail(Illegal::kExtendedDsrReused, "the XDSR of descriptor '", dsd.name,
           "' has been loaded with the loops of another one");
    }
    if (pe_.dsrs.stride_register_lost(dsr)) {
      fail(Illegal::kStrideRegisterReused, "a stride register of descriptor '", dsd.name,
           "' has been loaded with another stride");
    }
    cursor.kind = Cursor::Kind::kMemory;
    cursor.dsd = &dsd;
    cursor.value = dsr.load;
    cursor.walk = op_.single_step ? dsr.extension->walk : AddressWalk(dsr.base, dsr.stride);
    if (timing().stride_rule == StrideRule::kTable) {
      const unsigned limit = stride_limit(cursor.walk.step(cursor.bytes) / 2);
      if (limit < Cursor::kNoLimit) cursor.most = static_cast<std::uint8_t>(limit);
    }
    if (!dsd.wavelet_index_offset) return;
    require_index(dsd);
    cursor.walk.shift(2U * op_.index);  // words (wse.md 5.2)
  }

  // wse.md 5.2: what computes works on floats of its own width; what moves takes those of any, except one element at a time.
  void check_stated(const Dsd& dsd, const Cursor& cursor) const {
    const bool is_float = *dsd.stated == ElementType::kF16 || *dsd.stated == ElementType::kF32;
    const bool moves = info(instruction().op).form == VectorForm::kMove;
    if (!op_.single_step && (moves || !is_float)) return;
    fail(Illegal::kElementSize, "the instruction works on elements of ", unsigned{cursor.bytes},
         " bytes, those of descriptor '", dsd.name, "' are of type ", to_string(*dsd.stated));
  }

  void require_index(const Dsd& dsd) const {
    if (instruction().config.index) return;
    fail(Illegal::kMissingIndex, "descriptor '", dsd.name,
         "' has wavelet_index_offset, the operation no index=");
  }

  // wse.md 5.5: WSE-3 takes one fabric-in operand; two that read one queue would each get half of
  // it. wse.md 5.6: at most one FIFO source, and not the first of several. wse.md 6.7: dfilt.
  void check_sources() const {
    const Cursor* fabric = nullptr;
    unsigned fifos = 0;
    for (unsigned i = 1; i <= op_.sources; ++i) {
      const Cursor& source = op_.cursors[i];
      fifos += source.kind == Cursor::Kind::kFifo ? 1 : 0;
      if (source.kind != Cursor::Kind::kFabric) continue;
      if (fabric == nullptr) {
        fabric = &source;
        continue;
      }
      if (pe_.image().generation == Generation::kWse3) {
        fail(Illegal::kTwoFabricInputs,
             "two sources are fabin descriptors; an operation of WSE-3 takes one");
      }
      if (source.queue == fabric->queue)
        fail(Illegal::kTwoFabricInputs, "both fabin sources read input queue ", source.queue);
    }
    const bool several = op_.cursors[2].kind != Cursor::Kind::kNone;
    if (fifos > 1) fail(Illegal::kFifoSource, "two sources are FIFOs");
    if (several && op_.cursors[1].kind == Cursor::Kind::kFifo)
      fail(Illegal::kFifoSource, "a FIFO cannot be the first of several sources");
    if (!op_.is_filter()) return;
    if (fabric == nullptr) fail(Illegal::kDsrKind, "dfilt needs a fabin descriptor");
    if (async_ && op_.completion.on_control == OnControl::kNone) return;
    fail(Illegal::kFilterOptions, "dfilt must be async and cannot have on_control");
  }

  // wse.md 5.11 single_step, 5.8 @map: ends at the first operand that has no element left.
  bool single_step_exhausted() {
    if (async_) {
      fail(Illegal::kSingleStepMix, "an operation on single_step DSRs cannot be asynchronous");
    }
    bool exhausted = false;
    // An extent in wavelets has paid for both elements of one with the first.
    const auto counts = [&](const Dsr& dsr) {
      return !dsr.endless() && !(timing().extents_in_wavelets && dsr.extension->held > 0);
    };
    for_each_dsr(
        [&](const Dsr& dsr) { exhausted |= dsr.extension->remaining == 0 && counts(dsr); });
    if (exhausted) return true;
    for (const unsigned slot : op_.decoded->dsrs) {
      Dsr& dsr = pe_.dsrs.own(instruction().operands[slot]);
      if (counts(dsr)) --dsr.extension->remaining;
      if (is_memory(dsr.kind())) dsr.extension->walk.next(*dsr.dsd, op_.decoded->bytes[slot]);
    }
    return false;
  }

  // wse.md 5.8: the first source with a length, else the destination, else one element.
  void set_length() {
    for (const unsigned slot : op_.decoded->lengths) {
      const Dsr& dsr = pe_.dsrs[instruction().operands[slot]];
      op_.length = dsr.length();
      op_.endless = dsr.endless();
      // Only packed wavelets of the fabric carry several elements. Slot 0 is the destination, but
      // for dfilt, whose elements have 32 bits.
      if (timing().extents_in_wavelets) op_.length *= op_.cursors[slot].packed;
      if (op_.length != 0) break;
    }
    if (op_.length == 0 || op_.single_step) {
      op_.length = 1;
      op_.endless = false;
    }
  }

  // wse.md 4: an explicit id, else that of the first fabric operand's queue in the order
  // destination, source 0, source 1. A FIFO has no queue to take one from.
  ThreadId microthread() {
    if (op_.cursors[0].kind == Cursor::Kind::kScalar) {
      fail(Illegal::kNoMicrothread,
           "an asynchronous operation cannot have a register as its destination");
    }
    const Dsd* fabric = nullptr;
    for_each_dsr([&](const Dsr& dsr) {
      if (fabric == nullptr && dsr.is_fabric()) fabric = dsr.dsd;
    });
    if (ut_ && (fabric != nullptr || op_.uses_fifo)) return ut_->value();
    if (fabric != nullptr && fabric->queue.value() >= kMaxQueues)
      return pe_.program->queue(true, fabric->queue)->shares->value();
    if (fabric != nullptr) return fabric->queue.value();
    fail(Illegal::kNoMicrothread,
         "an asynchronous operation needs a fabin or fabout operand, or a FIFO and ut=");
  }

  // wse.md 4: of the operation or the queue (WSE-2), of the descriptor or the FIFO (WSE-3), else
  // the default of the config.
  Priority priority() {
    std::optional<Priority> found = instruction().config.priority;
    for_each_dsr([&](const Dsr& dsr) {
      if (!found) found = dsr.dsd->priority;
    });
    for (unsigned i = 1; i <= op_.sources && !found; ++i) {
      if (op_.cursors[i].kind != Cursor::Kind::kFabric) continue;
      const QueueBinding* queue = pe_.program->queue(true, op_.cursors[i].queue);
      if (queue != nullptr) found = queue->priority;
    }
    return found.value_or(timing().microthread_priority);
  }

  void require_free(const Operations& running) const {
    for (const Operation& other : running) {
      if (other.thread == op_.thread) {
        fail(Illegal::kMicrothreadBusy, "microthread ", unsigned{op_.thread},
             " is still busy with ", describe_instruction(other, pe_.image()));
      }
      require_free_queues(other);
      for (unsigned f = 0; op_.uses_fifo && f < pe_.image().fifos.size(); ++f) {
        const bool both_push = op_.pushes(f) && other.pushes(f);
        if (!both_push && !(op_.pops(f) && other.pops(f))) continue;
        fail(Illegal::kFifoReentry, "FIFO ", pe_.image().fifos[f].name, " is still ",
             both_push ? "pushed" : "popped", " by ", describe(other, pe_.image()));
      }
    }
  }

  void require_free_queues(const Operation& other) const {
    const unsigned read = op_.inputs & other.inputs;
    const unsigned written = op_.outputs & other.outputs;
    if ((read | written) == 0) return;
    const auto q = static_cast<unsigned>(__builtin_ctz(read | written));
    const bool input = (read >> q & 1U) != 0;
    fail(Illegal::kQueueBusy, input ? "input queue " : "output queue ", q, " is still ",
         input ? "read" : "written", " by ", describe(other, pe_.image()));
  }

  // wse.md 5.5: what `zero` of the fabout names; an operation with one source calls it the second.
  void set_zeroed() {
    const Cursor& destination = op_.cursors[0];
    if (destination.kind != Cursor::Kind::kFabric || destination.dsd->zero == ZeroSource::kNone)
      return;
    const bool one_source = op_.cursors[2].kind == Cursor::Kind::kNone;
    const bool first = destination.dsd->zero == ZeroSource::kFirst;
    const unsigned slot = first || one_source ? 1 : 2;
    const Cursor& source = op_.cursors[slot];
    if (source.kind != Cursor::Kind::kMemory || (first && one_source)) {
      fail(Illegal::kZeroSource, "zero=", first ? "first" : "second", " of descriptor '",
           destination.dsd->name, "' names no vector in memory",
           first && one_source ? "; a single source is the second" : "");
    }
    op_.zeroed = source.walk;
    op_.zeroed_slot = static_cast<std::uint8_t>(slot);
  }

  // Several groups on registers and memory. Each address is known to be good: no group can fail.
  void set_self_contained() {
    if (!op_.in_memory() || op_.single_step) return;
    if (op_.length <= op_.width) return;
    for (const Cursor& cursor : op_.cursors) {
      if (cursor.kind != Cursor::Kind::kMemory) continue;
      const std::uint32_t begin = &cursor == op_.cursors.data() ? pe_.program->data_begin() : 0;
      if (!cursor.walk.stays_inside(*cursor.dsd, cursor.bytes, op_.length, begin, kSramBytes))
        return;
    }
    op_.self_contained = true;
  }

  // Cycles until the first group. A single step from memory and registers is executed as it issues.
  unsigned start() const {
    if (op_.single_step) return op_.in_memory() ? 0 : 1;
    const bool follows = op_.in_memory() || (op_.thread == kMainThread && !op_.uses_fifo);
    return follows && pe_.main.pipeline_filled() ? 1 : timing().vector_start;
  }

  // The queues without which it cannot go on, whatever its other operands do.
  void set_needs() {
    // A control wavelet on one queue is taken whatever the others have.
    if (op_.completion.on_control != OnControl::kNone) return;
    op_.needs_outputs = op_.outputs;
    op_.single = op_.width == 1 && !op_.uses_fifo;
    for (unsigned i = 1; i <= op_.sources; ++i) {
      const Cursor& source = op_.cursors[i];
      if (source.kind != Cursor::Kind::kFabric) continue;
      // A group may read what is left of a wavelet that is taken apart. A receiver has no bit.
      op_.single &= source.packed == 1 && source.queue.value() < kMaxQueues;
      if (source.packed == 1) op_.needs_inputs |= queue_bit(source.queue) & 0xFFU;
    }
  }

  // Whether VectorUnit::write_back() has something to do in the end.
  void set_writes_back() {
    const Cursor::Kind destination = op_.cursors[0].kind;
    op_.writes_back = op_.uses_fifo || op_.single_step || destination == Cursor::Kind::kScalar ||
                      destination == Cursor::Kind::kPointer;
    for (unsigned i = 0; i <= op_.sources; ++i) {
      if (op_.cursors[i].kind == Cursor::Kind::kMemory)
        op_.writes_back |= pe_.dsrs[instruction().operands[i]].config->save_address;
    }
  }

  EngineState& pe_;
  Operation& op_;
  const bool known_;    // it began as a prototype
  bool async_ = false;  // by the options, as `ut_`
  std::optional<MicrothreadId> ut_;
};

}  // namespace

Operation operation_for(const EngineState& pe, const DecodedInstruction& in,
                        const OutputBindings& outputs) {
  const Prototype* const prototype = pe.program->prototype(in);
  return prototype != nullptr && fits(*prototype, pe, in, outputs) ? prototype->op : Operation();
}

bool dispatch(EngineState& pe, const DecodedInstruction& in, const Operations& running,
              OutputBindings& outputs, Cycle now, Operation& op) {
  return Dispatch(pe, in, op).run(running, outputs, now);
}

}  // namespace tessera::pe
