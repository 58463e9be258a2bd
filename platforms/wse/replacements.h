// Modules of a user in place of blocks of a fabric: structure `modules` only (docs/rtl-in-the-loop.md).
//
//   wse::Replacements replacements;
//   replacements.routers.add("my_router", [](sc_core::sc_module_name name, const wse::Site& site) {
//     return std::make_unique<MyRouter>(name, site.domain, site.tile);
//   });
//   replacements.choose("router[2,1]=my_router");  // or --replace router[2,1]=my_router
#pragma once

#include <systemc>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/router_ports.h"
#include "models/observe/probe.h"
#include "models/pe/compute_engine.h"
#include "models/queue/queue_ports.h"
#include "models/timing/clock_domain.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/vocabulary/route.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::wse {

/// The place of a block: what its factory needs to know. All references outlive the machine.
struct Site {
  TileCoord tile;
  timing::ClockDomain& domain;
  const WseConfig& config;
  observe::Probe probe;
  std::vector<std::pair<Color, fabric::ColorRoute>> routes;  ///< routes of the tile's router
  std::shared_ptr<const pe::Image> image;  ///< program of the tile; nullptr: the tile has none
  std::optional<pe::QueueBinding> queue;   ///< for a queue: its binding
  /// The image decoded, which tiles share; nullptr: the tile decodes its own.
  std::shared_ptr<const pe::DecodedImage> program = nullptr;

  std::shared_ptr<const pe::DecodedImage> decoded() const {
    if (program != nullptr || image == nullptr) return program;
    return std::make_shared<const pe::DecodedImage>(image, config.pe);
  }
};

/// Factories for one kind of block, and where they are used.
template <class Ports>
class BlockReplacements {
 public:
  using Factory =
      std::function<std::unique_ptr<Ports>(sc_core::sc_module_name name, const Site& site)>;
  /// x, y, and for a queue its id.
  using Place = std::vector<int>;

  void add(const std::string& name, Factory factory) { factories_[name] = std::move(factory); }
  /// False: no factory has that name.
  bool choose(const Place& place, const std::string& name) {
    if (factories_.count(name) == 0) return false;
    chosen_[place] = {name, false};
    return true;
  }
  /// The module for `place`; nullptr: ours stays.
  std::unique_ptr<Ports> build(const Place& place, const char* name, const Site& site) {
    const auto choice = chosen_.find(place);
    if (choice == chosen_.end()) return nullptr;
    choice->second.used = true;
    return factories_.at(choice->second.factory)(name, site);
  }
  bool empty() const { return chosen_.empty(); }
  /// A place that the machine has not asked for; nullptr: there is none.
  const Place* unused() const {
    for (const auto& [place, choice] : chosen_) {
      if (!choice.used) return &place;
    }
    return nullptr;
  }
  std::string names() const {
    std::string text;
    for (const auto& entry : factories_) text += (text.empty() ? "" : ", ") + entry.first;
    return text;
  }

 private:
  struct Choice {
    std::string factory;
    bool used;
  };
  std::map<std::string, Factory> factories_;
  std::map<Place, Choice> chosen_;
};

struct Replacements {
  BlockReplacements<fabric::RouterPorts> routers;
  BlockReplacements<queue::InputQueuePorts> input_queues;
  BlockReplacements<queue::OutputQueuePorts> output_queues;
  BlockReplacements<pe::EnginePorts> engines;

  /// "router[X,Y]=NAME", "engine[X,Y]=NAME", "input_queue[X,Y,ID]=NAME", "output_queue[X,Y,ID]=NAME".
  /// Throws UserError for another form and for a name that is not registered.
  void choose(const std::string& text);
  bool empty() const {
    return routers.empty() && input_queues.empty() && output_queues.empty() && engines.empty();
  }
  /// After the machine is built: throws UserError for a block that it does not have.
  void require_used() const;
};

}  // namespace tessera::wse
