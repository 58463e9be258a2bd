// A scheduled mesh in one module: MeshCore as one block of a clock domain. For scale; node_mesh.h
// is the same of a module per node, with the same events in the same cycles.
#pragma once

#include <systemc>

#include "models/scheduled/mesh_core.h"
#include "models/timing/clock_domain.h"

namespace tessera::scheduled {

class Mesh : public sc_core::sc_module, public timing::Steppable {
 public:
  /// Parameters and exceptions as MeshCore.
  Mesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
       observe::EventStream* events, WordChecker* checker);

  const MeshCore& core() const { return core_; }
  Cycle step(Cycle now) override { return core_.step(now); }

 private:
  void start_of_simulation() override { domain_.wake(block_, 0); }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  MeshCore core_;
};

}  // namespace tessera::scheduled
