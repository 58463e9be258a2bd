#include "models/cluster/cluster.h"

#include <algorithm>

namespace tessera::cluster {

Cluster::Cluster(sc_core::sc_module_name name, timing::ClockDomain& domain,
                 const ClusterConfig& config, const Launch& launch, const Attachments& attached)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
      core_(config, launch, attached) {}

void Cluster::launch(const std::shared_ptr<const Program>& aic,
                     const std::shared_ptr<const Program>& aiv, Cycle at) {
  const Cycle start = std::max(at, domain_.next_free_cycle());
  core_.launch(aic, aiv, start);
  domain_.wake(block_, start);
}

}  // namespace tessera::cluster
