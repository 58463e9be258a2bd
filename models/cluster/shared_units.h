// The units that all cores of a launch share, as modules: the cluster sync unit and GM/L2. Each is its
// plain core, sync_unit_core.h or gm_core.h, behind a socket for every core.
#pragma once

#include <systemc>

#include <vector>

#include "models/cluster/memory/gm_core.h"
#include "models/cluster/sync/sync_unit_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::cluster {

/// The unit's side of the socket of one core.
template <class Unit>
struct SyncPort : sync::ForwardIf {
  void ask(const sync::Request& request, Cycle due) override { unit->receive(index, request, due); }
  Unit* unit = nullptr;
  unsigned index = 0;
};
template <class Unit>
struct TransferPort : transfer::ForwardIf {
  void start(const transfer::Transfer& t, Cycle due) override { unit->receive(index, t, due); }
  Unit* unit = nullptr;
  unsigned index = 0;
};

/// `Port`: SyncPort or TransferPort.
template <class Core, class Kit, template <class> class Port>
class SharedUnit : public sc_core::sc_module, public timing::Steppable {
 public:
  /// By CoreId::index(), three a cluster. Places that the launch has no core for take a Stub.
  sc_core::sc_vector<kit::TargetSocket<Kit>> cores;

  const Core& core() const { return core_; }

  Cycle step(Cycle now) override;

 protected:
  /// `protocol_id`: of the report that a core asked through the socket of another one.
  SharedUnit(sc_core::sc_module_name name, timing::ClockDomain& domain, const char* protocol_id,
             unsigned clusters, Core core);

 private:
  friend Port<SharedUnit>;
  void end_of_elaboration() override;
  template <class Request>
  void receive(unsigned index, const Request& request, Cycle due);

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const char* const protocol_id_;
  Core core_;
  std::vector<Port<SharedUnit>> ports_;
};

class SyncUnit : public SharedUnit<SyncUnitCore, sync::Kit, SyncPort> {
 public:
  static constexpr const char* kProtocolId = "/tessera/cluster/sync_protocol";

  /// Parameters as in SyncUnitCore.
  SyncUnit(sc_core::sc_module_name name, timing::ClockDomain& domain, const SyncConfig& config,
           const Launch& launch)
      : SharedUnit(name, domain, kProtocolId, launch.clusters, SyncUnitCore(config, launch)) {}
};

class Gm : public SharedUnit<GmCore, transfer::Kit, TransferPort> {
 public:
  static constexpr const char* kProtocolId = "/tessera/cluster/gm_protocol";

  Gm(sc_core::sc_module_name name, timing::ClockDomain& domain, const CostConfig& config,
     unsigned clusters)
      : SharedUnit(name, domain, kProtocolId, clusters, GmCore(config)) {}
};

}  // namespace tessera::cluster
