// Link protocol: what closes an open side on purpose. A stub receiver has no room, so its sender
// never sends; a stub sender never sends and takes no credits.
#pragma once

#include <systemc>

#include <sstream>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/link/link_socket.h"

namespace tessera::link {

/// Closes an initiator socket (bind it to `in`) or a target socket (bind `out` to it).
class Stub : public kit::Passage<Kit, kit::Ends::kOne> {
 public:
  static constexpr const char* kTrafficId = "/tessera/link/stub_traffic";

  explicit Stub(sc_core::sc_module_name name) : Passage(name) {}

 private:
  void put(const Wavelet& w, Cycle due) override {
    std::ostringstream text;
    text << name() << " closes a link that must stay silent, but received " << w << " due in cycle "
         << due;
    SC_REPORT_ERROR(kTrafficId, text.str().c_str());
  }
  unsigned capacity(Color) const override { return 0; }
  void credit(Color color, Cycle due) override {
    std::ostringstream text;
    text << name() << " never sends, but got a credit of color " << color << " due in cycle "
         << due;
    SC_REPORT_ERROR(kTrafficId, text.str().c_str());
  }
};

}  // namespace tessera::link
