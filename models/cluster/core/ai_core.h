// AI core (reference ascend.md 1.2, 2): an AIC or an AIV. Its scalar unit takes the program in order and
// puts instructions into the queues of the pipes; every pipe takes its queue in order; flags and locks
// order the pipes. Plain C++; modular_cluster.h has its module.
//
// Order inside a cycle `now`:
//   1. answers of the sync unit and of GM that are due by now are taken;
//   2. what earlier cycles have set in motion happens (core_sync.h);
//   3. every pipe starts the instruction at the head of its queue, if it can (tile_pipes.h). What the
//      scalar unit queues is seen from the next cycle on;
//   4. the scalar unit takes an instruction (scalar_unit.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/core_sync.h"
#include "models/cluster/core/core_waits.h"
#include "models/cluster/core/operation_order.h"
#include "models/cluster/core/scalar_unit.h"
#include "models/cluster/core/tile_operands.h"
#include "models/cluster/core/tile_pipes.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

class AiCore {
 public:
  /// `config` and `launch` outlive the core. Throws UserError for a configuration that check_config
  /// refuses.
  AiCore(const ClusterConfig& config, const Launch& launch, CoreId core,
         const Attachments& attached);

  /// Starts a kernel in cycle `at`: the core wants to be stepped then. The kernel before it must be
  /// finished; its flags stay (ascend.md 2.2). Throws UserError for a program that check_program
  /// refuses, std::logic_error when the core is busy.
  void launch(std::shared_ptr<const Program> program, Cycle at);
  /// An answer that may be seen from cycle `due` on: the core wants to be stepped then.
  void answer(const sync::Answer& answer, Cycle due) { received_.add(answer, due); }
  void done(const transfer::Done& done, Cycle due) { received_.add(done, due); }
  /// Does the work of cycle `now`; the result holds until the next call. Throws IllegalBehaviour.
  const CoreStep& step(Cycle now);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

  // --- looking in ---

  CoreId id() const { return context_.core; }
  /// The kernel has ended and all pipes have completed what they had. True before the first launch.
  bool finished() const { return finished_; }
  /// Nothing but that is left: the scalar unit has ended, and no pipe has an instruction to begin.
  bool is_ending() const;
  /// The cycle in which the kernel finished.
  Cycle finished_at() const { return finished_at_; }
  const PipeStats& stats(Pipe pipe) const { return context_.pipes[pipe].stats; }
  /// Statistics of the instructions of program(), by pc.
  const std::vector<LineStats>& lines() const { return context_.pipes.lines; }
  /// Whether an operation of a pipe is under way in cycle `now`.
  bool is_busy(Pipe pipe, Cycle now) const {
    return context_.pipes[pipe].moving || context_.pipes[pipe].busy_until > now;
  }
  /// Counts of a tile operation.
  const PathStats& path(Opcode op) const { return tile_pipes_.path(op); }
  /// Its queue, and what holds it back.
  const PipeState& pipe(Pipe pipe) const { return context_.pipes[pipe]; }
  const CoreSync& sync() const { return sync_; }
  const ScalarMemory& scalar_memory() const { return scalar_.memory(); }
  std::int64_t reg(unsigned number) const { return context_.registers[number]; }
  const std::vector<std::int64_t>& registers() const { return context_.registers; }
  /// For a debugger, between two cycles.
  void set_register(unsigned number, std::int64_t value) { context_.registers[number] = value; }
  /// The instruction that the scalar unit takes next; no value: it has ended.
  std::optional<std::uint32_t> pc() const {
    if (scalar_.ended()) return std::nullopt;
    return scalar_.pc();
  }
  /// The kernel that runs or ran last; nullptr before the first launch.
  const Program* program() const { return context_.program.get(); }
  /// For deadlock reports.
  CoreWaits waits() const { return {context_, scalar_, sync_}; }

 private:
  void note_finished(Cycle now);
  Cycle next_wake(Cycle now) const;

  CoreContext context_;
  OperationOrder order_;
  TileOperands operands_;
  CoreSync sync_;
  TilePipes tile_pipes_;
  ScalarUnit scalar_;
  LaunchWatch* const watch_;  // nullptr: nobody asks when the launch has ended
  // Answers of the sync unit and of GM.
  DueList<std::variant<sync::Answer, transfer::Done>> received_;
  bool finished_ = true;
  Cycle finished_at_ = 0;
};

}  // namespace tessera::cluster
