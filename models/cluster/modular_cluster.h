// The AI cores of a launch, their sync unit and GM, a module each, bound by sockets. For reading, for
// probing, and for putting something else in place of a block. cluster.h is the same in one module.
#pragma once

#include <systemc>

#include <memory>
#include <optional>
#include <vector>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/machine_view.h"
#include "models/cluster/memory/gm_core.h"
#include "models/cluster/sync/sync_unit_core.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::cluster {

/// AiCore behind a sync and a transfer socket. Cycle rules: ai_core.h.
class AiCoreModule : public sc_core::sc_module,
                     public timing::Steppable,
                     private sync::BackwardIf,
                     private transfer::BackwardIf {
 public:
  sync::InitiatorSocket sync{"sync"};  ///< to the sync unit
  transfer::InitiatorSocket gm{"gm"};  ///< to GM/L2

  /// `config` and `launch` outlive the module; other parameters as in AiCore.
  AiCoreModule(sc_core::sc_module_name name, timing::ClockDomain& domain,
               const ClusterConfig& config, const Launch& launch, CoreId core,
               const Attachments& attached);

  /// See AiCore::launch. `at` is put off to the next cycle that has not been stepped.
  void launch(std::shared_ptr<const Program> program, Cycle at);
  const AiCore& core() const { return *core_; }
  /// See Cluster::reset.
  void reset(const ClusterConfig& config, const Launch& launch, const Attachments& attached) {
    const CoreId id = core_->id();
    core_.emplace(config, launch, id, attached);
  }

  void visit(state::Archive& archive) { core_->visit(archive); }

  Cycle step(Cycle now) override;

 private:
  void end_of_elaboration() override;
  void answer(const sync::Answer& answer, Cycle due) override;
  void done(const transfer::Done& done, Cycle due) override;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  std::optional<AiCore> core_;  // always there; made anew by reset()
};

/// The unit's side of the socket of one core: hands requests to the unit and its answers to the cores.
template <class Unit>
struct SyncPort : sync::ForwardIf {
  void ask(const sync::Request& request, Cycle due) override {
    unit->receive(index, request, due, &SyncUnitCore::ask);
  }
  template <class Sockets>
  static void give(Sockets& cores, const Due<sync::Answer>& a) {
    cores[a.item.request.core.index()]->answer(a.item, a.due);
  }
  Unit* unit = nullptr;
  unsigned index = 0;
};
template <class Unit>
struct TransferPort : transfer::ForwardIf {
  void start(const transfer::Transfer& t, Cycle due) override {
    unit->receive(index, t, due, &GmCore::start);
  }
  template <class Sockets>
  static void give(Sockets& cores, const Due<transfer::Done>& a) {
    cores[a.item.core.index()]->done(a.item, a.due);
  }
  Unit* unit = nullptr;
  unsigned index = 0;
};

/// A unit that all cores of a launch share, its plain core behind a socket for every AI core. `Port`:
/// SyncPort or TransferPort.
template <class Core, class Kit, template <class> class Port>
class SharedUnit : public sc_core::sc_module, public timing::Steppable {
 public:
  /// By CoreId::index(), three a cluster. Places that the launch has no core for take a Stub.
  sc_core::sc_vector<kit::TargetSocket<Kit>> cores;

  const Core& core() const { return *core_; }
  /// See Cluster::reset; `parameters` are those of the core.
  template <class... Parameters>
  void reset(const Parameters&... parameters) {
    core_.emplace(parameters...);
  }

  void visit(state::Archive& archive) { core_->visit(archive); }

  Cycle step(Cycle now) override {
    const typename Core::Step& step = core_->step(now);
    for (const auto& answer : step.answers) Port<SharedUnit>::give(cores, answer);
    return step.next;
  }

 protected:
  /// `protocol_id` is the id of the report that a core asked through the socket of another one.
  SharedUnit(sc_core::sc_module_name name, timing::ClockDomain& domain, const char* protocol_id,
             unsigned clusters, Core core);

 private:
  friend Port<SharedUnit>;
  void end_of_elaboration() override;
  template <class Request>
  void receive(unsigned index, const Request& request, Cycle due,
               void (Core::*take)(const Request&, Cycle));

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const char* const protocol_id_;
  std::optional<Core> core_;  // always there; made anew by reset()
  std::vector<Port<SharedUnit>> ports_;
};

/// The cluster sync unit (sync_unit_core.h).
class SyncUnit : public SharedUnit<SyncUnitCore, sync::Kit, SyncPort> {
 public:
  static constexpr const char* kProtocolId = "/tessera/cluster/sync_protocol";

  /// Parameters as in SyncUnitCore.
  SyncUnit(sc_core::sc_module_name name, timing::ClockDomain& domain, const SyncConfig& config,
           const Launch& launch)
      : SharedUnit(name, domain, kProtocolId, launch.clusters, SyncUnitCore(config, launch)) {}
};

/// GM and L2 (gm_core.h).
class Gm : public SharedUnit<GmCore, transfer::Kit, TransferPort> {
 public:
  static constexpr const char* kProtocolId = "/tessera/cluster/gm_protocol";

  Gm(sc_core::sc_module_name name, timing::ClockDomain& domain, const CostConfig& config,
     unsigned clusters)
      : SharedUnit(name, domain, kProtocolId, clusters, GmCore(config)) {}
};

class ModularCluster : public sc_core::sc_module, public MachineView {
 public:
  /// Parameters and exceptions as ClusterCore; `config` and `launch` outlive the module. All blocks
  /// belong to `domain`. Cores are called "cluster0_aic" .. "cluster35_aiv1".
  ModularCluster(sc_core::sc_module_name name, timing::ClockDomain& domain,
                 const ClusterConfig& config, const Launch& launch,
                 const Attachments& attached = {});

  /// See ClusterCore::launch. `at` is put off to the next cycle that has not been stepped.
  void launch(const std::shared_ptr<const Program>& aic, const std::shared_ptr<const Program>& aiv,
              Cycle at);

  /// See Cluster::reset.
  void reset(const ClusterConfig& config, const Launch& launch, const Attachments& attached);
  /// See Cluster. Either can go on with the state of the other.
  void visit(state::Archive& archive, Cycle next);

  const AiCore* find(CoreId core) const override;
  // One device; ascend::Machine builds several in the other structure.
  const SyncUnitCore& sync_unit_of(unsigned) const override { return sync_unit_->core(); }
  const GmCore& gm_of(unsigned) const override { return gm_->core(); }

 private:
  timing::ClockDomain& domain_;
  std::vector<std::unique_ptr<AiCoreModule>> cores_;  // by CoreId::index(); nullptr: not launched
  std::unique_ptr<SyncUnit> sync_unit_;
  std::unique_ptr<Gm> gm_;
  // For places without a core.
  std::vector<std::unique_ptr<sync::Stub>> sync_stubs_;
  std::vector<std::unique_ptr<transfer::Stub>> gm_stubs_;
};

}  // namespace tessera::cluster
