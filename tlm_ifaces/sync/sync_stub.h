// Sync protocol: what closes an open side on purpose: a place of a sync unit without a core, or a
// core that takes no part in synchronisation. Both sides of it must stay silent.
#pragma once

#include <systemc>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/sync/sync_socket.h"

namespace tessera::sync {

/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/sync/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void ask(const Request& request, Cycle due) override { complain(request, due); }
  void answer(const Answer& answer, Cycle due) override { complain(answer, due); }
};

}  // namespace tessera::sync
