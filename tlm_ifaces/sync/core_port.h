// Sync and transfer protocols: the guard of units that have a socket for every core. What comes
// through it must be of that core.
#pragma once

#include <systemc>

#include <sstream>

#include "tlm_ifaces/sync/signal.h"

namespace tessera::sync {

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
