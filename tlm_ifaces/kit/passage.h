// What stubs and taps of all kits have in common: a module with a target socket and an initiator
// socket of one kit, which answers on both.
#pragma once

#include <systemc>

#include <sstream>
#include <string>

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::kit {

template <class Kit>
class Passage : public sc_core::sc_module, protected Kit::Forward, protected Kit::Backward {
 public:
  TargetSocket<Kit> in{"in"};       ///< bind the initiator here
  InitiatorSocket<Kit> out{"out"};  ///< bind this to the target

 protected:
  explicit Passage(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<typename Kit::Forward&>(*this));
    out.bind(static_cast<typename Kit::Backward&>(*this));
  }

  /// For checkers: reports a broken `rule` ("/tessera/<kit>/<rule>"); answers `holds`.
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
