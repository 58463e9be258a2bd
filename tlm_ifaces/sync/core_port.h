// Sync and transfer protocols: the guards of units that have a socket for every core, by
// CoreId::index(). Each must be bound, and what comes through it must be of that core.
#pragma once

#include <systemc>

#include <sstream>
#include <string>

#include "tlm_ifaces/kit/socket.h"
#include "tlm_ifaces/sync/signal.h"

namespace tessera::sync {

/// Call in end_of_elaboration.
template <class Sockets>
void require_bound_for_cores(const sc_core::sc_module& unit, const Sockets& cores) {
  for (unsigned i = 0; i < cores.size(); ++i) {
    const std::string core = to_string(CoreId::at(i));
    kit::require_bound(cores[i], std::string(unit.name()) + ", the socket of " + core);
  }
}

/// Whether `core` belongs to socket `index` of `unit`; if not, reports `request` under `id`.
template <class Request>
bool belongs_to_port(const sc_core::sc_module& unit, const char* id, unsigned index, CoreId core,
                     const Request& request) {
  if (core.index() == index) return true;
  std::ostringstream text;
  text << unit.name() << ": \"" << request << "\" came through socket " << index
       << ", which belongs to another core";
  SC_REPORT_ERROR(id, text.str().c_str());
  return false;
}

}  // namespace tessera::sync
