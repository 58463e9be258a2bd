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
// A waiting engine sleeps: the queues wake it when a wavelet arrives or room is made.
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
#include "models/pe/sram.h"
#include "models/pe/task_table.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::pe {

class ComputeEngineCore {
 public:
  /// `timing` and `queues` must outlive the engine. The data of `image` is placed in SRAM.
  ComputeEngineCore(TileCoord at, std::shared_ptr<const Image> image, const PeTiming& timing,
                    PeQueues& queues, observe::Probe probe);

  /// How the program reaches the registers of its router; must outlive the engine. Default: there
  /// is no router, and an access is illegal.
  void set_config(PeConfig* config) { config_ = config; }
  /// The router says that `color` has entered teardown (wse.md 1.9). From cycle `due` on the color
  /// is pending and the teardown task active.
  void teardown(Color color, Cycle due) { teardowns_.push_back({color, due}); }

  /// Where remarks go on a program that goes on (PeTiming::memory_errors). Default: nowhere.
  void set_diagnoses(observe::Diagnoses* diagnoses) { diagnoses_ = diagnoses; }

  /// Steps the engine through cycle `now`; returns the next cycle it wants (timing::Steppable).
  /// Throws IllegalBehaviour, with PE, source line and the id of the rule (illegal.h), where the
  /// machine's behaviour is undefined.
  Cycle step(Cycle now);

  /// Runs `function` as soon as the main thread is free, from cycle `at` on: what a host launch
  /// does. Each argument goes to a register pair: d0, d2, d4, d6.
  void launch(const Function& function, const std::vector<std::uint32_t>& arguments, Cycle at);
  static constexpr unsigned kMaxLaunchArguments = 4;
  /// Launches that have not run to their end.
  unsigned launches_open() const { return launches_open_; }

  Sram& sram() { return sram_; }
  const Sram& sram() const { return sram_; }
  const Image& image() const { return *image_; }

  /// Who is stuck, for a deadlock report: operations, blocked active tasks; and, as not blocking,
  /// data tasks that wait for a wavelet.
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  struct LaunchRequest {
    std::uint32_t entry = 0;
    std::vector<std::uint32_t> arguments;
    Cycle at = 0;
  };
  /// What the main thread executes. No value: it is free.
  struct MainThread {
    std::optional<unsigned> task;  ///< task id, or kLaunchedTask
    std::uint32_t pc = 0;
    Cycle ready_at = 0;  ///< earliest cycle of the next issue, or of the next task's start
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
    unsigned capacity = 0;  ///< 0: not used yet
    Color color;
  };
  static constexpr unsigned kLaunchedTask = observe::kLaunchedTask;
  static_assert(kLaunchedTask == kTaskCount, "no task id");
  /// Value of r15 at the start of a task: `ret` to it ends the task.
  static constexpr std::uint16_t kReturnEndsTask = 0xFFFF;
  /// Instead of an instruction, for messages about none.
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  // compute_engine_core.cpp: the cycle
  void complete_operations(Cycle now);
  std::optional<ThreadId> choose_thread(Cycle now) const;
  unsigned priority_of(ThreadId thread, Cycle now) const;
  bool can_issue(ThreadId thread, Cycle now) const;
  Cycle main_issue_at() const;
  Cycle next_wake(Cycle now, bool acted) const;
  const Operation* find_operation(ThreadId thread) const;
  bool is_blocked(ThreadId thread) const { return (blocked_microthreads_ >> thread & 1U) != 0; }

  // compute_engine_tasks.cpp: tasks start and end
  void pick_task(Cycle now, bool ended_this_cycle);
  Runnables runnable_by_wavelet(Cycle now) const;
  const TaskBinding* task_for_head(const QueueBinding& queue, Cycle now) const;
  bool drop_idle_controls(Cycle now);
  bool taken_on_control(QueueId queue) const;
  void start_task(unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now);
  void end_task(Cycle now);

  // compute_engine_scalar.cpp: one instruction of the main thread
  void issue_main(Cycle now);
  void execute_arithmetic(const Instruction& in, Cycle now);
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
  Cycle operand_ready_at(const Operand& operand) const;

  // compute_engine_dsr.cpp: loads and changes of DSRs
  void execute_dsr(const Instruction& in, Cycle now);
  void set_address(Dsr& dsr, std::uint32_t address);
  void set_length(Dsr& dsr, std::uint32_t length);
  void set_stride(Dsr& dsr, std::uint32_t stride);

  // compute_engine_dispatch.cpp: an operation starts
  void dispatch(const Instruction& in, Cycle now);
  bool single_step_exhausted(Operation& op);
  void merge_config(Operation& op);
  Cursor make_cursor(const Operation& op, unsigned slot);
  Cursor make_scalar_cursor(const Operand& operand, unsigned bytes, bool destination) const;
  Cursor make_fabric_cursor(const Operation& op, const Dsr& dsr, bool destination, unsigned bytes);
  Cursor make_fifo_cursor(const Dsr& dsr, unsigned bytes) const;
  Cursor make_memory_cursor(const Operation& op, const Dsr& dsr, unsigned bytes) const;
  void set_length(Operation& op);
  void set_rate(Operation& op);
  void set_zeroed(Operation& op);
  ThreadId microthread_for(const Operation& op) const;
  Priority priority_for(const Operation& op) const;
  void check_sources(const Operation& op) const;
  void require_free(const Operation& op) const;
  void check_queue_reuse(const Operation& op, Cycle now);

  // compute_engine_vector.cpp: its groups and its end
  bool operands_ready(const Operation& op, Cycle now) const;
  std::uint32_t group_size(const Operation& op, Cycle now) const;
  bool fabric_ready(const Operation& op, std::uint32_t elements, Cycle now) const;
  const Cursor* source_at_control(const Operation& op, Cycle now) const;
  bool head_goes_to_task(const Operation& op, Cycle now) const;
  std::uint32_t fabric_elements(const Operation& op, Cycle now) const;
  std::uint32_t fifo_elements(const Operation& op, const Cursor& cursor) const;
  void take_fifo_actions(Cycle now);
  void take_fifo_action(Operation& op, Cycle now);
  void meet_shortage(Operation& op, bool empty, const Cursor& cursor, Cycle now);
  void execute_group(Operation& op, Cycle now);
  void filter_wavelet(Operation& op, Cycle now);
  bool meets_control(Operation& op, Cycle now);
  bool reads_conflict(const Operation& op) const;
  std::uint32_t read_element(Operation& op, unsigned slot, Cycle now);
  std::uint32_t read_wavelet(Operation& op, Cursor& cursor, Cycle now);
  std::uint32_t pop_fifo(Cursor& cursor);
  void write_element(Operation& op, std::uint32_t value, Cycle now);
  void write_wavelet(Operation& op, std::uint32_t value, Cycle now);
  void send(Operation& op, bool last, Cycle now);
  bool is_last(const Operation& op) const;
  void push_fifo(const Cursor& cursor, std::uint32_t value);
  std::uint32_t combine(Operation& op, std::uint32_t a, std::uint32_t b, std::uint32_t c);
  void stop_by_fifo(Operation& op, Cycle at);
  void complete(Operation& op, Cycle now);
  void write_back(Operation& op, Cycle now);
  void clear_source(Operation& op, Cycle now);

  // compute_engine_report.cpp: memory access with its checks; words for people
  std::uint32_t load(std::uint32_t pc, std::uint32_t address, unsigned bytes, Cycle now);
  void store(std::uint32_t pc, std::uint32_t address, unsigned bytes, std::uint32_t value,
             Cycle now);
  void memory_error(std::uint32_t pc, std::uint32_t address, unsigned bytes, const char* what,
                    Cycle now) const;
  std::string describe(const Operation& op) const;
  std::string progress_of(const Operation& op, Cycle now) const;
  std::string missing_operand(const Operation& op, Cycle now) const;
  std::string missing_source(const Operation& op, Cycle now) const;
  bool lacks_room(const Operation& op, Cycle now) const;
  void describe_tasks(observe::Waits& waits) const;
  std::string text_of(std::uint32_t pc, const std::string& what) const;
  [[noreturn]] void fail(Illegal rule, std::uint32_t pc, const std::string& what) const;

  const TileCoord at_;
  const std::shared_ptr<const Image> image_;
  const PeTiming& timing_;
  PeQueues& queues_;
  const observe::Probe probe_;

  observe::Diagnoses* diagnoses_ = nullptr;
  PeConfig* config_ = nullptr;
  Sram sram_;
  DsrFiles dsrs_;
  std::vector<FifoState> fifos_;  // as in Image::fifos
  TaskTable tasks_;
  Prng prng_;
  MainThread main_;
  std::array<std::uint16_t, kRegisterCount> registers_{};
  std::array<Cycle, kRegisterCount> register_ready_at_{};
  bool flag_ = false;
  Cycle flag_ready_at_ = 0;
  std::vector<Operation> operations_;  // in progress, at most one a thread
  ThreadId last_issued_ = kMainThread;
  Delayed<MainPriority> main_priority_;
  std::uint8_t blocked_microthreads_;    // one bit a microthread
  std::uint8_t control_mask_;            // of control transforms
  std::vector<LaunchRequest> launches_;  // by cycle
  unsigned launches_open_ = 0;
  std::array<OutputUse, kMaxQueues> output_uses_{};
  std::array<std::optional<Color>, kMaxQueues> output_colors_;  // bound at run time (WSE-3)
  Flush input_flush_;
  Flush output_flush_;
  std::vector<TeardownNotice> teardowns_;  // on their way
  std::uint32_t teardowns_pending_ = 0;    // one bit a color
  std::uint32_t wavelets_sent_ = 0;
};

}  // namespace tessera::pe
