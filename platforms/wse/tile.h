// A tile of the `modules` structure: a router and, where a program runs, input queues, output
// queues, on-ramp and compute engine, each its own SC_MODULE, bound by sockets:
//
//   router -> input queues -> compute engine -> output queues -> on-ramp -> router
//
// Only the queues that the program declares are built.
#pragma once

#include <systemc>

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
#include "platforms/wse/replacements.h"

namespace tessera::wse {

class Tile : public sc_core::sc_module {
 public:
  /// `streams`: those that reach the host past the router; nullptr: there are none. `replacements`:
  /// modules in place of ours; nullptr: none.
  Tile(sc_core::sc_module_name name, Site site, const layout::HostLink* streams,
       Replacements* replacements)
      : sc_core::sc_module(name), replacements_(replacements), router_(build_router(site)) {
    if (site.image == nullptr) return;
    on_ramp_ = std::make_unique<fabric::OnRamp>("on_ramp", site.domain, site.tile,
                                                site.config.fabric, site.probe.place());
    if (streams != nullptr) {
      tap_ = std::make_unique<host::RampTap>("tap", streams->out_colors);
      in_colors_ = streams->in_colors;
      on_ramp_->out.bind(tap_->from_on_ramp);
      tap_->to_router.bind(router_->in[index(Direction::kRamp)]);
    } else {
      on_ramp_->out.bind(router_->in[index(Direction::kRamp)]);
    }
    build_engine(site);
    ports_->config.bind(router_->config);
    for (const pe::QueueBinding& binding : site.image->queues) {
      site.queue = binding;
      binding.input ? build_input_queue(site) : build_output_queue(site);
    }
  }

  fabric::RouterPorts& router() { return *router_; }

  /// nullptr where no program runs, and where the engine is that of a user.
  pe::ComputeEngine* engine() { return engine_; }
  /// Requires a program.
  void launch(const pe::Function& function, const std::vector<std::uint32_t>& arguments, Cycle at) {
    ports_->launch(function, arguments, at);
  }
  /// Has no effect on a router of a user.
  void set_epoch_checker(fabric::EpochChecker* epochs) {
    if (our_router_ != nullptr) our_router_->set_epoch_checker(epochs);
  }

  /// nullptr without streams.
  host::RampTap* tap() { return tap_.get(); }

  std::size_t wavelets_held() const {
    std::size_t held = router_->held();
    for (const auto& queue : input_queues_) held += queue->size();
    for (const auto& queue : output_queues_) held += queue->size();
    return held;
  }
  void describe_waits(observe::Waits& waits, Cycle now) const {
    if (ports_) ports_->describe_waits(waits, now);
    for (const auto& queue : input_queues_) queue->describe_waits(waits, now);
    if (on_ramp_) on_ramp_->describe_waits(waits, now);
    router_->describe_waits(waits, now);
  }

 private:
  std::unique_ptr<fabric::RouterPorts> build_router(const Site& site) {
    if (replacements_ != nullptr) {
      auto router = replacements_->routers.build({site.tile.x, site.tile.y}, "router", site);
      if (router != nullptr) return router;
    }
    auto router = std::make_unique<fabric::Router>("router", site.domain, site.tile,
                                                   site.config.fabric, site.probe);
    if (site.image != nullptr && site.image->uses(pe::Opcode::kStcfg))
      router->set_reconfigurable(site.image->generation);
    for (const auto& [color, route] : site.routes) router->set_route(color, route);
    our_router_ = router.get();
    return router;
  }
  void build_engine(const Site& site) {
    if (replacements_ != nullptr)
      ports_ = replacements_->engines.build({site.tile.x, site.tile.y}, "engine", site);
    if (ports_ != nullptr) return;
    auto engine = std::make_unique<pe::ComputeEngine>("engine", site.domain, site.tile, site.image,
                                                      site.config.pe, site.probe);
    engine_ = engine.get();
    ports_ = std::move(engine);
  }
  void build_input_queue(const Site& site) {
    const unsigned id = site.queue->id.value();
    const std::string name = "input_queue_" + std::to_string(id);
    std::unique_ptr<queue::InputQueuePorts> queue;
    if (replacements_ != nullptr)
      queue = replacements_->input_queues.build(place(site), name.c_str(), site);
    if (queue == nullptr)
      queue = std::make_unique<queue::InputQueue>(
          name.c_str(), site.queue->id, *site.queue->color,
          site.config.fabric.queue_room(site.config.input_queue_lengths.at(id)), site.probe);
    const bool is_tapped = (in_colors_ >> site.queue->color->value() & 1U) != 0;
    (is_tapped ? tap_->to_queues : router_->off_ramp).bind(queue->in);
    ports_->input[id].bind(queue->out);
    input_queues_.push_back(std::move(queue));
  }
  void build_output_queue(const Site& site) {
    const unsigned id = site.queue->id.value();
    const std::string name = "output_queue_" + std::to_string(id);
    std::unique_ptr<queue::OutputQueuePorts> queue;
    if (replacements_ != nullptr)
      queue = replacements_->output_queues.build(place(site), name.c_str(), site);
    if (queue == nullptr)
      queue = std::make_unique<queue::OutputQueue>(name.c_str(), site.queue->id,
                                                   site.config.output_queue_lengths.at(id),
                                                   site.config.queue_write_latency, site.probe);
    ports_->output[id].bind(queue->in);
    on_ramp_->queues[id].bind(queue->out);
    output_queues_.push_back(std::move(queue));
  }
  static std::vector<int> place(const Site& site) {
    return {site.tile.x, site.tile.y, static_cast<int>(site.queue->id.value())};
  }

  Replacements* const replacements_;
  fabric::Router* our_router_ = nullptr;
  std::unique_ptr<fabric::RouterPorts> router_;
  std::unique_ptr<host::RampTap> tap_;
  std::uint32_t in_colors_ = 0;
  std::vector<std::unique_ptr<queue::InputQueuePorts>> input_queues_;
  std::vector<std::unique_ptr<queue::OutputQueuePorts>> output_queues_;
  std::unique_ptr<fabric::OnRamp> on_ramp_;
  std::unique_ptr<pe::EnginePorts> ports_;
  pe::ComputeEngine* engine_ = nullptr;
};

}  // namespace tessera::wse
