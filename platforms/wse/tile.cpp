#include "platforms/wse/tile.h"

#include <string>

namespace tessera::wse {

Tile::Tile(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
           const WseConfig& config, const std::shared_ptr<const pe::Image>& image,
           observe::Probe probe)
    : sc_core::sc_module(name), router("router", domain, at, config.fabric, probe) {
  if (image == nullptr) return;
  on_ramp_ = std::make_unique<fabric::OnRamp>("on_ramp", domain, at, config.fabric, probe.place());
  on_ramp_->out.bind(router.in[index(Direction::kRamp)]);
  engine_ = std::make_unique<pe::ComputeEngine>("engine", domain, at, image, config.pe, probe);
  engine_->config.bind(router.config);
  if (image->uses(pe::Opcode::kStcfg)) router.set_reconfigurable(image->generation);
  build_queues(config, *image, probe);
}

void Tile::build_queues(const WseConfig& config, const pe::Image& image, observe::Probe probe) {
  for (const pe::QueueBinding& binding : image.queues) {
    const unsigned id = binding.id.value();
    if (binding.input) {
      input_queues_.push_back(std::make_unique<queue::InputQueue>(
          ("input_queue_" + std::to_string(id)).c_str(), binding.id, *binding.color,
          config.fabric.queue_room(config.input_queue_lengths.at(id)), probe));
      router.off_ramp.bind(input_queues_.back()->in);
      engine_->input[id].bind(input_queues_.back()->out);
    } else {
      output_queues_.push_back(std::make_unique<queue::OutputQueue>(
          ("output_queue_" + std::to_string(id)).c_str(), binding.id,
          config.output_queue_lengths.at(id), config.queue_write_latency, probe));
      engine_->output[id].bind(output_queues_.back()->in);
      on_ramp_->queues[id].bind(output_queues_.back()->out);
    }
  }
}

std::size_t Tile::wavelets_held() const {
  std::size_t held = router.core().held();
  for (const auto& queue : input_queues_) held += queue->core().size();
  for (const auto& queue : output_queues_) held += queue->core().size();
  return held;
}

void Tile::describe_waits(observe::Waits& waits, Cycle now) const {
  if (engine_) engine_->core().describe_waits(waits, now);
  for (const auto& queue : input_queues_) queue->core().describe_waits(waits, now);
  if (on_ramp_) on_ramp_->describe_waits(waits, now);
  router.core().describe_waits(waits, now);
}

}  // namespace tessera::wse
