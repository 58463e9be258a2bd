#include "models/pe/compute_engine.h"

#include <string>
#include <utility>

namespace tessera::pe {

ComputeEngine::ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain,
                             TileCoord at, std::shared_ptr<const Image> image,
                             const PeTiming& timing, observe::Probe probe)
    : EnginePorts(name), domain_(domain), block_(domain.add(*this)), at_(at),
      core_(std::in_place, at, std::move(image), timing, static_cast<PeQueues&>(*this), probe) {
  for (auto& socket : input) socket.bind(static_cast<queue::ReadNotifyIf&>(*this));
  for (auto& socket : output) socket.bind(static_cast<queue::WriteNotifyIf&>(*this));
  config.bind(static_cast<config_space::ConfigNotifyIf&>(*this));
}

void ComputeEngine::end_of_elaboration() {
  if (config.size() > 0) core_->set_config(this);
  for (const QueueBinding& queue : core_->image().queues) {
    const unsigned id = queue.id.value();
    if (queue.input ? input[id].size() > 0 : output[id].size() > 0) continue;
    const std::string what = (queue.input ? "input queue " : "output queue ") + std::to_string(id);
    SC_REPORT_ERROR(kUnboundId, ("compute engine of tile " + to_string(at_) + ", " + what + " (" +
                                 core_->image().file + ": " + queue.name + ") is not bound")
                                    .c_str());
  }
}

void ComputeEngine::reset(std::shared_ptr<const Image> image, const PeTiming& timing,
                          observe::Probe probe, Sram* memory) {
  core_.emplace(at_, std::move(image), timing, static_cast<PeQueues&>(*this), probe);
  if (config.size() > 0) core_->set_config(this);
  if (memory != nullptr) core_->sram().take_over(std::move(*memory));
}

void ComputeEngine::start() {
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (input[q].size() > 0) readable_[q] = input[q][0];
    if (output[q].size() > 0) writable_[q] = output[q][0];
  }
  wake(0);
}

void ComputeEngine::launch(const Function& function, const std::vector<std::uint32_t>& arguments,
                           Cycle at) {
  core_->launch(function, arguments, at);
  wake(at);
}

}  // namespace tessera::pe
