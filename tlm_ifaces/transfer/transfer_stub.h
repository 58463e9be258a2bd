// Transfer protocol: what closes an open side on purpose: a core that moves nothing, or a place of
// GM without a core. Both sides of it must stay silent.
#pragma once

#include <systemc>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/transfer/transfer_socket.h"

namespace tessera::transfer {

/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/transfer/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void start(const Transfer& transfer, Cycle due) override { complain(transfer, due); }
  void done(const Done& done, Cycle due) override { complain(done, due); }
};

}  // namespace tessera::transfer
