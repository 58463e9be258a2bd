// Lowers one function for one kind of core; lower.h says what that means. Every operation goes to the
// part that its meaning belongs to: function_lowering.cpp has the table.
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
  /// `arrays`: those in GM that the kernel uses so far; grows.
  FunctionLowering(const FunctionKinds& kinds, const LowerOptions& options, cluster::CoreKind core,
                   const ReservedBuffers& reserved, const Diagnostics& diagnostics,
                   std::vector<cluster::GmArray>& arrays);
  FunctionLowering(const FunctionLowering&) = delete;
  FunctionLowering& operator=(const FunctionLowering&) = delete;

  cluster::Program run(const Function& function);
  /// The pipes to the other kind of core that the function opens; after run().
  std::vector<PipeEnd> take_pipe_ends() { return std::get<FifoLowering>(parts_).take_pipe_ends(); }

 private:
  void lower(const Operation& op);
  /// Of a function whose operations belong to both kinds of core: this one is not of ours.
  bool belongs_elsewhere(const Operation& op, const OperationInfo& info) const;
  void define_parameters(const Function& function);
  Value value_of(const Parameter& p, const Function& function);
  std::uint16_t array_of(const Parameter& p);

  LoweringContext context_;
  LoweringParts parts_;  // that work on context_
  std::vector<cluster::GmArray>& arrays_;
};

}  // namespace tessera::pto
