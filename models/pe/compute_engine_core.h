// Compute engine of a PE (reference wse.md 3 to 6): in-order, one issue slot a cycle, tasks that
// run to completion, DSD operations on the main thread or on eight microthreads. Plain C++;
// `compute_engine.h` is its module.
//
// Order inside a cycle:
//   1. operations whose last group has had its time complete: they activate or unblock their
//      target and free their thread;
//   2. one candidate gets the issue slot: the main thread's next instruction, or the next group of
//      an operation whose operands are ready; the highest priority first, ties by the rule
//      PeTiming::issue (wse.md 4);
//   3. operations that this group ended and that take one cycle a group complete;
//   4. if the main thread has no task, the picker takes the next one (wse.md 3.3).
//
// A waiting engine sleeps: the queues wake it when a wavelet arrives or room is made.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/event.h"
#include "models/observe/event_fields.h"
#include "models/observe/wait.h"
#include "models/pe/dsr.h"
#include "models/pe/operation.h"
#include "models/pe/pe_queues.h"
#include "models/pe/pe_timing.h"
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

  /// Steps the engine through cycle `now`; returns the next cycle it wants (timing::Steppable).
  /// Throws IllegalBehaviour, with PE, source line and rule, where the machine's behaviour is
  /// undefined.
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
  static constexpr unsigned kLaunchedTask = observe::kLaunchedTask;
  static_assert(kLaunchedTask == kTaskCount, "no task id");
  /// Value of r15 at the start of a task: `ret` to it ends the task.
  static constexpr std::uint16_t kReturnEndsTask = 0xFFFF;

  // compute_engine_core.cpp: the cycle
  void complete_operations(Cycle now);
  void complete(Operation& op, Cycle now);
  std::optional<ThreadId> choose_thread(Cycle now) const;
  unsigned priority_of(ThreadId thread) const;
  bool can_issue(ThreadId thread, Cycle now) const;
  Cycle main_issue_at() const;
  void pick_task(Cycle now, bool ended_this_cycle);
  void start_task(unsigned id, std::uint32_t entry, Cycle first_issue, Cycle now);
  void end_task(Cycle now);
  Cycle next_wake(Cycle now) const;
  const Operation* find_operation(ThreadId thread) const;
  std::uint64_t data_tasks_with_wavelet(Cycle now) const;

  // compute_engine_scalar.cpp: one instruction of the main thread
  void issue_main(Cycle now);
  void execute_arithmetic(const Instruction& in, Cycle now);
  void execute_memory(const Instruction& in);
  void execute_branch(const Instruction& in, Cycle now);
  std::uint16_t checked_extent(const Dsd& dsd, std::uint32_t length) const;
  void execute_dsr(const Instruction& in, Cycle now);
  void execute_task_control(const Instruction& in);
  std::uint32_t read_operand(const Operand& operand) const;
  void write_register(const Operand& operand, std::uint32_t value, Cycle ready_at);
  Cycle operand_ready_at(const Operand& operand) const;
  void check_store(std::uint32_t pc, std::uint32_t address) const;
  std::uint32_t effective_address(const Operand& mem, unsigned bytes) const;

  // compute_engine_vector.cpp: DSD operations
  void dispatch(const Instruction& in, Cycle now);
  Cursor make_cursor(const Operand& operand, bool destination);
  void set_length(Operation& op, const Instruction& in);
  void set_rate(Operation& op);
  ThreadId microthread_for(const Operation& op) const;
  void check_sources(const Operation& op) const;
  void require_free(const Operation& op) const;
  bool operands_ready(const Operation& op, Cycle now) const;
  void execute_group(Operation& op, Cycle now);
  std::uint32_t read_element(Operation& op, Cursor& cursor, unsigned bytes, Cycle now);
  void write_element(Operation& op, std::uint32_t value, unsigned bytes, Cycle now);
  void write_back(Operation& op, Cycle now);
  unsigned group_size(const Operation& op) const;
  std::string describe(const Operation& op) const;
  std::string progress_of(const Operation& op, Cycle now) const;

  [[noreturn]] void fail(std::uint32_t pc, const std::string& what) const;

  const TileCoord at_;
  const std::shared_ptr<const Image> image_;
  const PeTiming& timing_;
  PeQueues& queues_;
  const observe::Probe probe_;

  Sram sram_;
  DsrFiles dsrs_;
  TaskTable tasks_;
  MainThread main_;
  std::array<std::uint16_t, kRegisterCount> registers_{};
  std::array<Cycle, kRegisterCount> register_ready_at_{};
  bool flag_ = false;
  Cycle flag_ready_at_ = 0;
  std::vector<Operation> operations_;  // in progress, at most one a thread
  ThreadId last_issued_ = kMainThread;
  std::deque<LaunchRequest> launches_;
  unsigned launches_open_ = 0;
  std::uint32_t wavelets_sent_ = 0;
};

}  // namespace tessera::pe
