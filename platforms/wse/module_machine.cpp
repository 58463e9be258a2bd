#include "platforms/wse/module_machine.h"

#include <string>

namespace tessera::wse {

namespace {

std::string tile_name(const char* prefix, TileCoord at) {
  return std::string(prefix) + "_" + std::to_string(at.x) + "_" + std::to_string(at.y);
}

fabric::PopMode to_pop(layout::PopMode mode) {
  switch (mode) {
  case layout::PopMode::kNoPop:
    return fabric::PopMode::kNoPop;
  case layout::PopMode::kAlwaysPop:
    return fabric::PopMode::kAlwaysPop;
  case layout::PopMode::kPopOnAdvance:
    return fabric::PopMode::kPopOnAdvance;
  case layout::PopMode::kPopOnAdvanceNop:
    return fabric::PopMode::kPopOnAdvanceNop;
  }
  return fabric::PopMode::kNoPop;
}

fabric::FilterKind to_kind(layout::FilterSpec::Kind kind) {
  switch (kind) {
  case layout::FilterSpec::Kind::kCounter:
    return fabric::FilterKind::kCounter;
  case layout::FilterSpec::Kind::kSparseCounter:
    return fabric::FilterKind::kSparseCounter;
  case layout::FilterSpec::Kind::kRange:
    return fabric::FilterKind::kRange;
  }
  return fabric::FilterKind::kCounter;
}

fabric::FilterConfig to_filter(const layout::FilterSpec& spec) {
  fabric::FilterConfig filter;
  filter.kind = to_kind(spec.kind);
  filter.count_data = spec.count_data;
  filter.count_control = spec.count_control;
  filter.init_counter = spec.init_counter;
  filter.limit1 = spec.limit1;
  filter.limit2 = spec.limit2;
  filter.max_counter = spec.max_counter;
  filter.filter_control = spec.filter_control;
  filter.min_idx = spec.min_idx;
  filter.max_idx = spec.max_idx;
  return filter;
}

fabric::ColorRoute to_route(const layout::RouteSpec& spec) {
  static_assert(layout::kSwitchPositions == fabric::kSwitchPositions);
  fabric::ColorRoute route;
  for (unsigned p = 0; p < fabric::kSwitchPositions; ++p) {
    const layout::SwitchPosition& from = spec.positions[p];
    route.positions[p] = {from.rx, from.tx, from.valid, from.sets_rx, from.sets_tx};
  }
  route.current = spec.initial;
  route.ring = spec.ring_mode;
  route.pop = to_pop(spec.pop_mode);
  if (spec.ce_inject) {
    route.injection = *spec.ce_inject == layout::CeInject::kLow ? fabric::Injection::kLow
                                                                : fabric::Injection::kHigh;
  }
  route.swap_x = spec.color_swap_x;
  route.swap_y = spec.color_swap_y;
  route.suspended = spec.teardown;
  if (spec.filter) route.filter = to_filter(*spec.filter);
  return route;
}

// The kernel removes modules from its registries by searching from the back: the last built goes
// first.
template <class Container>
void destroy_backwards(Container& modules) {
  while (!modules.empty()) modules.pop_back();
}

}  // namespace

ModuleMachine::ModuleMachine(sc_core::sc_module_name name, const layout::Layout& layout,
                             const WseConfig& config, const Programs& programs,
                             const std::vector<HostStream>& streams, observe::Sink* sink,
                             bool check_links)
    : sc_core::sc_module(name), width_(layout.width), height_(layout.height),
      check_links_(check_links), domain_("clock", config.clock_period_ps) {
  build_tiles(layout, config, programs, sink);
  build_edges(config, streams, sink);
  bind_links();
}

ModuleMachine::~ModuleMachine() {
  destroy_backwards(checkers_);
  destroy_backwards(stubs_);
  edges_.clear();
  destroy_backwards(tiles_);
}

void ModuleMachine::build_tiles(const layout::Layout& layout, const WseConfig& config,
                                const Programs& programs, observe::Sink* sink) {
  tiles_.reserve(layout.tile_count());
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const TileCoord at{x, y};
      const observe::Probe probe(sink, static_cast<std::uint32_t>(tile_index(at)));
      tiles_.push_back(std::make_unique<Tile>(tile_name("tile", at).c_str(), domain_, at, config,
                                              programs.image_of(at), probe));
      for (const layout::TileRoute& route : layout.routes_of(at)) {
        tiles_.back()->router.set_route(route.color, to_route(layout.routes[route.route]));
      }
    }
  }
}

void ModuleMachine::build_edges(const WseConfig& config, const std::vector<HostStream>& streams,
                                observe::Sink* sink) {
  for (const HostStream& stream : streams) {
    for (TileCoord at : stream.tiles) edges_[{tile_index(at), stream.side}] = nullptr;
  }
  host::IdentRange idents;
  idents.stride = static_cast<std::uint32_t>(edges_.size());
  for (auto& [link, edge] : edges_) {
    const auto place = static_cast<std::uint32_t>(link.first);
    const TileCoord at{static_cast<int>(place) % width_, static_cast<int>(place) / width_};
    const std::string name = tile_name("edge", at) + "_" + to_string(link.second);
    edge = std::make_unique<host::Edge>(name.c_str(), domain_, at, link.second, config.fabric,
                                        idents, observe::Probe(sink, place));
    edge->on_complete([this] { domain_.request_pause(); });
    ++idents.first;
  }
}

void ModuleMachine::bind_links() {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      for (Direction d : kCardinalDirections) bind_output({x, y}, d);
    }
  }
}

// Binds the output `out` of a router to what lies behind it; on the rim also the input of that
// side.
void ModuleMachine::bind_output(TileCoord at, Direction out) {
  fabric::Router& router = tile_at(at).router;
  const TileCoord next = neighbour(at, out);
  if (next.x >= 0 && next.x < width_ && next.y >= 0 && next.y < height_) {
    connect(router.out[index(out)], tile_at(next).router.in[index(opposite(out))]);
    return;
  }
  const auto edge = edges_.find({tile_index(at), out});
  if (edge != edges_.end()) {
    connect(router.out[index(out)], edge->second->in);
    connect(edge->second->out, router.in[index(out)]);
    return;
  }
  stubs_.push_back(
      std::make_unique<link::Stub>((tile_name("stub", at) + "_" + to_string(out)).c_str()));
  router.out[index(out)].bind(stubs_.back()->in);
  stubs_.back()->out.bind(router.in[index(out)]);
}

void ModuleMachine::connect(link::InitiatorSocket& from, link::TargetSocket& to) {
  if (!check_links_) {
    from.bind(to);
    return;
  }
  const std::string name = "checker_" + std::to_string(checkers_.size());
  checkers_.push_back(
      std::make_unique<link::Checker>(name.c_str(), [this] { return domain_.now(); }));
  from.bind(checkers_.back()->in);
  checkers_.back()->out.bind(to);
}

void ModuleMachine::set_diagnoses(observe::Diagnoses* diagnoses) {
  for (const auto& tile : tiles_) {
    if (tile->engine() != nullptr) tile->engine()->core().set_diagnoses(diagnoses);
  }
}

pe::ComputeEngineCore* ModuleMachine::engine(TileCoord tile) {
  pe::ComputeEngine* engine = tile_at(tile).engine();
  return engine == nullptr ? nullptr : &engine->core();
}

void ModuleMachine::launch(TileCoord tile, const pe::Function& function,
                           const std::vector<std::uint32_t>& arguments, Cycle at) {
  tile_at(tile).engine()->launch(function, arguments, at);
}

host::Edge& ModuleMachine::edge(TileCoord tile, Direction side) {
  return *edges_.at({tile_index(tile), side});
}

std::size_t ModuleMachine::wavelets_held() const {
  std::size_t held = 0;
  for (const auto& tile : tiles_) held += tile->wavelets_held();
  return held;
}

void ModuleMachine::describe_waits(observe::Waits& waits) const {
  for (const auto& tile : tiles_) tile->describe_waits(waits, domain_.now());
  for (const auto& [link, edge] : edges_) edge->core().describe_waits(waits, domain_.now());
}

}  // namespace tessera::wse
