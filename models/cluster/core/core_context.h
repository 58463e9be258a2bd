// What the parts of an AI core share: which core it is, the kernel that it runs with its registers, the
// state of its pipes, and what the present cycle sends to the sync unit and to GM.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cluster/core/attachments.h"
#include "models/cluster/core/pipe_state.h"
#include "models/observe/event.h"
#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

/// What one cycle of a core did. The caller hands the requests to the sync unit and to GM, where they
/// arrive in cycle `due`, and steps the core again in cycle `next`, or earlier when an answer is due.
struct CoreStep {
  struct Ask {
    sync::Request request;
    Cycle due;
  };
  struct Move {
    transfer::Transfer transfer;
    Cycle due;
  };
  std::vector<Ask> asks;
  std::vector<Move> moves;
  Cycle next = kNever;
};

struct CoreContext {
  CoreContext(const ClusterConfig& cluster_config, const Launch& cluster_launch, CoreId id,
              const Attachments& attached)
      : config(cluster_config), launch(cluster_launch), core(id), probe(attached.sink, id.index()),
        data(attached.data), pipes(cluster_config.core) {}
  CoreContext(const CoreContext&) = delete;
  CoreContext& operator=(const CoreContext&) = delete;

  const Instruction& code(std::uint32_t pc) const { return program->code[pc]; }
  /// Of a tile operation or an access to the scalar cache.
  const TileOperation& operation(const Instruction& i) const {
    return program->operations[i.operation - 1];
  }
  std::int64_t value(Operand o) const {
    return o.is_register ? registers[static_cast<std::size_t>(o.value)] : o.value;
  }
  /// "set_flag(MTE2, V, 3) at k.pto:12".
  std::string at(std::uint32_t pc) const {
    return to_string(code(pc)) + " at " + program->where(pc);
  }
  /// Throws IllegalBehaviour of the rule `id` (illegal.h) at an instruction.
  [[noreturn]] void illegal(std::uint32_t pc, const std::string& text, const char* id) const {
    throw IllegalBehaviour(
        program->where(pc) + ": " + to_string(core) + ", " + to_string(code(pc)) + ": " + text, id);
  }

  const ClusterConfig& config;
  const Launch& launch;
  const CoreId core;
  const observe::Probe probe;
  ClusterData* const data;  ///< nullptr: timing only
  /// The kernel that runs or ran last; nullptr before the first launch.
  std::shared_ptr<const Program> program;
  std::vector<std::int64_t> registers;
  Pipes pipes;
  CoreStep step;
  bool progressed = false;  ///< something has happened in this cycle: the next one is worth a step
};

}  // namespace tessera::cluster
