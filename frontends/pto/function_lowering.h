// Lowers one function for one kind of core (lower.h).
//
// Every part lowers one group of operations: ScalarLowering, ControlLowering, TileLowering,
// MoveLowering, ComputeLowering, SyncLowering and FifoLowering. The parts share a LoweringContext: the
// Emitter owns the program under construction, the Scope the names and values, TileMemory the bytes
// that tiles take. The table in function_lowering.cpp leads from the meaning of an operation
// (operations.h) to the method of a part that lowers it; a meaning without a handler does not compile.
#pragma once

#include <tuple>
#include <vector>

#include "frontends/pto/control_lowering.h"
#include "frontends/pto/fifo_lowering.h"
#include "frontends/pto/scalar_lowering.h"
#include "frontends/pto/sync_lowering.h"
#include "frontends/pto/tile_lowering.h"

namespace tessera::pto {

using LoweringParts = std::tuple<ScalarLowering, ControlLowering, TileLowering, MoveLowering,
                                 ComputeLowering, SyncLowering, FifoLowering>;

class FunctionLowering {
 public:
  /// Adds the arrays in GM that the function uses to `arrays`.
  FunctionLowering(const FunctionKinds& kinds, const LowerOptions& options, cluster::CoreKind core,
                   const ReservedBuffers& reserved, const Diagnostics& diagnostics,
                   std::vector<cluster::GmArray>& arrays);
  FunctionLowering(const FunctionLowering&) = delete;
  FunctionLowering& operator=(const FunctionLowering&) = delete;

  cluster::Program run(const Function& function);
  /// After run(): the ends of the pipes to the other kind of core.
  std::vector<PipeEnd> take_pipe_ends() { return std::get<FifoLowering>(parts_).take_pipe_ends(); }

 private:
  void lower(const Operation& op);
  /// Whether the other kind of core runs an operation of a function that both kinds run.
  bool belongs_elsewhere(const Operation& op, const OperationInfo& info) const;
  void define_parameters(const Function& function);
  Value value_of(const Parameter& p, const Function& function);
  std::uint16_t array_of(const Parameter& p);

  LoweringContext context_;
  LoweringParts parts_;  // all use context_
  std::vector<cluster::GmArray>& arrays_;
};

}  // namespace tessera::pto
