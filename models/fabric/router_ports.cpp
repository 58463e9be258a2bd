#include "models/fabric/router_ports.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tessera::fabric {

namespace {

std::string port_name(std::size_t direction, const char* suffix) {
  std::string name = to_string(static_cast<Direction>(direction));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name + suffix;
}

}  // namespace

RouterPorts::RouterPorts(sc_core::sc_module_name name, TileCoord at)
    : sc_core::sc_module(name), at_(at) {
  in.init(kDirectionCount, [](const char*, std::size_t i) {
    return new link::TargetSocket(port_name(i, "_in").c_str());
  });
  out.init(kCardinalDirections.size(), [](const char*, std::size_t i) {
    return new link::InitiatorSocket(port_name(i, "_out").c_str());
  });
}

void RouterPorts::end_of_elaboration() {
  const std::string where = "tile " + to_string(at_) + ", ";
  for (Direction d : kCardinalDirections) {
    link::require_bound(in[index(d)], where + to_string(d) + " input");
    link::require_bound(out[index(d)], where + to_string(d) + " output");
  }
}

void RouterPorts::start() {
  queue_of_ = {};
  for (Direction d : kAllDirections) {
    if (in[index(d)].get_base_port().size() > 0)
      senders_[index(d)] = in[index(d)].get_base_port()[0];
    if (d != Direction::kRamp && out[index(d)].size() > 0) receivers_[index(d)] = out[index(d)][0];
  }
  for (unsigned c = 0; c < kColorCount; ++c) find_queue_of(Color(c));
}

void RouterPorts::find_queue_of(Color color) {
  for (int i = 0; i < off_ramp.size(); ++i) {
    if (off_ramp[i]->capacity(color) == 0) continue;
    if (queue_of_[color.value()] != nullptr) {
      SC_REPORT_ERROR(kTwoQueuesId,
                      ("tile " + to_string(at_) + ": two input queues are bound to color " +
                       std::to_string(color.value()) +
                       "; a color may belong to one input queue of a PE")
                          .c_str());
      return;
    }
    queue_of_[color.value()] = off_ramp[i];
  }
}

}  // namespace tessera::fabric
