// A scheduled mesh in one of two structures (docs/architecture.md#two-structures): a module per node, or all
// nodes in one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"

namespace tessera::numesh {

/// What --structure accepts. "auto": modules for up to kAutoModuleNodes nodes, else dense.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleNodes = 256;

class Machine {
 public:
  /// `program`, `events` and `checker` must outlive the machine. Throws IllegalBehaviour for a
  /// program that policy CHECK refuses.
  Machine(const std::string& structure, unsigned clock_period_ps, const scheduled::Program& program,
          observe::EventStream& events, scheduled::WordChecker& checker,
          scheduled::Start start = scheduled::Start::kAtOnce);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// "modules" or "dense".
  const char* structure() const { return dense_ ? "dense" : "modules"; }
  timing::ClockDomain& domain() { return domain_; }
  const timing::ClockDomain& domain() const { return domain_; }
  const scheduled::MeshView& view() const { return *view_; }
  /// Memory of a node, between two cycles. Its size must stay.
  std::vector<std::uint32_t>& memory(scheduled::NodeId node);
  /// `end(cycle)`: the last node is through its phases.
  void set_end(scheduled::Barriers::End end);

  /// Starts the program in cycle `at`, or in the next one that has not been stepped, on the memory as it is.
  /// The cycles of nodes and events count from there. A run before it is over.
  void start(Cycle at);
  /// The cycle in which the program was started.
  Cycle start_cycle() const { return start_cycle_; }
  /// As a new machine, with the memory that the program begins with or the present one; with
  /// Start::kAtOnce the program starts. Simulated time goes on; the clock domain counts from cycle 0 again. At
  /// any time between two cycles. Events and checker begin anew.
  void reset(bool keep_memory);
  /// For checkpoints, between two cycles of which `next` is the second. Either structure can go on with the state of the
  /// other.
  void visit(state::Archive& archive, Cycle next);

 private:
  void renew(bool keep_memory);
  void visit_memories(state::Archive& archive, Cycle next);

  const bool dense_;
  const scheduled::Start start_;
  observe::EventStream& events_;
  scheduled::WordChecker& checker_;
  timing::ClockDomain domain_;
  std::unique_ptr<scheduled::Mesh> mesh_;  // either this one or `nodes_`
  std::unique_ptr<scheduled::NodeMesh> nodes_;
  const scheduled::MeshView* view_ = nullptr;
  bool started_;
  Cycle start_cycle_ = 0;
};

}  // namespace tessera::numesh
