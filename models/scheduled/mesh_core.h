// All nodes of a scheduled mesh in one structure: steps those that have something to do. The same
// cores as in modules (mesh.h), so the same events in the same cycles. Plain C++.
//
// A cycle steps the routers that hold words, then the processors that are due; neither order nor
// numbering matters to the result. A router that holds nothing sleeps: what a neighbour offers it
// is answered from its state (RouterCore::take).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/wait.h"
#include "models/scheduled/barriers.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/processor_core.h"
#include "models/scheduled/program.h"
#include "models/scheduled/router_core.h"
#include "models/scheduled/word_checker.h"
#include "models/state/fwd.h"
#include "models/timing/calendar.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/fixed_array.h"

namespace tessera::scheduled {

/// What can be seen of a scheduled mesh, however it is built: MeshCore, or NodeMesh (mesh.h). Its
/// deadlock report names node, stream and phase (reference numesh.md 6.2, S18, S20).
class MeshView {
 public:
  virtual ~MeshView() = default;

  virtual std::size_t size() const = 0;
  virtual const RouterCore& router(NodeId node) const = 0;
  virtual const ProcessorCore& processor(NodeId node) const = 0;
  virtual const Interface& interface(NodeId node) const = 0;

  /// Every processor is through its phases.
  bool finished() const { return finished_at() != kNever; }
  /// Cycle in which the last one was; kNever: some are not.
  Cycle finished_at() const;
  /// Nothing but that is left: no word is under way, and no task has anything to do.
  bool is_ending() const;
  /// Words in VFSMs and in queues.
  std::uint64_t words_in_network() const;
  /// Who waits for what in cycle `now`: processors, then words that lie in routers, with node,
  /// stream and phase. `program` is the one that runs.
  void describe_waits(const Program& program, observe::Waits& waits, Cycle now) const;
};

class MeshCore final : public MeshView {
 public:
  enum class Status : std::uint8_t {
    kFinished,  ///< every processor is through its phases, and nothing moves any more
    kDeadlock,  ///< some are not, and nothing will ever move: describe_waits()
    kLimit,     ///< the end of the run was reached
  };

  /// Throws std::invalid_argument if the program is malformed (program.h), and IllegalBehaviour
  /// (kCollisionId) if it is refused by SkewPolicy::kCheck. `program`, `events` and `checker`
  /// outlive the mesh; the latter two may be nullptr.
  explicit MeshCore(const Program& program, observe::EventStream* events = nullptr,
                    WordChecker* checker = nullptr);

  /// Runs up to, not including, cycle `end`; a run that is paused goes on after a later end.
  Status run(Cycle end);

  /// One cycle; for whoever keeps the time (mesh.h). Cycles may be left out in which nothing is
  /// due. Returns the next cycle to step, kNever when nothing will move again.
  Cycle step(Cycle now);
  /// For checkpoints, between two cycles of which `next` is the second . moves() begins anew.
  void visit(state::Archive& archive, Cycle next);
  /// The next cycle to step, after step() or a visit() that restored; kNever: nothing moves any more.
  Cycle next_due() const;

  // --- looking in

  std::size_t size() const override { return routers_.size(); }
  const RouterCore& router(NodeId node) const override { return routers_[node]; }
  const ProcessorCore& processor(NodeId node) const override { return processors_[node]; }
  const Interface& interface(NodeId node) const override { return interfaces_[node]; }
  void set_end(Barriers::End end) { barriers_.set_end(std::move(end)); }
  /// The memory of a node, to be used between two cycles.
  std::vector<std::uint32_t>& memory(NodeId node) { return processors_[node].memory(); }
  /// MeshView's, in the cycle after the last that was stepped.
  void describe_waits(observe::Waits& waits) const {
    MeshView::describe_waits(program_, waits, now_);
  }
  /// Router-cycles in which a word moved.
  std::uint64_t moves() const { return moves_; }
  /// The cycle after the last that was stepped.
  Cycle now() const { return now_; }

 private:
  using Bits = std::vector<std::uint64_t>;
  static void set(Bits& bits, NodeId node) { bits[node / 64] |= std::uint64_t{1} << (node % 64); }

  void step_routers(Cycle now);
  bool step_router(NodeId at, Cycle now);
  void step_processors(Cycle now);

  const Program& program_;
  Barriers barriers_;
  std::pmr::monotonic_buffer_resource vfsm_memory_;
  std::pmr::monotonic_buffer_resource table_memory_;
  FixedArray<Interface> interfaces_;
  FixedArray<RouterCore> routers_;
  FixedArray<ProcessorCore> processors_;
  std::array<std::ptrdiff_t, kPortCount> strides_{};  // distances from a node to its neighbours
  Bits routers_awake_;    // hold words, or have to come to a new schedule
  Bits processors_due_;   // in this cycle
  Bits processors_next_;  // in the next cycle
  timing::Calendar timers_;
  std::vector<timing::BlockId> due_;
  const Cycle patience_;  // after so many cycles without progress only a timer brings any
  Cycle now_ = 0;
  Cycle last_progress_ = 0;
  std::uint64_t moves_ = 0;
};

/// Longest time in which a mesh that will move again may stand still with no timer pending: slots
/// of two neighbours meet within the least common multiple of their lengths.
Cycle longest_standstill(const Program& program);

}  // namespace tessera::scheduled
