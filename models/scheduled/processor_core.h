// Processor of a scheduled mesh node (reference numesh.md 1.4, 3, rule R8 of 6.1): runs the tasks
// of the phases of its node and switches the router. Plain C++.
//
// Order inside a cycle `now`, one step():
//   1. the tasks of a phase whose schedule comes into force now start; schedules of the phases to
//      come are loaded while the memory has room (1.5);
//   2. an interrupt that is due takes the processor (all tasks stand still for its length), unless
//      a message-bound task or a barrier holds it off (3.3, Rules::suspend_interrupts);
//   3. the software router, if the node has one (online_router_core.h), then the tasks, do their
//      I/O: up to Rules::io_per_cycle words. Tasks take turns: the first asked is the one after
//      the last that got an I/O. A task does one step after the other; I/O blocks it until the
//      queue allows;
//   4. if all tasks of the phase have returned, and what their techniques ask for has come to pass,
//      the router is told to switch: the next cycle runs the next schedule (R10).
//
// "Return" is the cycle after the last I/O plus what the last step costs beyond 1 (R8).
#pragma once

#include <boost/container/flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/probe.h"
#include "models/observe/wait.h"
#include "models/scheduled/barriers.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/online_router_core.h"
#include "models/scheduled/processor_waits.h"
#include "models/scheduled/program.h"
#include "models/scheduled/router_core.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

/// A task under way: where it is in its blocks, before a step or over.
class TaskThread {
 public:
  TaskThread() = default;  // to be restored: visit()
  TaskThread(const Task& of, std::uint32_t turn_, std::uint32_t number_, std::uint32_t epoch_,
             Cycle now)
      : task(&of), turn(turn_), number(number_), epoch(epoch_), ready_at(now) {
    settle();
  }

  bool is_over() const { return block_ == task->blocks.size(); }
  /// The step to do next, its block, and how often that has been done. Requires !is_over().
  const Step& step() const { return block().steps[step_]; }
  const Block& block() const { return task->blocks[block_]; }
  std::uint32_t iteration() const { return iteration_; }
  /// The step is done; what follows may begin in cycle `ready`.
  void advance() {
    ++step_;
    settle();
  }

  /// For checkpoints: `task` is the one of `turn` and `number`.
  void visit(state::Archive& archive, const Node& node);

  const Task* task = nullptr;
  std::uint32_t turn = 0;    ///< the turn in which it began
  std::uint32_t number = 0;  ///< number of the task in that turn
  std::uint32_t epoch = 0;   ///< epoch of that turn
  Cycle ready_at = 0;        ///< when the next step may be done; if it is over, cycle of the return
  bool pauses = false;       ///< up to ready_at it does nothing: Step::Kind::kWaitUntil

 private:
  // Leaves finished blocks behind.
  void settle() {
    for (; block_ < task->blocks.size(); ++block_, iteration_ = 0) {
      const Block& block = task->blocks[block_];
      if (block.steps.empty()) continue;
      if (step_ == block.steps.size()) {
        step_ = 0;
        ++iteration_;
      }
      if (iteration_ < block.repeat) return;
    }
  }

  std::size_t block_ = 0;
  std::uint32_t iteration_ = 0;
  std::size_t step_ = 0;
};

/// Node::memory as the steps of tasks use it.
class NodeMemory {
 public:
  explicit NodeMemory(std::vector<std::uint32_t> words) : words_(std::move(words)) {}

  const std::vector<std::uint32_t>& words() const { return words_; }
  std::vector<std::uint32_t>& words() { return words_; }
  /// The word `first` of a step (Step::data or Step::from), in the present iteration of its thread.
  std::uint32_t& at(std::int32_t first, const TaskThread& thread) {
    return words_[static_cast<std::size_t>(first + std::int64_t{thread.step().stride} *
                                                       thread.iteration())];
  }
  /// memory[data] = memory[data] (op) operand.
  void combine(const TaskThread& thread, std::uint32_t operand) {
    std::uint32_t& word = at(thread.step().data, thread);
    const auto a = static_cast<std::int32_t>(word);
    const auto b = static_cast<std::int32_t>(operand);
    switch (thread.step().combine) {
    case Combine::kReplace:
      word = operand;
      return;
    case Combine::kAdd:
      word += operand;
      return;
    case Combine::kMax:
      word = static_cast<std::uint32_t>(std::max(a, b));
      return;
    case Combine::kMin:
      word = static_cast<std::uint32_t>(std::min(a, b));
      return;
    }
  }

 private:
  std::vector<std::uint32_t> words_;
};

class ProcessorCore {
 public:
  struct Result {
    Cycle next = kNever;    ///< next cycle it wants whatever its router does
    bool wrote = false;     ///< the router wants to be stepped in now + 1: a word or a switch
    bool progress = false;  ///< something happened
  };

  /// All outlive the processor.
  ProcessorCore(const Program& program, NodeId at, Interface& interface, RouterCore& router,
                Barriers& barriers, observe::Probe probe);

  /// Does the work of cycle `now`. It must be stepped in cycle 0, in the cycle it asked for, the
  /// cycle after a queue changed or a marker left the router, and when its barrier is released. A
  /// step in which nothing is due changes nothing.
  Result step(Cycle now);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

  // --- looking in

  /// Every phase is over and every task has returned.
  bool finished() const { return finished_at_ != kNever; }
  Cycle finished_at() const { return finished_at_; }
  /// Nothing but the end of its last phase is left to it.
  bool is_ending() const;
  /// Number of the turn it is in.
  std::size_t turn() const { return turn_; }
  /// Cycle in which task `task` of turn `turn` returned; kNever: not yet.
  Cycle returned_at(std::size_t turn, std::size_t task) const { return returns_[turn][task]; }
  /// Cycle in which turn `turn` ended: the switch was commanded, or the last turn was over.
  Cycle ended_at(std::size_t turn) const { return ends_[turn]; }
  const std::vector<std::uint32_t>& memory() const { return memory_.words(); }
  /// For a host, between two cycles. Its size must stay.
  std::vector<std::uint32_t>& memory() { return memory_.words(); }
  std::uint64_t words_written() const { return written_; }
  std::uint64_t words_read() const { return read_; }
  /// What it did with its cycles.
  const ProcessorWaits& waits() const { return waits_; }
  /// For a deadlock report: every task that waits, with the stream and phase it waits in.
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  enum class Outcome : std::uint8_t { kDone, kBlocked };

  Result do_cycle(Cycle now);

  const NodePhase& phase() const { return node_.phases[node_.turns[turn_].phase]; }
  Index schedule_of(std::size_t turn) const {
    return node_.phases[node_.turns[turn].phase].schedule;
  }

  void start_turn(Cycle now);
  void load_ahead(Cycle now);
  void command(Index schedule, std::uint32_t epoch, Cycle now);
  bool holds_off_interrupts() const;
  void take_interrupts(Cycle now);
  void take_late_interrupts(Cycle now);
  void run_tasks(Cycle now, Result& out);
  void run_task(TaskThread& thread, Cycle now, Result& out);
  Outcome do_step(TaskThread& thread, Cycle now, Result& out);
  Outcome write(const TaskThread& thread, Cycle now, Result& out);
  Outcome read(const TaskThread& thread, Cycle now);
  Outcome control(const Step& step, Cycle now, Result& out);
  void send(const TaskThread& thread);
  Outcome receive(const TaskThread& thread);
  void note_return(const TaskThread& thread) {
    if (thread.is_over()) returns_[thread.turn][thread.number] = thread.ready_at;
  }
  Cycle all_returned(Cycle now) const;
  void end_turn(Cycle now, Result& out);
  Cycle next_step(Cycle now, const Result& out) const;
  ProcessorWaits::Line what_it_does(Cycle now) const;
  std::string what_it_waits_for(const TaskThread& thread) const;
  std::string what_the_turn_waits_for(Cycle now) const;

  const Program& program_;
  const Node& node_;
  const NodeId at_;
  Interface& interface_;
  RouterCore& router_;
  TurnBarrier barrier_;
  observe::Probe probe_;
  OnlineRouterCore online_;

  std::size_t turn_ = 0;
  Cycle turn_from_ = 0;     // cycle in which its tasks start
  bool started_ = false;    // tasks have started
  std::size_t loaded_ = 0;  // the memory keeps the schedules of the turns up to this one
  std::vector<TaskThread> threads_;
  std::size_t next_thread_ = 0;  // the first to be asked for I/O
  std::uint32_t budget_ = 0;     // I/Os left in this cycle
  Cycle stalled_until_ = 0;
  std::size_t next_interrupt_ = 0;
  boost::container::flat_map<StreamId, std::uint32_t> counts_;  // words written
  NodeMemory memory_;
  std::vector<std::uint32_t> message_;       // room to copy into
  std::vector<std::vector<Cycle>> returns_;  // by turn and task
  std::vector<Cycle> ends_;
  Cycle finished_at_ = kNever;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  ProcessorWaits waits_;
};

}  // namespace tessera::scheduled
