// What can be seen of a scheduled mesh, however it is built: mesh_core.h, node_mesh.h. Its deadlock
// report names node, stream and phase (reference numesh.md 6.2, S18, S20).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/observe/wait.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/processor_core.h"
#include "models/scheduled/router_core.h"

namespace tessera::scheduled {

class MeshView {
 public:
  virtual ~MeshView() = default;

  virtual std::size_t size() const = 0;
  virtual const RouterCore& router(NodeId node) const = 0;
  virtual const ProcessorCore& processor(NodeId node) const = 0;
  virtual const Interface& interface(NodeId node) const = 0;

  /// Every processor is through its phases.
  bool finished() const;
  /// Cycle in which the last one was; requires finished().
  Cycle finished_at() const;
  /// Words in VFSMs and in queues.
  std::uint64_t words_in_network() const;
  /// Who waits for what in cycle `now`: processors, then words that lie in routers, with node,
  /// stream and phase. `program` is the one that runs.
  void describe_waits(const Program& program, observe::Waits& waits, Cycle now) const;
};

}  // namespace tessera::scheduled
