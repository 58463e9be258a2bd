// Compiles a communication program for a machine: operators to streams, streams to slots, and for
// every phase boundary how each node knows that it may switch. The result is still in terms of the
// program; `lower` makes of it what the models run.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "frontends/operators/memory.h"
#include "frontends/operators/phases.h"
#include "frontends/operators/program.h"
#include "frontends/operators/slots.h"
#include "frontends/operators/streams.h"
#include "frontends/operators/termination.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

struct CompiledPhase {
  /// By the operator's place in Phase::operators, then in Phase::continuing.
  std::vector<OperatorStreams> operators;
  std::vector<std::vector<StreamSlots>> slots;  ///< by operator, then stream
  std::vector<Decision> decisions;              ///< by operator
  std::uint32_t length = 1;
  bool barrier = false;  ///< nobody leaves the phase before all have come to its end
  std::string barrier_why;
};

struct Compiled {
  PhasePlan plan;
  std::vector<CompiledPhase> phases;  ///< by phase of the plan
  std::vector<Nodes> region_nodes;    ///< by region, sorted: the nodes that go through its phases
};

/// Techniques of operators that leave the choice to the compiler: by phase of the plan, then place in
/// Phase::operators. Phases and operators that it does not have are left to Phase::preferred.
using Preferences = std::vector<std::vector<Technique>>;

/// Throws UserError for a program that cannot be compiled for this machine.
Compiled compile(const Program& program, const Target& target, const Preferences& preferred = {});

/// A compiled communication program as what the models run: VFSMs, schedules, addresses and tasks
/// (lower.cpp). Throws UserError when a node needs more VFSMs or addresses than the machine has.
scheduled::Program lower(const Program& program, const Compiled& compiled, const Target& target,
                         const MemoryMap& map);

// What was compiled, for people: phases, techniques and why, delays, costs; and the schedules as
// tables, a row a node and a column a slot (tables.cpp).

/// Which technique every operator of every phase got, why, the threshold, the delays and the cost.
void print_decisions(std::ostream& out, const Program& program, const Compiled& compiled);

/// The schedule of every phase. A cell names the stream and where its word goes: "a >+x" to the
/// neighbour, "a >me" to the own processor, "a hold" into a delay element, "." nothing.
void print_schedules(std::ostream& out, const Program& program, const Compiled& compiled);

}  // namespace tessera::operators
