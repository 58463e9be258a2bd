// What stands around the queues of a PE: their sockets, and what a machine asks of them. InputQueue and
// OutputQueue are ours; a module of a user that derives from these stands in their place
// (docs/rtl-in-the-loop.md).
#pragma once

#include <systemc>

#include <cstddef>
#include <string>

#include "models/observe/wait.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/link/link_kit.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::queue {

/// A module with a socket `in` and a socket `out`; both must be bound.
template <class In, class Out>
class QueuePorts : public sc_core::sc_module {
 public:
  static constexpr const char* kUnboundId = "/tessera/queue/unbound";

  In in{"in"};
  Out out{"out"};

  /// Wavelets inside.
  virtual std::size_t size() const = 0;
  /// For a deadlock report: wavelets that nothing reads.
  virtual void describe_waits(observe::Waits& /*waits*/, Cycle /*now*/) const {}
  /// As at the start: the machine is reset, and its clock domain counts from cycle 0 again. Without it a
  /// reset is reported as kit::kNoRestartId.
  virtual void restart() { kit::report_no_restart(name()); }

 protected:
  /// `needs` says in words what belongs at the sockets.
  QueuePorts(sc_core::sc_module_name name, const char* needs)
      : sc_core::sc_module(name), needs_(needs) {}

  void end_of_elaboration() override {
    if (in.get_base_port().size() > 0 && out.get_base_port().size() > 0) return;
    SC_REPORT_ERROR(kUnboundId, (std::string(name()) + ": " + needs_).c_str());
  }

 private:
  const char* const needs_;
};

/// `in`: from the off-ramp of the router. `out`: to the compute engine.
class InputQueuePorts : public QueuePorts<link::TargetSocket, ReadTargetSocket> {
 protected:
  explicit InputQueuePorts(sc_core::sc_module_name name)
      : QueuePorts(name,
                   "an input queue needs the off-ramp of a router at 'in' and a reader at 'out'") {}
};

/// `in`: from the compute engine. `out`: to the on-ramp.
class OutputQueuePorts : public QueuePorts<WriteTargetSocket, ReadTargetSocket> {
 protected:
  explicit OutputQueuePorts(sc_core::sc_module_name name)
      : QueuePorts(name, "an output queue needs a writer at 'in' and the on-ramp at 'out'") {}
};

}  // namespace tessera::queue
