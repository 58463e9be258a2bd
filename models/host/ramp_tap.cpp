#include "models/host/ramp_tap.h"

namespace tessera::host {

RampTap::RampTap(sc_core::sc_module_name name, std::uint32_t out_colors)
    : sc_core::sc_module(name), out_colors_(out_colors) {
  from_on_ramp.bind(static_cast<link::ForwardIf&>(outward_));
  to_router.bind(static_cast<link::BackwardIf&>(outward_));
  to_host.bind(static_cast<link::BackwardIf&>(outward_));
  from_host.bind(static_cast<link::ForwardIf&>(inward_));
  to_queues.bind(static_cast<link::BackwardIf&>(inward_));
}

link::ForwardIf* RampTap::Inward::queue_of(Color color) const {
  for (int i = 0; i < tap.to_queues.size(); ++i) {
    if (tap.to_queues[i]->capacity(color) > 0) return tap.to_queues[i];
  }
  return nullptr;
}

}  // namespace tessera::host
