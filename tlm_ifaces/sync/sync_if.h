// Sync protocol: the interfaces of the two sides (docs/protocol-kits.md). An AI core asks, the
// cluster sync unit answers. Every call names the cycle from which its effect may be seen, and that
// cycle lies after the cycle of the call: the step order inside a cycle cannot matter.
//
//   cycle      t                 t+1            u            u+1
//   core       ask(set, t+1) ->
//   unit                         counts it ..   grants ->
//   other core ask(wait) earlier                             goes on: answer(granted, u+1)
//
// A set is answered only if it is illegal. A pipe has at most one wait that is not granted.
#pragma once

#include <systemc>

#include "tlm_ifaces/sync/signal.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::sync {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Request;
};

/// Core to sync unit.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// The unit may see `request` from cycle `due` on.
  virtual void ask(const Request& request, Cycle due) = 0;
};

/// Sync unit to core.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// The core may see `answer` from cycle `due` on.
  virtual void answer(const Answer& answer, Cycle due) = 0;
};

}  // namespace tessera::sync
