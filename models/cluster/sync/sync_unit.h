// Cluster sync unit module: SyncUnitCore behind a sync socket for every core. Counting rules:
// sync_unit_core.h.
#pragma once

#include <systemc>

#include <vector>

#include "models/cluster/sync/sync_unit_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/sync/sync_kit.h"

namespace tessera::cluster {

class SyncUnit : public sc_core::sc_module, public timing::Steppable {
 public:
  /// A core asked through the socket of another one.
  static constexpr const char* kProtocolId = "/tessera/cluster/sync_protocol";

  /// By CoreId::index(), three a cluster. Places that the launch has no core for take a sync::Stub.
  sc_core::sc_vector<sync::TargetSocket> cores;

  /// Parameters as in SyncUnitCore.
  SyncUnit(sc_core::sc_module_name name, timing::ClockDomain& domain, const SyncConfig& config,
           const Launch& launch);

  const SyncUnitCore& core() const { return core_; }

  Cycle step(Cycle now) override;

 private:
  /// The sockets' side of one core.
  struct Port : sync::ForwardIf {
    SyncUnit* unit = nullptr;
    unsigned index = 0;
    void ask(const sync::Request& request, Cycle due) override { unit->ask(index, request, due); }
  };
  void end_of_elaboration() override;
  void ask(unsigned index, const sync::Request& request, Cycle due);

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  SyncUnitCore core_;
  std::vector<Port> ports_;
};

}  // namespace tessera::cluster
