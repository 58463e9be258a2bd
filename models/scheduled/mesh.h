// The modules of a scheduled mesh, in two structures with the same events in the same cycles. Mesh
// is one block with all nodes, for scale. NodeMesh has a module for every node, bound to its
// neighbours: for reading, for probing, and for putting something else in place of a node.
#pragma once

#include <systemc>

#include <array>
#include <functional>
#include <vector>

#include "models/scheduled/mesh_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/slot/slot_kit.h"

namespace tessera::scheduled {

class Mesh : public sc_core::sc_module, public timing::Steppable {
 public:
  /// Parameters and exceptions as MeshCore.
  Mesh(sc_core::sc_module_name name, timing::ClockDomain& domain, const Program& program,
       observe::EventStream* events, WordChecker* checker)
      : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
        core_(program, events, checker) {}

  const MeshCore& core() const { return core_; }
  Cycle step(Cycle now) override { return core_.step(now); }

 private:
  void start_of_simulation() override { domain_.wake(block_, 0); }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  MeshCore core_;
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
             WordChecker* checker);

  const NodeCore& core() const { return core_; }
  /// The node is stepped in cycle `at`, which must lie after the present one.
  void wake(Cycle at) { domain_.wake(block_, at); }

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
  Standstill& standstill_;
  NodeCore core_;
  std::array<PortSide, kPortCount> ports_;
  std::array<slot::ForwardIf*, kPortCount> receivers_{};  // behind out; nullptr: not bound
};

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
