// Binding sockets that are known by name only, for platforms put together from a script or a table:
//
//   kit::connect("row.router_0.east_out", "my_router.in");
//
// What the compiler checks of `bind` is checked here at run time. Integration mistakes:
//
//   /tessera/kit/not_found  there is no object of that name
//   /tessera/kit/socket     it is no socket, or not one of the side that is asked for
//   /tessera/kit/protocol   the sockets speak different protocols
//   /tessera/kit/width      .. or have different widths
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/kit/socket.h"

namespace tessera::kit {

namespace detail {

inline void connect_error(const char* what, const std::string& text) {
  SC_REPORT_ERROR((std::string("/tessera/kit/") + what).c_str(), text.c_str());
}

/// The socket of that name; nullptr after a report.
template <class Side>
Side* find_side(const std::string& name, const char* what_side) {
  sc_core::sc_object* const object = sc_core::sc_find_object(name.c_str());
  if (object == nullptr) {
    connect_error("not_found", "there is no socket '" + name + "'");
    return nullptr;
  }
  auto* const side = dynamic_cast<Side*>(object);
  if (side == nullptr) connect_error("socket", name + " is not " + what_side);
  return side;
}

}  // namespace detail

/// Binds the initiator socket of the name `from`, of one of our kits, to the target socket `to`.
/// Names are hierarchical. During construction, as every binding.
inline void connect(const std::string& from, const std::string& to) {
  auto* const initiator = detail::find_side<Connectable>(from, "an initiator socket of a kit");
  if (initiator == nullptr) return;
  auto* const target = detail::find_side<tlm::tlm_base_socket_if>(to, "a socket");
  if (target == nullptr || initiator->connect_to(*target)) return;
  if ((target->get_socket_category() & tlm::TLM_TARGET_SOCKET) == 0)
    return detail::connect_error("socket", to + " is not a target socket");
  const auto& ours = dynamic_cast<tlm::tlm_base_socket_if&>(*initiator);
  if (ours.get_bus_width() != target->get_bus_width())
    return detail::connect_error(
        "width", from + " has " + std::to_string(ours.get_bus_width()) + " bits and " + to +
                     " has " + std::to_string(target->get_bus_width()) + ": they do not bind");
  detail::connect_error("protocol", from + " and " + to + " speak different protocols");
}

}  // namespace tessera::kit
