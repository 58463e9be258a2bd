// The modules of a scheduled mesh, in two structures with the same events in the same cycles. Mesh
// is one block with all nodes, for scale. NodeMesh has a module for every node, bound to its
// neighbours: for reading, for probing, and for putting something else in place of a node.
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/scheduled/mesh_core.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/slot/slot_kit.h"

namespace tessera::scheduled {

/// When a mesh starts its program.
enum class Start : std::uint8_t {
  kAtOnce,    ///< in cycle 0
  kOnLaunch,  ///< when start() says so
};

class Mesh : public sc_core::sc_module, public timing::Steppable {
 public:
  /// Parameters and exceptions as MeshCore.
  Mesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
       observe::EventStream* events, WordChecker* checker, Start start = Start::kAtOnce)
      : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), program_(program),
        events_(events), checker_(checker), start_(start) {
    make_core();
  }

  const MeshCore& core() const { return *core_; }
  /// `end(cycle)`: the last node is through its phases.
  void set_end(Barriers::End end) { end_ = std::move(end); }
  /// The memory of a node, to be used between two cycles.
  std::vector<std::uint32_t>& memory(NodeId node) { return core_->memory(node); }
  /// The nodes as at the beginning; their memory as the program has it, or as it is. Nothing runs.
  void renew(bool keep_memory);
  /// Starts the program in cycle `origin`, once after construction or renew(): it becomes cycle 0 of nodes
  /// and events, whose slots therefore do not depend on it.
  void start(Cycle origin) {
    origin_ = origin;
    domain_.wake(block_, origin);
  }

  /// For checkpoints, between two cycles of which `next` is the second. The domain has no other block, and start() has been told
  /// when the program begins, also where it is restored.
  void visit(state::Archive& archive, Cycle next);

  Cycle step(Cycle now) override {
    if (now < origin_) return origin_;  // a wake-up of the run before
    const Cycle next = core_->step(now - origin_);
    return next == kNever ? kNever : next + origin_;
  }

 private:
  void start_of_simulation() override {
    if (start_ == Start::kAtOnce) start(0);
  }
  void make_core();

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const Program& program_;
  observe::EventStream* const events_;
  WordChecker* const checker_;
  const Start start_;
  Barriers::End end_;
  Cycle origin_ = 0;
  std::optional<MeshCore> core_;  // always there; made anew by renew()
};

/// Lets the nodes of a mesh that cannot move sleep. Words that nobody takes would keep their
/// routers awake for ever: after longest_standstill() cycles in which nothing moved, nothing will
/// before a processor goes on.
class Standstill {
 public:
  /// `wake(node, cycle)`: the node must be stepped in that cycle.
  using Wake = std::function<void(NodeId node, Cycle cycle)>;

  explicit Standstill(Cycle patience) : patience_(patience) {}
  void set_wake(Wake wake) { wake_ = std::move(wake); }

  /// Something moved in cycle `now`: who sleeps must look again.
  void progress(Cycle now) {
    last_ = now;
    for (const NodeId node : sleepers_) wake_(node, now + 1);
    sleepers_.clear();
  }
  /// Whether a node that only has words to offer may sleep; it is woken by progress().
  bool may_sleep(NodeId node, Cycle now) {
    if (now - last_ <= patience_) return false;
    sleepers_.push_back(node);
    return true;
  }
  void reset() {
    last_ = 0;
    sleepers_.clear();
  }
  /// The last cycle in which something moved.
  Cycle last() const { return last_; }
  /// Restores it between two cycles of which `next` is the second; `offers(node)`: the node has words to offer.
  template <class Offers>
  void go_on(Cycle last, Cycle next, NodeId nodes, Offers offers) {
    last_ = last;
    sleepers_.clear();
    for (NodeId node = 0; node < nodes; ++node) {
      if (offers(node) && !may_sleep(node, next - 1)) wake_(node, next);
    }
  }

 private:
  const Cycle patience_;
  Wake wake_;
  Cycle last_ = 0;
  std::vector<NodeId> sleepers_;
};

/// A node: router, processor and the queues between them. Plain C++.
struct NodeCore {
  NodeCore(const Program& program, NodeId at, Barriers& barriers, observe::EventStream* events,
           WordChecker* checker)
      : interface(program.nodes[at], program.rules),
        router(program, at, interface, events, checker),
        processor(program, at, interface, router, barriers, observe::Probe(events, at)) {}
  NodeCore(const NodeCore&) = delete;
  NodeCore& operator=(const NodeCore&) = delete;

  Interface interface;
  RouterCore router;
  ProcessorCore processor;
};

/// NodeCore behind slot sockets; one block of the clock domain. Cycle rules: router_core.h,
/// processor_core.h.
class NodeModule : public sc_core::sc_module, public timing::Steppable {
 public:
  /// "xminus_in" .. "zplus_in" and "xminus_out" .. "zplus_out", by index(Port). Those that no
  /// schedule of the node uses may stay unbound.
  sc_core::sc_vector<slot::TargetSocket> in;
  sc_core::sc_vector<slot::InitiatorSocket> out;

  /// `program` is valid (program.h). All references outlive the module; `events` and `checker` may
  /// be nullptr. Barriers::set_release and Standstill::set_wake must lead to wake() of the nodes.
  NodeModule(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
             NodeId at, Barriers& barriers, Standstill& standstill, observe::EventStream* events,
             WordChecker* checker, Start start = Start::kAtOnce);

  const NodeCore& core() const { return *core_; }
  std::vector<std::uint32_t>& memory() { return core_->processor.memory(); }
  /// See Mesh::renew; `barriers` are reset too.
  void renew(bool keep_memory);
  /// See Mesh::start.
  void start(Cycle origin);
  /// The node is stepped in cycle `at` of its program, which must lie after the present one.
  void wake(Cycle at) { domain_.wake(block_, origin_ + at); }
  timing::BlockId block() const { return block_; }
  /// Queues, router and processor; see Mesh::visit.
  void visit(state::Archive& archive);

  Cycle step(Cycle now) override;

 private:
  // What the sockets call: one object a port, so that the node knows the port.
  struct PortSide : slot::ForwardIf, slot::BackwardIf {
    bool offer(const slot::Word& word, bool parity, Cycle now) override;
    NodeModule* node = nullptr;
    Port port = Port::kXMinus;
  };

  void end_of_elaboration() override;
  void start_of_simulation() override;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const Program& program_;
  const NodeId at_;
  Barriers& barriers_;
  Standstill& standstill_;
  observe::EventStream* const events_;
  WordChecker* const checker_;
  const Start start_;
  Cycle origin_ = 0;
  std::optional<NodeCore> core_;  // always there; made anew by renew()
  std::array<PortSide, kPortCount> ports_;
  std::array<slot::ForwardIf*, kPortCount> receivers_{};  // behind out; nullptr: not bound
};

class NodeMesh : public sc_core::sc_module, public MeshView {
 public:
  /// Parameters and exceptions as MeshCore. All nodes belong to `domain`.
  NodeMesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
           observe::EventStream* events, WordChecker* checker, Start start = Start::kAtOnce);

  /// See Mesh.
  void set_end(Barriers::End end) {
    barriers_.set_end([this, end = std::move(end)](Cycle cycle) { end(cycle + origin_); });
  }
  std::vector<std::uint32_t>& memory(NodeId node) { return nodes_[node].memory(); }
  void renew(bool keep_memory);
  void start(Cycle origin);
  /// See Mesh.
  void visit(state::Archive& archive, Cycle next);

  std::size_t size() const override { return nodes_.size(); }
  const RouterCore& router(NodeId node) const override { return nodes_[node].core().router; }
  const ProcessorCore& processor(NodeId node) const override {
    return nodes_[node].core().processor;
  }
  const Interface& interface(NodeId node) const override { return nodes_[node].core().interface; }

 private:
  std::vector<std::pair<Cycle, NodeId>> wake_ups() const;

  timing::ClockDomain& domain_;
  Cycle origin_ = 0;
  const Start start_;
  Barriers barriers_;
  Standstill standstill_;
  sc_core::sc_vector<NodeModule> nodes_{"node"};
};

}  // namespace tessera::scheduled
