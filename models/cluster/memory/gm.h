// GM/L2 module: GmCore behind a transfer socket for every core. Bandwidth rules: gm_core.h.
#pragma once

#include <systemc>

#include <vector>

#include "models/cluster/memory/gm_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::cluster {

class Gm : public sc_core::sc_module, public timing::Steppable {
 public:
  /// A core asked through the socket of another one.
  static constexpr const char* kProtocolId = "/tessera/cluster/gm_protocol";

  /// By CoreId::index(), three a cluster. Places that the launch has no core for take a
  /// transfer::Stub.
  sc_core::sc_vector<transfer::TargetSocket> cores;

  Gm(sc_core::sc_module_name name, timing::ClockDomain& domain, const CostConfig& config,
     unsigned clusters);

  const GmCore& core() const { return core_; }

  Cycle step(Cycle now) override;

 private:
  /// The sockets' side of one core.
  struct Port : transfer::ForwardIf {
    Gm* gm = nullptr;
    unsigned index = 0;
    void start(const transfer::Transfer& t, Cycle due) override { gm->start(index, t, due); }
  };
  void end_of_elaboration() override;
  void start(unsigned index, const transfer::Transfer& t, Cycle due);

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  GmCore core_;
  std::vector<Port> ports_;
};

}  // namespace tessera::cluster
