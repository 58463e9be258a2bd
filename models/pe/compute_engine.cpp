#include "models/pe/compute_engine.h"

#include <utility>

namespace tessera::pe {

ComputeEngine::ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain,
                             TileCoord at, std::shared_ptr<const Image> image,
                             const PeTiming& timing, observe::Probe probe)
    : sc_core::sc_module(name), input("input", kMaxQueues), output("output", kMaxQueues),
      domain_(domain), block_(domain.add(*this)), listener_(*this),
      core_(at, std::move(image), timing, *this, probe) {
  for (auto& socket : input) socket.bind(static_cast<queue::ReadNotifyIf&>(listener_));
  for (auto& socket : output) socket.bind(static_cast<queue::WriteNotifyIf&>(listener_));
}

void ComputeEngine::launch(const Function& function, const std::vector<std::uint32_t>& arguments,
                           Cycle at) {
  core_.launch(function, arguments, at);
  wake(at);
}

}  // namespace tessera::pe
