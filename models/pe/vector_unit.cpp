#include "models/pe/vector_unit.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/pe/dispatch.h"
#include "models/pe/elements.h"
#include "models/pe/memory_checks.h"
#include "models/pe/readiness.h"
#include "models/pe/stalls.h"

namespace tessera::pe {

using observe::EventKind;

namespace {

/// Groups are not executed later than this, so that an engine that sleeps is not behind for long.
constexpr Cycle kLongestDelay = 32768;

// Whether a wavelet that has one element of two goes out as it is, after the last element of the
// operation. Where extents count wavelets (wse.md 5.5), a later step brings the other element.
bool leaves_half_full(const EngineState& pe, const Operation& op) {
  if (!op.complete() || op.cursors[0].held == 0) return false;
  if (!op.single_step) return true;
  return is_last(pe, op) && !pe.timing().extents_in_wavelets;
}

// On memory (wse_timing_2.md B1) and on queues (wse_timing_3.md C12). A single step has neither start nor drain.
bool overlaps(const Operation& op, const PeTiming& timing) {
  return timing.vector_overlap && !op.single_step && !op.uses_fifo;
}

// The jump after the operation that issues in cycle `now` needs no issue slot: its target is
// fetched while the operation runs.
void follow_jump(EngineState& pe, Cycle now) {
  const std::uint32_t pc = pe.main.pc();
  if (pc >= pe.program->code_size()) return;
  const Instruction& next = *pe.program->decoded(pc).instruction;
  if (next.op != Opcode::kJmp) return;
  pe.main.jump(static_cast<std::uint32_t>(next.operands[0].value));
  pe.main.wait_until(now + 1 + pe.timing().branch_taken);
}

// Elements of the last `groups` groups of `op`, of which a row may end some early.
std::int64_t elements_of_last(const Operation& op, std::uint32_t groups) {
  const std::uint32_t all = op.groups_of(op.done);
  if (all <= groups) return op.done;
  const std::uint32_t before = all - groups;
  if (op.row == 0) return op.done - std::int64_t{before} * op.width;
  const std::uint32_t in_row = op.groups_of(op.row);
  const std::uint32_t begun = std::min<std::uint32_t>(before % in_row * op.width, op.row);
  return op.done - (std::int64_t{before / in_row} * op.row + begun);
}

// Whether some of the `bytes` at `address` are among the elements that the last groups of `op` wrote,
// as many as are in the pipeline.
bool wrote_last(const Operation& op, const PeTiming& timing, std::int64_t address, unsigned bytes) {
  const Cursor& to = op.cursors[0];
  const auto meets = [&](std::int64_t begin, std::int64_t end) {
    return address < end && address + bytes > begin;
  };
  if (to.kind == Cursor::Kind::kPointer)
    return meets(to.walk.address(), std::int64_t{to.walk.address()} + to.bytes);
  if (to.kind != Cursor::Kind::kMemory) return false;
  const std::int64_t written = elements_of_last(op, timing.vector_start + timing.vector_drain);
  const std::int64_t step = to.walk.step(to.bytes);
  const std::int64_t last = to.walk.address() - step;
  const std::int64_t first = last - (written - 1) * step;
  return meets(std::min(first, last), std::max(first, last) + to.bytes);
}

/// What the instruction behind an operation waits for.
enum class Wait : std::uint8_t { kNone, kElement, kDrain };

/// An operation waits for what the one before wrote last if it reads that, a load for the drain then. Behind
/// an operation on queues only other operations do not wait for the drain (wse_timing_3.md C12; the times of
/// wse_timing.md A1, which end with a reading of the counter, contain it).
Wait next_wait(const EngineState& pe, const Operation& op) {
  if (!overlaps(op, pe.timing())) return Wait::kDrain;
  if (pe.main.pc() >= pe.program->code_size()) return op.in_memory() ? Wait::kNone : Wait::kDrain;
  const DecodedInstruction& next = pe.program->decoded(pe.main.pc());
  if (!next.vector && !op.in_memory()) return Wait::kDrain;
  const auto& operands = next.instruction->operands;
  if (next.op_class == OpClass::kLoad) {
    const std::uint32_t address = pe.main.address_of(operands[1]);
    return wrote_last(op, pe.timing(), address, next.bytes[0]) ? Wait::kDrain : Wait::kNone;
  }
  if (!next.vector) return Wait::kNone;
  for (unsigned i = 1; i < kMaxOperands; ++i) {
    if (!operands[i].is_dsr()) continue;
    const Dsr& dsr = pe.dsrs[operands[i]];
    // The size of an element may be that of the operation (Dsd::element_bytes).
    if (dsr.loaded() && is_memory(dsr.kind()) &&
        wrote_last(op, pe.timing(), dsr.address(), next.bytes[i]))
      return Wait::kElement;
  }
  return Wait::kNone;
}

/// The first cycle in which the instruction behind an operation, whose last group was in cycle `now`, may issue.
Cycle next_issue(const PeTiming& timing, Wait wait, Cycle now) {
  if (wait == Wait::kDrain) return now + 1 + timing.vector_drain;
  return wait == Wait::kElement ? now + std::max(timing.vector_forward, 2U) - 1 : now + 1;
}

// wse.md 5.7 on_control: the wavelet ends the operation, and is taken or stays at the head of the queue.
bool meets_control(EngineState& pe, Operation& op, Cycle now) {
  const Cursor* source = source_at_control(pe, op, now);
  if (source == nullptr) return false;
  if (op.leaves_control)
    pe.tasks.leave_control(source->queue);
  else
    pe.queues.take(source->queue, now);
  const TaskId target = op.completion.on_control_target;
  if (op.completion.on_control == OnControl::kActivate) pe.tasks.activate(target);
  if (op.completion.on_control == OnControl::kUnblock) pe.tasks.unblock(target);
  op.terminated = true;
  return true;
}

// Of the control wavelets that have ended other operations: one with `on_control` drops them, any other
// reads them.
void meet_left_controls(EngineState& pe, const Operation& op, Cycle now) {
  const std::uint32_t met = pe.tasks.left_controls() & op.inputs;
  pe.tasks.forget_controls(met);
  if (op.completion.on_control == OnControl::kNone) return;
  for (std::uint32_t left = met; left != 0; left &= left - 1)
    pe.queues.take(QueueId(static_cast<unsigned>(__builtin_ctz(left))), now);
}

}  // namespace

void VectorUnit::bind_output(const EngineState& pe, QueueId queue, Color color, Cycle now) {
  outputs_.require_empty(pe, queue, color, now);
  for (const Operation& op : operations_) {
    if (op.complete() || !op.uses_output(queue)) continue;
    pe.fail(Illegal::kQueueReuse, pe.main.issued_pc(), "output queue ", queue,
            " is bound to color ", color, " while it is still written by ",
            describe(op, pe.image()));
  }
  outputs_.bind(queue, color);
}

void VectorUnit::bind_input(const EngineState& pe, QueueId queue, const QueueBinding& receiver,
                            Cycle now) {
  const QueueId before = outputs_.receiver(queue);
  const auto refuse = [&](const auto&... why) {
    pe.fail(Illegal::kQueueReuse, pe.main.issued_pc(), "input queue ", queue, " is bound to color ",
            *receiver.color, " while ", why...);
  };
  if (pe.queues.ready_at(before) <= now) refuse("it holds wavelets");
  for (const Operation& op : operations_) {
    if (!op.complete() && op.uses_input(before))
      refuse("it is still read by ", describe(op, pe.image()));
  }
  outputs_.bind_input(queue, receiver.id);
}

void VectorUnit::dispatch(EngineState& pe, const DecodedInstruction& in, Cycle now) {
  Operation op = operation_for(pe, in, outputs_);
  if (!pe::dispatch(pe, in, operations_, outputs_, now, op)) {
    pe.main.write_flag(false, now + 1);
    return;
  }
  if (pe.tasks.left_controls() != 0) meet_left_controls(pe, op, now);
  pe.probe.emit(now, EventKind::kOpStart, op.event_word(), op.length);
  if (pe.waits != nullptr) {
    begin_waits(pe, op, now);
    if (op.asked) {
      some_asked_ = true;
      nothing_waits_ = false;
    }
    if (pe.program->checks() != nullptr) pe.program->checks()->dispatch(pe, op, now);
  }
  operations_.add(op);
  if (op.thread != kMainThread) return;
  if (op.single_step && op.due == now)
    execute_group(pe, *operations_.of_main_thread(), 1, heads_matter(pe, op), now);
  if (op.in_memory() && overlaps(op, pe.timing())) follow_jump(pe, now);
}

void VectorUnit::complete_finished(EngineState& pe, Cycle now) {
  operations_.remove_finished(now, [&](Operation& op) { complete(pe, op, now); });
}

void VectorUnit::complete(EngineState& pe, Operation& op, Cycle now) {
  const PeTiming& timing = pe.timing();
  const Cycle drained = now + 1 + (op.single_step ? 0 : timing.vector_drain);
  if (op.writes_back) write_back(pe, op, drained, now);
  if (op.zeroed_slot != 0) clear_source(pe, op, now);
  pe.probe.emit(now, EventKind::kOpEnd, op.event_word(), op.done);
  if (op.completion.activate) pe.tasks.activate(*op.completion.activate);
  if (op.completion.unblock) pe.tasks.unblock(*op.completion.unblock);
  if (pe.waits != nullptr) finish_waits(pe, op, operations_.lacking(), now);
  if (op.thread != kMainThread) return;
  const Wait wait = op.single_step ? Wait::kNone : next_wait(pe, op);
  const bool goes_on = !op.single_step && wait != Wait::kDrain;
  pe.main.wait_until(std::max(pe.main.ready_at(), next_issue(timing, wait, now)));
  if (goes_on)
    pe.main.drain_until(
        drained, static_cast<std::uint8_t>(std::min(timing.vector_release, timing.vector_drain)));
  else if (!op.single_step)
    pe.main.empty_pipeline();
  if (op.uses_fifo || op.single_step) {
    pe.main.write_flag(op.result, drained);
  } else if (op.instruction().op == Opcode::kAddc16) {
    pe.main.write_flag(op.carry, drained);
  }
}

// What outlives the operation: saved addresses (wse.md 5.11), what is left of a FIFO's length and
// the last value of a scalar destination; values popped by a terminated operation are lost
// (wse.md 5.6).
void VectorUnit::write_back(EngineState& pe, const Operation& op, Cycle ready, Cycle now) {
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    const Operand& operand = op.instruction().operands[i];
    if (cursor.kind == Cursor::Kind::kFifo)
      pe.dsrs.own(operand).left = op.stopped_by_fifo && !op.endless ? op.length - op.done : 0;
    if (cursor.kind == Cursor::Kind::kFabric && op.single_step) {
      DsrExtension& step = *pe.dsrs.own(operand).extension;
      step.held = cursor.held;
      step.wavelet = cursor.value;
    }
    if (cursor.kind != Cursor::Kind::kMemory || op.single_step) continue;
    const Dsr& dsr = pe.dsrs[operand];
    const bool reloaded = dsr.load != cursor.value;  // while the operation was running
    if (dsr.config->save_address && !reloaded)
      pe.dsrs.own(operand).base = static_cast<std::uint16_t>(cursor.walk.position());
  }
  const Cursor& destination = op.cursors[0];
  if (op.done == 0 || op.stopped_by_fifo) return;
  if (destination.kind == Cursor::Kind::kScalar)
    pe.main.write(op.instruction().operands[0], destination.value, ready);
  if (destination.kind == Cursor::Kind::kPointer)
    pe.store(op.pc(), destination.walk.address(), destination.bytes, destination.value, now);
}

// wse.md 5.5 zero.
void VectorUnit::clear_source(EngineState& pe, Operation& op, Cycle now) {
  const Cursor& source = op.cursors[op.zeroed_slot];
  for (std::uint32_t i = 0; i < op.done; ++i) {
    pe.store(op.pc(), op.zeroed.address(), source.bytes, 0, now);
    op.zeroed.next(*source.dsd, source.bytes);
  }
}

// An operation whose other operands are ready finds a FIFO empty or full.
void VectorUnit::meet_shortages(EngineState& pe, Cycle now) {
  for (Operation& op : operations_) {
    if (!op.uses_fifo || op.finishing || op.due > now) continue;
    if (pe.tasks.is_microthread_blocked(op.thread)) continue;
    if (source_at_control(pe, op, now) != nullptr || head_goes_to_task(pe, op, now)) continue;
    if (fabric_elements(pe, op, now) == 0) continue;
    for (unsigned i = kMaxOperands; i-- > 0;) {  // sources first
      const Cursor& cursor = op.cursors[i];
      if (cursor.kind != Cursor::Kind::kFifo) continue;
      if (fifo_elements(pe, op, cursor) >= op.least_of(cursor)) continue;
      meet_shortage(pe, op, i != 0, cursor, now);
      break;
    }
  }
  complete_operations(pe, now);
}

// wse.md 5.6: the four actions; what a synchronous operation returns.
void VectorUnit::meet_shortage(EngineState& pe, Operation& op, bool empty, const Cursor& cursor,
                               Cycle now) {
  FifoState& state = pe.dsrs.fifo(cursor.number);
  const Fifo& fifo = state.fifo();
  const std::uint32_t wanted = op.least_of(cursor) * cursor.bytes;
  empty ? state.hit_empty(wanted) : state.hit_full(wanted);
  const FifoAction action = empty ? fifo.empty_action : fifo.full_action;
  if (action == FifoAction::kFault) {
    pe.fail(Illegal::kFifoFault, op.pc(), "FIFO ", fifo.name, " is ", empty ? "empty" : "full",
            " and its action is fault");
  }
  const bool tests = action == FifoAction::kTestOrSuspend && op.thread == kMainThread;
  if (!tests && action != FifoAction::kTerminate) return;  // the operation waits
  if (tests) op.result = false;
  if (op.cursors[0].held > 0) send(pe, op, false, wavelets_sent_, now);
  if (pe.waits != nullptr) settle_waits(pe, op, now);
  op.terminated = true;
  op.stopped_by_fifo = true;
  operations_.finish(op, now);
}

void VectorUnit::execute_late(EngineState& pe, Cycle now) {
  Operation& op = *operations_.of_main_thread();
  while (op.due < now) {
    const std::uint32_t elements = op.next_group();
    if (op.ends_with(elements)) break;
    const Cycle group = op.due;
    execute_group(pe, op, elements, false, group);
    if (pe.waits != nullptr) {
      account_late_group(pe, op, group);
      nothing_waits_ = op.due == group + 1 && !some_asked_;
    }
    last_issued_ = kMainThread;
    if (pe.timing().issue == IssueRule::kRotation) operations_.set_turn(kMainThread + 1);
  }
}

void VectorUnit::account_step(EngineState& pe, bool chosen, bool goes_on, bool ask, Cycle now) {
  if (ask || some_asked_) some_asked_ = ask_for_waits(pe, operations_, now);
  if (chosen) pe.waits->change(observe::WaitReason::kBusy, now);
  if (!goes_on) account_tile(pe, operations_, chosen ? now + 1 : now, now);
  nothing_waits_ = goes_on && !some_asked_;
}

Cycle VectorUnit::next_wake(const EngineState& pe, bool acted, Cycle next, Cycle now) {
  assert(!putting_off_);  // wake_up() came first in this step
  for (const Operation& op : std::as_const(operations_)) {
    if (next <= now + 1) return next;  // no group before that is put off
    next = std::min(next, wake_of(pe, op, acted, now));
  }
  const Operation* const main = operations_.of_main_thread();
  putting_off_ = main != nullptr && may_be_late(*main, now) && main->due < next;
  return next;
}

[[gnu::always_inline]] inline Cycle VectorUnit::wake_of(const EngineState& pe, const Operation& op,
                                                        bool acted, Cycle now) const {
  if (op.finishing) return op.due;
  if (may_be_late(op, now)) return std::min(op.last_group_from(), now + kLongestDelay);
  if (op.due > now) return op.due;
  // It did not get the slot. It waits for a queue, which wakes the engine, or for another
  // operation; one on a FIFO may have been brought to an edge of it.
  if (!acted) return kNever;
  if (op.uses_fifo) return now + 1;
  const bool ready = !pe.tasks.is_microthread_blocked(op.thread) && is_ready(pe, op, now);
  return ready ? now + 1 : kNever;
}

// Returns whether the next group may follow in the next cycle.
[[gnu::always_inline]] inline bool VectorUnit::end_group(EngineState& pe, Operation& op,
                                                         bool conflict, Cycle now,
                                                         std::uint32_t event_word,
                                                         std::uint32_t elements) {
  const unsigned factor = slowdown(pe, conflict);
  op.due = now + Cycle{op.interval} * factor;
  if (op.complete()) operations_.finish(op, now + Cycle{op.duration} * factor - 1);
  pe.probe.emit(now, EventKind::kCompute, event_word, elements);
  return !op.finishing && !op.self_contained && op.due == now + 1;
}

bool VectorUnit::execute_group(EngineState& pe, Operation& op, std::uint32_t elements, bool heads,
                               Cycle now) {
  if (op.kernel == nullptr || heads) return execute_any(pe, op, elements, heads, now);
  const bool conflict = reads_conflict(pe, op);
  if (conflict && pe.listeners != nullptr) tell_bank_conflict(pe, op, now);
  op.kernel(pe, op, elements, control_mask_, wavelets_sent_, now);
  account_group(pe, op, conflict, now);
  return end_group(pe, op, conflict, now, op.event_word(), elements);
}

bool VectorUnit::execute_any(EngineState& pe, Operation& op, std::uint32_t elements, bool heads,
                             Cycle now) {
  if (op.is_filter()) {
    filter_wavelet(pe, op, now);
    return !op.finishing;
  }
  const bool conflict = reads_conflict(pe, op);
  if (conflict && pe.listeners != nullptr) tell_bank_conflict(pe, op, now);
  std::uint32_t executed = 0;
  for (; executed < elements; ++executed) {
    if (heads && (meets_control(pe, op, now) || head_goes_to_task(pe, op, now))) break;
    move_element(pe, op, control_mask_, wavelets_sent_, now);
  }
  if (leaves_half_full(pe, op)) send(pe, op, is_last(pe, op), wavelets_sent_, now);
  const bool in_issue_slot = op.single_step && op.in_memory();
  if (!in_issue_slot) account_group(pe, op, conflict, now);
  const std::uint32_t word = op.event_word() + (in_issue_slot ? 1U << 8 : 0);  // kStepOfMain
  return end_group(pe, op, conflict, now, word, executed);
}

// wse.md 6.7 dfilt: drops one wavelet; control wavelets count.
void VectorUnit::filter_wavelet(EngineState& pe, Operation& op, Cycle now) {
  const QueueId queue = op.cursors[1].queue;
  if (pe.queues.take(queue, now).control) ++op.done;
  account_group(pe, op, false, now);
  op.due = now + 1;
  if (op.complete()) operations_.finish(op, now);
  pe.probe.emit(now, EventKind::kCompute, op.event_word(), 1);
}

}  // namespace tessera::pe
