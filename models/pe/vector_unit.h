// The DSD operations of a compute engine (reference wse.md 4, 5.5 to 5.10, 6.2): they are
// dispatched, executed group by group in the issue slots that they get, and completed.
//
// A self-contained operation (Operation::self_contained) is executed late while the engine sleeps:
// next_wake() puts its groups off, and catch_up() executes each for its own cycle.
#pragma once

#include <cstdint>

#include "models/pe/banks.h"
#include "models/pe/engine_state.h"
#include "models/pe/operation.h"
#include "models/pe/output_bindings.h"
#include "models/pe/wait_account.h"
#include "models/state/fwd.h"

namespace tessera::pe {

class VectorUnit {
 public:
  VectorUnit(const Image& image, const PeTiming& timing)
      : rotates_(timing.issue == IssueRule::kRotation), putting_off_(false),
        step_every_group_(false), steps_fully_(false), some_asked_(false), nothing_waits_(true),
        control_mask_(image.control_mask) {}

  /// The operations in progress.
  Operations& operations() { return operations_; }
  const Operations& operations() const { return operations_; }
  const OutputBindings& outputs() const { return outputs_; }
  /// The thread that got the issue slot last, the main thread for scalar instructions too.
  ThreadId last_issued() const { return last_issued_; }
  void set_last_issued(ThreadId thread) { last_issued_ = static_cast<std::uint8_t>(thread); }
  /// Whether steps that can do no more than give the slot to an operation are plain: all operations are
  /// (Operation::is_plain), have one priority and take turns.
  bool is_plain() const { return rotates_ && operations_.are_plain(); }
  /// Mask of control transforms (wse.md 5.9).
  void set_control_mask(std::uint32_t mask) {
    control_mask_ = static_cast<std::uint8_t>(mask & 0x3FU);
  }
  /// The instruction that issues now binds an output queue to a color (wse.md 2.2, WSE-3).
  void bind_output(const EngineState& pe, QueueId queue, Color color, Cycle now);
  /// The same of an input queue: operations on it read `receiver`, the queue of the color.
  void bind_input(const EngineState& pe, QueueId queue, const QueueBinding& receiver, Cycle now);

  /// The main thread has issued DSD operation `in`.
  void dispatch(EngineState& pe, const DecodedInstruction& in, Cycle now);
  /// Completes the operations whose last group has had its time.
  void complete_operations(EngineState& pe, Cycle now) {
    if (operations_.has_finished(now)) complete_finished(pe, now);
  }
  /// Carries out the actions of FIFOs that operations find empty or full (wse.md 5.6).
  void take_fifo_actions(EngineState& pe, Cycle now) {
    if (operations_.use_fifos()) meet_shortages(pe, now);
  }
  /// Waits are accounted from now on.
  void begin_accounting() { nothing_waits_ = false; }
  /// At the end of a step. `goes_on`: the slot was used, and the engine is stepped in the next cycle,
  /// too. `ask`: some operations can be asked now what they wait for.
  void account_waits(EngineState& pe, bool chosen, bool goes_on, bool ask, Cycle now) {
    // While the slot is used in every cycle, the tile waits for nothing.
    if (goes_on && nothing_waits_ && !ask) return;
    if (pe.waits != nullptr) account_step(pe, chosen, goes_on, ask, now);
  }
  /// Whether some operations are asked in every step what they wait for.
  bool some_are_asked() const { return some_asked_; }
  /// `op` has the issue slot. `heads`: as heads_matter(). Returns whether it has another group in the
  /// next cycle.
  bool execute_group(EngineState& pe, Operation& op, std::uint32_t elements, bool heads, Cycle now);
  /// The same of a group that is not the last one, where heads do not matter and nobody hears of stalls.
  [[gnu::always_inline]] bool execute_inner_group(EngineState& pe, Operation& op,
                                                  std::uint32_t elements, Cycle now) {
    if (op.kernel == nullptr) return execute_group(pe, op, elements, false, now);
    const bool conflict = reads_conflict(pe, op);
    op.kernel(pe, op, elements, control_mask_, wavelets_sent_, now);
    account_group(pe, op, conflict, now);
    op.due = now + Cycle{op.interval} * slowdown(pe, conflict);
    pe.probe.emit(now, observe::EventKind::kCompute, op.event_word(), elements);
    return !op.self_contained && op.due == now + 1;
  }
  /// The same of an operation that is plain (Operation::is_plain); returns the cycle of its next group.
  [[gnu::always_inline]] Cycle execute_plain_group(EngineState& pe, Operation& op, Cycle now) {
    op.kernel(pe, op, 1, control_mask_, wavelets_sent_, now);
    op.due = now + op.interval;
    pe.probe.emit(now, observe::EventKind::kCompute, op.event_word(), 1);
    return op.due;
  }

  /// Executes the groups that were put off and are due before cycle `now`.
  void catch_up(EngineState& pe, Cycle now) {
    if (putting_off_) execute_late(pe, now);
  }
  /// The same, and from here on no group is put off.
  void wake_up(EngineState& pe, Cycle now) {
    if (!putting_off_) return;
    execute_late(pe, now);
    putting_off_ = false;
  }
  /// The earlier of cycle `next` and the cycle in which an operation wants the engine stepped.
  /// `acted`: something was issued, or wavelets were taken from a queue.
  Cycle next_wake(const EngineState& pe, bool acted, Cycle next, Cycle now);
  /// Whether no group is ever put off.
  void set_step_every_group(bool on) { step_every_group_ = on; }
  /// Whether all steps of the engine are full ones (ComputeEngineCore::set_steps_fully).
  bool steps_fully() const { return steps_fully_; }
  void set_steps_fully(bool on) { steps_fully_ = on; }
  /// Input queues in which a wavelet that comes is for others than operations, one bit each: the step has to be a full
  /// one. Kept here because there is room.
  std::uint32_t watched() const { return watched_; }
  void set_watched(std::uint32_t queues) { watched_ = static_cast<std::uint8_t>(queues); }
  /// Saves or restores what changes (models/state/archive.h).
  /// Nothing may be put off before the present cycle.
  void visit(state::Archive& archive, EngineState& pe);

 private:
  void complete_finished(EngineState& pe, Cycle now);
  void complete(EngineState& pe, Operation& op, Cycle now);
  /// `ready`: when instructions may use a register that is the destination.
  static void write_back(EngineState& pe, const Operation& op, Cycle ready, Cycle now);
  static void clear_source(EngineState& pe, Operation& op, Cycle now);
  void meet_shortages(EngineState& pe, Cycle now);
  void meet_shortage(EngineState& pe, Operation& op, bool empty, const Cursor& cursor, Cycle now);
  void execute_late(EngineState& pe, Cycle now);
  void account_step(EngineState& pe, bool chosen, bool goes_on, bool ask, Cycle now);
  bool may_be_late(const Operation& op, Cycle now) const {
    return op.self_contained && !step_every_group_ && !op.finishing && op.due > now;
  }
  Cycle wake_of(const EngineState& pe, const Operation& op, bool acted, Cycle now) const;
  /// Whether the next elements that it reads meet in a bank of memory.
  static bool reads_conflict(const EngineState& pe, const Operation& op) {
    return op.may_conflict &&
           pe::reads_conflict(op.cursors[1].walk.address(), op.cursors[2].walk.address(),
                              pe.timing().bank_rule);
  }
  static unsigned slowdown(const EngineState& pe, bool conflict) {
    return conflict ? pe.timing().read_conflict_factor : 1;
  }
  bool execute_any(EngineState& pe, Operation& op, std::uint32_t elements, bool heads, Cycle now);
  bool end_group(EngineState& pe, Operation& op, bool conflict, Cycle now, std::uint32_t event_word,
                 std::uint32_t elements);
  void filter_wavelet(EngineState& pe, Operation& op, Cycle now);

  // The first member: it is read seldom, and what each cycle reads follows it, next to the state of the engine.
  OutputBindings outputs_;
  Operations operations_;
  std::uint32_t wavelets_sent_ = 0;
  std::uint8_t last_issued_ = kMainThread;
  bool rotates_ : 1;      // PeTiming::issue is kRotation
  bool putting_off_ : 1;  // groups before the next wake-up are executed late
  bool step_every_group_ : 1;
  bool steps_fully_ : 1;
  // Where waits are accounted:
  bool some_asked_ : 1;  // operations, in every step, what they wait for
  // The tile is accounted as busy, and no operation is asked, or nobody accounts.
  bool nothing_waits_ : 1;
  std::uint8_t control_mask_;
  std::uint8_t watched_ = 0;
};

}  // namespace tessera::pe
