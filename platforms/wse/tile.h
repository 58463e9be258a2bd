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
#include "platforms/wse/replacements.h"

namespace tessera::wse {

class Tile : public sc_core::sc_module {
 public:
  /// `streams`: those that reach the host past the router; nullptr: there are none. `replacements`:
  /// modules in place of ours; nullptr: none.
  Tile(sc_core::sc_module_name name, Site site, const layout::HostLink* streams = nullptr,
       Replacements* replacements = nullptr)
      : sc_core::sc_module(name), replacements_(replacements), router_(build_router(site)) {
    if (site.image == nullptr) return;
    on_ramp_ =
        std::make_unique<fabric::OnRamp>("on_ramp", site.domain, site.tile, site.config.fabric,
                                         site.probe.place(), site.image->queues_of(false));
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

  /// What the tile lacks to run `image` (nullptr: none), in words; empty: nothing.
  std::string missing_for(const pe::Image* image) const {
    if (replaced_) return "a module of a user (--replace)";
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
  /// All blocks as built for `site`; `keep_memory`: the SRAM stays as it is. start() when the neighbours
  /// have been reset too.
  void reset(const Site& site, bool keep_memory, fabric::EpochChecker* epochs) {
    if (our_router_ != nullptr) {
      our_router_->reset(site.config.fabric, site.probe);
      our_router_->set_epoch_checker(epochs);
      configure_router(site);
    } else {
      router_->restart();
    }
    if (ports_ == nullptr) return;
    on_ramp_->reset(site.config.fabric);
    if (engine_ != nullptr) {
      pe::Sram memory = std::move(engine_->core().sram());
      engine_->reset(site.decoded(), site.probe, keep_memory ? &memory : nullptr);
    } else {
      ports_->restart();
    }
    for (const auto& [id, ports, queue] : input_queues_) {
      if (queue == nullptr) {
        ports->restart();
        continue;
      }
      const pe::QueueBinding* const binding = site.image->find_queue(true, id);
      queue->reset(binding == nullptr ? kNoColor : binding->color.value_or(kNoColor),
                   room_of(binding == nullptr ? id : binding->of_machine(), site), site.probe);
    }
    for (const auto& [id, ports, queue] : output_queues_) {
      if (queue == nullptr)
        ports->restart();
      else
        queue->reset(site.config.output_queue_lengths.at(id.value()),
                     site.config.queue_write_latency, site.probe);
    }
  }
  void start() {
    router_->start();
    if (ports_ == nullptr) return;
    on_ramp_->start();
    ports_->start();
  }

  /// For checkpoints. Throws state::Mismatch for a tile with a module of a user.
  template <class Archive>
  void visit(Archive& archive) {
    if (replaced_) Archive::fail("a module of a user (--replace) has no state that can be saved");
    archive(*our_router_);
    if (ports_ == nullptr) return;
    archive(*on_ramp_, *engine_);
    for (const auto& queue : input_queues_) archive(*queue.ours);
    for (const auto& queue : output_queues_) archive(*queue.ours);
  }

  /// nullptr where no program runs, and where the engine is one of a user that does not derive from
  /// ours.
  pe::ComputeEngine* engine() { return engine_; }
  /// Requires a program.
  void launch(const pe::Function& function, const std::vector<std::uint32_t>& arguments, Cycle at) {
    ports_->launch(function, arguments, at);
  }
  void set_diagnoses(observe::Diagnoses* diagnoses) {
    if (engine_ != nullptr) engine_->core().set_diagnoses(diagnoses);
    if (our_router_ != nullptr) our_router_->set_diagnoses(diagnoses);
  }
  void set_epoch_checker(fabric::EpochChecker* epochs) {
    if (our_router_ != nullptr) our_router_->set_epoch_checker(epochs);
  }

  /// nullptr without streams.
  host::RampTap* tap() { return tap_.get(); }

  std::size_t wavelets_held() const {
    std::size_t held = router_->held();
    for (const auto& queue : input_queues_) held += queue.ports->size();
    for (const auto& queue : output_queues_) held += queue.ports->size();
    return held;
  }
  void describe_waits(observe::Waits& waits, Cycle now) const {
    if (ports_) ports_->describe_waits(waits, now);
    for (const auto& queue : input_queues_) queue.ports->describe_waits(waits, now);
    if (on_ramp_) on_ramp_->describe_waits(waits, now);
    router_->describe_waits(waits, now);
  }

 private:
  /// A queue, and the same queue as our own model.
  template <class Ports, class Ours>
  struct Queue {
    QueueId id;
    std::unique_ptr<Ports> ports;
    Ours* ours;  // nullptr: a module of a user that does not derive from ours
  };
  /// The color of an input queue that the present program does not use.
  static constexpr Color kNoColor{kColorCount};

  template <class Queues>
  static bool find(const Queues& queues, QueueId id) {
    return std::any_of(queues.begin(), queues.end(),
                       [id](const auto& queue) { return queue.id == id; });
  }
  /// The module of a user in the place of a block, or ours, which `make` makes. `ours` is nullptr if the
  /// user's does not derive from ours.
  template <class Ours, class Factories, class Make>
  auto user_or_ours(Factories Replacements::*block, const std::vector<int>& where,
                    const std::string& name, const Site& site, Ours*& ours, Make&& make) {
    decltype((replacements_->*block).build(where, name.c_str(), site)) built;
    if (replacements_ != nullptr) built = (replacements_->*block).build(where, name.c_str(), site);
    replaced_ |= built != nullptr;
    if (built == nullptr) built = make();
    ours = dynamic_cast<Ours*>(built.get());
    return built;
  }
  std::unique_ptr<fabric::RouterPorts> build_router(const Site& site) {
    auto router = user_or_ours(
        &Replacements::routers, {site.tile.x, site.tile.y}, "router", site, our_router_, [&] {
          return std::make_unique<fabric::Router>("router", site.domain, site.tile,
                                                  site.config.fabric, site.probe);
        });
    if (our_router_ != nullptr) configure_router(site);
    return router;
  }
  void configure_router(const Site& site) {
    if (site.image != nullptr && site.image->uses(pe::Opcode::kStcfg))
      our_router_->set_reconfigurable(site.image->generation);
    for (const auto& [color, route] : site.routes) our_router_->set_route(color, route);
  }
  void build_engine(const Site& site) {
    ports_ = user_or_ours(&Replacements::engines, {site.tile.x, site.tile.y}, "engine", site,
                          engine_, [&] {
                            return std::make_unique<pe::ComputeEngine>(
                                "engine", site.domain, site.tile, site.decoded(), site.probe);
                          });
  }
  void build_input_queue(const Site& site) {
    const QueueId id = site.queue->id;
    const std::string name = "input_queue_" + std::to_string(id.value());
    queue::InputQueue* ours = nullptr;
    auto ports = user_or_ours(&Replacements::input_queues, place(site), name, site, ours, [&] {
      return std::make_unique<queue::InputQueue>(
          name.c_str(), id, site.queue->color.value_or(kNoColor),
          room_of(site.queue->of_machine(), site), site.probe);
    });
    const bool is_tapped =
        site.queue->color && (in_colors_ >> site.queue->color->value() & 1U) != 0;
    (is_tapped ? tap_->to_queues : router_->off_ramp).bind(ports->in);
    ports_->input[id.value()].bind(ports->out);
    input_queues_.push_back({id, std::move(ports), ours});
  }
  void build_output_queue(const Site& site) {
    const QueueId id = site.queue->id;
    const std::string name = "output_queue_" + std::to_string(id.value());
    queue::OutputQueue* ours = nullptr;
    auto ports = user_or_ours(&Replacements::output_queues, place(site), name, site, ours, [&] {
      return std::make_unique<queue::OutputQueue>(name.c_str(), id,
                                                  site.config.output_queue_lengths.at(id.value()),
                                                  site.config.queue_write_latency, site.probe);
    });
    ports_->output[id.value()].bind(ports->in);
    on_ramp_->queues[id.value()].bind(ports->out);
    output_queues_.push_back({id, std::move(ports), ours});
  }
  static unsigned room_of(QueueId queue, const Site& site) {
    return site.config.fabric.queue_room(site.config.input_queue_lengths.at(queue.value()));
  }
  static std::vector<int> place(const Site& site) {
    return {site.tile.x, site.tile.y, static_cast<int>(site.queue->id.value())};
  }

  Replacements* const replacements_;
  bool replaced_ = false;  // some block is a module of a user
  fabric::Router* our_router_ = nullptr;
  std::unique_ptr<fabric::RouterPorts> router_;
  std::unique_ptr<host::RampTap> tap_;
  std::uint32_t in_colors_ = 0;
  std::vector<Queue<queue::InputQueuePorts, queue::InputQueue>> input_queues_;
  std::vector<Queue<queue::OutputQueuePorts, queue::OutputQueue>> output_queues_;
  std::unique_ptr<fabric::OnRamp> on_ramp_;
  std::unique_ptr<pe::EnginePorts> ports_;
  pe::ComputeEngine* engine_ = nullptr;
};

}  // namespace tessera::wse
