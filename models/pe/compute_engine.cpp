#include "models/pe/compute_engine.h"

#include <string>
#include <utility>

namespace tessera::pe {

ComputeEngine::ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain,
                             TileCoord at, std::shared_ptr<const DecodedImage> program,
                             observe::Probe probe)
    : EnginePorts(name, program->image().queues_of(true), program->image().queues_of(false)),
      domain_(domain), block_(domain.add(*this)), at_(at),
      core_(std::in_place, at, std::move(program), static_cast<PeQueues&>(*this), probe) {
  input.for_each([this](auto& s) { s.bind(static_cast<queue::ReadNotifyIf&>(*this)); });
  output.for_each([this](auto& s) { s.bind(static_cast<queue::WriteNotifyIf&>(*this)); });
  config.bind(static_cast<config_space::ConfigNotifyIf&>(*this));
}

ComputeEngine::ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain,
                             TileCoord at, std::shared_ptr<const Image> image,
                             const PeTiming& timing, observe::Probe probe)
    : ComputeEngine(name, domain, at,
                    std::make_shared<const DecodedImage>(std::move(image), timing), probe) {}

void ComputeEngine::end_of_elaboration() {
  if (config.size() > 0) core_->set_config(this);
  for (const QueueBinding& queue : core_->image().queues) {
    const unsigned id = queue.id.value();
    if (queue.input ? input.is_bound(id) : output.is_bound(id)) continue;
    const std::string what = (queue.input ? "input queue " : "output queue ") + std::to_string(id);
    SC_REPORT_ERROR(kUnboundId, ("compute engine of tile " + to_string(at_) + ", " + what + " (" +
                                 core_->image().file + ": " + queue.name + ") is not bound")
                                    .c_str());
  }
}

void ComputeEngine::reset(std::shared_ptr<const DecodedImage> program, observe::Probe probe,
                          Sram* memory) {
  core_.emplace(at_, std::move(program), static_cast<PeQueues&>(*this), probe);
  if (config.size() > 0) core_->set_config(this);
  if (memory != nullptr) core_->sram().take_over(std::move(*memory));
}

void ComputeEngine::start() {
  for (unsigned q = 0; q < kMaxReceivers; ++q)
    if (input.is_bound(q)) readable_[q] = input[q][0];
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (output.is_bound(q)) writable_[q] = output[q][0];
  }
  wake(0);
}

void ComputeEngine::launch(const Function& function, const std::vector<std::uint32_t>& arguments,
                           Cycle at) {
  core_->launch(function, arguments, at);
  wake(at);
}

}  // namespace tessera::pe
