#include "models/scheduled/node_mesh.h"

#include "models/scheduled/validate.h"

namespace tessera::scheduled {

NodeMesh::NodeMesh(sc_core::sc_module_name name, timing::ClockDomain& domain,
                   const Program& program, observe::EventStream* events, WordChecker* checker)
    : sc_core::sc_module(name), barriers_(checked(program)),
      standstill_(longest_standstill(program)) {
  nodes_.init(program.nodes.size(), [&](const char* node_name, std::size_t n) {
    return new NodeModule(node_name, domain, program, static_cast<NodeId>(n), barriers_,
                          standstill_, events, checker);
  });
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    for (unsigned p = 0; p < kPortCount; ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId peer = program.topology.neighbour(n, port);
      if (peer != kNone) nodes_[n].out[p].bind(nodes_[peer].in[index(opposite(port))]);
    }
  }
  barriers_.set_release([this, &program](std::uint32_t extent, Cycle cycle) {
    for (const NodeId member : program.extents[extent]) nodes_[member].wake(cycle);
  });
  standstill_.set_wake([this](NodeId node, Cycle cycle) { nodes_[node].wake(cycle); });
}

}  // namespace tessera::scheduled
