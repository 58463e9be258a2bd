// Node module of a scheduled mesh: NodeCore behind slot sockets. Cycle rules: router_core.h,
// processor_core.h. One block of the clock domain.
#pragma once

#include <systemc>

#include <array>

#include "models/scheduled/node_core.h"
#include "models/scheduled/standstill.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/slot/slot_kit.h"

namespace tessera::scheduled {

class NodeModule : public sc_core::sc_module, public timing::Steppable {
 public:
  /// "xminus_in" .. "zplus_in" and "xminus_out" .. "zplus_out", by index(Port). Those that no
  /// schedule of the node uses may stay unbound.
  sc_core::sc_vector<slot::TargetSocket> in;
  sc_core::sc_vector<slot::InitiatorSocket> out;

  /// `program` is valid (validate.h). All references outlive the module; `events` and `checker` may
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
  struct InputPort : slot::ForwardIf {
    bool offer(const slot::Word& word, bool parity, Cycle now) override {
      return node->offer(port, word, parity, now);
    }
    NodeModule* node = nullptr;
    Port port = Port::kXMinus;
  };
  struct OutputPort : slot::BackwardIf {};

  bool offer(Port in, const slot::Word& word, bool parity, Cycle now);
  void end_of_elaboration() override;
  void start_of_simulation() override;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const Program& program_;
  const NodeId at_;
  Standstill& standstill_;
  NodeCore core_;
  std::array<InputPort, kPortCount> inputs_;
  std::array<OutputPort, kPortCount> outputs_;
  std::array<slot::ForwardIf*, kPortCount> receivers_{};  // behind out; nullptr: not bound
};

}  // namespace tessera::scheduled
