// Slot protocol: what closes an open side on purpose. A stub receiver never accepts, so words wait at
// their sender; a stub sender never offers.
#pragma once

#include <systemc>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/slot/slot_socket.h"

namespace tessera::slot {

/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  bool offer(const Word&, bool, Cycle) override { return false; }
};

}  // namespace tessera::slot
