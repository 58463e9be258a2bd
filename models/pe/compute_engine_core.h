// Compute engine of a PE (reference wse.md 3 to 6): in-order, one issue slot a cycle, tasks that
// run to completion, DSD operations on the main thread or on eight microthreads. Plain C++;
// `compute_engine.h` is its module.
//
// The engine has four units around the state that they share (EngineState): TaskUnit brings tasks
// to the main thread, ScalarUnit executes its scalar instructions, VectorUnit its DSD operations,
// and ConfigRegisters accesses to the configuration space. The core is the cycle:
//   1. operations whose last group has had its time complete: they activate or unblock their
//      target and free their thread;
//   2. operations that find their FIFO empty or full take the action of the FIFO (wse.md 5.6);
//   3. one candidate gets the issue slot: the main thread's next instruction, or the next group of
//      an operation whose operands are ready; the highest priority first, ties by the rule
//      PeTiming::issue (wse.md 4);
//   4. operations that this group ended and that take one cycle a group complete;
//   5. control wavelets that name no task leave unblocked channels (wse.md 1.5); if the main
//      thread has no task, the picker takes the next one (wse.md 3.3).
// Teardowns activate their task before step 1, flushed queues theirs in step 5.
//
// A waiting engine sleeps: the queues wake it when a wavelet arrives or room is made. An engine
// also sleeps while its only work is an operation that depends on nobody (VectorUnit, late groups).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "models/observe/wait.h"
#include "models/pe/config_registers.h"
#include "models/pe/engine_state.h"
#include "models/pe/readiness.h"
#include "models/pe/scalar_unit.h"
#include "models/pe/task_unit.h"
#include "models/pe/vector_unit.h"
#include "models/state/fwd.h"

namespace tessera::pe {

class ComputeEngineCore {
 public:
  /// `queues` must outlive the engine. The data of the image are placed in SRAM. Engines that run
  /// one image share its decoded form.
  ComputeEngineCore(TileCoord at, std::shared_ptr<const DecodedImage> program, PeQueues& queues,
                    observe::Probe probe);
  /// An engine with an image of its own. `timing` must outlive it.
  ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image, const PeTiming& timing,
                    PeQueues& queues, observe::Probe probe);

  /// How the program reaches the registers of its router; must outlive the engine. Default: there
  /// is no router, and an access is illegal.
  void set_config(PeConfig* config) { pe_.router = config; }
  /// The router says that `color` has entered teardown (wse.md 1.9). From cycle `due` on the color
  /// is pending and the teardown task active.
  void teardown(Color color, Cycle due) {
    config_.teardown(color, due);
    look_at_all();
  }

  /// Where remarks go on a program that goes on (PeTiming::memory_errors), and what it prints. Default:
  /// nowhere.
  void set_diagnoses(observe::Diagnoses* diagnoses) { pe_.diagnoses = diagnoses; }

  /// Where the engine accounts what it does with its cycles, before its first step. Default: nowhere.
  void set_waits(observe::TileWaits* waits);
  /// The run has had `cycles` cycles: accounts what its threads still wait for. Once, before
  /// observe::WaitBook::finish(); requires set_waits().
  void finish_waits(Cycle cycles);

  /// Steps the engine through cycle `now`; returns the next cycle it wants (timing::Steppable).
  /// Throws IllegalBehaviour, with PE, source line and the id of the rule (illegal.h), where the
  /// machine's behaviour is undefined.
  [[gnu::always_inline]] Cycle step(Cycle now) {
    if (now >= streams_until_) return streams_until_ != 0 ? step_main(now) : step_all({}, now);
    return vector_.is_plain() ? stream_plainly(now) : stream(now);
  }
  /// Executes the groups that were put off and are due before cycle `now`. To be called before
  /// somebody looks at the engine or its SRAM from outside, and at the end of a run; step() does it
  /// by itself.
  void catch_up(Cycle now) { vector_.catch_up(pe_, now); }
  /// Whether every group is executed in a step of its own, none late: for tests of the latter.
  void set_step_every_group(bool on) { vector_.set_step_every_group(on); }
  /// Whether all its steps are full ones: for tests of the shorter ones.
  void set_steps_fully(bool on) {
    vector_.set_steps_fully(on);
    look_at_all();
  }

  /// Runs `function` as soon as the main thread is free, from cycle `at` on: what a host launch
  /// does. Each argument goes to a register pair: d0, d2, d4, d6.
  void launch(const Function& function, const std::vector<std::uint32_t>& arguments, Cycle at);
  static constexpr unsigned kMaxLaunchArguments = 4;
  /// Has the PE take a command of the host as soon as the main thread is free, from cycle `at` on.
  void access(HostAccess access, Cycle at) {
    tasks_.access(std::move(access), at);
    look_at_all();
  }
  /// Who hears what it does; must outlive the engine or the next call. Stalls are told in their cycle
  /// if every group is executed in a step of its own. Between two steps. Default, and nullptr: nobody.
  void set_listeners(const Listeners* listeners) {
    pe_.listeners = listeners;
    look_at_all();
  }

  /// Launches and commands that have not come to their end.
  unsigned launches_open() const { return tasks_.launches_open(pe_.main); }

  /// How often the program has said that it is ready for the next command (config_space::kReady).
  std::uint64_t commands_asked_for() const { return config_.commands_asked_for(); }

  /// Prefetches the data of the step in cycle `now` into the cache of the host.
  [[gnu::always_inline]] void prefetch(Cycle now) const {
    vector_.operations().prefetch();
    pe_.sram.prefetch();
    if (pe_.waits != nullptr && now >= streams_until_) pe_.waits->prefetch();
  }
  /// The same of all its operations, and what it accounts.
  void prefetch_all() const {
    vector_.operations().prefetch_all();
    if (pe_.waits != nullptr) pe_.waits->prefetch_all();
  }
  /// What they read and write in memory next.
  void prefetch_operands() const {
    for (const Operation& op : vector_.operations()) {
      for (unsigned i = 0; i <= op.sources; ++i) {
        const Cursor& cursor = op.cursors[i];
        if (cursor.kind == Cursor::Kind::kMemory) pe_.sram.prefetch(cursor.walk.address());
      }
    }
  }
  /// Memory, as far as the engine has been stepped or caught up.
  Sram& sram() { return pe_.sram; }
  /// A copy of the host. Requires that all bytes lie inside the memory.
  void write_memory(std::uint32_t address, std::uint32_t count, const std::byte* from);
  /// Before the run, and with accounts of its cycles only.
  void set_checks(MemoryChecks* checks);
  const Sram& sram() const { return pe_.sram; }
  const Image& image() const { return pe_.image(); }
  /// All that its program sees, as far as the engine has been stepped or caught up, and its operations.
  EngineState& state() { return pe_; }
  const Operations& operations() const { return vector_.operations(); }

  /// Who is stuck, for a deadlock report: operations, blocked active tasks; and, as not blocking,
  /// data tasks that wait for a wavelet.
  void describe_waits(observe::Waits& waits, Cycle now) const {
    pe::describe_waits(pe_, vector_.operations(), waits, now);
  }

  /// Saves or restores what changes (models/state/archive.h).
  /// To be caught up before. Restored
  /// without an account of waits (set_waits()), it goes on without one. Throws state::Mismatch.
  void visit(state::Archive& archive);

 private:
  /// Who may use the issue slot of a cycle, and for what.
  struct Candidate {
    /// A group of its operation; nullptr: an instruction of the main thread.
    Operation* op = nullptr;
    std::uint32_t elements = 0;  ///< elements of the group
    ThreadId thread = kNobody;
    explicit operator bool() const { return thread != kNobody; }
    static constexpr ThreadId kNobody = kThreadCount;
  };
  /// What steps 4 and 5 did.
  struct Changes {
    bool some = false;  ///< wavelets were taken from a queue, or a task was started
    bool took_command = false;
  };
  Cycle step_all(Candidate chosen, Cycle now);
  Cycle step_main(Cycle now);
  /// How far an instruction of the main thread has come.
  enum class Progress : std::uint8_t { kNone, kCounted, kExecuted };
  Cycle run_main(const DecodedInstruction& in, Progress progress, Cycle now);
  Cycle end_short_step(Cycle now);
  Changes complete_and_pick(ThreadId issued, bool ran, Cycle now);
  Cycle end_step(const Candidate& chosen, bool goes_on, bool ran, Cycle now);
  Cycle stream(Cycle now);
  Cycle step_group(Operation& op, Cycle now);
  Operation* first_before_main(Cycle now);
  Cycle stream_plainly(Cycle now);
  std::uint32_t look_at_queues(Cycle now);
  Operation* first_of_plain(std::uint32_t lacking, Cycle now);
  Operation* first_ready(std::uint32_t lacking, Cycle now);
  Operation* highest_ready(std::uint32_t lacking, Cycle now);
  Operation* compare_ready(std::uint32_t lacking, unsigned main_level, Cycle now);
  bool is_quiet() const;
  bool look_at_heads(Cycle now);
  bool has_news(Cycle now) const;
  Cycle stream_end() const;
  void plan_steps(bool is_known, Cycle now);
  /// Somebody from outside interferes: the next step is a full one.
  void look_at_all() { streams_until_ = 0; }
  Candidate choose(Cycle now);
  Candidate choose_thread(Cycle now);
  Candidate choose_main(Cycle now);
  bool issue(const Candidate& chosen, Cycle now);
  bool main_is_first(Cycle now) const;
  void count_main(const DecodedInstruction& in, Cycle now);
  bool execute_main(const DecodedInstruction& in, Cycle now);
  void require_instruction() const;
  bool wait_for_operands(Cycle now);
  void wait_for_operands_of(const DecodedInstruction& in);
  Cycle next_wake(bool acted, bool goes_on, Cycle now);

  /// Before this cycle a step can do no more than give the slot to an operation: steps 1, 2, 4 and 5
  /// find nothing, and the main thread has no instruction that could issue. The same from then on, before an operation
  /// completes, of a step that may give it to the main thread, too. 0: the next step is a full one.
  Cycle streams_until_ = 0;
  VectorUnit vector_;  // before the state, whose first members every cycle needs too
  EngineState pe_;
  TaskUnit tasks_;
  ScalarUnit scalar_;
  ConfigRegisters config_;
};

// --- most steps of a busy wafer, inlined into the loop over its engines

// Whether a wavelet has come that a full step has to look at.
[[gnu::always_inline]] inline bool ComputeEngineCore::has_news(Cycle now) const {
  const std::uint32_t watched = vector_.watched();
  return watched != 0 && pe_.queues.lacking(watched, 0, now) != watched;
}

// Which queues of the operations lack something, as PeQueues::lacking.
[[gnu::always_inline]] inline std::uint32_t ComputeEngineCore::look_at_queues(Cycle now) {
  Operations& operations = vector_.operations();
  const std::uint32_t lacking = pe_.queues.lacking(operations.inputs(), operations.outputs(), now);
  if (pe_.waits == nullptr || lacking == operations.lacking()) return lacking;
  const std::uint32_t came = operations.set_lacking(lacking);
  if (came != 0) account_came(operations, came, now);
  return lacking;
}

// As first_ready().
[[gnu::always_inline]] inline Operation* ComputeEngineCore::first_of_plain(std::uint32_t lacking,
                                                                           Cycle now) {
  Operations& operations = vector_.operations();
  const auto look_at = [&](Operation * from, Operation * to) __attribute__((always_inline)) {
    while (from != to && (from->due > now || from->lacks(lacking))) ++from;
    return from;
  };
  Operation* const turn = operations.turn();
  Operation* const op = look_at(turn, operations.end());
  if (op != operations.end()) return op;
  Operation* const before = look_at(operations.begin(), turn);
  return before != turn ? before : nullptr;
}

// stream() of operations that are all plain and have one priority.
[[gnu::always_inline]] inline Cycle ComputeEngineCore::stream_plainly(Cycle now) {
  if (has_news(now)) return step_all({}, now);
  const std::uint32_t lacking = look_at_queues(now);
  Operation* const op = first_of_plain(lacking, now);
  if (op == nullptr || op->ends_with(1)) return stream(now);
  vector_.set_last_issued(op->thread);
  vector_.operations().set_turn_behind(op);
  Cycle next = now + 1;
  try {
    if (vector_.execute_plain_group(pe_, *op, now) != next) next = next_wake(true, false, now);
  } catch (...) {
    vector_.account_waits(pe_, false, false, false, now);
    throw;
  }
  vector_.account_waits(pe_, true, next == now + 1, false, now);
  return next;
}

}  // namespace tessera::pe
