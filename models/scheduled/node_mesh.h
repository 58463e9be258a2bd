// A scheduled mesh of modules: a NodeModule for every node, bound to its neighbours. For reading,
// for probing, and for putting something else in place of a node. mesh.h is the same in one module.
#pragma once

#include <systemc>

#include "models/scheduled/mesh_view.h"
#include "models/scheduled/node.h"

namespace tessera::scheduled {

class NodeMesh : public sc_core::sc_module, public MeshView {
 public:
  /// Parameters and exceptions as MeshCore. All nodes belong to `domain`.
  NodeMesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
           observe::EventStream* events, WordChecker* checker);

  std::size_t size() const override { return nodes_.size(); }
  const RouterCore& router(NodeId node) const override { return nodes_[node].core().router; }
  const ProcessorCore& processor(NodeId node) const override {
    return nodes_[node].core().processor;
  }
  const Interface& interface(NodeId node) const override { return nodes_[node].core().interface; }

 private:
  Barriers barriers_;
  Standstill standstill_;
  sc_core::sc_vector<NodeModule> nodes_{"node"};
};

}  // namespace tessera::scheduled
