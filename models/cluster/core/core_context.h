// What the parts of an AI core share: which core it is, the kernel that it runs with its registers, the
// state of its pipes, what the present cycle sends to the sync unit and to GM, and what may be attached to
// the cores of a launch when they are built.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/core/pipe_state.h"
#include "models/cluster/due_list.h"
#include "models/cluster/hazards/hazards.h"
#include "models/cluster/memory/cluster_data.h"
#include "models/observe/event.h"
#include "models/observe/place_watch.h"
#include "models/observe/probe.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

/// Tells when the last core of a launch has finished its kernel.
class LaunchWatch {
 public:
  /// `on_end` is called while that core is stepped, with the cycle.
  explicit LaunchWatch(std::function<void(Cycle)> on_end) : on_end_(std::move(on_end)) {}
  /// The cores were reset.
  void reset() { busy_ = 0; }
  void core_starts() { ++busy_; }
  void core_finishes(Cycle now) {
    if (--busy_ == 0) on_end_(now);
  }
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(busy_);
  }

 private:
  std::function<void(Cycle)> on_end_;
  unsigned busy_ = 0;  // cores
};

/// Each may be absent. All belong to the same launch as the cores, and outlive them.
struct Attachments {
  observe::Sink* sink = nullptr;   ///< takes the events; places are CoreId::index()
  ClusterData* data = nullptr;     ///< the values of buffers and arrays; without it: timing only
  HazardWatch* hazards = nullptr;  ///< looks for hazards; it changes no cycle
  LaunchWatch* end = nullptr;
  InstructionSource* source =
      nullptr;  ///< gives the instructions of all cores, in place of programs
  const observe::ToldPlaces* told = nullptr;  ///< hears where the scalar units stand
};

/// What one cycle of a core did. The caller hands the requests to the sync unit and to GM, where they
/// arrive in cycle `due`, and steps the core again in cycle `next`, or earlier when an answer is due.
struct CoreStep {
  std::vector<Due<sync::Request>> asks;
  std::vector<Due<transfer::Transfer>> moves;
  Cycle next = kNever;
};

struct CoreContext {
  CoreContext(const ClusterConfig& cluster_config, const Launch& cluster_launch, CoreId id,
              const Attachments& attached)
      : config(cluster_config), launch(cluster_launch), core(id), probe(attached.sink, id.index()),
        data(attached.data), source(attached.source), told(attached.told),
        pipes(cluster_config.core) {}
  CoreContext(const CoreContext&) = delete;
  CoreContext& operator=(const CoreContext&) = delete;

  const Instruction& code(std::uint32_t pc) const { return program->code[pc]; }
  /// The operands of a tile operation or of an access to the scalar cache.
  const TileOperation& operation(const Instruction& i) const {
    return program->operations[i.operation - 1];
  }
  std::int64_t value(Operand o) const {
    return o.is_register ? registers[static_cast<std::size_t>(o.value)] : o.value;
  }
  /// The device whose GM an instruction accesses.
  unsigned device_of_gm(const Instruction& i) const {
    const unsigned own = launch.device_of(core);
    if (launch.devices == 1 || i.operation == 0) return own;
    for (const TileOperand& o : operation(i).operands)
      if (o.location == Location::kGm && o.array != kNoArray)
        return program->arrays[o.array].device;
    return own;
  }
  /// Cycles of the way to a device.
  unsigned link_to(unsigned device) const {
    return device == launch.device_of(core) ? 0 : config.core.cost.link_latency;
  }
  /// "set_flag(MTE2, V, 3) at k.pto:12".
  std::string at(std::uint32_t pc) const {
    return to_string(code(pc)) + " at " + program->where(pc);
  }
  /// Throws IllegalBehaviour of the rule `id` (legality.h) at an instruction.
  [[noreturn]] void illegal(std::uint32_t pc, const std::string& text, const char* id) const {
    throw IllegalBehaviour(
        program->where(pc) + ": " + to_string(core) + ", " + to_string(code(pc)) + ": " + text, id);
  }

  const ClusterConfig& config;
  const Launch& launch;
  const CoreId core;
  const observe::Probe probe;
  ClusterData* const data;                ///< nullptr: timing only
  InstructionSource* const source;        ///< nullptr: the program has all instructions
  const observe::ToldPlaces* const told;  ///< nullptr: nobody asks where the scalar unit stands
  /// The kernel that runs or ran last; nullptr before the first launch.
  std::shared_ptr<const Program> program;
  std::vector<std::int64_t> registers;
  Pipes pipes;
  CoreStep step;
  bool progressed = false;  ///< something has happened in this cycle: the next one is worth a step
};

}  // namespace tessera::cluster
