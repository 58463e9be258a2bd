// All nodes of a scheduled mesh in one structure: steps those that have something to do. The same
// cores as in modules (node.h), so the same events in the same cycles. Plain C++.
//
// A cycle steps the routers that hold words, then the processors that are due; neither order nor
// numbering matters to the result. A router that holds nothing sleeps: what a neighbour offers it
// is answered from its state (RouterCore::take).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/wait.h"
#include "models/scheduled/barriers.h"
#include "models/scheduled/mesh_view.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"
#include "models/timing/calendar.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/fixed_array.h"

namespace tessera::scheduled {

class MeshCore final : public MeshView {
 public:
  enum class Status : std::uint8_t {
    kFinished,  ///< every processor is through its phases, and nothing moves any more
    kDeadlock,  ///< some are not, and nothing will ever move: describe_waits()
    kLimit,     ///< the end of the run was reached
  };

  /// Throws std::invalid_argument if the program is malformed (validate.h), and IllegalBehaviour
  /// (kCollisionId) if it is refused by SkewPolicy::kCheck. `program`, `events` and `checker`
  /// outlive the mesh; the latter two may be nullptr.
  explicit MeshCore(const Program& program, observe::EventStream* events = nullptr,
                    WordChecker* checker = nullptr);

  /// Runs up to, not including, cycle `end`; a run that is paused goes on behind a later end.
  Status run(Cycle end);

  /// One cycle; for whoever keeps the time (mesh.h). Cycles may be left out in which nothing is
  /// due. Returns the next cycle to step, kNever when nothing will move again.
  Cycle step(Cycle now);

  // --- looking in

  std::size_t size() const override { return routers_.size(); }
  const RouterCore& router(NodeId node) const override { return routers_[node]; }
  const ProcessorCore& processor(NodeId node) const override { return processors_[node]; }
  const Interface& interface(NodeId node) const override { return interfaces_[node]; }
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
  std::array<std::ptrdiff_t, kPortCount> strides_{};  // from a node to its neighbours
  Bits routers_awake_;    // hold words, or have to come to a new schedule
  Bits processors_due_;   // in this cycle
  Bits processors_next_;  // in the next cycle
  timing::Calendar timers_;
  std::vector<timing::BlockId> due_;
  const Cycle patience_;  // without progress for so long there is none without a timer
  Cycle now_ = 0;
  Cycle last_progress_ = 0;
  std::uint64_t moves_ = 0;
};

}  // namespace tessera::scheduled
