// Compute engine of a PE (reference wse.md 3 to 6): in-order, one issue slot a cycle, tasks that
// run to completion, DSD operations on the main thread or on eight microthreads. Plain C++;
// `compute_engine.h` is its module.
//
// Order inside a cycle:
//   1. operations whose last group has had its time complete: they activate or unblock their
//      target and free their thread;
//   2. operations that find their FIFO empty or full take the action of the FIFO (wse.md 5.6);
//   3. one candidate gets the issue slot: the main thread's next instruction, or the next group of
//      an operation whose operands are ready; the highest priority first, ties by the rule
//      PeTiming::issue (wse.md 4);
//   4. operations that this group ended and that take one cycle a group complete;
//   5. control wavelets that name no task go from unblocked channels (wse.md 1.5); if the main
//      thread has no task, the picker takes the next one (wse.md 3.3).
//
// A waiting engine sleeps: the queues wake it when a wavelet arrives or room is made. So does one
// whose only work is an operation that needs nobody (Operation::self_contained): the groups before
// its last one are executed late, each for its own cycle, when the engine is woken or looked at.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/event.h"
#include "models/observe/event_fields.h"
#include "models/observe/wait.h"
#include "models/pe/decoded_image.h"
#include "models/pe/delayed.h"
#include "models/pe/dsr.h"
#include "models/pe/fifo.h"
#include "models/pe/illegal.h"
#include "models/pe/operation.h"
#include "models/pe/pe_config.h"
#include "models/pe/pe_queues.h"
#include "models/pe/pe_timing.h"
#include "models/pe/prng.h"
#include "models/pe/program.h"
#include "models/pe/scoreboard.h"
#include "models/pe/sram.h"
#include "models/pe/task_table.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

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
  void set_config(PeConfig* config) { config_ = config; }
  /// The router says that `color` has entered teardown (wse.md 1.9). From cycle `due` on the color
  /// is pending and the teardown task active.
  void teardown(Color color, Cycle due) { extras().teardowns.push_back({color, due}); }

  /// Where remarks go on a program that goes on (PeTiming::memory_errors). Default: nowhere.
  void set_diagnoses(observe::Diagnoses* diagnoses) { diagnoses_ = diagnoses; }

  /// Steps the engine through cycle `now`; returns the next cycle it wants (timing::Steppable).
  /// Throws IllegalBehaviour, with PE, source line and the id of the rule (illegal.h), where the
  /// machine's behaviour is undefined.
  Cycle step(Cycle now);
  /// Executes the groups that were put off and are due before cycle `now`. Before somebody looks at
  /// the engine or its SRAM from outside, and at the end of a run; step() does it by itself.
  void catch_up(Cycle now);
  /// Whether every group is executed in a step of its own, none late: for tests of the latter.
  void set_step_every_group(bool on) { step_every_group_ = on; }

  /// Runs `function` as soon as the main thread is free, from cycle `at` on: what a host launch
  /// does. Each argument goes to a register pair: d0, d2, d4, d6.
  void launch(const Function& function, const std::vector<std::uint32_t>& arguments, Cycle at);
  static constexpr unsigned kMaxLaunchArguments = 4;
  /// Launches that have not run to their end.
  unsigned launches_open() const { return launches_open_; }

  /// Memory, as far as the engine has been stepped or caught up.
  Sram& sram() { return sram_; }
  const Sram& sram() const { return sram_; }
  const Image& image() const { return program_->image(); }

  /// Who is stuck, for a deadlock report: operations, blocked active tasks; and, as not blocking,
  /// data tasks that wait for a wavelet.
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  struct Launch {
    std::unique_ptr<Launch> next;  ///< not before this one
    Cycle at = 0;
    std::uint32_t entry = 0;
    std::vector<std::uint32_t> arguments;
  };
  /// What the main thread executes.
  struct MainThread {
    Cycle ready_at = 0;  ///< earliest cycle of the next issue, or of the next task's start
    std::uint32_t pc = 0;
    std::uint8_t task = kFree;  ///< task id, or kLaunchedTask
    bool runs() const { return task != kFree; }
    static constexpr std::uint8_t kFree = 0xFF;
  };
  /// Who may use the issue slot of a cycle, and for what.
  struct Candidate {
    Operation* op = nullptr;     ///< a group of it; nullptr: an instruction of the main thread
    std::uint32_t elements = 0;  ///< of the group
    ThreadId thread = kNobody;
    explicit operator bool() const { return thread != kNobody; }
    static constexpr ThreadId kNobody = kThreadCount;
  };
  /// Queues whose flush is asked for, and those that were found empty; one bit a queue.
  struct Flush {
    std::uint32_t asked = 0;
    std::uint32_t flushed = 0;
  };
  struct TeardownNotice {
    Color color;
    Cycle due;
  };
  /// What an output queue was used for last.
  struct OutputUse {
    std::uint16_t capacity = 0;  ///< 0: not used yet
    Color color;
  };
  /// What few programs need.
  struct Extras {
    std::vector<FifoState> fifos;                        // as in Image::fifos
    std::optional<Delayed<MainPriority>> main_priority;  // since it was changed
    Prng prng;
    std::array<std::optional<Color>, kMaxQueues> output_colors;  // bound at run time (WSE-3)
    Flush input_flush;
    Flush output_flush;
    std::vector<TeardownNotice> teardowns;  // on their way
    std::uint32_t teardowns_pending = 0;    // one bit a color
  };
  static constexpr unsigned kLaunchedTask = observe::kLaunchedTask;
  static_assert(kLaunchedTask == kTaskCount, "no task id");
  /// Value of r15 at the start of a task: `ret` to it ends the task.
  static constexpr std::uint16_t kReturnEndsTask = 0xFFFF;
  /// Instead of an instruction, for messages about none.
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  const PeTiming& timing() const { return program_->timing(); }
  std::uint32_t pc_of(const Instruction& in) const {
    return static_cast<std::uint32_t>(&in - image().code.data());
  }
  Extras& extras();

  // compute_engine_core.cpp: the cycle
  void complete_operations(Cycle now);
  bool has_finished(Cycle now) const {
    const Operation* op = operations_.get();
    while (op != nullptr && op->finish_at > now) op = op->next.get();
    return op != nullptr;
  }
  Candidate choose_thread(Cycle now) const;
  Candidate candidate_of(Operation* op, Cycle now) const;
  unsigned main_level(Cycle now) const;
  void require_instruction() const;
  void wait_for_operands();
  Cycle next_wake(Cycle now, bool acted);
  Cycle wake_of(const Operation& op, Cycle now, bool acted) const;
  bool may_be_late(const Operation& op, Cycle now) const;
  Operation* find_operation(ThreadId thread) const {
    Operation* op = operations_.get();
    while (op != nullptr && op->thread != thread) op = op->next.get();
    return op;
  }
  bool is_blocked(ThreadId thread) const { return (blocked_microthreads_ >> thread & 1U) != 0; }

  // compute_engine_tasks.cpp: tasks start and end
  bool launch_is_due(Cycle now) const { return launches_ && launches_->at <= now; }
  void start_launch(Cycle first_issue, Cycle now);
  void pick_task(const Runnables& by_wavelet, bool ended_this_cycle, Cycle now);
  bool has_open_channel() const { return (program_->channels() & ~tasks_.blocked()) != 0; }
  bool look_at_heads(Runnables* found, Cycle now);
  const link::Wavelet* head_of(QueueId queue, Cycle now) const;
  bool names_no_task(QueueId queue, const link::Wavelet& head) const;
  const TaskBinding* task_of(const InputChannel& input, const link::Wavelet& head) const;
  bool taken_on_control(QueueId queue) const;
  void start_task(unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now);
  void end_task(Cycle now);

  // compute_engine_scalar.cpp: one instruction of the main thread
  void issue_main(Cycle now);
  void execute_arithmetic(const Instruction& in, Cycle ready);
  void execute_compare(const Instruction& in, Cycle now);
  void execute_load(const Instruction& in, Cycle now);
  void execute_store(const Instruction& in, Cycle now);
  void execute_branch(const Instruction& in, Cycle now);
  void execute_return(std::uint32_t pc, Cycle now);
  void execute_task_control(const Instruction& in, Cycle now);
  void block(const Operand& target, bool blocked);
  void set_main_priority(std::uint32_t level, Cycle now);
  void execute_tile(const Instruction& in, Cycle now);

  // compute_engine_config.cpp: the configuration space
  void take_teardowns(Cycle now);
  bool is_flushing() const {
    return extras_ && (extras_->input_flush.asked | extras_->output_flush.asked) != 0;
  }
  void take_flushes(Cycle now);
  std::uint32_t empty_inputs(Cycle now) const;
  std::uint32_t empty_outputs(Cycle now) const;
  std::uint16_t take_pending(unsigned shift);
  bool write_queue_register(config_space::Address at, std::uint32_t value, Cycle now);
  std::uint16_t read_config(std::uint32_t address, Cycle now);
  void write_config(std::uint32_t address, std::uint32_t value, Cycle now);
  std::uint32_t read_operand(const Operand& operand) const;
  std::uint32_t address_of(const Operand& mem) const;
  void write_register(const Operand& operand, std::uint32_t value, Cycle ready_at);
  void write_flag(bool value, Cycle ready_at);

  // compute_engine_dsr.cpp: loads and changes of DSRs
  void execute_dsr(const Instruction& in, Cycle now);
  void set_address(Dsr& dsr, std::uint32_t address);
  void set_length(Dsr& dsr, std::uint32_t length);
  void set_stride(Dsr& dsr, std::uint32_t stride);

  // compute_engine_dispatch.cpp: an operation starts
  void dispatch(const DecodedInstruction& in, Cycle now);
  template <class Visit>
  void for_each_dsr(const Operation& op, Visit&& visit) const;
  bool single_step_exhausted(Operation& op);
  void merge_config(Operation& op);
  void make_cursors(Operation& op);
  void make_cursor(const Operation& op, unsigned slot, Cursor& cursor) const;
  void make_scalar_cursor(const Operand& operand, bool destination, Cursor& cursor) const;
  void make_fabric_cursor(const Operation& op, const Dsr& dsr, bool destination,
                          Cursor& cursor) const;
  void make_fifo_cursor(const Dsr& dsr, Cursor& cursor) const;
  void make_memory_cursor(const Operation& op, const Dsr& dsr, Cursor& cursor) const;
  void set_length(Operation& op);
  void set_rate(Operation& op);
  static unsigned cycles_of_strides(const Operation& op, unsigned elements);
  void set_zeroed(Operation& op);
  void set_self_contained(Operation& op);
  ThreadId microthread_for(const Operation& op) const;
  Priority priority_for(const Operation& op) const;
  void check_sources(const Operation& op) const;
  void require_free(const Operation& op) const;
  void require_free_queues(const Operation& op, const Operation& other) const;
  void check_queue_reuse(const Operation& op, Cycle now);

  // compute_engine_vector.cpp: its groups and its end
  std::uint32_t group_size(const Operation& op, Cycle now) const;
  bool fabric_ready(const Operation& op, std::uint32_t elements, Cycle now) const;
  std::uint32_t elements_of_fifos(const Operation& op, std::uint32_t elements) const;
  bool heads_matter(const Operation& op) const;
  const Cursor* source_at_control(const Operation& op, Cycle now) const;
  bool head_goes_to_task(const Operation& op, Cycle now) const;
  std::uint32_t fabric_elements(const Operation& op, Cycle now) const;
  std::uint32_t fifo_elements(const Operation& op, const Cursor& cursor) const;
  void take_fifo_actions(Cycle now);
  void take_fifo_action(Operation& op, Cycle now);
  void meet_shortage(Operation& op, bool empty, const Cursor& cursor, Cycle now);
  void execute_group(Operation& op, std::uint32_t elements, Cycle now);
  void filter_wavelet(Operation& op, Cycle now);
  bool meets_control(Operation& op, Cycle now);
  bool reads_conflict(const Operation& op) const;
  std::uint32_t read_element(Operation& op, unsigned slot, Cycle now);
  std::uint32_t read_wavelet(Operation& op, Cursor& cursor, Cycle now);
  std::uint32_t pop_fifo(Cursor& cursor);
  void write_element(Operation& op, std::uint32_t value, Cycle now);
  void write_wavelet(Operation& op, std::uint32_t value, Cycle now);
  void send(Operation& op, bool last, Cycle now);
  Color color_of(const Cursor& output) const;
  bool is_last(const Operation& op) const;
  void push_fifo(const Cursor& cursor, std::uint32_t value);
  FifoState& fifo_of(const Cursor& cursor) const { return extras_->fifos[cursor.fifo]; }
  std::uint32_t combine(Operation& op, std::uint32_t a, std::uint32_t b, std::uint32_t c);
  void stop_by_fifo(Operation& op, Cycle at);
  void complete(Operation& op, Cycle now);
  void write_back(Operation& op, Cycle now);
  void clear_source(Operation& op, Cycle now);

  // compute_engine_report.cpp: memory access with its checks; words for people
  std::uint32_t load(const Instruction& in, std::uint32_t address, unsigned bytes,
                     Cycle now) const {
    if (Sram::accepts(address, bytes)) return sram_.read(address, bytes);
    memory_error(in, address, bytes, "read", now);
    return 0;
  }
  void store(const Instruction& in, std::uint32_t address, unsigned bytes, std::uint32_t value,
             Cycle now) {
    if (Sram::accepts(address, bytes) && address >= program_->data_begin()) {
      sram_.write(address, bytes, value);
    } else {
      refuse_store(in, address, bytes, now);
    }
  }
  void refuse_store(const Instruction& in, std::uint32_t address, unsigned bytes, Cycle now) const;
  void memory_error(const Instruction& in, std::uint32_t address, unsigned bytes, const char* what,
                    Cycle now) const;
  std::string describe(const Operation& op) const;
  std::string progress_of(const Operation& op, Cycle now) const;
  std::string missing_operand(const Operation& op, Cycle now) const;
  std::string missing_source(const Operation& op, Cycle now) const;
  bool lacks_room(const Operation& op, Cycle now) const;
  void describe_tasks(observe::Waits& waits) const;
  std::string text_of(std::uint32_t pc, const std::string& what) const;
  [[noreturn]] void fail(Illegal rule, std::uint32_t pc, const std::string& what) const;

  // What a step looks at first.
  const std::shared_ptr<const DecodedImage> program_;
  std::unique_ptr<Operation> operations_;  // in progress, at most one a thread, by their start
  MainThread main_;
  bool putting_off_ = false;  // groups before the next wake-up are executed late
  bool step_every_group_ = false;
  bool flag_ = false;
  std::uint8_t last_issued_ = kMainThread;  // thread
  std::uint32_t wavelets_sent_ = 0;
  TaskTable tasks_;
  std::unique_ptr<Launch> launches_;  // by cycle
  std::unique_ptr<Extras> extras_;
  PeQueues& queues_;
  const observe::Probe probe_;

  Sram sram_;
  DsrFiles dsrs_;
  std::array<std::uint16_t, kRegisterCount> registers_{};
  Scoreboard scoreboard_;
  const TileCoord at_;
  std::uint32_t launches_open_ = 0;
  std::uint8_t blocked_microthreads_;  // one bit a microthread
  std::uint8_t control_mask_;          // of control transforms
  std::array<OutputUse, kMaxQueues> output_uses_{};
  observe::Diagnoses* diagnoses_ = nullptr;
  PeConfig* config_ = nullptr;
};

}  // namespace tessera::pe
