// Slot protocol: what closes an open side on purpose. A stub receiver never accepts, so words wait at
// their sender; a stub sender never offers.
#pragma once

#include <systemc>

#include "tlm_ifaces/slot/slot_socket.h"

namespace tessera::slot {

/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public sc_core::sc_module, private ForwardIf, private BackwardIf {
 public:
  TargetSocket in{"in"};
  InitiatorSocket out{"out"};

  explicit Stub(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<ForwardIf&>(*this));
    out.bind(static_cast<BackwardIf&>(*this));
  }

 private:
  bool offer(const Word&, bool, Cycle) override { return false; }
};

}  // namespace tessera::slot
