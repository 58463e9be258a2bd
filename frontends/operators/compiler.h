// Compiles a communication program for a machine: operators to streams, streams to slots, and for
// every phase boundary how each node knows that it may switch. The result is still in terms of the
// program; lower.h makes of it what the models run, tables.h what people read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/operators/phases.h"
#include "frontends/operators/program.h"
#include "frontends/operators/slots.h"
#include "frontends/operators/streams.h"
#include "frontends/operators/termination.h"

namespace tessera::operators {

struct CompiledPhase {
  /// By place in Phase::operators, then Phase::continuing.
  std::vector<OperatorStreams> operators;
  std::vector<std::vector<StreamSlots>> slots;  ///< by operator, then stream
  std::vector<Decision> decisions;              ///< by operator
  std::uint32_t length = 1;
  bool barrier = false;  ///< nobody leaves it before all have come to its end
  std::string barrier_why;
};

struct Compiled {
  PhasePlan plan;
  std::vector<CompiledPhase> phases;  ///< by phase of the plan
  std::vector<Nodes> region_nodes;    ///< by region, sorted: nodes that go through its phases
};

/// Throws UserError for a program that cannot be compiled for this machine.
Compiled compile(const Program& program, const Target& target);

/// Cycles for the words of a compiled phase: each thread takes its uses one after the other, every
/// use its words at the rate of its slowest stream (numesh.md 3.8).
std::uint64_t transfer_cycles(const Program& program, const Phase& phase,
                              const CompiledPhase& compiled, const Target& target);

}  // namespace tessera::operators
