// Transfer protocol: the interfaces of the two sides. A core starts transfers, GM/L2 completes them.
// Both calls name the cycle from which their effect may be seen; it lies after the cycle of the
// call. A pipe has at most one transfer that is not done.
#pragma once

#include <systemc>

#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::transfer {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Transfer;
};

/// Core to GM.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  virtual void start(const Transfer& transfer, Cycle due) = 0;
};

/// GM to core.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  virtual void done(const Done& done, Cycle due) = 0;
};

}  // namespace tessera::transfer
