// What stubs and taps of all kits have in common: a module with a target socket and an initiator
// socket of one kit, which answers on both. A tap needs both, a stub one of them: a stub that closes
// nothing was forgotten somewhere (`/tessera/<kit>/unbound`).
#pragma once

#include <systemc>

#include <sstream>
#include <string>

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::kit {

enum class Ends { kBoth, kOne };

template <class Kit, Ends kEnds>
class Passage : public sc_core::sc_module, protected Kit::Forward, protected Kit::Backward {
 public:
  TargetSocket<Kit> in{"in"};       ///< bind the initiator here
  InitiatorSocket<Kit> out{"out"};  ///< bind this to the target

 protected:
  explicit Passage(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<typename Kit::Forward&>(*this));
    out.bind(static_cast<typename Kit::Backward&>(*this));
  }

  void end_of_elaboration() override {
    const std::string self = name();
    if (kEnds == Ends::kBoth) {
      require_bound(in, self + ".in");
      require_bound(out, self + ".out");
    } else if (in.get_base_port().size() + out.get_base_port().size() == 0) {
      report<Kit>("unbound", self + " closes nothing: bind an open socket to its `in` or `out`");
    }
  }

  /// For stubs whose side must stay silent: reports that `message` came.
  template <class Message>
  void complain(const Message& message, Cycle due) const {
    std::ostringstream text;
    text << name() << " closes a side that must stay silent, but received \"" << message
         << "\" due in cycle " << due;
    report<Kit>("stub_traffic", text.str());
  }

  /// For checkers: reports a broken `rule` as `/tessera/<kit>/<rule>`; answers `holds`.
  template <class Message>
  bool check(bool holds, const char* rule, const Message& message, Cycle due,
             const std::string& why) const {
    if (holds) return true;
    std::ostringstream text;
    text << name() << ": " << message << ", due in cycle " << due << ": " << why;
    report<Kit>(rule, text.str());
    return false;
  }
};

}  // namespace tessera::kit
