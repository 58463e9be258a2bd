// A tile of the `modules` structure: a router and, where a program runs, input queues, output
// queues, on-ramp and compute engine, each its own SC_MODULE, bound by sockets:
//
//   router -> input queues -> compute engine -> output queues -> on-ramp -> router
//
// Only the queues that the program declares are built.
#pragma once

#include <systemc>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/fabric/on_ramp.h"
#include "models/fabric/router.h"
#include "models/host/ramp_tap.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine.h"
#include "models/queue/input_queue.h"
#include "models/queue/output_queue.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class Tile : public sc_core::sc_module {
 public:
  /// `image`: the program of the tile, or nullptr for a tile that is only a router. `streams`: those
  /// that reach the host past the router; nullptr: there are none.
  Tile(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
       const WseConfig& config, const std::shared_ptr<const pe::Image>& image, observe::Probe probe,
       const layout::HostLink* streams = nullptr)
      : sc_core::sc_module(name), router("router", domain, at, config.fabric, probe) {
    if (image == nullptr) return;
    on_ramp_ =
        std::make_unique<fabric::OnRamp>("on_ramp", domain, at, config.fabric, probe.place());
    if (streams != nullptr) {
      tap_ = std::make_unique<host::RampTap>("tap", streams->out_colors);
      in_colors_ = streams->in_colors;
      on_ramp_->out.bind(tap_->from_on_ramp);
      tap_->to_router.bind(router.in[index(Direction::kRamp)]);
    } else {
      on_ramp_->out.bind(router.in[index(Direction::kRamp)]);
    }
    engine_ = std::make_unique<pe::ComputeEngine>("engine", domain, at, image, config.pe, probe);
    engine_->config.bind(router.config);
    if (image->uses(pe::Opcode::kStcfg)) router.set_reconfigurable(image->generation);
    build_queues(config, *image, probe);
  }

  fabric::Router router;

  /// What the tile lacks to run `image` (nullptr: none), in words; empty: nothing.
  std::string missing_for(const pe::Image* image) const {
    if ((image != nullptr) != (engine_ != nullptr))
      return image != nullptr ? "no compute engine"
                              : "a compute engine, which would have no program";
    if (image == nullptr) return {};
    for (const pe::QueueBinding& binding : image->queues) {
      const bool exists =
          binding.input ? find(input_queues_, binding.id) : find(output_queues_, binding.id);
      if (exists) continue;
      return std::string(binding.input ? "no input queue " : "no output queue ") +
             std::to_string(binding.id.value());
    }
    return {};
  }
  /// All blocks as built with these parameters, but for routes; `keep_memory`: the SRAM stays as it is.
  /// start() when the neighbours have been reset too.
  void reset(const WseConfig& config, const std::shared_ptr<const pe::Image>& image,
             observe::Probe probe, bool keep_memory) {
    router.reset(config.fabric, probe);
    if (engine_ == nullptr) return;
    on_ramp_->reset(config.fabric);
    pe::Sram memory = std::move(engine_->core().sram());
    engine_->reset(image, config.pe, probe, keep_memory ? &memory : nullptr);
    if (image->uses(pe::Opcode::kStcfg)) router.set_reconfigurable(image->generation);
    for (const auto& queue : input_queues_) {
      const unsigned id = queue->core().id().value();
      const pe::QueueBinding* const binding = binding_of(*image, queue->core().id(), true);
      queue->reset(binding == nullptr ? kNoColor : *binding->color,
                   config.fabric.queue_room(config.input_queue_lengths.at(id)), probe);
    }
    for (const auto& queue : output_queues_)
      queue->reset(config.output_queue_lengths.at(queue->core().id().value()),
                   config.queue_write_latency, probe);
  }
  void start() {
    router.start();
    if (engine_ == nullptr) return;
    on_ramp_->start();
    engine_->start();
  }

  /// nullptr where no program runs.
  pe::ComputeEngine* engine() { return engine_.get(); }
  const pe::ComputeEngine* engine() const { return engine_.get(); }

  /// nullptr without streams.
  host::RampTap* tap() { return tap_.get(); }

  std::size_t wavelets_held() const {
    std::size_t held = router.core().held();
    for (const auto& queue : input_queues_) held += queue->core().size();
    for (const auto& queue : output_queues_) held += queue->core().size();
    return held;
  }
  void describe_waits(observe::Waits& waits, Cycle now) const {
    if (engine_) engine_->core().describe_waits(waits, now);
    for (const auto& queue : input_queues_) queue->core().describe_waits(waits, now);
    if (on_ramp_) on_ramp_->describe_waits(waits, now);
    router.core().describe_waits(waits, now);
  }

 private:
  /// Of an input queue that the present program does not use.
  static constexpr Color kNoColor{kColorCount};

  template <class Queues>
  static bool find(const Queues& queues, QueueId id) {
    return std::any_of(queues.begin(), queues.end(),
                       [id](const auto& queue) { return queue->core().id() == id; });
  }
  static const pe::QueueBinding* binding_of(const pe::Image& image, QueueId id, bool input) {
    const auto found =
        std::find_if(image.queues.begin(), image.queues.end(),
                     [=](const pe::QueueBinding& b) { return b.input == input && b.id == id; });
    return found == image.queues.end() ? nullptr : &*found;
  }
  void build_queues(const WseConfig& config, const pe::Image& image, observe::Probe probe) {
    for (const pe::QueueBinding& binding : image.queues) {
      const unsigned id = binding.id.value();
      if (binding.input) {
        input_queues_.push_back(std::make_unique<queue::InputQueue>(
            ("input_queue_" + std::to_string(id)).c_str(), binding.id, *binding.color,
            config.fabric.queue_room(config.input_queue_lengths.at(id)), probe));
        const bool is_tapped = (in_colors_ >> binding.color->value() & 1U) != 0;
        (is_tapped ? tap_->to_queues : router.off_ramp).bind(input_queues_.back()->in);
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

  std::unique_ptr<host::RampTap> tap_;
  std::uint32_t in_colors_ = 0;
  std::vector<std::unique_ptr<queue::InputQueue>> input_queues_;
  std::vector<std::unique_ptr<queue::OutputQueue>> output_queues_;
  std::unique_ptr<fabric::OnRamp> on_ramp_;
  std::unique_ptr<pe::ComputeEngine> engine_;
};

}  // namespace tessera::wse
