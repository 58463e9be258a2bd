// The groups of a DSD operation and its end (reference wse.md 5.5 to 5.10, 6.2).
#include <algorithm>

#include "models/pe/arithmetic.h"
#include "models/pe/banks.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

// wse.md 5.9: the two uppermost bits of the index mark a control wavelet; the entry point is in the
// low six. Which value marks is a choice of this model.
constexpr std::uint32_t kControlMark = 0xC0000000U;
constexpr unsigned kIndexShift = 16;

}  // namespace

// Elements of the next group; 0: an operand is not ready.
std::uint32_t ComputeEngineCore::group_size(const Operation& op, Cycle now) const {
  if (heads_matter(op)) {
    if (source_at_control(op, now) != nullptr) return 1;
    if (head_goes_to_task(op, now)) return 0;
  }
  const bool fabric = (op.inputs | op.outputs) != 0;
  const std::uint32_t elements = fabric ? fabric_elements(op, now) : op.left(op.width);
  return op.uses_fifo ? elements_of_fifos(op, elements) : elements;
}

// .. as far as its FIFOs allow them.
std::uint32_t ComputeEngineCore::elements_of_fifos(const Operation& op,
                                                   std::uint32_t elements) const {
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kFifo) continue;
    std::uint32_t there = fifo_elements(op, cursor);
    if (there < op.least_of(cursor)) return 0;
    const unsigned chunk = op.chunk_of(cursor);
    const bool all = there >= op.left(there + 1);
    if (!all && op.done % chunk + there > chunk) there -= (op.done + there) % chunk;
    elements = std::min(elements, there);
  }
  return elements == op.left(elements + 1) ? elements : elements - elements % op.least;
}

// A wavelet may be there that is not for it, or that ends it.
bool ComputeEngineCore::heads_matter(const Operation& op) const {
  return op.completion.on_control != OnControl::kNone || (op.channels & ~tasks_.blocked()) != 0;
}

// The source whose next wavelet is a control wavelet that ends the operation (wse.md 5.7
// on_control), whatever the other operands do; nullptr: none.
const Cursor* ComputeEngineCore::source_at_control(const Operation& op, Cycle now) const {
  if (op.completion.on_control == OnControl::kNone) return nullptr;
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (queues_.ready_at(source.queue) <= now && queues_.front(source.queue).control)
      return &source;
  }
  return nullptr;
}

// wse.md 2.3: while a channel is not blocked, its data wavelets are those of its data task, its
// control wavelets those of control tasks; operations get what is left.
bool ComputeEngineCore::head_goes_to_task(const Operation& op, Cycle now) const {
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (!source.channel || tasks_.is_blocked(*source.channel)) continue;
    if (queues_.ready_at(source.queue) > now) continue;
    const bool control = queues_.front(source.queue).control;
    if (control ? !op.is_filter() : program_->tasks().data_task(*source.channel) != nullptr)
      return true;
  }
  return false;
}

// Elements that the queues allow: a full group, else a wavelet's worth.
std::uint32_t ComputeEngineCore::fabric_elements(const Operation& op, Cycle now) const {
  const std::uint32_t most = op.left(op.width);
  if (fabric_ready(op, most, now)) return most;
  const std::uint32_t least = op.left(op.least);
  return least < most && fabric_ready(op, least, now) ? least : 0;
}

// Every queue must also have what its own SIMD mode asks for, even if the group takes less.
bool ComputeEngineCore::fabric_ready(const Operation& op, std::uint32_t elements, Cycle now) const {
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFabric) {
    const std::uint32_t sent = std::max(elements, op.left(destination.least));
    if (queues_.room(destination.queue, now) < destination.wavelets_for(sent + destination.held))
      return false;
  }
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric) continue;
    const std::uint32_t read = std::max(elements, op.left(source.least));
    if (read <= source.held) continue;
    if (queues_.available(source.queue, now) < source.wavelets_for(read - source.held))
      return false;
  }
  return true;
}

// Elements that a FIFO has, or has room for.
std::uint32_t ComputeEngineCore::fifo_elements(const Operation& op, const Cursor& cursor) const {
  const FifoState& fifo = fifo_of(cursor);
  const bool push = &cursor == op.cursors.data();
  return (push ? fifo.bytes_free() : fifo.bytes_held()) / cursor.bytes;
}

void ComputeEngineCore::take_fifo_actions(Cycle now) {
  for (Operation* op = operations_.get(); op != nullptr; op = op->next.get()) {
    if (op->uses_fifo && !op->complete() && op->next_group_at <= now && !is_blocked(op->thread))
      take_fifo_action(*op, now);
  }
  complete_operations(now);
}

// An operation whose other operands are ready finds a FIFO empty or full.
void ComputeEngineCore::take_fifo_action(Operation& op, Cycle now) {
  if (source_at_control(op, now) != nullptr || head_goes_to_task(op, now)) return;
  if (fabric_elements(op, now) == 0) return;
  for (unsigned i = kMaxOperands; i-- > 0;) {  // sources first
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kFifo) continue;
    if (fifo_elements(op, cursor) >= op.least_of(cursor)) continue;
    meet_shortage(op, i != 0, cursor, now);
    return;
  }
}

// wse.md 5.6: the four actions; what a synchronous operation returns.
void ComputeEngineCore::meet_shortage(Operation& op, bool empty, const Cursor& cursor, Cycle now) {
  FifoState& fifo = fifo_of(cursor);
  const std::uint32_t wanted = op.least_of(cursor) * cursor.bytes;
  if (empty) {
    fifo.hit_empty(wanted);
  } else {
    fifo.hit_full(wanted);
  }
  switch (empty ? fifo.fifo().empty_action : fifo.fifo().full_action) {
  case FifoAction::kFault:
    fail(Illegal::kFifoFault, op.pc(),
         "FIFO " + fifo.fifo().name + " is " + (empty ? "empty" : "full") +
             " and its action is fault");
  case FifoAction::kTerminate:
    stop_by_fifo(op, now);
    break;
  case FifoAction::kTestOrSuspend:
    if (op.thread != kMainThread) break;
    op.result = false;
    stop_by_fifo(op, now);
    break;
  case FifoAction::kSuspend:
    break;
  }
}

void ComputeEngineCore::stop_by_fifo(Operation& op, Cycle at) {
  if (op.cursors[0].held > 0) send(op, false, at);
  op.terminated = true;
  op.stopped_by_fifo = true;
  op.finish_at = at;
}

void ComputeEngineCore::execute_group(Operation& op, std::uint32_t elements, Cycle now) {
  if (op.is_filter()) {
    filter_wavelet(op, now);
    return;
  }
  const unsigned slowdown =
      timing().bank_conflicts && reads_conflict(op) ? timing().read_conflict_factor : 1;
  const bool heads = heads_matter(op);
  std::uint32_t executed = 0;
  while (executed < elements) {
    if (heads && (meets_control(op, now) || head_goes_to_task(op, now))) break;
    std::array<std::uint32_t, kMaxOperands> values{};
    for (unsigned i = 1; i <= op.sources; ++i) values[i] = read_element(op, i, now);
    write_element(op, combine(op, values[1], values[2], values[3]), now);
    ++op.done;
    ++executed;
  }
  const bool begun = op.complete() && op.cursors[0].held > 0;  // a wavelet
  if (begun && (!op.single_step || is_last(op))) send(op, is_last(op), now);
  op.next_group_at = now + Cycle{op.interval} * slowdown;
  if (op.complete()) op.finish_at = now + Cycle{op.duration} * slowdown - 1;
  probe_.emit(now, EventKind::kCompute, op.event_word(), executed);
}

// wse.md 6.7 dfilt: drops one wavelet; control wavelets count.
void ComputeEngineCore::filter_wavelet(Operation& op, Cycle now) {
  const QueueId queue = op.cursors[1].queue;
  if (queues_.front(queue).control) ++op.done;
  queues_.pop(queue, now);
  op.next_group_at = now + 1;
  if (op.complete()) op.finish_at = now;
  probe_.emit(now, EventKind::kCompute, op.event_word(), 1);
}

// wse.md 5.7 on_control: the wavelet is taken and ends the operation.
bool ComputeEngineCore::meets_control(Operation& op, Cycle now) {
  const Cursor* source = source_at_control(op, now);
  if (source == nullptr) return false;
  queues_.pop(source->queue, now);
  if (op.completion.on_control == OnControl::kActivate)
    tasks_.activate(op.completion.on_control_target);
  if (op.completion.on_control == OnControl::kUnblock)
    tasks_.unblock(op.completion.on_control_target);
  op.terminated = true;
  return true;
}

bool ComputeEngineCore::reads_conflict(const Operation& op) const {
  const Cursor& a = op.cursors[1];
  const Cursor& b = op.cursors[2];
  return a.kind == Cursor::Kind::kMemory && b.kind == Cursor::Kind::kMemory &&
         pe::reads_conflict(a.walk.address(), b.walk.address(), timing().bank_rule);
}

std::uint32_t ComputeEngineCore::combine(Operation& op, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t c) {
  if (op.instruction().op != Opcode::kAddc16)
    return evaluate(op.instruction().op, a, b, c, image().half);
  const CarrySum sum = add_with_carry(a, b, op.carry);
  op.carry = sum.carry;
  return sum.sum;
}

std::uint32_t ComputeEngineCore::read_element(Operation& op, unsigned slot, Cycle now) {
  Cursor& cursor = op.cursors[slot];
  switch (cursor.kind) {
  case Cursor::Kind::kScalar: {
    const bool running = op.accumulates && cursor.is_register && cursor.reg == op.cursors[0].reg;
    return running ? op.cursors[0].value : cursor.value;
  }
  case Cursor::Kind::kFabric:
    return read_wavelet(op, cursor, now);
  case Cursor::Kind::kFifo:
    return pop_fifo(cursor);
  case Cursor::Kind::kMemory: {
    const std::uint32_t value = load(op.instruction(), cursor.walk.address(), cursor.bytes, now);
    cursor.walk.next(*cursor.dsd);
    return value;
  }
  default:
    return 0;
  }
}

std::uint32_t ComputeEngineCore::read_wavelet(Operation& op, Cursor& cursor, Cycle now) {
  if (cursor.held == 0) {
    const link::Wavelet& w = queues_.front(cursor.queue);
    if (w.half != cursor.half) {
      fail(Illegal::kHalfWavelet, op.pc(),
           "input queue " + std::to_string(cursor.queue.value()) +
               (w.half ? " got a half wavelet where a full one is read"
                       : " is dense and got a full wavelet where 16-bit elements are read"));
    }
    cursor.value = w.payload;
    if (w.control && cursor.dsd->control_transform) {
      const std::uint32_t mask = std::uint32_t{control_mask_} << kIndexShift;
      cursor.value = (w.payload ^ mask) | kControlMark;
    }
    cursor.held = cursor.packed;
    queues_.pop(cursor.queue, now);
  }
  const std::uint32_t value = cursor.bytes == 2 ? cursor.value & 0xFFFFU : cursor.value;
  cursor.value >>= 16;
  --cursor.held;
  return value;
}

std::uint32_t ComputeEngineCore::pop_fifo(Cursor& cursor) {
  FifoState& fifo = fifo_of(cursor);
  std::uint32_t value = sram_.read(fifo.pop_word(), 2);
  if (cursor.bytes == 4) value |= sram_.read(fifo.pop_word(), 2) << 16;
  if (fifo.room_came() && fifo.fifo().activate_pop) tasks_.activate(*fifo.fifo().activate_pop);
  return value;
}

void ComputeEngineCore::write_element(Operation& op, std::uint32_t value, Cycle now) {
  Cursor& cursor = op.cursors[0];
  switch (cursor.kind) {
  case Cursor::Kind::kFabric:
    write_wavelet(op, value, now);
    break;
  case Cursor::Kind::kFifo:
    push_fifo(cursor, value);
    break;
  case Cursor::Kind::kMemory:
    store(op.instruction(), cursor.walk.address(), cursor.bytes, value, now);
    cursor.walk.next(*cursor.dsd);
    break;
  default:
    cursor.value = value;  // the last one counts (wse.md 5.2)
  }
}

// wse.md 5.10: the first of two elements is the low half.
void ComputeEngineCore::write_wavelet(Operation& op, std::uint32_t value, Cycle now) {
  Cursor& cursor = op.cursors[0];
  cursor.value |= value << (16U * cursor.held);
  if (++cursor.held < cursor.packed) return;
  send(op, !op.endless && op.done + 1 >= op.length && is_last(op), now);
}

// wse.md 5.5, 5.9: what goes out in the wavelet that has been put together.
void ComputeEngineCore::send(Operation& op, bool last, Cycle now) {
  Cursor& cursor = op.cursors[0];
  const Dsd& dsd = *cursor.dsd;
  link::Wavelet w;
  w.payload = cursor.value;
  if (dsd.wavelet_index_offset) w.payload |= std::uint32_t{op.index} << kIndexShift;
  const bool marked = dsd.control_transform && (w.payload & kControlMark) == kControlMark;
  if (marked) w.payload &= ~kControlMark;
  w.control = dsd.control || marked;
  w.color = color_of(cursor);
  w.half = cursor.half;
  w.local_flip = dsd.advance_switch && last;
  w.ident = (std::uint64_t{probe_.place()} + 1) << 32 | wavelets_sent_++;
  queues_.push(cursor.queue, w, now);
  cursor.value = 0;
  cursor.held = 0;
}

Color ComputeEngineCore::color_of(const Cursor& output) const {
  if (!extras_) return output.dsd->color;
  return extras_->output_colors[output.queue.value()].value_or(output.dsd->color);
}

// The last wavelet of the descriptor, not only of a single step.
bool ComputeEngineCore::is_last(const Operation& op) const {
  if (op.terminated) return false;
  return !op.single_step || dsrs_[op.instruction().operands[0]].extension->remaining == 0;
}

void ComputeEngineCore::push_fifo(const Cursor& cursor, std::uint32_t value) {
  FifoState& fifo = fifo_of(cursor);
  sram_.write(fifo.push_word(), 2, value & 0xFFFFU);
  if (cursor.bytes == 4) sram_.write(fifo.push_word(), 2, value >> 16);
  if (fifo.data_came() && fifo.fifo().activate_push) tasks_.activate(*fifo.fifo().activate_push);
}

void ComputeEngineCore::complete(Operation& op, Cycle now) {
  write_back(op, now);
  clear_source(op, now);
  probe_.emit(now, EventKind::kOpEnd, op.event_word(), op.done);
  if (op.completion.activate) tasks_.activate(*op.completion.activate);
  if (op.completion.unblock) tasks_.unblock(*op.completion.unblock);
  if (op.thread != kMainThread) return;
  main_.ready_at = now + 1 + (op.single_step ? 0 : timing().vector_drain);
  if (op.uses_fifo || op.single_step) {
    write_flag(op.result, now + 1);
  } else if (op.instruction().op == Opcode::kAddc16) {
    write_flag(op.carry, now + 1);
  }
}

// What outlives the operation: saved addresses (wse.md 5.11), what is left of a FIFO's length and
// the last value of a scalar destination; values popped by a terminated operation are lost
// (wse.md 5.6).
void ComputeEngineCore::write_back(Operation& op, Cycle now) {
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind == Cursor::Kind::kFifo) {
      dsrs_[op.instruction().operands[i]].left =
          op.stopped_by_fifo && !op.endless ? op.length - op.done : 0;
    }
    if (cursor.kind == Cursor::Kind::kFabric && op.single_step) {
      DsrExtension& step = *dsrs_[op.instruction().operands[i]].extension;
      step.held = cursor.held;
      step.wavelet = cursor.value;
    }
    if (cursor.kind != Cursor::Kind::kMemory || op.single_step) continue;
    Dsr& dsr = dsrs_[op.instruction().operands[i]];
    const bool reloaded = dsr.load != cursor.load;  // while the operation was running
    if (dsr.config->save_address && !reloaded)
      dsr.base = static_cast<std::uint16_t>(cursor.walk.position());
  }
  const Cursor& destination = op.cursors[0];
  if (op.done == 0 || op.stopped_by_fifo) return;
  if (destination.kind == Cursor::Kind::kScalar)
    write_register(op.instruction().operands[0], destination.value, now + 1);
  if (destination.kind == Cursor::Kind::kPointer)
    store(op.instruction(), destination.walk.address(), destination.bytes, destination.value, now);
}

// wse.md 5.5 zero.
void ComputeEngineCore::clear_source(Operation& op, Cycle now) {
  if (op.zeroed_slot == 0) return;
  const Cursor& source = op.cursors[op.zeroed_slot];
  for (std::uint32_t i = 0; i < op.done; ++i) {
    store(op.instruction(), op.zeroed.address(), source.bytes, 0, now);
    op.zeroed.next(*source.dsd);
  }
}

}  // namespace tessera::pe
